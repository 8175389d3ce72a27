"""What was asked of AffinityNMF, beside the numbers of its tables."""

from __future__ import annotations

import numpy as np


def against_papers(printed):
    above = [row for row in printed if row["difference"] >= 0]
    return f"At least the printed best on {len(above)} of {len(printed)} sets."


def against_spectral(spectral):
    worst = min(spectral, key=lambda row: row["difference"])
    mean, root = (_mean(spectral, key) for key in ("difference", "difference, sqrt"))
    return (
        f"{worst['difference']:+.1f} points at worst ({worst['data']}), {mean:+.1f} in the mean, {root:+.1f} by "
        f"MI / sqrt(H H'). The mean spread is {_spread(spectral):.2f} of GNMF's."
    )


def claims(printed, spectral, longer, errors, heldout, chosen):
    """Rows: what was asked, whether it holds, the number."""
    below = [row for row in printed if row["difference"] < 0]
    count = f"{len(printed) - len(below)} of {len(printed)} sets"
    yield _claim(
        "NMI at least the best printed on all sets but one", len(below) <= 1, count + _named(below, "difference")
    )
    yield _each("NMI at most 2 points below spectral clustering", spectral, "difference", lambda points: points >= -2)
    for formula, key in (("max(H, H')", "difference"), ("sqrt(H H')", "difference, sqrt")):
        mean = _mean(spectral, key)
        yield _claim(f"NMI = MI / {formula} above spectral clustering in the mean", mean > 0, f"{mean:+.1f}")
    yield _claim("mean spread over seeds at most half of GNMF's", _spread(spectral) <= 0.5, f"{_spread(spectral):.2f}")
    yield _each("the same on each set", spectral, "ratio", lambda ratio: ratio <= 0.5, ".2f")
    for what, key in (("the mean NMI", "change"), ("the NMI of any seed", "moved most")):
        asked = f"ten times longer moves {what} by less than 0.5"
        yield _each(asked, longer, key, lambda moved: abs(moved) < 0.5, "+.2f")
    for what, key in (("as fitted", "to centres"), ("with free coefficients", "free, to centres")):
        yield _each(f"error {what} at most that of k-means' centres", errors, key, lambda ratio: ratio <= 1, ".3f")
    for what, key in (("as many training samples", "difference"), ("all training samples", "to all training")):
        yield _each(f"held-out NMI at most 3 points below that of {what}", heldout, key, lambda points: points >= -3)
    for formula, key in (("max(H, H')", "NMI"), ("sqrt(H H')", "NMI sqrt")):
        points = 100 * float(np.mean([np.mean(run[key]) - np.mean(run[f"known {key}"]) for run in chosen.values()]))
        asked = f'with everything "auto", NMI = MI / {formula} at most 2 points below known classes in the mean'
        yield _claim(asked, points >= -2, f"{points:+.1f}")


def _each(asked, rows, key, holds, form="+.1f"):
    """A claim for every set; those where it does not hold are named."""
    failed = [row for row in rows if not holds(row[key])]
    return _claim(asked, not failed, f"{len(rows) - len(failed)} of {len(rows)} sets" + _named(failed, key, form))


def _claim(asked, holds, measured):
    return {"asked": asked, "holds": "yes" if holds else "no", "measured": measured}


def _named(rows, key, form="+.1f"):
    return "; " + ", ".join(f"{row['data']} {row[key]:{form}}" for row in rows) if rows else ""


def _mean(rows, key):
    return float(np.mean([row[key] for row in rows]))


def _spread(spectral):
    return _mean(spectral, "sd") / _mean(spectral, "GNMF sd")
