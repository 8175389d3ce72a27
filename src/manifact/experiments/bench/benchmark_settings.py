"""What a section is told: data, how often, how much, and whom to tell of its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

from manifact.experiments.bench.benchmark_samples import Samples, present, twin

#: What a section returns: rows of plain numbers, and a note that says what they are.
Outcome = tuple[list[dict[str, Any]], str]


class UnavailableError(Exception):
    """What a section needs is not here: a sentence for the reader instead of a table."""


@dataclass(frozen=True)
class Scale:
    """How much is measured; the defaults are the full size."""

    #: Values of k for one KL iteration.
    kl_ranks: tuple[int, ...] = (10, 32, 64)
    #: Iterations between the short and the long run whose difference is the time of one.
    kl_iterations: int = 10
    frobenius_ranks: tuple[int, ...] = (10, 32)
    frobenius_iterations: int = 200
    gnmf_iterations: int = 500
    #: k and the most iterations of peers that stop by themselves.
    peer_rank: int = 10
    peer_iterations: int = 200
    lpnmf_rank: int = 30
    lpnmf_iterations: int = 10
    #: Documents of the large graph; 0: none.
    graph_documents: int = 100_000
    #: Rows of the block whose product with itself gives the rate of matrix products.
    product_rows: int = 4096
    #: k and iterations of the runs that are looked at early and late.
    age_rank: int = 64
    age_iterations: int = 100
    #: The same where threads, serial shares and bytes are measured.
    thread_rank: int = 30
    thread_iterations: int = 20
    #: Synthetic documents whose iterations are taken apart, too; 0: none.
    serial_documents: int = 100_000
    memory_documents: int = 1_000_000
    #: Documents on disk that are factorised in little memory, and those whose iterations in blocks are timed.
    out_of_core_documents: tuple[int, ...] = (100_000, 1_000_000, 5_000_000)
    block_documents: int = 1_000_000
    #: k where blocks come one after another, and synthetic documents that come so, too.
    stream_rank: int = 10
    stream_documents: int = 1_000_000
    #: Documents that local processes work on.
    cluster_documents: int = 1_000_000
    memory_samples: int = 20_000

    def of_documents(self, number: int | None) -> Self:
        """With another number of synthetic documents where they are many: streams, blocks on disk and clusters."""
        if number is None:
            return self
        return replace(self, stream_documents=number, block_documents=number, cluster_documents=number)


QUICK = Scale(
    kl_iterations=4,
    peer_iterations=50,
    graph_documents=0,
    serial_documents=0,
    memory_documents=100_000,
    out_of_core_documents=(100_000,),
    block_documents=100_000,
    stream_documents=100_000,
    cluster_documents=50_000,
    memory_samples=10_000,
)


@dataclass(frozen=True)
class Setting:
    """How a section measures; ``data`` is None where the user named none."""

    data: Samples | None = None
    repeats: int = 5
    scale: Scale = field(default_factory=Scale)
    show: Callable[[str], None] = lambda text: None

    @property
    def samples(self) -> Samples:
        """The named data, or documents in the shape of TDT2."""
        return twin() if self.data is None else self.data

    def sets(self, *names: str) -> Iterator[Samples]:
        """The named data, or else those of ``names`` that are here, or else documents in the shape of TDT2."""
        here = [] if self.data is not None else [samples for name in names if (samples := present(name)) is not None]
        yield from here or [self.samples]
