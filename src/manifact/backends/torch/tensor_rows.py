"""What graphs ask of samples, rows of a tensor (dense or sparse CSR), one by one or in pairs, where it lives.

What has one number for each sample comes back to the host, where graphs are put together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import torch

from manifact.backends.numpy import sample_rows as host_rows
from manifact.backends.protocol import Array
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.memory_budget import slices
from manifact.backends.torch.tensors import as_tensor, sparse_csr

#: Numbers of 64 bits that stir the bits of a hash (SplitMix64's), and how far the bits above are moved down.
STIRRING, SHIFTS = (-0x40A7B892E31B1A47, -0x6B2FB644ECCEEE15), (30, 27, 31)
GOLDEN = -0x61C8864680B583EB
#: Below this many units of rounding scikit-learn takes a length for zero.
NO_LENGTH = 10

Function = TypeVar("Function", bound=Callable[..., Any])


def by_the_host(function: Function) -> Function:
    """``function``, which leaves samples that stay on the host to the host's own of this name."""
    own = getattr(host_rows, function.__name__)

    @wraps(function)
    def answer(X: Any, *others: Any) -> Any:
        if not isinstance(X, HostSamples):
            return function(X, *others)
        found = own(X.host, *others)
        # What is as large as the samples is streamed as they are.
        return X.beside(found) if getattr(found, "shape", None) == X.shape else found

    return answer  # type: ignore[return-value]


def as_samples(X: Any) -> Any:
    """X as finite floats, sparse X as CSR."""
    X = as_floats(X)
    if not all(map(np.isfinite, extent(X))):
        raise ValueError("Input contains NaN or infinity: give numbers that are finite")
    return X


def is_real(X: Any) -> bool:
    """Whether entries are numbers without an imaginary part."""
    return not X.is_complex()


def as_floats(X: Any) -> Any:
    """X in float32 where it is, else in float64; a sparse layout other than CSR as that."""
    X = X.detach()
    if X.layout not in (torch.strided, torch.sparse_csr):
        X = (X.coalesce() if X.layout == torch.sparse_coo else X).to_sparse_csr()
    return X if X.dtype in (torch.float32, torch.float64) else X.to(torch.float64)


def is_sparse(X: Any) -> bool:
    """Whether zeros are not stored."""
    return X.is_sparse if isinstance(X, HostSamples) else bool(X.layout == torch.sparse_csr)


def values_of(X: Any) -> Any:
    """The entries that are stored."""
    return X.values() if is_sparse(X) else X


def with_values(X: Any, values: Any) -> Any:
    """Other entries in the places of those of X."""
    if not is_sparse(X):
        return values
    return sparse_csr(X.crow_indices(), X.col_indices(), values, X.shape, X.device)


def taken(X: Any, some: Any) -> Any:
    """The rows with these numbers."""
    if isinstance(X, HostSamples):
        return as_tensor(X.host[some], X.device)
    if isinstance(some, slice):
        some = np.arange(X.shape[0])[some]
    some = torch.as_tensor(some, device=X.device)
    if not is_sparse(X):
        return X[some]
    places, indptr = _places(X, some)
    columns = X.col_indices()[places]
    return sparse_csr(indptr.to(columns.dtype), columns, X.values()[places], (len(some), X.shape[1]), X.device)


def _places(X: Any, some: Any) -> tuple[Any, Any]:
    """Where the entries of some rows of a CSR tensor stand, row by row, and where each row's begin."""
    starts = X.crow_indices()[:-1][some].to(torch.int64)
    counts = X.crow_indices()[1:][some].to(torch.int64) - starts
    indptr = torch.zeros(len(some) + 1, dtype=torch.int64, device=X.device)
    torch.cumsum(counts, 0, out=indptr[1:])
    shift = torch.repeat_interleave(starts - indptr[:-1], counts)
    return torch.arange(len(shift), device=X.device) + shift, indptr


def dense(X: Any) -> Any:
    """X with its zeros."""
    return X.to_dense() if is_sparse(X) else X.clone()


@by_the_host
def typed(X: Any, dtype: Any) -> Any:
    """X in a type that NumPy names."""
    return X.to(getattr(torch, np.dtype(dtype).name))


