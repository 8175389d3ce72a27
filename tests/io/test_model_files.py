import errno
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import manifact
from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.baselines import CNMF, LNMF, NPNMF, SparseNMF
from manifact.graphs import FarthestGraph, KNNGraph, LabelGraph, LandmarkGraph
from manifact.io import model_files as saving
from manifact.utils.array_files import read_arrays, write_arrays

X, Y = (part[:90] for part in load_digits(return_X_y=True))
NEW = load_digits().data[90:120]
KNOWN = np.where(np.arange(90) % 3 == 0, Y, -1)
W = KNNGraph(4).build(X).W
#: A file of the first format, written once and never again: it must load for ever.
FIRST = Path(__file__).parents[1] / "files" / "model-format-1.safetensors"

MODELS = {
    "NMF": NMF(4, assign="argmax"),
    "AffinityNMF": AffinityNMF(4),
    "AffinityNMF nearest": AffinityNMF(4, graph=KNNGraph(5), assign="nearest"),
    "GNMF auto": GNMF(4, graph="auto"),
    "NMF KL": NMF(4, loss="kullback-leibler", assign="kmeans"),
    "GNMF": GNMF(4, assign="kmeans"),
    "GNMF affinity": GNMF(4, graph=W, assign="kmeans"),
    "GNMF matrix": GNMF(4, graph=sparse.csr_matrix(W)),
    "GNMF dense affinity": GNMF(4, graph=W.toarray()),
    "GNMF heat": GNMF(4, graph=KNNGraph(6, weight="heat", metric="cosine")),
    "GNMF sum": GNMF(4, graph=KNNGraph(5) + 0.5 * LabelGraph() + W),
    "GNMF built": GNMF(4, graph=KNNGraph(5).build(X)),
    "LPNMF": LPNMF(4, assign="kmeans"),
    "ALPNMF": ALPNMF(4, graph=LandmarkGraph(n_landmarks=20), assign="kmeans"),
    "SPNMF": SPNMF(4, far_graph=FarthestGraph(3)),
    "CF": CF(4, assign="kmeans"),
    "CF kernel": CF(4, kernel="rbf", kernel_params={"gamma": 0.001}),
    "LCCF": LCCF(4),
    "LCF": LCF(4),
    "own start": NMF(4, init=(np.ones((90, 4)), np.ones((4, 64)))),
    "LNMF": LNMF(4),
    "SparseNMF": SparseNMF(4),
    "NPNMF": NPNMF(4),
    "CNMF": CNMF(4),
}


def fitted(name):
    return clone(MODELS[name]).set_params(max_iter=8, random_state=0).fit(X, KNOWN)


def same(a, b):
    """Equal in value and type, arrays and sparse matrices included."""
    if sparse.issparse(a):
        return type(a) is type(b) and (a != b).nnz == 0
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "get_params"):
        return type(a) is type(b) and same(sorted(a.get_params().items()), sorted(b.get_params().items()))
    return type(a) is type(b) and (a == b or not isinstance(a, str | int | float | bool | None))


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_is_the_model(name, tmp_path):
    model = fitted(name)
    path = tmp_path / "m.safetensors"
    model.save(path)
    again = manifact.load(path)
    assert type(again) is type(model)
    for key, value in model.get_params(deep=False).items():
        assert same(value, getattr(again, key)), key
    assert set(vars(again)) == set(vars(model))
    for key in ("representation_", "objective_", "n_iter_", "converged_", "solver_", "reconstruction_err_"):
        assert same(getattr(model, key), getattr(again, key)), key
    np.testing.assert_array_equal(again.transform(NEW), model.transform(NEW))
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    if getattr(model, "graph_", None) is not None:
        V = model.representation_
        np.testing.assert_array_equal(again.graph_.laplacian(V), model.graph_.laplacian(V))
        if model.graph_.can_tie:
            np.testing.assert_array_equal(again.transform(NEW, tie=False), model.transform(NEW, tie=False))
    clone(again).fit(X, KNOWN)


@pytest.mark.parametrize("cls", [AffinityNMF, GNMF])
def test_a_chosen_graph_keeps_what_it_was_chosen_from(cls, tmp_path):
    X = load_digits().data[:150]
    model = cls(4, graph="auto", random_state=0).fit(X)
    model.save(tmp_path / "m.safetensors")
    again = manifact.load(tmp_path / "m.safetensors")
    assert again.graph_.candidates_ == model.graph_.candidates_ != []
    new = load_digits().data[150:200]
    np.testing.assert_array_equal(again.transform(new), model.transform(new))
    np.testing.assert_array_equal(again.predict(new), model.predict(new))


