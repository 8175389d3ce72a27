"""One page over all others: every claim of the papers in a sentence, and what came out of it."""

from __future__ import annotations

import html
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from manifact.experiments.reproduce.comparison_page import Block, Page, Rows, Runs, paragraphs

#: Which claims of which pages speak for a sentence, and why what does not hold does not.
SENTENCES = files("manifact.experiments") / "what_holds.toml"
NAME, TITLE = "what-holds", "What holds of the five papers"
#: Averages this near to the paper's count as reproduced.
POINTS = 3.0
AVERAGE = "Avg."
INTRO = """\
Every claim of the five papers in a sentence, with what the pages of its experiments say: it **holds** if all that was \
asked of it holds, **holds, not surely** if it does and a paired test does not confirm all of it, **does not hold** if \
nothing does, and **depends** if some does. Below each are the numbers, in the \
words of the pages; pages have the rest. A reason that begins with the name of a page comes from that experiment."""
#: Where quick runs are, for experiments of which there is no full run by the same code.
QUICK = "quick"


@dataclass(frozen=True)
class Shown:
    """A claim of a page."""

    page: str
    text: str
    holds: bool
    evidence: str
    #: Whether a test says so, too; None where there was none.
    significant: bool | None = None
    #: Whether it comes from a quick run.
    quick: bool = False


@dataclass(frozen=True)
class Sentence:
    """A claim of a paper, and all that pages say of it."""

    paper: str
    says: str
    shown: Sequence[Shown]
    why: str = ""
    #: What is said whatever comes out.
    note: str = ""

    @property
    def verdict(self) -> str:
        """In a word or two."""
        held = sum(claim.holds for claim in self.shown)
        if not self.shown:
            return "not run"
        if held < len(self.shown):
            return "depends" if held else "does not hold"
        return "holds, not surely" if any(claim.significant is False for claim in self.shown) else "holds"

    @property
    def reason(self) -> str:
        """Why it does not hold, or not always; and what is to be said in any case."""
        why = "" if self.verdict in ("holds", "not run") else self.why
        return f"{why} {self.note}".strip()


def page(folder: Path) -> Page | None:
    """The page over those in ``folder``; None where none of them is there."""
    content = tomllib.loads(SENTENCES.read_text(encoding="utf-8"))
    pages = _Pages(folder)
    sentences = [_sentence(one, pages) for one in content["claims"]]
    if not pages.read:
        return None
    papers = list(dict.fromkeys(sentence.paper for sentence in sentences))
    blocks: list[Block] = [_overview(sentences)]
    blocks += [Sentences(paper, [one for one in sentences if one.paper == paper]) for paper in papers]
    blocks += list(_averages(content["averages"], pages))
    return Page(NAME, TITLE, INTRO + pages.of_quick_runs(), blocks, runs=pages.runs())


