"""What one walk does with every block, in the order in which it can be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from manifact.backends.blocks.deferred import Across, Function, Rows, Sum, Whole


class Step(NamedTuple):
    """The value of an earlier step, for this block."""

    place: int


class Block(NamedTuple):
    """This block of what is held."""

    place: int


class Blocks(NamedTuple):
    """All blocks of what is held."""

    place: int


class Small(NamedTuple):
    """A small array."""

    place: int


@dataclass
class Program:
    """Steps and sums of a walk; arguments that are places stand for what is found there."""

    steps: list[tuple[Function, tuple[Any, ...]]] = field(default_factory=list)
    sums: list[tuple[Function, tuple[Any, ...]]] = field(default_factory=list)
    combine: list[Function] = field(default_factory=list)
    #: Steps whose values are kept.
    kept: list[int] = field(default_factory=list)
    kept_rows: list[Rows] = field(default_factory=list)
    #: What is held, and small arrays.
    inputs: list[Any] = field(default_factory=list)
    small: list[Any] = field(default_factory=list)

    def recipe(self) -> Recipe:
        """What goes to whoever works on blocks, without the arrays."""
        return Recipe(tuple(self.steps), tuple(self.sums), tuple(self.kept))


@dataclass(frozen=True)
class Recipe:
    """Steps and sums alone."""

    steps: tuple[tuple[Function, tuple[Any, ...]], ...]
    sums: tuple[tuple[Function, tuple[Any, ...]], ...]
    kept: tuple[int, ...]

    def run(self, block: Sequence[Any], across: Sequence[Any], small: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """What is kept of this block, and what it adds to the sums."""
        found: list[Any] = []

        def values(places: tuple[Any, ...]) -> list[Any]:
            return [self._value(place, found, block, across, small) for place in places]

        for function, places in self.steps:
            found.append(function(*values(places)))
        return [found[place] for place in self.kept], [function(*values(places)) for function, places in self.sums]

    def _value(
        self, place: Any, found: list[Any], block: Sequence[Any], across: Sequence[Any], small: Sequence[Any]
    ) -> Any:
        match place:
            case Step():
                return found[place.place]
            case Block():
                return block[place.place]
            case Blocks():
                return across[place.place]
            case Small():
                return small[place.place]
        return place


def compiled(sums: Sequence[Sum], tall: Sequence[Rows]) -> Program:
    """The program that computes these sums, and keeps these rows and those that ask for it."""
    program = Program()
    places: dict[int, Any] = {}

    def small(value: Any) -> Small:
        program.small.append(value)
        return Small(len(program.small) - 1)

    def held(store: Any) -> int:
        for number, other in enumerate(program.inputs):
            if other is store:
                return number
        program.inputs.append(store)
        return len(program.inputs) - 1

    def place(argument: Any) -> Any:
        if isinstance(argument, Across):
            return Blocks(held(argument.rows.held))
        if not isinstance(argument, Rows | Whole):
            return argument
        if id(argument) not in places:
            places[id(argument)] = small(argument._value) if isinstance(argument, Whole) else step(argument)
        return places[id(argument)]

    def step(rows: Rows) -> Any:
        if rows.held is not None:
            return Block(held(rows.held))
        assert rows.function is not None
        arguments = tuple(place(argument) for argument in rows.arguments)
        program.steps.append((rows.function, arguments))
        number = len(program.steps) - 1
        if rows.kept or any(rows is one for one in tall):
            program.kept.append(number)
            program.kept_rows.append(rows)
        return Step(number)

    for rows in tall:
        place(rows)
    for one in sums:
        assert one.function is not None
        program.sums.append((one.function, tuple(place(argument) for argument in one.arguments)))
        program.combine.append(one.combine)
    return program
