"""The tables and the figure of `affinity.py`, from its runs. Scores are in percent, differences in points."""

from __future__ import annotations

import numpy as np

from affinity_claims import against_papers, against_spectral, claims
from manifact.experiments.reproduce import svg_charts
from manifact.experiments.reproduce.experiment_files import load
from manifact.plot.figure_style import PALETTE

NAMES = {
    "coil20": "COIL20", "pie": "PIE", "yale": "Yale", "orl": "ORL", "umist": "UMIST", "binalpha": "Binary Alphadigits",
    "tdt2": "TDT2", "reuters": "Reuters", "digits": "digits", "pbmc3k": "PBMC 3k", "mnist": "MNIST, test images",
    "news20": "20 Newsgroups",
}  # fmt: skip
#: Set -> where a paper prints it whole: table, row of GNMF's tables or column of SPNMF's.
PRINTED = {
    "coil20": (("gnmf-table3", "20"), ("spnmf-table3", "Coil20")),
    "pie": (("gnmf-table4", "68"), ("spnmf-table3", "PIE")),
    "tdt2": (("gnmf-table5", "30"),),
    "yale": (("spnmf-table3", "Yale"),),
    "orl": (("spnmf-table3", "ORL"),),
    "umist": (("spnmf-table3", "UMIST"),),
    "binalpha": (("spnmf-table3", "BA"),),
}
#: Other ways to read clusters off V.
READ = {
    "largest": "the largest part", "on V": "k-means on V", "from parts": "k-means on V, from the largest parts",
}  # fmt: skip
SHOWN = {
    "spectral": "spectral clustering",
    "NMF": "NMF, k-means",
    "largest": "AffinityNMF, largest part",
    "on V": "AffinityNMF, k-means on V",
    "from parts": "AffinityNMF, k-means from the parts",
}


