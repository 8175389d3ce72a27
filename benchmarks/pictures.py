"""Take the README's picture of a report: handwritten digits, in Chromium (needs playwright and a Chromium)."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from manifact import AffinityNMF
from manifact.datasets import load_digits, unit_length

TARGET = Path(__file__).resolve().parents[1] / "docs" / "_static" / "report.png"


def page(folder: Path) -> Path:
    """The report of the digits."""
    digits = load_digits()
    X = unit_length(digits.X)
    model = AffinityNMF(n_components=10, random_state=0).fit(X)
    return model.report(
        X, folder / "digits.html", image_shape=(8, 8), images=digits.X, labels=digits.y, title="Handwritten digits"
    )


def shoot(file: Path, target: Path) -> None:
    """A picture of the page with a part chosen."""
    chromium = os.environ.get("MANIFACT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page(viewport={"width": 1360, "height": 820})
        view.goto(f"{file.as_uri()}#part=3")
        view.wait_for_timeout(1500)
        view.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        shoot(page(Path(folder)), TARGET)
