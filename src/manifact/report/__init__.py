"""One self-contained HTML file in which a person explores a fitted factorisation."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

__all__ = ["report"]


def report(
    model: Any,
    X: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    feature_names: Any = None,
    sample_names: Any = None,
    texts: Any = None,
    images: Any = None,
    image_shape: tuple[int, ...] | None = None,
    labels: Any = None,
    positions: Any = None,
    map_name: str | None = None,
    title: str | None = None,
) -> Path:
    """Write the page of a fitted model and return its path.

    The page shows the parts, a map of the samples, the samples of each part and the neighbours of each sample, how the
    fit went and how well clusters agree with the graph and with known classes. It is one file, loads nothing from
    anywhere and opens without a server. The same model and data give the same bytes.

    Parameters
    ----------
    model : fitted model
        Any model of `manifact.models`.
    X : array or sparse matrix, n_samples x n_features, optional
        The training samples, to show what each of them holds. Without it parts, map and names are still there.
    path : path, optional
        The file to write; by default ``<model>-report.html`` in the current folder.
    feature_names : sequence of str, optional
        Names of the features, by default those that the model's preparation or ``fit`` have seen.
    sample_names : sequence of str, optional
        One name for each sample.
    texts : sequence of str, optional
        One text for each sample; the page keeps its beginning.
    images : array n x h x w, n x h x w x 3, or n rows of pixels, optional
        What to show samples as; by default X, where ``image_shape`` is known.
    image_shape : (h, w) or (h, w, 3), optional
        Shape that the features have as an image, by default the preparation's.
    labels : sequence of n_samples, optional
        Known classes; −1, None, NaN or "" where a class is not known.
    positions : array, n_samples x 2, optional
        Where samples lie on the map, such as ``adata.obsm["X_umap"]``; further columns are left out. Without it samples
        whose mixtures of parts are alike lie together.
    map_name : str, optional
        What ``positions`` are, for the page to say so.
    title : str, optional
        Title of the page.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from manifact import NMF
    >>> from manifact.datasets import load_digits
    >>> from manifact.report import report
    >>> data = load_digits()
    >>> model = NMF(5, random_state=0, max_iter=20).fit(data.X[:60])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report(model, data.X[:60], Path(folder) / "digits.html", image_shape=(8, 8), labels=data.y[:60])
    ...     page.name
    'digits.html'
    """
    from manifact.report.html_page import html
    from manifact.report.page_payload import payload
    from manifact.report.report_inputs import checked, host_copy, target
    from manifact.utils.files import write_text

    given = checked(model, X, feature_names, sample_names, texts, images, image_shape, labels, positions, map_name)
    file = target(path, type(model).__name__)
    write_text(file, html(payload(host_copy(model), given, title)))
    return file