class _Pages:
    """Pages as the files beside them hold them, each read once: full runs, or quick ones where there are no others.

    A full run of earlier days counts as none where there is a later quick one, so that pages can be of one version.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.read: dict[str, Mapping[str, Any]] = {}
        self.quick: set[str] = set()

    def get(self, name: str) -> Mapping[str, Any] | None:
        """The page, or None if it has not been written."""
        if name not in self.read:
            full, quick = _page(self._folder / f"{name}.json"), _page(self._folder / QUICK / f"{name}.json")
            if full is None and quick is None:
                return None
            if full is None or (quick is not None and _run(full) < _run(quick)):
                self.quick.add(name)
                full = quick
            assert full is not None
            self.read[name] = full
        return self.read[name]

    def of_quick_runs(self) -> str:
        """A sentence on the pages that are."""
        if not self.quick:
            return ""
        return f" Of {', '.join(sorted(self.quick))} there is a quick run alone, with fewer draws and grids."

    def claims(self, name: str, beginning: str) -> list[Shown]:
        """The claims of a page whose text begins so."""
        found = self.get(name)
        if found is None:
            return []
        claims = [claim for block in found["blocks"] for claim in block.get("claims", ())]
        quick = name in self.quick
        shown = [
            Shown(name, one["text"], one["holds"], one["evidence"], one.get("significant"), quick) for one in claims
        ]
        chosen = [one for one in shown if one.text.startswith(beginning)]
        if not chosen:
            raise ValueError(f"no claim of {name} begins with {beginning!r}: run it again, or mend what_holds.toml")
        return chosen

    def runs(self) -> Runs | None:
        """The code of all pages, if it is one, and the days of their runs."""
        told = [found["runs"] for found in self.read.values() if "runs" in found]
        if len(told) < len(self.read) or len({each["code"] for each in told}) != 1:
            return None
        return Runs(told[0]["code"], min(each["first"] for each in told), max(each["last"] for each in told))


def _page(file: Path) -> Mapping[str, Any] | None:
    """What a page holds; None where there is none."""
    try:
        found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return found


def _run(page: Mapping[str, Any]) -> str:
    """The day of its last run; earlier than any other where nobody knows."""
    return str(page["runs"]["last"]) if "runs" in page else ""


def _sentence(one: Mapping[str, Any], pages: _Pages) -> Sentence:
    shown = [claim for name, texts in one["shown"].items() for text in texts for claim in pages.claims(name, text)]
    return Sentence(one["paper"], one["says"], shown, one.get("why", ""), one.get("note", ""))


def _overview(sentences: Sequence[Sentence]) -> Rows:
    rows = [
        {
            "paper": one.paper,
            "claim": one.says,
            "verdict": one.verdict,
            "of what was asked": f"{sum(claim.holds for claim in one.shown)} of {len(one.shown)}",
        }
        for one in sentences
    ]
    return Rows("In short", rows)


@dataclass(frozen=True)
class Sentences:
    """The sentences of a paper, with numbers and reasons."""

    paper: str
    sentences: Sequence[Sentence]

    def markdown(self) -> str:
        """A heading for each, its numbers as a list."""
        return "\n\n".join([f"## {self.paper}", *("\n\n".join(self._parts(one)) for one in self.sentences)])

    def html(self) -> str:
        """The same."""
        return f"<h2>{html.escape(self.paper)}</h2>" + "".join(self._html(one) for one in self.sentences)

    def data(self) -> dict[str, Any]:
        """Verdicts, reasons, and the claims behind them."""
        return {
            "title": self.paper,
            "sentences": [
                {"says": one.says, "verdict": one.verdict, "why": one.reason, "shown": [vars(s) for s in one.shown]}
                for one in self.sentences
            ],
        }

    def _parts(self, one: Sentence) -> Iterator[str]:
        yield f"### {one.says}"
        yield f"**{one.verdict.capitalize()}.** {one.reason}".strip()
        if one.shown:
            yield "\n".join(f"- {self._page(s)}: {self._line(s)}" for s in one.shown)

    def _html(self, one: Sentence) -> str:
        items = "".join(
            f"<li><a href='{f'{QUICK}/' if s.quick else ''}{s.page}.html'>{s.page}</a>: "
            f"{html.escape(self._line(s), quote=False)}</li>"
            for s in one.shown
        )
        told = paragraphs(f"**{one.verdict.capitalize()}.** {one.reason}")
        return f"<h3>{html.escape(one.says)}</h3>{told}<ul>{items}</ul>"

    @staticmethod
    def _page(claim: Shown) -> str:
        return f"[{claim.page}, quick]({QUICK}/{claim.page}.md)" if claim.quick else f"[{claim.page}]({claim.page}.md)"

    @staticmethod
    def _line(claim: Shown) -> str:
        mark = "✓" if claim.holds else "✗"
        unsure = " (not significantly)" if claim.significant is False else ""
        return f"{mark}{unsure} {claim.text} {claim.evidence}"


def _averages(own: Mapping[str, Mapping[str, Any]], pages: _Pages) -> Iterator[Block]:
    """How near the papers' own methods come to what is printed of them."""
    rows: list[dict[str, Any]] = []
    for name, about in own.items():
        found, method = pages.get(name), about["method"]
        for reading in (method, *about.get("also", ())):
            for table, paper, ours in _own_averages(found, method, reading) if found else ():
                difference = ours - paper
                near = abs(difference) <= POINTS
                rows.append(
                    {
                        "page": f"{name} (quick)" if name in pages.quick else name,
                        "average of": table,
                        "method": reading,
                        "paper": f"{paper:.1f}",
                        "ours": f"{ours:.1f}",
                        "difference": f"{difference:+.1f}",
                        f"within {POINTS:g}": "yes" if near else "above" if difference > 0 else "below",
                        "why not": "" if near else about.get("why", ""),
                    }
                )
    if rows:
        reached = sum(row[f"within {POINTS:g}"] == "yes" for row in rows)
        note = (
            f"{reached} of {len(rows)} rows are within {POINTS:g} points of print. Where a paper prints no average it "
            "is taken over its rows. Where it leaves open how its number was made, every reading has a row; each "
            f"printed average counts once here. With one reading for all tables of a paper{_named(own)}: "
            f"{_counted(rows, own)}. With the nearest reading of each average: {_counted(rows)}."
        )
        yield Rows("How near the numbers come", rows, note)


