"""``--cluster``: who works on blocks of samples, and where that can be watched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from manifact.cli.exit_codes import note


@contextmanager
def at_work(address: str | None, quiet: bool) -> Iterator[Any]:
    """The cluster that is asked for, as long as the block lasts, or None; its dashboard's address is printed."""
    from manifact.backends.clusters import cluster

    with cluster(address) as found:
        if found is not None and not quiet:
            many = "1 worker" if found.n_workers == 1 else f"{found.n_workers:,} workers"
            note(f"{many} of Dask's, to be watched at {found.dashboard}")
        yield found
