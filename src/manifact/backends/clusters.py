"""Other processes that work on blocks of samples: a cluster that is started here, or one that is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from manifact.utils.errors import BadValueError


@contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """A cluster of Dask's as long as the block lasts; None where nobody asks for one.

    ``address`` is that of a scheduler, such as ``tcp://host:8786``, or ``local:4`` for four processes here.
    """
    if address is None:
        yield None
        return
    try:
        made = import_module("manifact.backends.dask.dask_cluster")
    except ImportError as missing:
        raise BadValueError(
            "{cluster}={!r} needs Dask, manifact's extra [dask]: pip install distributed", address
        ) from missing
    with made.connected(address) as found:
        yield found
