"""The numbers of the page are those of the model."""

import base64
import json

import numpy as np
import pytest
from scipy import sparse

from manifact import CF, GNMF, LCCF, LPNMF, NMF
from manifact.metrics import accuracy, nmi
from manifact.models.feature_relevance import relevance_of, shares
from manifact.report import sample_payload as room
from manifact.report.model_facts import shown
from manifact.report.page_encoding import packed, script_json
from manifact.report.page_payload import payload
from manifact.report.part_members import clusters
from manifact.report.report_inputs import checked, host_copy
from manifact.report.sample_payload import snippet, weights


def unpacked(value):
    return np.frombuffer(base64.b64decode(value["data"]), dtype=f"<{value['type']}")


@pytest.fixture(scope="module")
def page(documents):
    return payload(documents.model, checked(documents.model, documents.X, **documents.given))


def test_the_head(page, documents):
    model = documents.model
    assert page["title"] == "3 parts of 90 documents"
    assert page["counts"] == {"samples": 90, "features": documents.X.shape[1], "parts": 3}
    assert page["model"]["iterations"] == model.n_iter_
    assert page["model"]["converged"] == model.converged_
    assert page["model"]["smoothness"] == pytest.approx(model.smoothness_)
    residual = documents.X.toarray() - model.representation_ @ model.components_
    assert page["model"]["error"] == pytest.approx(np.linalg.norm(residual), rel=1e-6)
    assert page["model"]["relative"] == pytest.approx(np.linalg.norm(residual) / np.sqrt((documents.X.data**2).sum()))
    assert page["objective"]["value"] == pytest.approx(list(model.objective_))
    assert ["n_components", "3"] in page["parameters"]
    assert "eq" not in page["model"]["about"]


def test_sizes_and_shares(page, documents):
    found = clusters(documents.model)
    V = documents.model.representation_
    assert page["parts"]["size"] == [int((found == part).sum()) for part in range(3)]
    assert page["parts"]["share"] == pytest.approx(list(V.sum(axis=0) / V.sum()))
    np.testing.assert_array_equal(unpacked(page["samples"]["cluster"]), found)


def test_top_words(page, documents):
    s = shares(documents.model.components_, documents.model.representation_)
    words = page["features"]
    for part in range(3):
        span = slice(words["starts"][part], words["starts"][part + 1])
        top, value = unpacked(words["top"])[span], unpacked(words["value"])[span]
        np.testing.assert_allclose(value, s.given_part[part][top], rtol=1e-6)
        overall = unpacked(words["overall"])[top]
        ours = top[np.argsort(-relevance_of(value, overall, 0.6))][:10]
        theirs = documents.model.top_features(10, names=documents.given["feature_names"])[part]
        assert [words["names"][i] for i in ours] == theirs
    assert words["relevance"] == 0.6


def test_weights_are_those_of_V(page, documents):
    V = documents.model.representation_
    w = page["samples"]["weights"]
    part = unpacked(w["part"]).reshape(90, 3)
    share = unpacked(w["share"]).reshape(90, 3) / w["levels"]
    total = unpacked(w["total"])
    np.testing.assert_array_equal(part[:, 0], V.argmax(axis=1))
    np.testing.assert_allclose(share * total[:, None], np.take_along_axis(V, part.astype(int), axis=1), atol=1e-4)


def test_of_many_weights_the_heaviest_are_kept(monkeypatch, rng):
    monkeypatch.setattr(room, "WEIGHTS", 100)
    V = rng.random((50, 20))
    w = weights(V)
    assert (w["width"], w["levels"]) == (8, 255)
    part = unpacked(w["part"]).reshape(50, 8)
    np.testing.assert_array_equal(part, np.argsort(-V, axis=1)[:, :8])
    share = unpacked(w["share"]).reshape(50, 8) / 255
    np.testing.assert_allclose(share, np.sort(V, axis=1)[:, :-9:-1] / V.sum(axis=1)[:, None], atol=0.002)