@pytest.mark.parametrize("candidates", ["all", [1], [{"bits": [1]}], [{1: "bits"}]])
def test_candidates_that_are_no_rows_are_refused(candidates, tmp_path):
    model = GNMF(2, graph=KNNGraph(3), random_state=0).fit(load_digits().data[:30])
    model.graph_.candidates_ = candidates
    model.save(tmp_path / "m.safetensors")
    with pytest.raises(ValueError, match="is damaged \\(a graph and candidates that are no rows of a table"):
        manifact.load(tmp_path / "m.safetensors")


def test_graphs_of_files_without_candidates_have_none(tmp_path):
    model = GNMF(2, graph=KNNGraph(3), random_state=0).fit(load_digits().data[:30])
    model.save(tmp_path / "m.safetensors")
    arrays, metadata = read_arrays(tmp_path / "m.safetensors")
    attributes = json.loads(metadata["attributes"])
    facts = attributes["graph_"]["of"]["dict"]
    kept = [pair for pair in facts if pair[0] != "candidates"]
    assert len(kept) == len(facts) - 1
    attributes["graph_"]["of"]["dict"] = kept
    write_arrays(tmp_path / "former.safetensors", arrays, metadata | {"attributes": json.dumps(attributes)})
    assert manifact.load(tmp_path / "former.safetensors").graph_.candidates_ == []


def test_a_loaded_model_can_go_on(tmp_path):
    model = GNMF(3, max_iter=4, warm_start=True, random_state=np.random.RandomState(3)).fit(X)
    model.save(tmp_path / "m")
    again = manifact.load(tmp_path / "m")
    assert again.random_state.randint(1000) == model.random_state.randint(1000)
    np.testing.assert_array_equal(again.fit(X).representation_, model.fit(X).representation_)


def test_names_of_columns_stay(tmp_path):
    pandas = pytest.importorskip("pandas", reason="names of columns come from data frames")
    frame = pandas.DataFrame(X[:, :3], columns=["a", "b", "ü"])
    NMF(2, max_iter=2).fit(frame).save(tmp_path / "m")
    assert manifact.load(tmp_path / "m").feature_names_in_.tolist() == ["a", "b", "ü"]


@pytest.mark.parametrize("most", [2**20, 10])
def test_names_with_half_a_character_stay(tmp_path, monkeypatch, most):
    """JSON has such names, and they were found out when the fit was done."""
    pandas = pytest.importorskip("pandas", reason="names of columns come from data frames")
    monkeypatch.setattr(saving, "HEADER_BYTES", most)
    names = ["\ud8000", "\ud83d\ude00", "\U0001f600"]
    NMF(2, max_iter=2, random_state=0).fit(pandas.DataFrame(X[:, :3], columns=names)).save(tmp_path / "m")
    assert manifact.load(tmp_path / "m").feature_names_in_.tolist() == names


def test_what_two_attributes_share_is_written_once(tmp_path):
    fitted("GNMF built").save(tmp_path / "built")
    fitted("GNMF").save(tmp_path / "plain")
    sizes = [sum(array.nbytes for array in read_arrays(tmp_path / name)[0].values()) for name in ("built", "plain")]
    assert sizes[0] <= sizes[1]


def test_metadata_can_be_read_by_anyone(tmp_path):
    fitted("GNMF").save(tmp_path / "m")
    _, metadata = read_arrays(tmp_path / "m")
    assert json.loads(metadata["class"]) == "GNMF"
    assert json.loads(metadata["parameters"])["graph_reg"] == 2.0
    assert json.loads(metadata["versions"])["manifact"] == manifact.__version__


def test_long_texts_move_out_of_the_header(tmp_path, monkeypatch):
    monkeypatch.setattr(saving, "HEADER_BYTES", 10)
    fitted("GNMF").save(tmp_path / "m")
    assert "parameters" not in read_arrays(tmp_path / "m")[1]
    assert manifact.load(tmp_path / "m").graph_reg == 2.0


def test_the_first_format_still_loads():
    model = manifact.load(FIRST)
    assert (type(model).__name__, model.n_components, model.graph.n_neighbors) == ("GNMF", 4, 3)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    settings = {"solver": "bcd", "init": "random", "graph_reg": 100.0, "max_iter": 20}
    expected = GNMF(4, graph=KNNGraph(3), assign="kmeans", random_state=0, **settings).fit(X)
    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-6)
    np.testing.assert_allclose(model.transform(NEW, tie=False), expected.transform(NEW, tie=False), rtol=1e-3)
    np.testing.assert_allclose(model.transform(X), expected.transform(X), rtol=1e-3)
    # It does not say whose neighbours new samples would be, only who theirs are.
    assert (model.graph_.tie(NEW, np.eye(len(X)))[1] == 3).all()
    assert (expected.graph_.tie(NEW, np.eye(len(X)))[1] >= 3).all()
    assert (expected.graph_.tie(NEW, np.eye(len(X)))[1] > 3).any()


