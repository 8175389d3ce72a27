"""Files with a right checksum and a wrong content: compiled code must not see them."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import manifact
from manifact import CF, GNMF, LPNMF, NMF, AffinityNMF
from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph
from manifact.io.preparation.image_preparation import ImagePreparation
from manifact.io.preparation.table_preparation import TablePreparation
from manifact.utils.array_files import read_arrays, write_arrays

X = load_digits().data[:60]
Y = np.where(np.arange(60) % 3, -1, 0)
HUGE = 2**62

MODELS = {
    "affinity": lambda: AffinityNMF(3, graph=KNNGraph(4), max_iter=3),
    "gnmf": lambda: GNMF(3),
    "views": lambda: GNMF(3, graph=KNNGraph(4, directions=5, weight="local")),
    "landmarks": lambda: LPNMF(3, graph=LandmarkGraph(10), graph_reg=0.1),
    "sum": lambda: GNMF(3, graph=KNNGraph(4) + 0.5 * LabelGraph()),
    "kernel": lambda: CF(3, kernel="rbf"),
    "sparse": lambda: GNMF(3),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of each model."""
    folder = tmp_path_factory.mktemp("models")
    for name, model in MODELS.items():
        data = sparse.csr_array(X) if name == "sparse" else X
        model().set_params(random_state=0, assign="kmeans").fit(data, Y).save(folder / name)
    return folder


def changed(files, tmp_path, name, array=None, value=None, **facts):
    """The file of a model with another array, or other facts, and a checksum that is right."""
    arrays, metadata = read_arrays(files / name)
    if array is not None:
        assert array in arrays
        arrays[array] = value(arrays[array])
    for key, change in facts.items():
        metadata[key] = json.dumps(change(json.loads(metadata[key])))
    write_arrays(tmp_path / "m", arrays, metadata)
    return tmp_path / "m"


def nan(array):
    return np.where(np.arange(array.size).reshape(array.shape) == 0, np.nan, array).astype(array.dtype)


def negative(array):
    return -array - 1


def wide(array):
    return np.concatenate([array, array], axis=-1)


def long(array):
    return np.concatenate([array, array], axis=0)


def whole(array):
    return array.astype(np.int64)


def half(array):
    return array.astype(np.float16)


def complex_(array):
    return array.astype(np.complex64)


def overflowing(indptr):
    """Differences of these are positive once they overflow."""
    wrong = indptr.astype(np.int64)
    wrong[1:-1:2] = -HUGE
    wrong[2:-1:2] = HUGE
    return wrong


BAD = [
    *[("affinity", name, change) for name in ("components_", "representation_") for change in (nan, wide, whole)],
    ("affinity", "representation_", negative),
    ("affinity", "components_", negative),
    *[("affinity", "_scale", change) for change in (nan, wide, negative, np.zeros_like)],
    *[("affinity", f"_matched.{part}", change) for part in (0, 1) for change in (nan, wide, long)],
    ("affinity", "_matched.1", lambda array: array[:1]),
    *[("affinity", name, change) for name in ("embedding_", "_harmonics") for change in (nan, wide, long)],
    *[("affinity", "_common", change) for change in (nan, wide)],
    *[("affinity", "objective_", change) for change in (nan, wide)],
    *[("affinity", "_clusters.centres", change) for change in (nan, wide, long)],
    *[("affinity", "_clusters.labels", change) for change in (negative, wide, lambda array: array + 900)],
    *[("gnmf", f"graph_.W.{part}", change) for part in ("data", "indices", "indptr") for change in (long, negative)],
    ("gnmf", "graph_.W.data", nan),
    ("gnmf", "graph_.W.data", lambda array: array * np.arange(len(array))),
    ("gnmf", "graph_.W.indptr", overflowing),
    ("gnmf", "graph_.W.indptr", lambda indptr: indptr.astype(np.int64) + HUGE),
    ("gnmf", "graph_.W.indptr", lambda indptr: indptr.astype(np.float64)),
    ("gnmf", "graph_.W.indices", lambda indices: indices + 10**6),
    *[("gnmf", "graph_.X", change) for change in (nan, long, whole)],
    *[("gnmf", "graph_.radii", change) for change in (nan, long, negative)],
    *[("sparse", f"graph_.X.{part}", change) for part in ("data", "indices", "indptr") for change in (long,)],
    ("sparse", "graph_.X.indptr", overflowing),
    ("sparse", "graph_.X.data", nan),
    *[("views", "graph_.view.axes", change) for change in (nan, wide, long)],
    *[("views", "graph_.widths", change) for change in (nan, negative, long)],
    *[("landmarks", "graph_.landmarks", change) for change in (nan, long, whole)],
    *[("landmarks", "graph_.Z.data", change) for change in (nan, negative, np.zeros_like)],
    ("landmarks", "graph_.Z.indptr", overflowing),
    *[("sum", f"graph_.graphs.1.H.{part}", negative) for part in ("data", "indices", "indptr")],
    *[("kernel", name, change) for name in ("concepts_", "_basis_gram", "_training_samples") for change in (nan, wide)],
    ("kernel", "concepts_", negative),
    # Types that the format has and no kernel takes.
    *[("gnmf", "graph_.X", half), ("gnmf", "graph_.W.data", half), ("sparse", "graph_.X.data", half)],
    *[("landmarks", "graph_.landmarks", half), ("affinity", "_harmonics", half), ("gnmf", "graph_.X", complex_)],
]