@by_the_host
def over(X: Any, number: float) -> Any:
    """X over a number."""
    return with_values(X, values_of(X) / number)


def of_kind(X: Any, sparsely: bool) -> Any:
    """X as it is: tensors of both kinds are compared with each other."""
    return X


@by_the_host
def extent(X: Any) -> tuple[float, float]:
    """The smallest and the largest entry; 0 and 0 where there is none. NaN where one is."""
    values = values_of(X)
    if not values.numel():
        return 0.0, 0.0
    low, high = (float(end) for end in torch.aminmax(values))
    if is_sparse(X) and values.numel() < X.shape[0] * X.shape[1]:
        # NaN is not compared away.
        low, high = (end if np.isnan(end) else beside(end, 0.0) for end, beside in ((low, min), (high, max)))
    return low, high


@by_the_host
def lengths(X: Any) -> Array:
    """‖x_j‖ of every row, in float64."""
    return _lengths(X).cpu().numpy()


def _lengths(X: Any) -> Any:
    if not is_sparse(X):
        return torch.linalg.vector_norm(X, dim=1, dtype=torch.float64)
    return torch.sqrt(lengths_squared(X))


def lengths_squared(X: Any) -> Any:
    """‖x_j‖² of every row, in float64, beside X."""
    if is_sparse(X):
        return row_sums(X, X.values().to(torch.float64) ** 2)
    blocks = slices(X, X.shape[0], 16 * max(1, X.shape[1]))
    parts = [(X[rows].to(torch.float64) ** 2).sum(dim=1) for rows in blocks]
    return torch.cat(parts) if parts else torch.zeros(0, dtype=torch.float64, device=X.device)


def row_sums(X: Any, values: Any) -> Any:
    """Σ of numbers that stand in the places of a CSR tensor's entries, for each row, always in the same order."""
    return torch.segment_reduce(values, "sum", offsets=X.crow_indices().to(torch.int64), initial=0)


def at_unit_length(X: Any) -> Any:
    """Rows of length 1; those without entries stay."""
    size = _lengths(X)
    least = 0.0 if is_sparse(X) else NO_LENGTH * torch.finfo(X.dtype).eps
    size = torch.where(size > least, size, 1.0)
    if not is_sparse(X):
        return X / size.to(X.dtype)[:, None]
    own = torch.repeat_interleave(size, torch.diff(X.crow_indices()))
    return with_values(X, (X.values() / own).to(X.dtype))


def square_roots(X: Any) -> Any:
    """The roots of the entries."""
    return with_values(X, torch.sqrt(values_of(X)))


@by_the_host
def empty(X: Any) -> Array:
    """Which rows hold nothing but zeros."""
    if not is_sparse(X):
        return (~(X != 0).any(dim=1)).cpu().numpy()
    return (row_sums(X, (X.values() != 0).to(torch.float32)) == 0).cpu().numpy()


def first_equal(X: Any) -> Array:
    """For each row the number of the first row that equals it: by a hash of 64 bits, then in full."""
    X = _without_stored_zeros(X) if is_sparse(X) else X
    hashes = _sparse_hashes(X) if is_sparse(X) else _dense_hashes(X)
    order = torch.argsort(hashes, stable=True)
    sorted_hashes = hashes[order]
    begins = torch.ones_like(order, dtype=torch.bool)
    begins[1:] = sorted_hashes[1:] != sorted_hashes[:-1]
    heads = order[begins][torch.cumsum(begins, 0) - 1]
    first = torch.empty_like(order)
    first[order] = heads
    later = torch.nonzero(first != torch.arange(len(first), device=X.device))[:, 0]
    wrong = later[~_equal(X, later, first[later])]
    if len(wrong):  # a collision: rare enough for a comparison of the rows themselves
        _settle(X, first, wrong)
    return first.cpu().numpy()