def former(model, path, **attributes):
    """The file that the first version would have written: clusters beside the other attributes."""
    model.save(path)
    arrays, metadata = read_arrays(path)
    packed = saving.Packer()
    facts = json.loads(metadata["attributes"])
    del facts["_clusters"]
    metadata["attributes"] = json.dumps(facts | {key: packed.pack(key, value) for key, value in attributes.items()})
    write_arrays(path, arrays | packed.arrays, metadata)
    return manifact.load(path)


def test_clusters_of_former_files_get_the_numbers_of_their_parts(tmp_path):
    model = fitted("GNMF")
    kmeans = KMeans(4, n_init=20, random_state=0).fit(model.representation_)
    # As if k-means had found them in another order.
    kmeans.labels_, kmeans.cluster_centers_ = (kmeans.labels_ + 1) % 4, np.roll(kmeans.cluster_centers_, 1, axis=0)
    again = former(model, tmp_path / "m", labels_=kmeans.labels_, assigner_=kmeans)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    assert not np.array_equal(kmeans.labels_, model.labels_)
    with pytest.raises(ValueError, match="is damaged"):
        former(model, tmp_path / "m", labels_=kmeans.labels_ + 1, assigner_=kmeans)
    kmeans.cluster_centers_ = kmeans.cluster_centers_[:, :2]
    with pytest.raises(ValueError, match=r"is damaged \(centres of clusters are \(4, 2\), not 4 x 4\)"):
        former(model, tmp_path / "m", labels_=kmeans.labels_, assigner_=kmeans)


def test_former_files_without_clusters_get_them(tmp_path):
    model = fitted("AffinityNMF nearest")
    means = model._clusters.centres
    again = former(model, tmp_path / "m", labels_=model.labels_, _part_means=means)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    model = fitted("GNMF").set_params(assign=None)
    again = former(model, tmp_path / "m")
    assert again.assign == "kmeans"
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_clusters_can_be_left_to_the_reader(tmp_path):
    model = fitted("GNMF")
    manifact.save(model, tmp_path / "m", clusters=False)
    assert model._clusters.labels is None
    again = manifact.load(tmp_path / "m")
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.safetensors"
    model = fitted("NMF")
    model.save(path)
    before = path.read_bytes()

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"cannot be written \(No space left on device\): name another file$"):
        model.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m.safetensors"]


class Mine(GNMF):
    pass


class MyGraph(KNNGraph):
    pass


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Mine(3), "Mine cannot be saved: "),
        (GNMF(3, graph=MyGraph()), "graph=MyGraph.* cannot be saved: "),
    ],
)
def test_classes_of_others_are_refused(model, sentence, tmp_path):
    with pytest.raises(TypeError, match=sentence):
        model.set_params(max_iter=1).fit(X).save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_an_unfitted_model_or_a_bad_path_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        NMF(3).save(tmp_path / "m")
    model = fitted("NMF")
    with pytest.raises(ValueError, match="is a folder"):
        model.save(tmp_path)
    with pytest.raises(ValueError, match="in a folder that does not exist"):
        model.save(tmp_path / "no" / "m")
    with pytest.raises(ValueError, match=r"path=.*m.pkl' would be a safetensors file .*: call it 'm.safetensors'"):
        model.save(tmp_path / "m.pkl")
    assert not (tmp_path / "m.pkl").exists()
    with pytest.raises(FileNotFoundError, match="is not there"):
        manifact.load(tmp_path / "m")


def test_files_of_other_kinds_are_refused(tmp_path):
    path = tmp_path / "m"
    write_arrays(path, {"U": np.ones(3)}, {"format": "manifact-checkpoint-1"})
    with pytest.raises(ValueError, match="is not a model of ours"):
        manifact.load(path)
    write_arrays(path, {"U": np.ones(3)}, {"kind": "manifact-model", "format": "²"})
    with pytest.raises(ValueError, match="is damaged"):
        manifact.load(path)
    write_arrays(path, {"U": np.ones(3)}, {"kind": "manifact-model", "format": "3"})
    with pytest.raises(ValueError, match=r"newer version \(format 3, this one reads up to 2\): upgrade manifact"):
        manifact.load(path)
    path.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(ValueError, match="is torn or not a file of ours"):
        manifact.load(path)


