"""Samples in blocks that Dask's workers have: the chunks of a `dask.array`, or blocks of files and arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import dask.array as da
import numpy as np
from scipy import sparse

from manifact.backends.block_samples import ArrayBlocks, BlockSamples, SpooledBlocks
from manifact.backends.dask import bytes_of_chunks  # noqa: F401 - workers that have chunks tell their bytes
from manifact.backends.dask.dask_walk import Chunks, DaskWalk
from manifact.backends.dask.lost_clusters import sentence_if_lost
from manifact.backends.dask.task_graph import TaskGraph, fetched, later, started
from manifact.backends.numpy.numpy_data import DenseData, SparseData
from manifact.backends.passing_data import passing_data
from manifact.backends.threads import limit
from manifact.utils.errors import BadValueError
from manifact.utils.sparse_matrices import sorted_csr

#: X is kept on the workers, with what products need beside it, where it takes at most this share of their memory.
KEPT_SHARE = 0.5
#: Times its size that sparse X takes then: itself, and its transpose.
TIMES_SPARSE = 2.2
#: The words of arrays in one memory, and what is to be done.
COMPLEX = "Complex data not supported: give the real part, the size or the like, such as X.real or abs(X)"


class DaskSamples(BlockSamples):
    """The chunks of a `dask.array`, dense or of SciPy's sparse matrices."""

    #: What workers read blocks from: it has to be there as long as they may have to read it again.
    _root: Any = None
    #: The same samples in blocks that this process has, if it has them.
    _blocks: BlockSamples | None = None

    def __init__(self, X: Any) -> None:
        refuse_others(X)
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} axes but must have 2: samples in rows, features in columns")
        if any(np.isnan(size) for chunks in X.chunks for size in chunks):
            X = X.compute_chunk_sizes()
        if len(X.chunks[1]) > 1:
            X = X.rechunk({1: -1})
        dtype = np.dtype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
        rows = [size for size in X.chunks[0] if size]
        bounds = np.concatenate([[0], np.cumsum(rows, dtype=np.int64)])
        parts = [part for part, size in zip(X.to_delayed().ravel(), X.chunks[0], strict=True) if size]
        self._begin(X.shape, dtype, bounds, DaskWalk())
        placed = zip(parts, pairwise(self.bounds), strict=True)
        self._keep([later(_checked, part, dtype, start, stop, self.shape[1]) for part, (start, stop) in placed])

    @classmethod
    def of_blocks(cls, X: BlockSamples) -> DaskSamples:
        """The same blocks, which workers read themselves from files that all of them see; others are sent to them."""
        made, walk = cls.__new__(cls), DaskWalk()
        made._begin(X.shape, X.dtype, X.bounds, walk)
        if isinstance(X, SpooledBlocks):
            _check_seen(walk, X)
            made._root = made._blocks = X
            made._keep([later(_block_of, X, number) for number in range(X.n_blocks)])
        else:
            made._blocks = X
            made._root = sent = walk.parts(X.block(number) for number in range(X.n_blocks))
            made._keep(sent.parts, sent=True)
        return made

    def _begin(self, shape: Sequence[int], dtype: Any, bounds: Iterable[int], walk: DaskWalk) -> None:
        self.shape = (int(shape[0]), int(shape[1]))
        self.dtype = np.dtype(dtype)
        self.bounds = tuple(int(bound) for bound in bounds)
        self.walk: Any = walk

    def _keep(self, parts: Sequence[Any], sent: bool = False) -> None:
        """Look at the first part; keep all on the workers, if they have the memory."""
        self._parts = list(parts)
        self.is_sparse, size = self._called(_kind, self._parts[:1])[0] if self._parts else (False, 0)
        self.nbytes_known = int(size * len(self._parts))
        times = TIMES_SPARSE if self.is_sparse else 1.0
        self._kept = sent or times * self.nbytes_known <= KEPT_SHARE * self.walk.memory()
        if self._kept and not sent:
            self._parts = started(self.walk.client, self._parts)

    @property
    def nbytes(self) -> int:
        return self.nbytes_known

    def block(self, i: int) -> Any:
        return self._called(_like, self._parts[i : i + 1], [self.is_sparse])[0]

    def digest(self) -> str:
        """A hash of all numbers and where they stand, made where they are: of the same chunks alone.

        Of blocks that are not a `dask.array` it is theirs, however many workers have them.
        """
        if self._blocks is not None:
            return self._blocks.digest()
        return " ".join([str(self.bounds), *self._called(_digest, self._parts)])

    def rows(self, numbers: Any) -> Any:
        numbers = np.asarray(numbers, dtype=np.int64)
        wanted, own = [], []
        for part, (start, stop) in zip(self._parts, pairwise(self.bounds), strict=True):
            among = numbers[np.searchsorted(numbers, start) : np.searchsorted(numbers, stop)] - start
            if len(among):
                wanted.append(part)
                own.append(among)
        # Chunks may be of both kinds, and X is of that of the first.
        found = self._called(_taken, wanted, own, [self.is_sparse] * len(wanted))
        if self.is_sparse:
            return sorted_csr(sparse.vstack(found, format="csr") if found else sparse.csr_array((0, self.shape[1])))
        return np.concatenate([np.empty((0, self.shape[1]), self.dtype), *found])

    def each(self, function: Callable[[Any], Any]) -> list[Any]:
        """function(block) of every block, by the workers, on the host."""
        return self._called(_alone, self._parts, [function] * len(self._parts))

    def _called(self, function: Callable[..., Any], parts: Sequence[Any], *more: Sequence[Any]) -> list[Any]:
        """function(part, ...) of some parts, on the host."""
        graph = TaskGraph(self.walk.client)
        calls = [graph.call(function, *arguments) for arguments in zip(parts, *more, strict=True)]
        return fetched(self.walk.client, graph.begun(calls))

    def walker(self) -> DaskWalk:
        """Who walks over the chunks."""
        return self.walk

    def source(self, weight: Any) -> Chunks:
        """The data of each chunk: kept on the workers, or made again from what X is read from."""
        weights = [None if weight is None else weight[start:stop] for start, stop in pairwise(self.bounds)]
        if not self._kept:
            return Chunks([later(passing_data, *both) for both in zip(self._parts, weights, strict=True)])
        graph = TaskGraph(self.walk.client)
        calls = [graph.call(_kept_data, *both) for both in zip(self._parts, weights, strict=True)]
        return Chunks(graph.begun(calls))


