"""An experiment of a paper as a data file: its protocol and settings, and the numbers that the paper prints."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from manifact.utils.cached_properties import cached_property

PAPERS = files("manifact.experiments") / "papers"
#: "83.0±15.2", "71.4±2.2(1024)", "63.7".
_PRINTED = re.compile(r"(?P<mean>-?\d+(?:\.\d+)?)(?:±(?P<sd>\d+(?:\.\d+)?))?(?:\((?P<size>\d+)\))?$")


@dataclass(frozen=True)
class Value:
    """A mean, its standard deviation where there is one, and the number of components where that was chosen."""

    mean: float
    sd: float | None = None
    size: int | None = None

    @classmethod
    def parse(cls, text: str) -> Value | None:
        """A printed number, or None for the dash of one that is missing.

        >>> Value.parse("71.4±2.2(1024)")
        Value(mean=71.4, sd=2.2, size=1024)
        """
        if text in ("-", "–"):
            return None
        found = _PRINTED.match(text)
        if found is None:
            raise ValueError(f"{text!r} is not a number as the tables have them: write 83.0 or 83.0±15.2")
        mean, sd, size = found["mean"], found["sd"], found["size"]
        return cls(float(mean), float(sd) if sd else None, int(size) if size else None)


#: Printed numbers by row, then column.
Printed = dict[str, dict[str, Value | None]]


@dataclass(frozen=True)
class Experiment:
    """What a data file says, with the changes of ``--quick`` made if it was asked for."""

    name: str
    content: Mapping[str, Any]
    quick: bool = False

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    def get(self, key: str, default: Any = None) -> Any:
        """A runner, or what to use without it."""
        return self.content.get(key, default)

    @property
    def title(self) -> str:
        """One line."""
        return str(self.content["title"])

    @property
    def kind(self) -> str:
        """The module of `kinds` that knows how to run it and how to show it."""
        return str(self.content["kind"])

    @cached_property
    def methods(self) -> dict[str, dict[str, Any]]:
        """The settings of each method under the name the table has for it, what they share filled in."""
        shared = self.content.get("common", {})
        return {name: {**shared, **own} for name, own in self.named("methods").items()}

    def named(self, what: str) -> dict[str, dict[str, Any]]:
        """The settings of each method, data set or panel of a list, under its name."""
        return {each["name"]: _without(each, "name") for each in self.content.get(what, ())}

    @cached_property
    def printed(self) -> dict[str, Printed]:
        """The paper's numbers by score."""
        return {score: parse_table(text) for score, text in self.content.get("printed", {}).items()}

    def paper(self, score: str) -> Printed:
        """The printed table that a score of ours is compared with; empty if there is none."""
        return self.printed.get(self.get("compared", {}).get(score, score), {})

    def score_title(self, score: str) -> str:
        """What a table or a curve of that score is called."""
        return str(self.get("score_titles", {}).get(score, f"{score} (%)"))


def parse_table(text: str) -> Printed:
    """A table in plain text: names of the columns in the first line, the name of the row first in the others.

    >>> parse_table('''
    ... K    NMF    GNMF
    ... 4    81.0±14.2  93.5±10.1
    ... ''')["4"]["NMF"]
    Value(mean=81.0, sd=14.2, size=None)
    """
    heading, *lines = [line.split() for line in text.strip().splitlines()]
    table: Printed = {}
    for name, *cells in lines:
        if len(cells) != len(heading) - 1:
            raise ValueError(f"row {name!r} has {len(cells)} numbers for {len(heading) - 1} columns")
        table[name] = {column: Value.parse(cell) for column, cell in zip(heading[1:], cells, strict=True)}
    return table


def row_means(printed: Printed, columns: Sequence[str]) -> dict[str, float]:
    """The mean of each row over the columns, for the rows that have a number in all of them.

    >>> row_means(parse_table("x a b\\nNMF 1.0 2.0\\nGNMF 3.0 -"), ["a", "b"])
    {'NMF': 1.5}
    """
    found = {}
    for row, cells in printed.items():
        values = [value.mean for column in columns if (value := cells[column]) is not None]
        if len(values) == len(columns):
            found[row] = sum(values) / len(values)
    return found


def names() -> list[str]:
    """Every experiment there is."""
    return sorted(entry.name.removesuffix(".toml") for entry in PAPERS.iterdir() if entry.name.endswith(".toml"))


def load(name: str, quick: bool = False) -> Experiment:
    """The experiment of that name."""
    content = tomllib.loads((PAPERS / f"{name}.toml").read_text(encoding="utf-8"))
    changes = content.pop("quick", {})
    methods = content.get("methods", [])
    if quick:
        for method in methods:
            method.update(changes.get("methods", {}).get(method["name"], {}))
        common = content.get("common", {}) | changes.get("common", {})
        content |= _without(changes, "methods") | {"common": common}
    return Experiment(name, content, quick)


def _without(mapping: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}
