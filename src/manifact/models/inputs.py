"""Samples, weights and starts that users give: checked, in one place, before any work is done."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from manifact.backends import PACKAGES, Array, backend_of, comes_in_blocks, host_dtype, native, on_host, package_of
from manifact.backends.devices import chosen_device, placed, reachable_device
from manifact.utils import checks
from manifact.utils.errors import BadValueError

#: Largest entries between which products of two factors are safe in float32.
SINGLE_RANGE = (1e-12, 1e12)


def checked_samples(model: Any, X: Any, reset: bool, non_negative: bool) -> Any:
    """X as floats, sparse X as CSR, on the device that it came on or that the model names.

    Samples of the host are checked there, others where they are: nothing large crosses over to be looked at.
    """
    _refuse_annotated(X)
    # A fitted model serves where its device is not, too.
    device = (chosen_device if reset else reachable_device)(model.device)
    X = native(X)
    if comes_in_blocks(X):
        return _checked_blocks(model, X, reset, non_negative, device)
    if package_of(X) in PACKAGES:
        return _checked_there(model, placed(X, device), reset, non_negative)
    return placed(_checked_here(model, X, reset, non_negative), device)


def _checked_here(model: Any, X: Any, reset: bool, non_negative: bool) -> Any:
    """Samples of the host."""
    try:
        checked = validate_data(
            model,
            X,
            reset=reset,
            accept_sparse=("csr", "csc"),
            dtype=(np.float64, np.float32),
            ensure_non_negative=non_negative,
        )
    except ValueError as refusal:
        if str(refusal).startswith("Negative values"):
            told = str(refusal).rstrip(".")
            raise ValueError(f"{told}: shift or clip them, or use CF, LCCF or LCF, which take any sign") from refusal
        if str(refusal).startswith("Input X contains"):
            # scikit-learn goes on with classifiers that take NaN; those who look for its words find them in the first.
            told = str(refusal).partition("\n")[0].rstrip(".")
            remedy = "fill in what is missing" if "NaN" in told else "give numbers that are finite"
            raise ValueError(f"{told}: {remedy}, or leave out those rows or columns") from refusal
        raise
    return _wide_enough(model, sparse.csr_array(checked) if sparse.issparse(checked) else checked)


def _checked_there(model: Any, X: Any, reset: bool, non_negative: bool) -> Any:
    """Samples on a device; what is wrong with them is said in the words of the host."""
    rows = backend_of(X).rows
    if X.ndim != 2 or not min(X.shape) or not rows.is_real(X):
        return _checked_here(model, on_host(X), reset, non_negative)
    X = rows.as_floats(X)
    low, high = rows.extent(X)
    if not np.isfinite([low, high]).all() or (non_negative and low < 0):
        # A sample with what is wrong in them.
        worst = np.full((1, X.shape[1]), high, dtype=host_dtype(X))
        worst[0, 0] = low
        _checked_here(model, worst, reset, non_negative)
    validate_data(model, X, reset=reset, skip_check_array=True)
    return _wide_enough(model, X)


def _checked_blocks(model: Any, X: Any, reset: bool, non_negative: bool, device: str | None) -> Any:
    """Samples in blocks of rows, looked at in one walk."""
    if not model._takes_blocks:
        raise BadValueError(
            "{} looks at all samples at once, and X comes in blocks of rows: use NMF, ALPNMF, AffinityNMF or "
            "GNMF(graph=LandmarkGraph()), or pass X in one memory",
            type(model).__name__,
        )
    if device is not None:
        raise BadValueError("{device}={!r} does not go with X in blocks of rows: use {device}='cpu'", device)
    if not min(X.shape):
        return _checked_here(model, np.empty(X.shape, dtype=X.dtype), reset, non_negative)
    checked = _checked_there(model, X, reset, non_negative)
    if checked is not X:
        raise ValueError("X in blocks of rows has entries that float32 cannot square: give it in float64")
    return X


def _refuse_annotated(X: Any) -> None:
    """Refuse an AnnData object: it has several matrices, and a model's ``fit`` neither chooses nor writes results.

    And a matrix of its files that has not been read.
    """
    names = {cls.__name__ for cls in type(X).__mro__ if cls.__module__.partition(".")[0] == "anndata"}
    if "BaseCompressedSparseDataset" in names:
        raise TypeError(
            "X is a matrix in a file of anndata's: read it into memory with X.to_memory(), or in blocks of rows with "
            "manifact.io.open_blocks(path)"
        )
    if "AnnData" in names:
        raise TypeError(
            "X is an AnnData object, which has several matrices: manifact.anndata.fit(adata, model) finds its counts "
            "and writes the results into it (manifact.anndata.transform places new cells); or pass one of its "
            "matrices, such as adata.layers['counts']"
        )


def _wide_enough(model: Any, X: Any) -> Any:
    """X in float64 where the squares of its entries would not fit into float32."""
    rows = backend_of(X).rows
    if host_dtype(X) == np.float32:
        largest = max(map(abs, rows.extent(X)))
        least, most = getattr(model, "_single_range", SINGLE_RANGE)
        if largest and not least < largest < most:
            return rows.typed(X, np.float64)
    return X


def checked_weight(weight: Any, n: int, dtype: Any) -> Array:
    """γ as numbers ≥ 0, one for each sample, not all 0."""
    weight = np.asarray(on_host(weight), dtype=dtype)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape} but X has {n} samples: give one weight for each")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight contains NaN, infinite or negative values: weights must be finite and >= 0")
    if not weight.any():
        raise ValueError("sample_weight is zero for every sample: at least one weight must be > 0")
    return weight


def normalized_cut_weight(similarity: Array) -> Array:
    """γ = 1 / (X Xᵀ 1); 0 for samples without entries (GNMF paper, appendix C)."""
    if (similarity < 0).any():
        raise ValueError(
            "sample_weight='ncw' needs samples whose similarities add up to at least 0: pass weights of your own"
        )
    return np.divide(1, similarity, out=np.zeros_like(similarity), where=similarity > 0)


def checked_factor(name: str, P: Any, shape: tuple[int, int], dtype: Any) -> Array:
    """A factor that the user starts from, on the host."""
    P = np.array(on_host(P), dtype=dtype, order="C")
    if P.shape != shape:
        raise BadValueError("{init}={} has shape {} but must be {} x {}", name, P.shape, *shape)
    if not np.isfinite(P).all() or (P < 0).any():
        raise BadValueError("{init}={} contains NaN, infinite or negative values", name)
    return P


def check_fit_options(checkpoint: Any, every: int | None) -> None:
    """``every`` goes with a checkpoint."""
    if every is None:
        return
    checks.integer("every", every, at_least=1)
    if checkpoint is None:
        raise BadValueError("{every}={} says how often to write a checkpoint: name its file with {checkpoint}=…", every)
