"""The pages under ``results/``, made pages of the site: measured numbers are never typed by hand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

MEASUREMENTS = """\
# Measurements

Each page is written by a command of the repository, with versions and machine at its end: `manifact bench` writes speed
and memory, the scripts in `benchmarks/` the rest.
"""

QUICK = """\
# Quick runs

`manifact reproduce NAME --quick` runs a faithful part of an experiment: fewer draws, fewer seeds, sometimes fewer data
sets. The pages here come from it. Where there is a [full run](../index.md), believe that one: a quick run has too few
draws for small differences.
"""


def copy_results(app: Sphinx) -> None:
    """Bring ``docs/generated`` in line with ``results/``; what did not change is left alone."""
    source, target = Path(app.srcdir).parent / "results", Path(app.srcdir) / "generated"
    kept = copy_experiments(source / "reproduce", target / "reproduce", "")
    kept |= copy_experiments(source / "reproduce" / "quick", target / "reproduce" / "quick", ", quick run")
    kept |= copy_measurements(source, target / "measurements")
    for folder in ("reproduce", "measurements"):
        for file in (target / folder).rglob("*"):
            if file.is_file() and file not in kept:
                file.unlink()


def copy_experiments(source: Path, target: Path, suffix: str) -> set[Path]:
    """The papers' experiments of one folder, their figures, what holds of them, and an index."""
    kept = {copied(figure, target / figure.name) for figure in source.glob("*.svg")}
    pages = [page for page in sorted(source.glob("*.md")) if page.name != "README.md"]
    for page in pages:
        kept.add(written(target / page.name, wide(titled(page.read_text("utf-8"), suffix))))
    readme = source / "README.md"
    if readme.exists():
        text = readme.read_text("utf-8")
        text = QUICK + text[text.index("\n|") :] if suffix else text
        kept.add(written(target / "index.md", text + toctree_by_paper(pages)))
    return kept


def copy_measurements(source: Path, target: Path) -> set[Path]:
    """Benchmarks and clustering tables, with an index."""
    pages = sorted(source.glob("*.md"))
    kept = {written(target / page.name, page.read_text("utf-8")) for page in pages}
    kept |= {copied(figure, target / figure.name) for figure in source.glob("*.svg")}
    kept.add(written(target / "index.md", MEASUREMENTS + toctree([page.stem for page in pages], hidden=False)))
    return kept


def toctree_by_paper(pages: list[Path]) -> str:
    """A hidden toctree for each paper, with the titles that the pages have in their folder."""
    from manifact.models.registry import on_command_line

    # The name of a page begins with its paper's model, as the command line calls it.
    models = on_command_line()
    groups: dict[str, list[str]] = {}
    for page in pages:
        title = page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        groups.setdefault(page.stem.split("-")[0], []).append(f"{title} <{page.stem}>")
    # The page over all others belongs to no paper.
    over_all = "".join(toctree(group) for name, group in groups.items() if name not in models)
    return over_all + "".join(
        toctree(group, f"{models[name].cls.__name__} paper") for name, group in groups.items() if name in models
    )


def toctree(names: list[str], caption: str = "", hidden: bool = True) -> str:
    """The directive."""
    options = [":maxdepth: 1", *([":hidden:"] if hidden else []), *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, "", *names, "```", ""])


def titled(text: str, suffix: str) -> str:
    """The page with something added to its title."""
    title, _, rest = text.partition("\n")
    return f"{title}{suffix}\n{rest}"


def wide(text: str) -> str:
    """The page with tables of paper → ours in boxes of their own, whose cells stay on one line."""
    tables = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)

    def boxed(found: re.Match[str]) -> str:
        return f":::{{container}} wide\n{found[0]}:::\n" if "→" in found[0] else found[0]

    return tables.sub(boxed, text)


def copied(source: Path, target: Path) -> Path:
    """The target, copied if it is another file."""
    if not target.exists() or target.read_bytes() != source.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return target


def written(target: Path, text: str) -> Path:
    """The target, written if it says something else."""
    if not target.exists() or target.read_text("utf-8") != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return target


def setup(app: Sphinx) -> dict[str, bool]:
    """Copy before the sources are looked for."""
    app.connect("builder-inited", copy_results)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