#: Table -> its title and what stands above it; counts of seeds and derived numbers are filled in.
WORDS = {
    "affinity-clusters": (
        "AffinityNMF: clusters",
        """
Unit-length images or (1 + log tf) idf text (30 largest classes), as many parts as classes, 5 neighbours. AffinityNMF as
it comes. Spectral clustering is `NCut` with rows of unit length, on the same graph; GNMF the published rule, λ = 100,
100 iterations, then k-means; NMF to convergence, then k-means; k-means with 20 starts everywhere. NMI = MI /
max(H, H'), "NMI sqrt" = MI / sqrt(H H'). Mean and standard deviation over {seeds} seeds; seconds are the median, on
one thread of a machine that had other work, without the search for neighbours.""",
    ),
    "affinity-printed": (
        "AffinityNMF beside what the papers print",
        """
The highest NMI that any method has in the papers' tables of a whole set, and AffinityNMF's by the same paper's formula.
The SPNMF paper's are the best of a grid of parameters. No paper prints all 30 classes of Reuters. {seeds} seeds.
{against_papers}""",
    ),
    "affinity-spectral": (
        "AffinityNMF beside spectral clustering",
        """
NMI = MI / max(H, H') of both, and the difference in points by it and by MI / sqrt(H H'); the spread over seeds beside
GNMF's. {seeds} seeds. {against_spectral}""",
    ),
    "affinity-longer": (
        "AffinityNMF: ten times longer",
        """
As it comes, against ten times as many iterations as that took (`tol=0`), from the same starts. "change" is the mean
change of NMI in points, "moved most" that of the seed that moved most; "objective" is how much lower it gets, in
percent. {few} seeds, one for PIE and 20 Newsgroups.""",
    ),
    "affinity-error": (
        "AffinityNMF: reconstruction",
        """
‖X − V P‖² / ‖X‖² in percent: AffinityNMF as fitted; its parts with the best non-negative coefficients (`transform`);
NMF with as many parts; the centres of k-means with the best non-negative coefficients. Then the
ratios. {few} seeds.""",
    ),
    "affinity-heldout": (
        "AffinityNMF: new samples",
        """
Fitted to a random 80 % of the samples, `predict` on the other 20 %; {splits} splits. Few samples have a higher NMI
whatever the clusters: "as many" is the NMI of random draws of training samples, as many as are held out, and
"difference" is against that. "of the nearest" gives held-out samples the cluster of their nearest training sample. AC
of the held-out samples uses the training samples' map of clusters to classes. Weights of words are those of the whole
set.""",
    ),
    "affinity-tau": (
        "AffinityNMF: the weight of the graph",
        """
NMI, the error ‖X − V Uᵀ‖² / ‖X‖², and that with the best coefficients ("free"), in percent, as the weight τ of the
graph grows; τ = 2 is the default. {few} seeds, one for PIE.""",
    ),
    "affinity-variants": (
        "AffinityNMF: what was tried and left",
        """
NMI in percent; "difference" is the mean of NMI minus AffinityNMF's over the sets that have a number, "error" the mean
ratio of ‖X − V Uᵀ‖² to AffinityNMF's, "free error" the same with the best coefficients for the parts. With S, τ is
relative to ‖X‖². The variants with the divergence minimise KL(X ‖ V Uᵀ) + μ ‖F Fᵀ − V Vᵀ‖², text only. These, S and the
rotation are plainly written, without A, 300 iterations at the most, and have the largest part for a cluster. {few}
seeds, one for PIE.""",
    ),
    "affinity-others": (
        "AffinityNMF on other sets",
        """
AffinityNMF as it comes, on sets by which τ and the scale of μ were not chosen (how clusters are read off V was, by all
twelve): scikit-learn's digits, MNIST's 10,000 test images, 20 Newsgroups ((1 + log tf) idf), and the cells of PBMC 3k
(log(1 + counts); cells without a class are fitted, not scored). Samples of unit length; methods as in
`affinity-clusters`, and other ways to read clusters off AffinityNMF's V: the largest part, k-means on V, and
k-means from the clusters of the largest parts, rows of V at unit length. Mean and standard deviation over {splits}
seeds, {few} for 20 Newsgroups.""",
    ),
    "affinity-sizes": (
        "AffinityNMF: sizes of clusters",
        """
As many parts as classes; "clusters" are those that have any sample. The share of samples in the largest class and in
the largest cluster, in percent. Mean over the seeds of `affinity-clusters` and `affinity-others`.""",
    ),
    "affinity-claims": (
        "AffinityNMF: what was asked of it",
        """
Each line is computed from the other tables; NMI in percent, differences in points.""",
    ),
}


def tables(found):
    """Name -> title, note, rows."""
    made = {
        "affinity-clusters": clusters(found["clusters"]),
        "affinity-printed": printed(found),
        "affinity-spectral": spectral(found),
        "affinity-longer": longer(found),
        "affinity-error": errors(found),
        "affinity-heldout": heldout(found),
        "affinity-tau": taus(found),
        "affinity-variants": variants(found),
        "affinity-others": clusters(found["others"]),
        "affinity-sizes": sizes(found),
        "affinity-claims": claims(
            *(list(make(found)) for make in (printed, spectral, _longer_asked, errors, heldout)), found["chosen"]
        ),
    }
    counts = {
        "against_papers": against_papers(list(printed(found))),
        "against_spectral": against_spectral(list(spectral(found))),
        "seeds": _seeds(found["clusters"], "AffinityNMF"),
    }
    counts |= {"few": _seeds(found["errors"]), "splits": _seeds(found["heldout"])}
    return {
        name: (WORDS[name][0], WORDS[name][1].strip().format_map(counts), list(rows)) for name, rows in made.items()
    }


def _seeds(results, *inner):
    found = next(iter(results.values()))
    for key in inner:
        found = found[key]
    return len(next(iter(found.values())))


def clusters(results):
    for name in _ordered(results):
        for method, run in results[name].items():
            yield {
                "data": NAMES[name], "method": SHOWN.get(method, method),
                "NMI": _percent(run["NMI"]), "NMI sd": _spread(run["NMI"]), "NMI sqrt": _percent(run["NMI sqrt"]),
                "AC": _percent(run["AC"]), "AC sd": _spread(run["AC"]),
                "seconds": float(f"{np.median(run['seconds']):.2g}"),
            }  # fmt: skip