@pytest.mark.parametrize(("name", "array", "change"), BAD)
def test_arrays_that_are_not_what_they_should_be_are_refused(name, array, change, files, tmp_path):
    with pytest.raises(ValueError, match="is damaged") as refusal:
        manifact.load(changed(files, tmp_path, name, array, change))
    assert "\n" not in str(refusal.value)


def of_graph(**changes):
    def change(attributes):
        facts = dict(attributes["graph_"]["of"]["dict"]) | changes
        return attributes | {"graph_": attributes["graph_"] | {"of": {"dict": list(map(list, facts.items()))}}}

    return change


def source(**facts):
    """What a model file says of its samples."""
    return {"source_": {"dict": [["path", "x.csv"], *map(list, facts.items())]}}


@pytest.mark.parametrize(
    ("name", "key", "change"),
    [
        ("affinity", "attributes", lambda facts: facts | {"_matched": facts["components_"]}),
        ("affinity", "attributes", lambda facts: facts | {"_mu": {"float": "nan"}}),
        ("affinity", "attributes", lambda facts: facts | {"tau_": "2"}),
        ("affinity", "attributes", lambda facts: facts | {"n_components_": 4}),
        ("affinity", "attributes", lambda facts: facts | {"n_iter_": 10**9}),
        ("affinity", "attributes", lambda facts: facts | {"n_features_in_": 63}),
        ("affinity", "attributes", lambda facts: facts | {"graph_": facts["_clusters"]}),
        ("affinity", "attributes", lambda facts: facts | {"_clusters": facts["graph_"]}),
        ("affinity", "attributes", lambda facts: facts | {"source_": 3}),
        ("affinity", "attributes", lambda facts: facts | source(path={"list": ["/etc/passwd"]})),
        ("affinity", "attributes", lambda facts: facts | source(path="a\0b")),
        ("affinity", "attributes", lambda facts: facts | source(names=True)),
        ("affinity", "attributes", lambda facts: facts | source(names={"list": 60 * [1.5]})),
        ("affinity", "attributes", lambda facts: facts | source(reading={"list": []})),
        ("affinity", "attributes", lambda facts: facts | source(skipped=1.5)),
        ("affinity", "attributes", lambda facts: facts | source(left_out={"dict": [[1, 2]]})),
        ("affinity", "attributes", lambda facts: {key: facts[key] for key in facts if key != "embedding_"}),
        ("affinity", "parameters", lambda facts: facts | {"alpha_V": {"float": "nan"}}),
        ("gnmf", "parameters", lambda facts: facts | {"graph_reg": -1.0}),
        ("gnmf", "attributes", of_graph(builder=None)),
        ("gnmf", "attributes", of_graph(sigma={"float": "inf"})),
        ("gnmf", "attributes", of_graph(builder={"builder": "KNNGraph", "of": {"dict": [["n_neighbors", -5]]}})),
        ("landmarks", "attributes", of_graph(n_neighbors=0.5)),
        ("sum", "attributes", of_graph(weights={"list": [1.0, {"float": "nan"}]})),
        ("sum", "attributes", of_graph(weights={"list": [1.0]})),
        ("kernel", "parameters", lambda facts: facts | {"kernel_params": {"dict": [["n_jobs", 10**6]]}}),
    ],
)
def test_values_that_are_not_what_they_should_be_are_refused(name, key, change, files, tmp_path):
    with pytest.raises(ValueError, match="is damaged"):
        manifact.load(changed(files, tmp_path, name, **{key: change}))


def mutated(array, rng):
    """An array of another type, shape or content."""
    flat = array.copy().reshape(-1)
    place = rng.integers(max(1, flat.size))
    match rng.integers(6):
        case 0:
            return array.astype(rng.choice(["f4", "f8", "i4", "i8", "u1", "?"]))
        case 1:
            return flat[:place]
        case 2:
            return np.concatenate([array, array]) if array.ndim else flat
        case 3:
            flat[place : place + 1] = rng.choice([0, -1, 2**30, -(2**31), 127])
        case 4 if array.dtype.kind == "f":
            flat[place : place + 1] = rng.choice([np.nan, np.inf, -np.inf, 1e30, -1e-30])
        case _ if array.dtype.kind == "i":
            return array.astype(np.int64) + rng.choice([1, -1, 2**40, -HUGE, HUGE])
    return flat.reshape(array.shape)


