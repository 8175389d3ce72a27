"""A map of the samples: where each lies in the plane, the same on every run."""

from __future__ import annotations

import numpy as np

from manifact.backends import Array, backend_of

#: So many samples are laid out by t-SNE, which costs seconds; the others are set beside them.
ANCHORS = 2500
PERPLEXITY = 30.0
ITERATIONS = 500
#: A sample that is not an anchor lies near the mean of so many anchors.
NEAREST = 3
#: Radius of the disc around an anchor over which the samples near it are strewn, in parts of the map.
STREWN = 0.006


def placed(positions: Array) -> Array:
    """Positions that were given, such as a UMAP of the cells, in [0, 1]²."""
    return _unit_square(positions)


def layout(V: Array) -> Array:
    """n x 2 positions in [0, 1]²: samples whose mixtures of parts are alike lie together."""
    directions = _directions(V)
    n = len(directions)
    anchors = np.arange(n) if n <= ANCHORS else np.sort(np.random.default_rng(0).permutation(n)[:ANCHORS])
    placed = _unit_square(_embedded(directions[anchors]))
    if len(anchors) == n:
        return placed
    positions = _beside(directions, directions[anchors], placed)
    positions[anchors] = placed
    return np.clip(positions, 0, 1)


def _directions(V: Array) -> Array:
    """Rows of V at unit length: which parts a sample has, and not how much of them all."""
    V = np.maximum(np.asarray(V, dtype=np.float64), 0)
    if V.shape[1] == 1:
        return np.ascontiguousarray(V / (V.max() or 1.0))
    lengths = np.linalg.norm(V, axis=1, keepdims=True)
    return V / np.where(lengths > 0, lengths, 1)


def _embedded(P: Array) -> Array:
    """t-SNE from the principal plane; few or equal samples keep that plane."""
    plane = _principal_plane(P)
    if len(P) < 8 or not plane.any():
        return plane
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    spread = float(np.std(plane[:, 0])) or 1.0
    tsne = TSNE(
        init=(plane / spread * 1e-4).astype(np.float32),
        perplexity=min(PERPLEXITY, (len(P) - 1) / 3),
        max_iter=ITERATIONS,
        random_state=0,
        n_jobs=1,
    )
    # Sums of several threads differ in their last digits from run to run, and the map would with them.
    with threadpool_limits(1):
        return np.asarray(tsne.fit_transform(P.astype(np.float32)), dtype=np.float64)


def _principal_plane(P: Array) -> Array:
    centred = P - P.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    # The sign of an axis is anybody's choice: here its largest entry is positive.
    axes = axes[:2] * np.sign(axes[:2][np.arange(len(axes[:2])), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    plane = np.zeros((len(P), 2))
    plane[:, : len(axes)] = centred @ axes.T
    plane[np.abs(plane) < 1e-12] = 0
    return plane


def _unit_square(positions: Array) -> Array:
    """Positions moved and scaled, alike in both directions, into [0, 1]²; samples at one place are strewn around it."""
    middle = (positions.max(axis=0) + positions.min(axis=0)) / 2
    extent = float(np.ptp(positions, axis=0).max()) or 1.0
    positions = 0.5 + 0.96 * (positions - middle) / extent
    _, first, inverse = np.unique(positions, axis=0, return_index=True, return_inverse=True)
    repeated = first[inverse.ravel()] != np.arange(len(positions))
    return np.clip(positions + repeated[:, None] * _strewn(len(positions), 2 * STREWN), 0, 1)


def _beside(P: Array, anchors: Array, placed: Array) -> Array:
    """Each row of P at the weighted mean of its nearest anchors that lie together, and a little beside."""
    index, squares = backend_of(P).nearest(anchors, min(NEAREST, len(anchors)), P)
    # Anchors far from the nearest one would draw a sample into the empty space between them.
    apart = np.linalg.norm(placed[index] - placed[index[:, :1]], axis=2)
    weights = np.where(apart < 0.05, 1 / (np.sqrt(np.maximum(squares, 0)) + 1e-6), 0)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.einsum("ij,ijd->id", weights, placed[index]) + _strewn(len(P), STREWN)


def _strewn(n: int, radius: float) -> Array:
    """n steps that fill a disc evenly (a sunflower's seeds), the same for every map."""
    number = np.arange(n)
    length = radius * np.sqrt((number * 0.6180339887498949) % 1)
    angle = number * 2.399963229728653
    return np.column_stack([length * np.cos(angle), length * np.sin(angle)])