def _check_seen(walk: DaskWalk, X: SpooledBlocks) -> None:
    """Refuse files that some workers do not see."""
    if walk.client is None or walk.is_here():
        return
    with sentence_if_lost(walk.client):
        seen = walk.client.run(os.path.isdir, str(X.folder))
    blind = [address for address, found in seen.items() if not found]
    if blind:
        raise BadValueError(
            "{} of {} workers do not see {}, where X is: name with {scratch} a folder that all machines share",
            len(blind),
            len(seen),
            X.folder,
        )


def refuse_others(X: Any) -> None:
    """Refuse what is Dask's and no array of real numbers."""
    if not isinstance(X, da.Array):
        raise TypeError(
            f"X is Dask's {type(X).__name__}, which is no array: give a dask.array, such as "
            "df.to_dask_array(lengths=True) of a data frame"
        )
    if X.dtype.kind == "c":
        raise ValueError(COMPLEX)
    if X.dtype.kind in "SUVMm":
        raise ValueError(f"X has entries of type {X.dtype}, which are no numbers: convert them, as by X.astype(float)")


def _checked(part: Any, dtype: Any, start: int, stop: int, m: int) -> Any:
    """The chunk of some rows as floats, sparse ones as CSR."""
    part = part if sparse.issparse(part) else np.asarray(part)
    declared = (stop - start, m)
    if part.shape != declared:
        raise ValueError(
            f"the chunk of X that begins with row {start} has shape {part.shape} but is declared as {declared}: "
            "declare the shape that it has, or let X.compute_chunk_sizes() count"
        )
    if part.dtype.kind == "c":
        raise ValueError(COMPLEX)
    if sparse.issparse(part):
        return sorted_csr(part.astype(dtype, copy=False))
    return np.ascontiguousarray(part, dtype=dtype)


def _block_of(X: BlockSamples, number: int) -> Any:
    return X.block(number)


def _like(part: Any, is_sparse: bool) -> Any:
    if sparse.issparse(part) == is_sparse:
        return part
    return sparse.csr_array(part) if is_sparse else part.toarray()


def _kind(part: Any) -> tuple[bool, int]:
    if sparse.issparse(part):
        return True, int(part.data.nbytes + part.indices.nbytes + part.indptr.nbytes)
    return False, int(part.nbytes)


def _digest(part: Any) -> str:
    return ArrayBlocks(part, max(1, part.shape[0])).digest()


def _taken(part: Any, own: Any, is_sparse: bool) -> Any:
    return _like(part if len(own) == part.shape[0] else part[own], is_sparse)


def _alone(part: Any, function: Callable[[Any], Any]) -> Any:
    with limit(1):
        return function(part)


def _kept_data(part: Any, weight: Any) -> Any:
    if not sparse.issparse(part):
        return DenseData(part, weight)
    data = SparseData(part, weight)
    with limit(1):
        data.XT  # noqa: B018 - made once, on the worker that has the chunk
    return data
