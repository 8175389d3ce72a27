"""A page that sets a paper's numbers beside ours, as Markdown and as one self-contained HTML file."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, Self

from manifact.experiments.code_digest import numerical_code
from manifact.experiments.reproduce.experiment_files import Value
from manifact.experiments.result_tables import dumps, formatted, table
from manifact.utils.environment import environment, provenance
from manifact.utils.files import write_text


@dataclass(frozen=True)
class Cell:
    """A number of the paper and ours; either may be missing."""

    paper: Value | None = None
    ours: Value | None = None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        if self.paper is None or self.ours is None:
            return None
        return self.ours.mean - self.paper.mean

    @property
    def verdict(self) -> str:
        """Where ours is: "inside", "above" or "below" the paper's mean ± its spread.

        Where the paper prints none it is ours that is meant, and the verdict "inside ours" says so.
        """
        if self.difference is None:
            return ""
        assert self.paper is not None
        assert self.ours is not None
        spread = self.ours.sd if self.paper.sd is None else self.paper.sd
        if spread is None:
            return ""
        if abs(self.difference) > spread:
            return "above" if self.difference > 0 else "below"
        return "inside" if self.paper.sd is not None else "inside ours"


class Block(Protocol):
    """A part of a page."""

    def markdown(self) -> str:
        """As Markdown."""

    def html(self) -> str:
        """As HTML."""

    def data(self) -> dict[str, Any]:
        """As plain values."""


MARKS = {"inside": "✓", "inside ours": "(✓)", "above": "↑", "below": "↓", "": ""}
#: How to read the marks, for the text above a table.
MARKS_EXPLAINED = """\
A cell is the paper's number → **ours**, then the difference. ✓: inside the paper's mean ± its spread, (✓): it prints \
none and the difference is inside ours; ↑ above, ↓ below. What has no paper's number is ours."""


@dataclass(frozen=True)
class Comparison:
    """A table of cells: rows and columns as the paper has them."""

    title: str
    corner: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Mapping[tuple[str, str], Cell]
    note: str = ""
    digits: int = 1

    def markdown(self) -> str:
        """Cells as "paper → ours, difference, mark"."""
        lines = ["| " + " | ".join((self.corner, *self.columns)) + " |", "|---" * (len(self.columns) + 1) + "|"]
        for row in self.rows:
            lines.append("| " + " | ".join((row, *(self._text(self._cell(row, c)) for c in self.columns))) + " |")
        return _parted(f"## {self.title}", "\n".join(lines), self.note)

    def html(self) -> str:
        """The paper's number small above ours, the difference coloured."""
        head = "".join(f"<th scope=col>{html.escape(column)}</th>" for column in self.columns)
        body = "".join(
            f"<tr><th scope=row>{html.escape(row)}</th>" + "".join(self._html(self._cell(row, c)) for c in self.columns)
            for row in self.rows
        )
        return (
            f"<h2>{html.escape(self.title)}</h2><div class=wide><table class=comparison>"
            f"<thead><tr><th>{html.escape(self.corner)}</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
            + paragraphs(self.note)
        )

    def data(self) -> dict[str, Any]:
        """Every cell with both numbers, their difference and the verdict."""
        found = []
        for (row, column), cell in self.cells.items():
            entry: dict[str, Any] = {"row": row, "column": column}
            for who, value in (("paper", cell.paper), ("ours", cell.ours)):
                if value is not None:
                    entry |= {who: value.mean, f"{who} sd": value.sd}
                    entry |= {f"{who} size": value.size} if value.size is not None else {}
            if cell.difference is not None:
                entry |= {"difference": cell.difference, "verdict": cell.verdict}
            found.append(entry)
        return {"title": self.title, "note": self.note, "rows": found}

    def _cell(self, row: str, column: str) -> Cell:
        return self.cells.get((row, column), Cell())

    def _value(self, value: Value | None) -> str:
        if value is None:
            return "–"
        spread = "" if value.sd is None else f"±{value.sd:.{self.digits}f}"
        size = "" if value.size is None else f" ({value.size})"
        return f"{value.mean:.{self.digits}f}{spread}{size}"

    def _text(self, cell: Cell) -> str:
        if cell.ours is None:
            return f"{self._value(cell.paper)} → –" if cell.paper else ""
        if cell.difference is None:
            return f"**{self._value(cell.ours)}**"
        return (
            f"{self._value(cell.paper)} → **{self._value(cell.ours)}** "
            f"{cell.difference:+.{self.digits}f} {MARKS[cell.verdict]}"
        ).strip()

    def _html(self, cell: Cell) -> str:
        paper = f"<small>{self._value(cell.paper)}</small>" if cell.paper else "<small></small>"
        ours = f"<b>{self._value(cell.ours)}</b>" if cell.ours else "<b>–</b>"
        if cell.difference is None:
            return f"<td>{paper}{ours}<i></i></td>"
        mark = MARKS[cell.verdict]
        kind = cell.verdict.split()[0] if cell.verdict else ""
        return f"<td class='{kind}'>{paper}{ours}<i>{cell.difference:+.{self.digits}f} {mark}</i></td>"


