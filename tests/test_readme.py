"""What the README says is what is there."""

import re
import tomllib
from pathlib import Path

import pytest
from benchmarks.readme import PAGES, filled

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_numbers_come_from_results(page):
    text = page.read_text("utf-8")
    assert filled(text) == text


def test_continuous_integration_runs_its_test_command():
    command = next(line for line in README.splitlines() if line.endswith("-m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()


#: What people read and what the program says, all but what is generated.
TOLD = [
    *ROOT.glob("*.md"),
    *(
        file
        for folder in ("docs", "examples", "src", "benchmarks", "tests")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".md", ".rst", ".py", ".html", ".js")
        and not {"_build", "generated", "auto_examples"} & set(file.relative_to(ROOT).parts)
        and file != Path(__file__)
    ),
]


def installed() -> list[tuple[str, str]]:
    """What ``pip install`` is given, wherever somebody is told to type it, and where."""
    told = r"""pip install (?:-\w+ )*(?:"([^"\n]+)"|'([^'\n]+)'|([\w.{}\[\],-]+))"""
    return [
        ("".join(found).rstrip(",."), file.relative_to(ROOT).as_posix())
        for file in TOLD
        for found in re.findall(told, file.read_text("utf-8"))
    ]


def test_nobody_is_sent_to_the_package_index_for_us():
    # Where we are not: what works is a checkout, or the repository's address.
    found = installed()
    assert len(found) > 10
    ours = [(what, where) for what, where in found if what.startswith("manifact") and " @ git+" not in what]
    assert ours == []


def test_what_people_are_told_to_install_is_what_we_depend_on():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    known = {re.match(r"[\w-]+", package)[0] for needed in extras.values() for package in needed}
    for what, where in installed():
        name, _, asked = what.partition("[")
        if asked:
            assert set(asked.partition("]")[0].split(",")) <= set(extras), (what, where)
        elif name not in ("", "{package}", "playwright"):
            assert name in known, (what, where)


def test_every_extra_for_users_is_in_getting_started():
    page = (ROOT / "docs" / "getting-started.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    for_developers = {"docs", "bench", "test", "fuzz"}
    within_files = {"images", "parquet", "anndata", "zarr"}
    assert listed == set(project["optional-dependencies"]) - for_developers - within_files
