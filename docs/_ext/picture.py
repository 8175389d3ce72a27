"""The picture of the first page: what a graph does to the representation of handwritten digits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

#: Grey that reads on a light and on a dark page.
INK = "#7f8a99"
LOOK: dict[str, Any] = {"cmap": "viridis", "interpolation": "nearest"}


def draw(app: Sphinx) -> None:
    """Fit NMF and AffinityNMF to the digits and draw their V, samples sorted by class; done once."""
    target = Path(app.srcdir) / "generated" / "digits.png"
    if target.exists():
        return
    from sklearn.preprocessing import normalize

    from manifact import NMF, AffinityNMF
    from manifact.datasets import load_digits

    data = load_digits()
    X = normalize(data.X)
    models = {
        "V of NMF": NMF(10, random_state=0).fit(X),
        "V of AffinityNMF": AffinityNMF(10, random_state=0).fit(X),
    }
    figure = _figure(models, data.y)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=160, transparent=True)


def _figure(models: dict[str, Any], y: Any) -> Any:
    import numpy as np
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 4.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1, 0.55])
    order = np.argsort(y, kind="stable")
    ends = np.cumsum(np.bincount(y))
    for axes, (title, model) in zip((left, middle), models.items(), strict=True):
        V = model.representation_[order]
        # Parts in the order of the digits that use them most.
        use = np.array([V[y[order] == digit].mean(axis=0) for digit in range(10)])
        V = V[:, np.argsort((use / use.sum(axis=0)).argmax(axis=0), kind="stable")]
        axes.imshow(
            V / np.quantile(V, 0.98, axis=0), vmin=0, vmax=1, aspect="auto", cmap="viridis", interpolation="nearest"
        )
        axes.set(title=title, xlabel="parts", xticks=[])
        axes.set_yticks(ends - np.diff(ends, prepend=0) / 2, range(10))
        axes.tick_params(length=0)
    left.set_ylabel("samples, by digit")
    parts = models["V of AffinityNMF"].components_.reshape(5, 2, 8, 8)
    parts = parts / parts.max(axis=(2, 3), keepdims=True)
    framed = np.pad(parts, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)
    right.imshow(framed.transpose(0, 2, 1, 3).reshape(45, 18)[:-1, :-1], **LOOK)
    right.set(title="U of AffinityNMF", xticks=[], yticks=[])
    for axes in (left, middle, right):
        axes.title.set_color(INK)
        axes.xaxis.label.set_color(INK)
        axes.yaxis.label.set_color(INK)
        axes.tick_params(colors=INK)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return figure


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw before the pages are read."""
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
