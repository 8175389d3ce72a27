"""What the page keeps of every sample: its heaviest parts, its place on the map, neighbours, picture, text."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.report.graph_neighbours import neighbours
from manifact.report.page_encoding import packed, packed_index, quantised
from manifact.report.part_features import leading
from manifact.report.part_members import strongest_first
from manifact.report.report_inputs import ReportInputs
from manifact.report.sample_map import layout, placed
from manifact.report.thumbnails import affordable, sample_tiles, sheet

#: Up to so many weights V is kept whole; beyond, a sample keeps its heaviest parts, in fewer digits.
WEIGHTS, HEAVIEST = 1_000_000, 8
#: Characters of a text that the page keeps: at least, at most, and of all texts together.
SNIPPET, LONGEST, TEXTS = 240, 1500, 12_000_000


def samples(model: Any, given: ReportInputs, clusters: Array) -> dict[str, Any]:
    """Arrays with an entry, or a row, for each sample."""
    V = np.maximum(np.asarray(model.representation_), 0)
    position = quantised(layout(V) if given.positions is None else placed(given.positions), 65535)
    return {
        "names": given.sample_names,
        "texts": None if given.texts is None else _snippets(given.texts),
        "leading": _leading(given) if hasattr(model, "components_") else None,
        # The number after the last part means that the sample belongs to none.
        "cluster": packed_index(np.where(clusters < 0, V.shape[1], clusters), V.shape[1]),
        "x": packed(position[:, 0], "u2"),
        "y": packed(position[:, 1], "u2"),
        "weights": weights(V),
        "neighbours": _neighbours(getattr(model, "graph_", None), V),
        "pictures": _pictures(given, V, clusters),
    }


def weights(V: Array) -> dict[str, Any]:
    """The heaviest parts of each sample, heaviest first, their shares of its total, and the totals."""
    n, k = V.shape
    whole = n * k <= WEIGHTS
    width, levels = (k, 65535) if whole else (min(k, HEAVIEST), 255)
    part = np.argsort(-V, axis=1, kind="stable")[:, :width]
    total = V.sum(axis=1, dtype=np.float64)
    share = np.take_along_axis(V, part, axis=1) / np.where(total > 0, total, 1)[:, None]
    return {
        "width": width,
        "levels": levels,
        "part": packed_index(part, k),
        "share": packed(quantised(share, levels), "u2" if whole else "u1"),
        "total": packed(total, "f4"),
    }


def _snippets(texts: list[str]) -> list[str]:
    length = min(LONGEST, max(SNIPPET, TEXTS // max(1, len(texts))))
    return [snippet(text, length) for text in texts]


def snippet(text: str, length: int = SNIPPET) -> str:
    """The beginning of a text in one line."""
    # Texts may be whole books: what is beyond a few snippets' length cannot be seen.
    line = " ".join(text[: 8 * length].split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _leading(given: ReportInputs) -> dict[str, Any] | None:
    """Features that stand for samples that have neither text nor picture."""
    if given.X is None or given.texts is not None or given.pixels is not None:
        return None
    found = leading(given.X)
    return {"width": found.shape[1], "feature": packed(found, "u4")}


def _neighbours(graph: Any, V: Array) -> dict[str, Any]:
    index, weight, source = neighbours(graph, V)
    largest = float(weight.max(initial=0.0)) or 1.0
    return {
        "width": index.shape[1],
        "source": source,
        "index": packed_index(index, len(V)),
        "weight": packed(quantised(weight / largest, 255), "u1"),
        "largest": largest,
    }


def _pictures(given: ReportInputs, V: Array, clusters: Array) -> dict[str, Any] | None:
    """Pictures of as many samples as the page can afford, the strongest of each cluster first."""
    if given.pixels is None or given.pixel_shape is None:
        return None
    rows = np.sort(strongest_first(V, clusters)[: affordable(given.pixel_shape)])
    tiles = sample_tiles(given.pixels, given.pixel_shape, rows, exposed=given.pixels is not given.X)
    return sheet(tiles) | {"count": len(rows), "sample": packed(rows, "u4")}
