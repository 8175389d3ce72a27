import numpy as np
import pytest

from manifact import GNMF, AffinityNMF
from manifact.cli import summary
from manifact.graphs import KNNGraph


def notes(model):
    return summary.of(model, None, {}).notes


@pytest.fixture(scope="module")
def crowded():
    """Nine samples in ten have the same largest part, out of six."""
    rng = np.random.default_rng(0)
    groups = np.where(np.arange(200) < 180, 0, 1 + np.arange(200) % 5)
    X = np.eye(6)[groups] @ (rng.random((6, 30)) < 0.3) + 0.01 * rng.random((200, 30))
    V, U = np.eye(6)[groups] + 0.01, np.array([X[groups == group].mean(axis=0) for group in range(6)])
    return X, (V, U)


def test_one_crowded_cluster_is_worth_a_word(crowded):
    X, start = crowded
    model = AffinityNMF(6, init=start, tau=0, max_iter=1).fit(X)
    (note,) = notes(model)
    assert note == (
        "90% of the samples are in one cluster: if that is not one group, use more parts (-k), or divide them by "
        "k-means (--assign kmeans)"
    )


def test_nothing_is_said_of_even_clusters_and_of_other_readings(crowded):
    X, start = crowded
    assert notes(AffinityNMF(6, init=start, tau=0, max_iter=1, assign="kmeans").fit(X)) == []
    even = np.repeat(np.eye(6), 20, axis=0)
    assert notes(AffinityNMF(6, n_neighbors=3, random_state=0).fit(even)) == []
    halves = np.repeat(np.eye(2), [30, 10], axis=0)
    assert notes(AffinityNMF(2, n_neighbors=3, random_state=0).fit(halves)) == []


def test_parts_that_nobody_has_are_told():
    X = np.repeat(np.eye(3), [6, 6, 6], axis=0)
    V, U = np.hstack([X, np.full((18, 2), 0.01)]), np.vstack([np.eye(3), np.ones((2, 3))])
    one, two = (AffinityNMF(k, init=(V[:, :k], U[:k]), tau=0, max_iter=0, assign="argmax").fit(X) for k in (4, 5))
    assert notes(one) == ["part 3 is the cluster of no sample"]
    assert "2 parts are the clusters of no sample: 3, 4" in notes(two)
    told = summary.of(two, None, {})
    assert (told.cluster_sizes, told.unplaced) == ([6, 6, 6, 0, 0], 0)


def test_a_representation_that_is_the_same_everywhere_is_told(rng):
    model = GNMF(3, graph_reg=1e6, solver="mu", max_iter=300, random_state=0).fit(rng.random((40, 8)))
    note, *_ = notes(model)
    assert note.startswith("V is almost the same for every sample")
    assert "--graph-reg=1e+06 is too strong" in note


def test_words_of_documents_are_measured(capsys):
    from manifact.io import Samples, learn_and_apply
    from manifact.metrics import coherence, diversity

    texts = ["cat and dog", "dog cat bird", "cat dog bird", "saw nail", "nail hammer saw", "hammer saw nail"]
    preparation, X = learn_and_apply(Samples("documents", "a.txt", texts=texts))
    model = AffinityNMF(2, graph=KNNGraph(2), random_state=0).fit(X)
    model.preparation_ = preparation
    shown = summary.of(model, None, {}, X=X)
    assert shown.top_features == model.top_features(10)
    assert sorted(map(sorted, shown.top_features)) == [["bird", "cat", "dog"], ["hammer", "nail", "saw"]]
    words = [[word for word in text.split() if word != "and"] for text in texts]
    assert shown.coherence == pytest.approx(coherence(shown.top_features, words, window=None))
    assert shown.coherence > 0.7
    assert shown.diversity == diversity(shown.top_features) == 1
    shown.show()
    assert f"coherence {shown.coherence:.3f} (NPMI within documents), diversity 1.000" in capsys.readouterr().out
    without = summary.of(model, None, {})
    assert (without.coherence, without.diversity) == (None, 1)


def test_words_of_tables_are_not(rng):
    shown = summary.of(AffinityNMF(2, n_neighbors=2, random_state=0).fit(rng.random((9, 4))), None, {})
    assert (shown.top_features, shown.coherence, shown.diversity) == (None, None, None)


def test_choosing_and_iterating_are_timed_apart(rng, capsys):
    X = np.repeat(np.eye(4), 12, axis=0) + 0.05 * rng.random((48, 4))
    chosen = AffinityNMF("auto", random_state=0).fit(X)
    told = summary.of(chosen, chosen.selection_.seconds + 1.25, {})
    assert told.seconds == pytest.approx(told.seconds_choosing + 1.25, abs=0.002)
    told.show()
    out = " ".join(capsys.readouterr().out.split())
    choosing = f"{told.seconds_choosing:.1f}"
    assert (
        f"chose {told.n_components} parts and the graph in {choosing} s, then converged after {told.n_iter} iterations"
        in out
    )
    assert "of affinity in 1.2 s," in out
    assert told.other_n_components == chosen.selection_.others
    assert "a number that was chosen (-k sets another" in out
    known = AffinityNMF(4, random_state=0).fit(X)
    summary.of(known, known.selection_.seconds + 1.25, {}).show()
    assert "chose the graph in" in " ".join(capsys.readouterr().out.split())
    given = summary.of(AffinityNMF(4, graph=KNNGraph(), random_state=0).fit(X), 1.25, {})
    given.show()
    out = " ".join(capsys.readouterr().out.split())
    assert given.seconds_choosing is None
    assert "chose" not in out
    assert f"converged after {given.n_iter} iterations of affinity in 1.2 s," in out


def test_how_long_choosing_took_is_not_kept_in_files(rng, tmp_path):
    import manifact

    model = AffinityNMF("auto", random_state=0).fit(rng.random((40, 6)))
    assert model.selection_.seconds > 0
    model.save(tmp_path / "a.safetensors")
    again = manifact.load(tmp_path / "a.safetensors")
    assert again.selection_.seconds is None
    assert again.selection_.best == model.selection_.best