def best_printed(name):
    """The highest printed NMI of the whole set: its value, the method, the table; None if no paper has it."""
    found = []
    for table, place in PRINTED.get(name, ()):
        rows = load(table).paper("NMI")
        cells = rows[place] if table.startswith("gnmf") else {method: row[place] for method, row in rows.items()}
        found += [(value.mean, method, table) for method, value in cells.items() if value is not None]
    return max(found, default=None)


def printed(found):
    for name in _ordered(found["clusters"]):
        best = best_printed(name)
        if best is None:
            continue
        value, method, table = best
        formula, key = ("max", "NMI") if table.startswith("gnmf") else ("sqrt", "NMI sqrt")
        ours = found["clusters"][name]["AffinityNMF"][key]
        yield {
            "data": NAMES[name], "NMI over": formula, "best": value, "of": f"{method} ({table})",
            "AffinityNMF": _percent(ours), "sd": _spread(ours), "difference": round(_percent(ours) - value, 1),
        }  # fmt: skip


def spectral(found):
    for name in _ordered(found["clusters"]):
        results = found["clusters"][name]
        ours, cut, other = (results[method] for method in ("AffinityNMF", "spectral", "GNMF"))
        points = {key: _points(ours[key], cut[key]) for key in ("NMI", "NMI sqrt")}
        yield {
            "data": NAMES[name], "AffinityNMF": _percent(ours["NMI"]), "spectral": _percent(cut["NMI"]),
            "difference": points["NMI"], "difference, sqrt": points["NMI sqrt"],
            "sd": _spread(ours["NMI"]), "GNMF sd": _spread(other["NMI"]),
            "ratio": round(float(np.std(ours["NMI"]) / np.std(other["NMI"])), 2),
        }  # fmt: skip


def sizes(found):
    fits = found["clusters"] | found["others"]
    for name in _ordered(fits):
        run = fits[name]["AffinityNMF"]
        yield {
            "data": NAMES[name], "classes": int(run["parts"][0]), "clusters": round(float(np.mean(run["used"])), 1),
            "largest class": _percent(run["class"]), "largest cluster": _percent(run["cluster"]),
        }  # fmt: skip


def longer(found):
    fits = found["clusters"] | found["others"]
    for name in _ordered(found["longer"]):
        long = found["longer"][name]
        short = _first(fits[name]["AffinityNMF"], long)
        change = long["NMI"] - short["NMI"]
        yield {
            "data": NAMES[name], "iterations": round(float(np.mean(short["iterations"]))),
            "NMI": _percent(short["NMI"]), "ten times longer": _percent(long["NMI"]),
            "change": round(100 * float(np.mean(change)), 2) + 0.0,
            "moved most": round(100 * float(change[np.abs(change).argmax()]), 2),
            "AC": _percent(short["AC"]), "AC, ten times longer": _percent(long["AC"]),
            "objective": round(100 * float(np.mean(1 - long["objective"] / short["objective"])), 3),
        }  # fmt: skip


def _longer_asked(found):
    """Of the sets that were asked about."""
    return longer(found | {"longer": {name: found["longer"][name] for name in found["clusters"]}})


def errors(found):
    for name in _ordered(found["errors"]):
        others = found["errors"][name]
        count = len(others["NMF"])
        ours = found["clusters"][name]["AffinityNMF"]
        fitted, free = (float(np.mean(ours[key][:count])) for key in ("error", "free error"))
        nmf, centres = float(np.mean(others["NMF"])), float(np.mean(others["k-means"]))
        yield {
            "data": NAMES[name], "AffinityNMF": _three(100 * fitted), "free coefficients": _three(100 * free),
            "NMF": _three(100 * nmf), "k-means centres": _three(100 * centres),
            "to NMF": round(fitted / nmf, 3), "free, to NMF": round(free / nmf, 3),
            "to centres": round(fitted / centres, 3), "free, to centres": round(free / centres, 3),
        }  # fmt: skip


