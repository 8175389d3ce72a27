"""How the rows of a problem are cut into blocks, and what is computed in one walk over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from weakref import WeakValueDictionary

from manifact.backends.blocks.block_program import Program, compiled
from manifact.backends.blocks.deferred import Across, Deferred, Rows, Sum, Whole


class Walker(Protocol):
    """Who goes over the blocks: this process, or a cluster."""

    def walk(self, program: Program, layout: Layout) -> tuple[list[Any], list[Any]]:
        """What the program keeps, for all blocks, and its sums."""

    def gathered(self, held: Any) -> Any:
        """Blocks that are held as one array of the host."""

    def holding(self, P: Any, layout: Layout) -> Any:
        """Blocks of an array of the host, held."""

    def parts(self, parts: Sequence[Any], layout: Layout) -> Any:
        """Something of the host for each block, held."""

    def room(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Memory of the host for an array, or a file that is gone with it."""

    def block(self, held: Any, number: int) -> Any:
        """One block of what is held, on the host."""


class Layout:
    """Rows ``bounds[i]`` to ``bounds[i+1]`` are block i. All deferred arrays of a problem have the same layout."""

    def __init__(self, bounds: Iterable[int], walker: Walker) -> None:
        self.bounds = tuple(int(bound) for bound in bounds)
        self.walker = walker
        #: Sums that nobody needed so far: they are computed with those that somebody needs.
        self.pending: WeakValueDictionary[int, Sum] = WeakValueDictionary()

    @property
    def n_rows(self) -> int:
        """All of them."""
        return self.bounds[-1]

    @property
    def n_blocks(self) -> int:
        """How many there are."""
        return len(self.bounds) - 1

    def rows(self, number: int) -> slice:
        """Those of a block."""
        return slice(self.bounds[number], self.bounds[number + 1])

    def evaluate(self, *targets: Deferred) -> None:
        """Compute the numbers of small arrays, and the blocks of tall ones, in as few walks as can be."""
        while True:
            front = _Front()
            done = [front.reach(target, keep=True) for target in targets]
            if all(done):
                return
            # Sums that others will ask for next, as far as they need nothing that is not known.
            for other in list(self.pending.values()):
                front.reach(other)
            self._walk(front)

    def _walk(self, front: _Front) -> None:
        program = compiled(front.sums, front.tall)
        kept, totals = self.walker.walk(program, self)
        for rows, held in zip(program.kept_rows, kept, strict=True):
            rows.held = held
            rows.forget()
        for one, total in zip(front.sums, totals, strict=True):
            one.become(total)
            self.pending.pop(id(one), None)


class _Front:
    """How far one can get without another walk, and what the next one has to bring."""

    def __init__(self) -> None:
        self.sums: list[Sum] = []
        self.tall: list[Rows] = []
        self._seen: dict[int, bool] = {}

    def reach(self, node: Any, keep: bool = False) -> bool:
        """Whether this is known: small arrays are computed on the way, blocks could be, or are held if ``keep``."""
        if isinstance(node, Across):
            return self.reach(node.rows, keep=True)
        if not isinstance(node, Deferred):
            return True
        found = self._seen.get(id(node))
        if found is None:
            found = self._seen[id(node)] = self._reached(node)
        if found and keep and isinstance(node, Rows) and node.held is None:
            if not any(node is other for other in self.tall):
                self.tall.append(node)
            return False
        return found

    def _reached(self, node: Deferred) -> bool:
        if (node.held is not None) if isinstance(node, Rows) else node.known:  # type: ignore[attr-defined]
            return True
        # All of them, also where one is not: the next walk brings what each of them needs.
        reached = [self.reach(argument) for argument in node.arguments]
        if not all(reached):
            return False
        if isinstance(node, Sum):
            self.sums.append(node)
            return False
        if isinstance(node, Whole):
            assert node.function is not None
            node.become(node.function(*(values(argument) for argument in node.arguments)))
        return True


def values(argument: Any) -> Any:
    """The numbers of a small array that are known; anything else as it is."""
    return argument._value if isinstance(argument, Whole) else argument