@dataclass(frozen=True)
class Rows:
    """A plain table."""

    title: str
    rows: Sequence[Mapping[str, Any]]
    note: str = ""

    def markdown(self) -> str:
        """As a Markdown table."""
        return _parted(f"## {self.title}", table(self.rows), self.note)

    def html(self) -> str:
        """As an HTML table."""
        columns = list(self.rows[0])
        head = "".join(f"<th scope=col>{html.escape(column)}</th>" for column in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(formatted(row.get(c, '')))}</td>" for c in columns) + "</tr>"
            for row in self.rows
        )
        return (
            f"<h2>{html.escape(self.title)}</h2><div class=wide><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table></div>" + paragraphs(self.note)
        )

    def data(self) -> dict[str, Any]:
        """The rows."""
        return {"title": self.title, "note": self.note, "rows": [dict(row) for row in self.rows]}


@dataclass(frozen=True)
class Claim:
    """What the paper says (or what we ask of ourselves), whether it holds here, and the numbers that show it."""

    text: str
    holds: bool
    evidence: str
    #: Why it does not hold, where we know.
    cause: str = ""
    #: Whether a test says so, too; None where there was none.
    significant: bool | None = None


def seeds(number: int) -> str:
    """So many of them, in words.

    >>> seeds(1), seeds(5)
    ('1 seed', '5 seeds')
    """
    return f"{number} seed{'s' if number != 1 else ''}"


@dataclass(frozen=True)
class Claims:
    """A list of claims."""

    claims: Sequence[Claim]
    title: str = "What holds"

    def markdown(self) -> str:
        """A list, plain about what does not hold."""
        return _parted(f"## {self.title}", "\n".join(f"- {self._line(claim, '**')}" for claim in self.claims))

    def html(self) -> str:
        """The same list."""
        items = "".join(
            f"<li class='{'holds' if claim.holds else 'fails'}'>{_inline(self._line(claim, '**'))}</li>"
            for claim in self.claims
        )
        return f"<h2>{html.escape(self.title)}</h2><ul class=claims>{items}</ul>"

    def data(self) -> dict[str, Any]:
        """The claims as they are."""
        return {"title": self.title, "claims": [self._plain(claim) for claim in self.claims]}

    @staticmethod
    def _plain(claim: Claim) -> dict[str, Any]:
        # The cause is that of a failure: beside a claim that holds it would say what is not so.
        return vars(claim) | {"cause": "" if claim.holds else claim.cause}

    @staticmethod
    def _line(claim: Claim, strong: str) -> str:
        verdict = "Holds" if claim.holds else "Does not hold"
        if claim.significant is False:
            verdict += ", not significantly"
        cause = f" {claim.cause}" if claim.cause and not claim.holds else ""
        return f"{strong}{verdict}{strong}: {claim.text} {claim.evidence}{cause}".strip()


@dataclass(frozen=True)
class Text:
    """A few paragraphs under a heading."""

    title: str
    text: str

    def markdown(self) -> str:
        """As it is."""
        return _parted(f"## {self.title}", self.text)

    def html(self) -> str:
        """Paragraph by paragraph."""
        return f"<h2>{html.escape(self.title)}</h2>{paragraphs(self.text)}"

    def data(self) -> dict[str, Any]:
        """As it is."""
        return {"title": self.title, "text": self.text}