def heldout(found):
    for name in _ordered(found["heldout"]):
        run = found["heldout"][name]
        yield {
            "data": NAMES[name], "NMI, training": _percent(run["train NMI"]), "as many": _percent(run["as many NMI"]),
            "NMI, held out": _percent(run["new NMI"]), "sd": _spread(run["new NMI"]),
            "of the nearest": _percent(run["nearest NMI"]),
            "difference": _points(run["new NMI"], run["as many NMI"]),
            "to all training": _points(run["new NMI"], run["train NMI"]),
            "AC, training": _percent(run["train AC"]), "AC, held out": _percent(run["new AC"]),
        }  # fmt: skip


def taus(found):
    for name in _ordered(found["taus"]):
        for score, key, shown in (
            ("NMI", "NMI", _percent),
            ("error", "error", lambda v: _three(100 * float(np.mean(v)))),
            ("free error", "free error", lambda v: _three(100 * float(np.mean(v)))),
        ):
            runs = found["taus"][name]
            yield {"data": NAMES[name], "": score} | {f"τ = {tau:g}": shown(run[key]) for tau, run in runs.items()}


def variants(found):
    sets = _ordered(found["variants"])
    forms = dict.fromkeys(form for name in sets for form in found["variants"][name])
    few = {name: _first(found["clusters"][name]["AffinityNMF"], found["taus"][name][2.0]) for name in sets}
    yield _variant_row("AffinityNMF", few, few)
    for form in forms:
        yield _variant_row(form, {name: found["variants"][name].get(form) for name in sets}, few)


def _variant_row(form, results, beside):
    known = {name: run for name, run in results.items() if run is not None}
    row = {"variant": READ.get(form, form)} | {
        NAMES[name]: _percent(known[name]["NMI"]) if name in known else "–" for name in results
    }
    difference = [np.mean(run["NMI"]) - np.mean(beside[name]["NMI"]) for name, run in known.items()]
    row["difference"] = round(100 * float(np.mean(difference)), 1)
    for key in ("error", "free error"):
        ratio = [np.mean(run[key]) / np.mean(beside[name][key]) for name, run in known.items() if key in run]
        row[key] = round(float(np.mean(ratio)), 2) if ratio else "–"
    return row


def _first(run, like):
    return {key: values[: len(like["NMI"])] for key, values in run.items()}


def picture(found):
    """What τ trades: clusters against reconstruction."""
    gained, lost = [], []
    for number, name in enumerate(_ordered(found["taus"])):
        runs = found["taus"][name]
        cut = np.mean(found["clusters"][name]["spectral"]["NMI"])
        nmf = np.mean(found["errors"][name]["NMF"])
        drawn = NAMES[name], list(runs)
        colour = number if number < len(PALETTE) else None
        gained.append(
            svg_charts.Line(*drawn, [100 * float(np.mean(run["NMI"]) - cut) for run in runs.values()], colour)
        )
        lost.append(svg_charts.Line(*drawn, [float(np.mean(run["error"]) / nmf) for run in runs.values()], colour))
    look = {"log": "x", "at": 2.0, "ticks": list(runs)}
    panels = [
        svg_charts.Panel("NMI less that of spectral clustering, points", "τ", "", gained, **look),
        svg_charts.Panel("error, times that of NMF", "τ", "", lost, **look),
    ]
    return svg_charts.chart(panels, height=2.8)


def _ordered(results):
    return [name for name in NAMES if name in results]


def _points(ours, theirs):
    """The difference of means, never −0."""
    return round(100 * float(np.mean(ours) - np.mean(theirs)), 1) + 0.0


def _percent(values):
    return round(100 * float(np.mean(values)), 1)


def _spread(values):
    return round(100 * float(np.std(values)), 2)


def _three(value):
    return float(f"{value:.3g}")