def changed(tmp_path, **facts):
    """A model file with other metadata, given as JSON values."""
    fitted("GNMF").save(tmp_path / "m")
    arrays, metadata = read_arrays(tmp_path / "m")
    for key, change in facts.items():
        metadata[key] = json.dumps(change(json.loads(metadata[key])))
    write_arrays(tmp_path / "m", arrays, metadata)
    return tmp_path / "m"


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("class", lambda name: "os.system"),
        ("class", lambda name: ["GNMF"]),
        ("parameters", lambda facts: facts | {"unknown": 1}),
        ("parameters", lambda facts: facts | {"n_components": 7}),
        ("parameters", lambda facts: facts | {"graph": {"builder": "Popen", "of": {"dict": []}}}),
        ("attributes", lambda facts: facts | {"transform": 1}),
        ("attributes", lambda facts: facts | {"components_": {"array": "nowhere"}}),
        ("attributes", lambda facts: facts | {"components_": {"pickle": "gASV"}}),
        ("attributes", lambda facts: facts | {"graph_": {"graph": "AffinityGraph", "of": {"dict": []}}}),
        ("attributes", lambda facts: {}),
        ("preparation", lambda facts: {"kind": "strange"}),
    ],
)
def test_a_file_with_other_content_is_refused(key, change, tmp_path):
    with pytest.raises(ValueError, match="is damaged") as refusal:
        manifact.load(changed(tmp_path, **{key: change}))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("parameters", lambda facts: facts | {"tol": {"float": 10**400}}),
        ("attributes", lambda facts: facts | {"labels_": {"array": "objective_"}}),
        ("attributes", lambda facts: facts | {"_clusters": 3}),
        ("attributes", lambda facts: of_clusters(facts, rule="by name")),
        ("attributes", lambda facts: of_clusters(facts, seed=-1)),
        ("attributes", lambda facts: of_clusters(facts, lost={"array": "objective_"})),
        ("attributes", lambda facts: of_clusters(facts, labels={"array": "objective_"})),
        ("attributes", lambda facts: of_clusters(facts, centres={"array": "components_"})),
        ("attributes", lambda facts: of_clusters(facts, centres=None)),
        ("attributes", lambda facts: facts | {"_scale": {"array": "objective_"}}),
        ("attributes", lambda facts: facts | {"graph_": wide(facts["graph_"])}),
    ],
)
def test_content_of_absurd_size_is_refused(key, change, tmp_path):
    with pytest.raises(ValueError, match="is damaged"):
        manifact.load(changed(tmp_path, **{key: change}))


def of_clusters(attributes, **changes):
    """The attributes with other facts about clusters."""
    facts = dict(attributes["_clusters"]["of"]["dict"]) | changes
    return attributes | {"_clusters": attributes["_clusters"] | {"of": {"dict": list(map(list, facts.items()))}}}


def wide(graph):
    """The graph with a matrix that has far more columns than rows."""
    facts = dict(graph["of"]["dict"])
    facts["W"] = facts["W"] | {"shape": [90, 10**9]}
    return graph | {"of": {"dict": [[key, value] for key, value in facts.items()]}}


def test_indices_that_point_outside_are_refused(tmp_path):
    fitted("GNMF").save(tmp_path / "m")
    arrays, metadata = read_arrays(tmp_path / "m")
    name = next(name for name in arrays if name.endswith("W.indices"))
    arrays[name] = arrays[name] + 1000
    write_arrays(tmp_path / "m", arrays, metadata)
    with pytest.raises(ValueError, match="is damaged"):
        manifact.load(tmp_path / "m")


@given(share=st.floats(0, 0.999))
def test_a_torn_file_is_refused(share, tmp_path_factory):
    folder = tmp_path_factory.mktemp("torn")
    content = FIRST.read_bytes()
    (folder / "m").write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match="torn or not a file of ours") as refusal:
        manifact.load(folder / "m")
    assert "\n" not in str(refusal.value)
    # nothing of what the library says about the bytes of its header
    assert str(refusal.value) == f"{folder / 'm'} is torn or not a file of ours: name another one"


@given(place=st.floats(0, 0.999), value=st.integers(0, 255))
def test_a_file_with_a_changed_byte_loads_or_is_refused(place, value, tmp_path_factory):
    folder = tmp_path_factory.mktemp("changed")
    content = bytearray(FIRST.read_bytes())
    content[int(place * place * len(content))] = value
    (folder / "m").write_bytes(content)
    refused = ""
    try:
        manifact.load(folder / "m")
    except ValueError as refusal:
        refused = str(refusal)
    assert "\n" not in refused