@pytest.mark.parametrize("seed", range(8))
def test_a_file_of_any_content_is_refused_or_serves(seed, files, tmp_path):
    rng, new = np.random.default_rng(seed), load_digits().data[60:70]
    for _ in range(25):
        name = rng.choice(list(MODELS))
        array = rng.choice(list(read_arrays(files / name)[0]))
        try:
            model = manifact.load(changed(files, tmp_path, name, array, lambda value: mutated(value, rng)))
        except ValueError as refusal:
            assert "is damaged" in str(refusal), refusal  # noqa: PT017
            continue
        labels = model.predict(new)
        assert ((labels >= -1) & (labels < 3)).all()
        assert np.isfinite(model.transform(new)).all()


def test_a_small_file_takes_little_memory(files, tmp_path):
    """One long text among many short ones: NumPy would give each of them the room of the longest."""
    texts = {"texts": [300_000 * "x", *20_000 * [""]], "shape": [20_001], "object": False}
    path = changed(files, tmp_path, "gnmf", attributes=lambda facts: facts | {"source_": {"dict": [["ids", texts]]}})
    assert path.stat().st_size < 10**6
    assert manifact.load(path).source_["ids"].nbytes < 10**6
    far = dict(json.loads(read_arrays(files / "sparse")[1]["attributes"])["graph_"]["of"]["dict"])["X"]
    with pytest.raises(ValueError, match="a sparse matrix of 1000000000000 columns in a file of this size"):
        manifact.load(changed(files, tmp_path, "sparse", attributes=of_graph(X=far | {"shape": [60, 10**12]})))


def test_every_bit_of_a_model_counts(tmp_path):
    """Of each of 600 files with one bit changed none is loaded."""
    NMF(2, max_iter=2, random_state=0).fit(X[:10, :4] + 1).save(tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    for place in np.random.default_rng(0).choice(8 * len(content), 600, replace=False).tolist():
        other = bytearray(content)
        other[place // 8] ^= 1 << place % 8
        (tmp_path / "other").write_bytes(other)
        with pytest.raises(ValueError, match=r"(torn or not|not a model|is damaged|newer version)[^\n]*$"):
            manifact.load(tmp_path / "other")


@pytest.mark.parametrize("name", MODELS)
def test_equal_models_are_equal_bytes(name, files, tmp_path):
    data = sparse.csr_array(X) if name == "sparse" else X
    MODELS[name]().set_params(random_state=0, assign="kmeans").fit(data, Y).save(tmp_path / "again")
    manifact.load(files / name).save(tmp_path / "loaded")
    content = (files / name).read_bytes()
    assert (tmp_path / "again").read_bytes() == content
    assert (tmp_path / "loaded").read_bytes() == content


@pytest.mark.parametrize("position", [625, -1, 10**9, 1.0])
def test_a_generator_that_would_read_elsewhere_is_refused(position, tmp_path):
    NMF(2, max_iter=2, random_state=np.random.RandomState(0)).fit(X[:10, :4] + 1).save(tmp_path / "n")

    def moved(parameters):
        inside = dict(parameters["random_state"]["RandomState"]["dict"])["state"]["dict"]
        inside[[name for name, _ in inside].index("pos")][1] = position
        return parameters

    with pytest.raises(ValueError, match="is damaged \\(a random generator at"):
        manifact.load(changed(tmp_path, tmp_path, "n", parameters=moved))


def test_a_preparation_of_other_features_is_refused(files, tmp_path):
    prepared = TablePreparation("none", None, None, 63).to_dict()
    with pytest.raises(ValueError, match="the preparation has 63 numbers for columns and the model 64 features"):
        manifact.load(changed(files, tmp_path, "gnmf", preparation=lambda _: prepared))
    images = ImagePreparation("unit", image_shape=(9, 9)).to_dict()
    with pytest.raises(ValueError, match="the preparation has 81 numbers for an image and the model 64 features"):
        manifact.load(changed(files, tmp_path, "gnmf", preparation=lambda _: images))


def test_new_formats_have_a_checksum(files, tmp_path):
    arrays, metadata = read_arrays(files / "gnmf")
    assert metadata["format"] == "2"
    write_arrays(tmp_path / "m", arrays, metadata)
    text = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(text.replace(b'"checksum"', b'"checkson"'))
    with pytest.raises(ValueError, match="format 2 without a checksum"):
        manifact.load(tmp_path / "m")
