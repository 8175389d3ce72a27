"""What `transform` makes of training samples and of new ones.

    python benchmarks/new_samples.py

scikit-learn's digits, rows at unit length, 10 parts, every model as it comes, means over 2 seeds. "difference" is the
distance of `transform` of the training samples from what `fit_transform` gave for them, relative to the latter's size:
0 where fit had found the best row for each sample, given all others. "accuracy" is that of logistic regression
(C = 100) on V: it learns from `fit_transform` of every other sample and is judged on `transform` of the rest.
"untied" is the same with `tie=False`, which leaves out the neighbours of new samples; models without a graph have none.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from manifact.datasets import load_digits, unit_length
from manifact.experiments.result_tables import write
from manifact.models.registry import on_command_line

SEEDS = (0, 1)


def differences(model, X):
    """Of the training samples, tied where the model ties, and untied."""
    V = model.fit_transform(X)
    return [float(np.linalg.norm(model.transform(X, tie=tie) - V) / np.linalg.norm(V)) for tie in (None, False)]


def accuracies(model, X, y):
    """Of new samples, tied where the model ties, and untied."""
    judge = LogisticRegression(C=100, max_iter=10_000).fit(model.fit_transform(X[::2]), y[::2])
    return [float(judge.score(model.transform(X[1::2], tie=tie), y[1::2])) for tie in (None, False)]


def rows():
    data = load_digits()
    X = unit_length(data.X)
    for entry in on_command_line().values():
        models = [entry.cls(10, random_state=seed) for seed in SEEDS]
        apart = np.mean([differences(model, X) for model in models], axis=0)
        right = np.mean([accuracies(model, X, data.y) for model in models], axis=0)
        row = {
            "model": entry.cls.__name__, "solver": models[0].solver_, "difference, %": round(100 * apart[0], 2),
            "difference untied": round(100 * apart[1], 2), "accuracy, %": round(100 * right[0], 1),
            "accuracy untied": round(100 * right[1], 1),
        }  # fmt: skip
        print(row, flush=True)
        yield row


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    note = " ".join((__doc__ or "").split("\n\n")[2].split())
    print(write("new-samples", "Training samples and new samples", note, list(rows())))