def _named(own: Mapping[str, Mapping[str, Any]]) -> str:
    """The readings that are taken for all tables: " (LCF by its objective)"."""
    found = dict.fromkeys(f"{about['method']} {about['reading']}" for about in own.values() if "reading" in about)
    return f" ({', '.join(found)})" if found else ""


def _counted(rows: Sequence[Mapping[str, Any]], own: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """How many of the printed averages of each score are near: "3 of 4 (75 %) of AC".

    Of several readings it is the page's own method that counts, and the table whose title its ``reading`` is part of
    where there are several of a score; without ``own`` one of them has to be near.
    """
    near: dict[str, dict[str, bool]] = {}
    for row in rows:
        page = row["page"].removesuffix(" (quick)")
        score, _, how = row["average of"].partition(" (")
        if own is not None and not _is_read_so(row["method"], how, own[page]):
            continue
        pages = near.setdefault(score, {})
        pages[page] = pages.get(page, False) or row[f"within {POINTS:g}"] == "yes"
    counts = {score: (sum(pages.values()), len(pages)) for score, pages in near.items()}
    clustering = [counts[score] for score in ("AC", "NMI") if score in counts]
    if len(clustering) == 2:
        counts["both scores of clustering"] = tuple(map(sum, zip(*clustering, strict=True)))  # type: ignore[assignment]
    return ", ".join(
        f"{some} of {all_} ({100 * some / all_:.0f} %) of {score}" for score, (some, all_) in counts.items()
    )


def _is_read_so(method: str, how: str, about: Mapping[str, Any]) -> bool:
    several = "," in how
    return method == about["method"] and (not several or about.get("reading", "") in how)


def _own_averages(found: Mapping[str, Any], method: str, reading: str) -> Iterator[tuple[str, float, float]]:
    """Title of the table, the paper's average of the method and ours of a reading of it, wherever both have one."""
    for block in found["blocks"]:
        cells = {(row["row"], row["column"]): row for row in block.get("rows", ()) if "ours" in row}
        # Rows are numbers of classes, or methods.
        averaged = (AVERAGE, method) in cells and "paper" in cells[AVERAGE, method]
        printed = {
            at: row["paper"]
            for at, row in cells.items()
            if "paper" in row and (at == (AVERAGE, method) if averaged else at[0] == method)
        }
        ours = [cells.get((row, reading) if averaged else (reading, column)) for row, column in printed]
        if printed and all(ours):
            yield (
                block["title"],
                float(np.mean(list(printed.values()))),
                float(np.mean([cell["ours"] for cell in ours if cell])),
            )
