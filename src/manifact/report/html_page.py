"""The file itself: our own page, style and script around the data, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
import html as markup
from importlib.resources import files
from typing import Any

from manifact.report.page_encoding import script_json

#: In the order in which they are needed; all share one scope, which nothing outside can see.
SCRIPTS = (
    "data.js",
    "dom.js",
    "state.js",
    "colour.js",
    "pictures.js",
    "parts.js",
    "map.js",
    "labels.js",
    "pointing.js",
    "moving.js",
    "legend.js",
    "list.js",
    "samples.js",
    "filters.js",
    "detail.js",
    "search.js",
    "searchbox.js",
    "curve.js",
    "quality.js",
    "tables.js",
    "keys.js",
    "help.js",
    "main.js",
)


def html(payload: dict[str, Any]) -> str:
    """The page as text."""
    style = asset("style.css")
    script = "(() => {\n'use strict';\n" + "\n".join(asset(name) for name in SCRIPTS) + "\n})();\n"
    # One pass over the template, so that no text of the data is ever taken for a place to fill in.
    filled = {
        "{{policy}}": markup.escape(policy(style, script)),
        "{{title}}": markup.escape(payload["title"]),
        "{{style}}": style,
        "{{data}}": script_json(payload),
        "{{script}}": script,
    }
    rest, parts = asset("page.html"), []
    for place, text in filled.items():
        before, _, rest = rest.partition(place)
        parts += [before, text]
    return "".join([*parts, rest])


def policy(style: str, script: str) -> str:
    """Content-Security-Policy: our style and script by their digests, pictures from within, nothing from outside."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def asset(name: str) -> str:
    """A file of the page."""
    return (files("manifact.report") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