def test_agreement_with_labels(page, documents):
    y, found = documents.given["labels"], clusters(documents.model)
    assert page["agreement"]["accuracy"] == accuracy(y, found)
    assert page["agreement"]["nmi"] == nmi(y, found)
    counts = np.array(page["agreement"]["counts"])
    assert counts[1, 2] == np.sum((y == page["labels"]["names"][1]) & (found == 2))
    assert counts.sum() == 90


def test_samples_that_belong_to_no_part(rng):
    X = rng.gamma(0.5, size=(20, 6))
    X[7] = 0
    model = NMF(3, random_state=0).fit(X)
    made = payload(model, checked(model, X, labels=np.arange(20) % 2))
    assert unpacked(made["samples"]["cluster"])[7] == 3
    assert sum(made["parts"]["size"]) == 19
    assert np.sum(made["agreement"]["counts"]) == 19


def test_purity_of_the_graph(page, documents):
    W = documents.model.graph_.W.toarray()
    found, y = clusters(documents.model), documents.given["labels"]
    assert page["graph"]["purity"] == pytest.approx(W[found[:, None] == found].sum() / W.sum())
    assert page["graph"]["classes"] == pytest.approx(W[y[:, None] == y].sum() / W.sum())
    assert page["graph"]["each"][1] == pytest.approx(W[np.ix_(found == 1, found == 1)].sum() / W[found == 1].sum())
    assert page["graph"]["edges"] == np.count_nonzero(W) // 2


def test_pictures_of_the_strongest(images, monkeypatch):
    from manifact.report import thumbnails

    monkeypatch.setattr(thumbnails, "PIXELS", 64 * 30)
    made = payload(images.model, checked(images.model, images.X, **images.given))
    found, V = clusters(images.model), images.model.representation_
    chosen = set(unpacked(made["samples"]["pictures"]["sample"]).tolist())
    assert len(chosen) == 30
    for part in range(10):
        members = np.flatnonzero(found == part)
        assert not len(members) or members[V[members, part].argmax()] in chosen
    assert made["features"] is None
    assert made["parts"]["kind"] == "pictures"


def test_a_map_that_was_given(table):
    places = np.random.default_rng(0).normal(size=(60, 3))
    page = payload(table.model, checked(table.model, positions=places, map_name="obsm['X_umap']"))
    assert page["map"] == "obsm['X_umap']"
    found = np.column_stack([unpacked(page["samples"][axis]) for axis in "xy"]).astype(float)
    assert np.corrcoef(found.T, places[:, :2].T)[[0, 1], [2, 3]] == pytest.approx(1, abs=1e-6)
    assert payload(table.model, checked(table.model))["map"] is None


def test_only_the_model(table):
    made = payload(table.model, checked(table.model))
    assert made["samples"]["names"] is made["samples"]["texts"] is made["samples"]["pictures"] is None
    assert made["features"]["names"] is made["graph"] is made["agreement"] is made["labels"] is None
    assert made["samples"]["neighbours"]["source"] == "representation"
    assert made["model"]["relative"] is None


def test_the_loss_and_the_relative_error_of_lpnmf(rng):
    X = rng.random((40, 12))
    model = LPNMF(5, graph_reg=1.0, random_state=0).fit(X)
    head = payload(model, checked(model, X))["model"]
    Y = model.representation_ @ model.components_
    assert head["loss"] == "kullback-leibler"
    assert head["error"] == pytest.approx(np.sqrt(2 * np.sum(X * np.log(X / Y) - X + Y)))
    assert head["relative"] == pytest.approx(np.linalg.norm(X - Y) / np.linalg.norm(X))
    # What is minimised is no share of ‖X‖: shown as one, it would say something else.
    assert head["relative"] < 0.8 * head["error"] / np.linalg.norm(X)


@pytest.mark.parametrize("make", [sparse.csr_array, np.float32, np.int64])
def test_the_relative_error_of_samples_of_any_type(rng, make):
    X = make(rng.integers(0, 9, (40, 12)))
    model = NMF(3, random_state=0).fit(X)
    dense = X.toarray() if sparse.issparse(X) else X.astype(float)
    error = np.linalg.norm(dense - model.representation_ @ model.components_)
    found = payload(model, checked(model, X))["model"]["relative"]
    assert found == pytest.approx(error / np.linalg.norm(dense), rel=1e-5)


