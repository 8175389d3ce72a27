"""All that the page knows, as one JSON value; nothing in it depends on when or where it was made."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.metrics import accuracy, nmi
from manifact.models.feature_names import prepared
from manifact.models.feature_relevance import RELEVANCE, is_signed, shares
from manifact.report import part_features as words
from manifact.report.graph_neighbours import affinity, purity
from manifact.report.model_facts import curve, facts, parameters, preparation, versions
from manifact.report.page_encoding import number, packed, packed_index, quantised
from manifact.report.part_members import clusters as clusters_of
from manifact.report.report_inputs import ReportInputs, readable
from manifact.report.sample_payload import samples
from manifact.report.thumbnails import part_tiles, sheet
from manifact.report.topic_measures import topic_measures

#: Samples that stand for a concept which has no features.
EXAMPLES = 12


def payload(model: Any, given: ReportInputs, title: str | None = None) -> dict[str, Any]:
    """The page's data."""
    clusters = clusters_of(model)
    return {
        "title": readable(title) if title else _title(model, given),
        "model": facts(model, given),
        "counts": {"samples": given.n_samples, "features": given.n_features, "parts": model.representation_.shape[1]},
        "objective": curve(model),
        "parts": parts(model, given, clusters),
        "features": features(model, given),
        "samples": samples(model, given, clusters),
        "map": given.map_name,
        "labels": _labels(given),
        "words": topics(model, given),
        "agreement": agreement(given, clusters, model.representation_.shape[1]),
        "graph": graph(model, given, clusters),
        "parameters": parameters(model),
        "preparation": preparation(model),
        "versions": versions(),
    }


def parts(model: Any, given: ReportInputs, clusters: Array) -> dict[str, Any]:
    """Sizes and weights of the parts, and pictures or examples of them."""
    V = np.maximum(np.asarray(model.representation_, dtype=np.float64), 0)
    components = getattr(model, "components_", None)
    total = V.sum()
    pictures = examples = None
    if components is None:
        examples = _examples(model.concepts_)
    elif given.image_shape is not None:
        pictures = sheet(part_tiles(components, given.image_shape)) | {"signed": is_signed(components)}
    return {
        "kind": "pictures" if pictures else "examples" if examples is not None else "features",
        "size": np.bincount(clusters[clusters >= 0], minlength=V.shape[1]).tolist(),
        "share": [float(share) for share in V.sum(axis=0) / (total if total > 0 else 1)],
        "pictures": pictures,
        "examples": examples,
    }


def features(model: Any, given: ReportInputs) -> dict[str, Any] | None:
    """The features that can be seen and searched for; None where they are pixels or there are none."""
    components = getattr(model, "components_", None)
    if components is None or given.image_shape is not None:
        return None
    s = shares(components, model.representation_)
    signed = is_signed(components)
    tops = words.most_weight(components) if signed else words.candidates(s)
    weight = np.maximum(model.representation_, 0).sum(axis=0, dtype=np.float64)
    size = np.abs(components).T @ weight
    kept = words.searched(size, np.unique(np.concatenate(tops)))
    part, held = words.strong_parts(components[:, kept], weight)
    values = components if signed else s.given_part
    return {
        "signed": signed,
        "names": None if given.feature_names is None else [given.feature_names[i] for i in kept],
        "number": packed(kept, "u4"),
        "overall": packed(s.overall[kept], "f4"),
        "width": part.shape[1],
        "part": packed_index(part, len(components)),
        "held": packed(quantised(held, 255), "u1"),
        "starts": np.cumsum([0, *map(len, tops)]).tolist(),
        "top": packed(np.searchsorted(kept, np.concatenate(tops)), "u4"),
        "value": packed(np.concatenate([values[j, top] for j, top in enumerate(tops)]), "f4"),
        "shown": words.SHOWN,
        "relevance": RELEVANCE,
    }


def topics(model: Any, given: ReportInputs) -> dict[str, float | None] | None:
    """Whether the words of documents' parts belong together, and are their own; None where samples are no documents."""
    if given.texts is None and prepared(model, "kind") != "documents":
        return None
    near, distinct = topic_measures(model, given.X)
    if near is None and given.X is None:
        near = getattr(model, "source_", {}).get("coherence")
    return None if distinct is None else {"coherence": near, "diversity": distinct}


def agreement(given: ReportInputs, clusters: Array, k: int) -> dict[str, Any] | None:
    """How clusters agree with known classes: accuracy, mutual information, and counts of classes in parts.

    Samples that belong to no part count for the first two, and are in no count.
    """
    if given.classes is None or given.class_of is None:
        return None
    known = given.class_of >= 0
    y, found = given.class_of[known], clusters[known]
    counts = np.zeros((len(given.classes), k), dtype=int)
    np.add.at(counts, (y[found >= 0], found[found >= 0]), 1)
    return {
        "accuracy": accuracy(y, found),
        "nmi": nmi(y, found),
        "known": int(known.sum()),
        "counts": counts.tolist(),
    }


def graph(model: Any, given: ReportInputs, clusters: Array) -> dict[str, Any] | None:
    """How the graph agrees with clusters and classes."""
    built = getattr(model, "graph_", None)
    if built is None:
        return None
    whole, each = purity(built, clusters, model.representation_.shape[1])
    W = affinity(built)
    classes = None
    if given.classes is not None and given.class_of is not None:
        classes = purity(built, given.class_of, len(given.classes))[0]
    return {
        "name": type(built).__name__,
        "edges": None if W is None else int(W.nnz) // 2,
        "isolated": int((np.asarray(built.degrees) <= 0).sum()),
        "purity": number(whole),
        "each": each,
        "classes": number(classes),
    }


def _labels(given: ReportInputs) -> dict[str, Any] | None:
    """Class names and each sample's class; the number after the last class means that it is not known."""
    if given.classes is None or given.class_of is None:
        return None
    unknown = len(given.classes)
    return {"names": given.classes, "of": packed_index(np.where(given.class_of < 0, unknown, given.class_of), unknown)}


def _examples(concepts: Array) -> list[list[list[float]]]:
    """For each concept the samples that make it, and their shares of it."""
    order = np.argsort(-concepts, axis=1, kind="stable")[:, :EXAMPLES]
    total = concepts.sum(axis=1)
    return [
        [[int(i), float(concept[i] / mass)] for i in row if concept[i] > 0]
        for row, concept, mass in zip(order, concepts, np.where(total > 0, total, 1), strict=True)
    ]


def _title(model: Any, given: ReportInputs) -> str:
    what = "documents" if given.texts is not None else "images" if given.image_shape is not None else "samples"
    return f"{model.representation_.shape[1]} parts of {given.n_samples:,} {what}"