@dataclass(frozen=True)
class Picture:
    """A drawing: an SVG file beside the Markdown page, part of the HTML one."""

    title: str
    #: Name of the file, without its ending.
    name: str
    svg: str
    caption: str = ""

    def markdown(self) -> str:
        """A link to the file."""
        return _parted(f"## {self.title}", f"![{self.title}]({self.name}.svg)", self.caption)

    def html(self) -> str:
        """The drawing itself, as an image: what it defines stays inside it."""
        code = base64.b64encode(self.svg.encode()).decode()
        return (
            f"<h2>{html.escape(self.title)}</h2><figure><img alt='{html.escape(self.title, quote=True)}' "
            f"src='data:image/svg+xml;base64,{code}'></figure>{paragraphs(self.caption)}"
        )

    def data(self) -> dict[str, Any]:
        """Where it is."""
        return {"title": self.title, "file": f"{self.name}.svg", "note": self.caption}


#: Under a page: its runs may have been done earlier, and come from the store.
WRITTEN = "Written"


@dataclass(frozen=True)
class Runs:
    """The code that the runs of a page belong to, and the days on which they came."""

    code: str
    first: str
    last: str

    @classmethod
    def of(cls, days: Iterable[str]) -> Self | None:
        """Of runs that came on those days; None where nobody knows."""
        ordered = sorted(days)
        return cls(numerical_code(), ordered[0], ordered[-1]) if ordered else None

    def words(self) -> str:
        """A sentence."""
        when = self.first if self.first == self.last else f"{self.first} to {self.last}"
        return f"Runs of {when}, by code {self.code}."


@dataclass(frozen=True)
class Page:
    """Everything there is to say about one experiment."""

    name: str
    title: str
    intro: str
    blocks: Sequence[Block]
    environment: Mapping[str, Any] = field(default_factory=environment)
    runs: Runs | None = None

    def write(self, folder: Path) -> Path:
        """Write ``<name>.md``, ``.html``, ``.json`` and the drawings; return the path of the first."""
        folder.mkdir(parents=True, exist_ok=True)
        for block in self.blocks:
            if isinstance(block, Picture):
                write_text(folder / f"{block.name}.svg", block.svg)
        content = {
            "title": self.title,
            "note": self.intro,
            "environment": dict(self.environment),
            **({} if self.runs is None else {"runs": vars(self.runs)}),
            "blocks": [block.data() for block in self.blocks],
        }
        write_text(folder / f"{self.name}.json", dumps(content))
        write_text(folder / f"{self.name}.html", self.html())
        write_text(folder / f"{self.name}.md", self.markdown())
        return folder / f"{self.name}.md"

    def markdown(self) -> str:
        """The page as Markdown."""
        parts = [f"# {self.title}", self.intro, *(block.markdown() for block in self.blocks)]
        return _parted(*parts, self._provenance()) + "\n"

    def html(self) -> str:
        """The page as HTML: no script, nothing from elsewhere."""
        body = "".join(block.html() for block in self.blocks)
        footer = f"<footer>{html.escape(self._provenance())}</footer>"
        return document(self.title, paragraphs(self.intro) + body + footer)

    def _provenance(self) -> str:
        written = provenance(self.environment, WRITTEN)
        return written if self.runs is None else f"{self.runs.words()} {written}"


def document(title: str, body: str) -> str:
    """A whole HTML file."""
    style = (files("manifact.experiments.reproduce") / "comparison_page.css").read_text(encoding="utf-8")
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{html.escape(title)}</title><style>{style}</style><main>"
        f"<h1>{html.escape(title)}</h1>{body}</main></html>\n"
    )


def _parted(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def paragraphs(text: str) -> str:
    """Text with blank lines between its paragraphs, as HTML."""
    return "".join(f"<p>{_inline(part)}</p>" for part in text.split("\n\n") if part)


def _inline(text: str) -> str:
    """The few marks that our texts use: **strong** and `code`."""
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def summary(values: Iterable[float], scale: float = 100.0) -> Value | None:
    """Mean and standard deviation over runs, in percent; None where there are none."""
    values = [scale * value for value in values]
    if not values:
        return None
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Value(mean)
    return Value(mean, (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5)