def test_the_relative_error_of_entries_that_are_stored_in_pieces(table):
    X = sparse.csr_array(table.X)
    twice = sparse.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    expected = payload(table.model, checked(table.model, table.X))["model"]["relative"]
    assert payload(table.model, checked(table.model, twice))["model"]["relative"] == pytest.approx(expected)
    assert twice.nnz == 2 * X.nnz


def test_concepts_of_a_kernel_are_shown_by_samples(rng):
    model = LCCF(3, kernel="rbf", random_state=0, max_iter=5).fit(rng.random((30, 4)))
    made = payload(model, checked(model))
    assert made["parts"]["kind"] == "examples"
    assert made["features"] is None
    for part in range(3):
        samples = [sample for sample, _ in made["parts"]["examples"][part]]
        np.testing.assert_array_equal(samples, np.argsort(-model.concepts_[part], kind="stable")[: len(samples)])


def test_signed_parts(rng):
    model = CF(3, random_state=0, max_iter=5).fit(rng.standard_normal((30, 40)))
    words = payload(model, checked(model))["features"]
    assert words["signed"]
    value = unpacked(words["value"])[: words["starts"][1]]
    part = model.components_[0]
    has, lacks = np.sort(part[part > 0]), np.sort(part[part < 0])
    expected = np.concatenate([lacks[: max(0, 30 - len(has))], has[-30:]])
    np.testing.assert_allclose(np.sort(value), expected, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_very_few_samples(rng, n):
    X = rng.random((n, 3))
    model = GNMF(2, random_state=0, max_iter=3).fit(X)
    made = payload(model, checked(model, X, labels=["x"] * n))
    assert sum(made["parts"]["size"]) == n
    json.dumps(made, allow_nan=False)


def test_values_are_shown_alike_on_every_run():
    assert shown(np.random.RandomState(0)) == "RandomState(MT19937)"
    assert shown(np.zeros((3, 4))) == "ndarray, 3 x 4"
    assert shown((np.zeros((3, 4)), np.zeros(2))) == "(ndarray, 3 x 4, ndarray, 2)"
    assert len(shown("x" * 500)) == 120


def test_snippets():
    assert snippet("  two\n words ") == "two words"
    assert len(snippet("word " * 10_000)) <= 240
    assert snippet("word " * 10_000).endswith("…")


def test_arrays_travel_exactly(rng):
    values = rng.random(17).astype(np.float32)
    np.testing.assert_array_equal(unpacked(packed(values, "f4")), values)


def test_json_in_a_script_cannot_end_it():
    text = "</script><!--<script> & \u2028 \u2029 é 👩‍🚀"
    encoded = script_json({"text": text})
    assert not set("<>&\u2028\u2029") & set(encoded)
    assert json.loads(encoded)["text"] == text


def test_models_of_tensors_have_the_page_of_their_numbers(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    X = np.random.default_rng(0).random((60, 7))
    model, twin = (GNMF(4, random_state=0, solver="mu", assign="kmeans").fit(data) for data in (X, torch.from_numpy(X)))
    pages = [
        one.report(given, tmp_path / name) for one, given, name in ((model, X, "a"), (twin, torch.from_numpy(X), "b"))
    ]
    assert isinstance(twin.representation_, torch.Tensor)
    assert len(pages[0].read_text("utf-8")) == pytest.approx(len(pages[1].read_text("utf-8")), rel=1e-2)
    known = [payload(host_copy(one), checked(one, given)) for one, given in ((model, X), (twin, torch.from_numpy(X)))]
    assert known[1]["parts"]["size"] == known[0]["parts"]["size"]
    np.testing.assert_allclose(known[1]["parts"]["share"], known[0]["parts"]["share"])
    assert known[1]["model"]["relative"] == pytest.approx(known[0]["model"]["relative"])