def _without_stored_zeros(X: Any) -> Any:
    held = X.values() != 0
    if bool(held.all()):
        return X
    counts = row_sums(X, held.to(torch.float64)).to(torch.int64)
    indptr = torch.nn.functional.pad(torch.cumsum(counts, 0), (1, 0))
    columns = X.col_indices()[held]
    return sparse_csr(indptr.to(columns.dtype), columns, X.values()[held], X.shape, X.device)


def _dense_hashes(X: Any) -> Any:
    factors = _stirred(torch.arange(X.shape[1], device=X.device) + GOLDEN) | 1
    parts = [(_mixed(X[rows]) * factors).sum(dim=1) for rows in slices(X, X.shape[0], 32 * X.shape[1])]
    return torch.cat(parts) if parts else torch.zeros(0, dtype=torch.int64, device=X.device)


def _sparse_hashes(X: Any) -> Any:
    """Running sums wrap, and so do their differences: whole numbers come out the same."""
    bits = _mixed(X.values()) * (_stirred(X.col_indices().to(torch.int64) + GOLDEN) | 1)
    sums = torch.nn.functional.pad(torch.cumsum(bits, 0), (1, 0))
    return torch.diff(sums[X.crow_indices().to(torch.int64)])


def _mixed(values: Any) -> Any:
    """Bits of values, stirred; those of 0 stay 0, and −0 is one."""
    return _stirred((values.to(torch.float64) + 0.0).view(torch.int64))


def _stirred(bits: Any) -> Any:
    """SplitMix64's last steps, in numbers with a sign."""
    for shift, factor in zip(SHIFTS, (*STIRRING, 1), strict=True):
        # Zeros come in from above, which a shift of numbers with a sign does not do.
        bits = (bits ^ ((bits >> shift) & ((1 << (64 - shift)) - 1))) * factor
    return bits


def _equal(X: Any, rows: Any, others: Any) -> Any:
    """Whether each of these rows equals the other one beside it."""
    if not is_sparse(X):
        blocks = slices(X, len(rows), 4 * X.shape[1] * X.element_size())
        parts = [(X[rows[some]] == X[others[some]]).all(dim=1) for some in blocks]
        return torch.cat(parts) if parts else torch.ones(0, dtype=torch.bool, device=X.device)
    counts = torch.diff(X.crow_indices())
    same = counts[rows] == counts[others]
    rows, others, compared = rows[same], others[same], torch.nonzero(same)[:, 0]
    (mine, indptr), (theirs, _) = _places(X, rows), _places(X, others)
    columns, values = X.col_indices(), X.values()
    differ = (columns[mine] != columns[theirs]) | (values[mine] != values[theirs])
    counted = torch.nn.functional.pad(torch.cumsum(differ.to(torch.int64), 0), (1, 0))
    same[compared] = torch.diff(counted[indptr]) == 0
    return same


def _settle(X: Any, first: Any, wrong: Any) -> None:
    """The first equal rows of those that only share a hash with another, by comparing them among each other."""
    for at in range(len(wrong)):
        row = wrong[at : at + 1]
        first[row] = row
        for before in range(at):
            other = wrong[before : before + 1]
            if bool(first[other] == other) and bool(_equal(X, row, other)):
                first[row] = other
                break


def pair_products(A: Any, B: Any, rows: Array, columns: Array) -> Array:
    """⟨a_row, b_column⟩ of these pairs."""
    return _over_pairs(A, B, rows, columns, lambda a, b: (a * b).sum(dim=1))


def pair_squares(A: Any, B: Any, rows: Array, columns: Array) -> Array:
    """‖a_row − b_column‖² of these pairs."""
    return _over_pairs(A, B, rows, columns, lambda a, b: (a - b).square_().sum(dim=1))


def _over_pairs(A: Any, B: Any, rows: Array, columns: Array, measure: Any) -> Array:
    out = np.empty(len(rows))
    for some in slices(A, len(rows), 4 * 8 * max(1, A.shape[1])):
        a, b = (_rows_in_full(P, of[some]).to(torch.float64) for P, of in ((A, rows), (B, columns)))
        out[some] = measure(a, b).cpu().numpy()
    return out


def _rows_in_full(X: Any, some: Any) -> Any:
    found = taken(X, some)
    return found.to_dense() if is_sparse(found) else found
