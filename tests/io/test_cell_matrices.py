"""Which matrix of annotated cells is taken."""

import numpy as np
import pytest
from scipy import sparse

from manifact import LCCF, NMF
from manifact.io import Samples
from manifact.io.cell_matrices import CellMatrices, check_signs, in_memory, kind_of_values, stored_bytes

COUNTS = np.random.default_rng(0).poisson(1, (20, 6)).astype(np.float32)
LOGGED = np.log1p(COUNTS / COUNTS.sum(axis=1, keepdims=True) * 100)
LINEAR = np.expm1(LOGGED * 1.5)
SCALED = COUNTS - COUNTS.mean(axis=0)


def taken(layer=None, expects=None, **matrices):
    found = CellMatrices("cells", **matrices).choose(lambda element, place: element, layer, expects)
    return found.described


@pytest.mark.parametrize(
    ("matrices", "described"),
    [
        ({"X": COUNTS}, "counts of X"),
        ({"X": LOGGED}, "log-normalised values of X"),
        ({"X": LINEAR * 10}, "normalised values of X"),
        ({"X": COUNTS, "raw": LOGGED}, "log-normalised values of .raw"),
        ({"X": SCALED, "raw": LOGGED, "layers": {"counts": COUNTS}}, "counts of layers['counts']"),
        ({"X": LOGGED, "layers": {"Raw_Counts": COUNTS}}, "counts of layers['Raw_Counts']"),
        ({"X": SCALED, "layers": {"z": SCALED, "logcounts": LOGGED}}, "log-normalised values of layers['logcounts']"),
        ({"X": SCALED, "layers": {"spliced": COUNTS}}, "counts of layers['spliced']"),
        ({"raw": SCALED, "layers": {"counts": SCALED, "mine": LOGGED}}, "log-normalised values of layers['mine']"),
        ({"X": LOGGED, "layers": {"mine": COUNTS}}, "log-normalised values of X"),
    ],
)  # fmt: skip
def test_the_first_that_makes_sense(matrices, described):
    assert taken(**matrices) == described


def test_what_a_model_expects_comes_first():
    both = {"X": COUNTS, "raw": LOGGED}
    assert taken(expects="counts", **both) == "counts of X"
    assert taken(expects="log", **both) == "log-normalised values of .raw"
    assert taken(expects="log", X=COUNTS) == "counts of X"


def test_one_by_name():
    matrices = {"X": SCALED, "raw": LOGGED, "layers": {"counts": COUNTS}}
    assert taken("counts", **matrices) == "counts of layers['counts']"
    assert taken("raw", **matrices) == "log-normalised values of .raw"
    assert taken("X", **matrices) == "scaled values of X"
    assert taken("raw", layers={"raw": COUNTS}, raw=LOGGED) == "counts of layers['raw']"
    with pytest.raises(
        ValueError, match=r"^cells has no layer 'spliced', but 'counts', 'raw', 'X': choose one with layer="
    ):
        taken("spliced", **matrices)


def test_scaled_values_alone_are_refused_with_what_is_there():
    with pytest.raises(
        ValueError, match=r"X has negative values, as scaled data do, and there is no .raw and there are"
    ):
        taken(X=SCALED)
    with pytest.raises(ValueError, match=r"\.raw, X, layers\['z'\] have negative values, as scaled data do: keep the"):
        taken(X=SCALED, raw=SCALED, layers={"z": SCALED})
    with pytest.raises(ValueError, match=r"has no X, no .raw and no layers"):
        taken()


def test_a_negative_value_that_a_sample_misses_is_found_in_the_whole(monkeypatch):
    monkeypatch.setattr("manifact.io.cell_matrices.SAMPLE", 6)
    hidden = LOGGED.copy()
    hidden[4, 2] = -1
    assert kind_of_values(hidden, sample=True) == "log"
    assert taken(raw=hidden, X=COUNTS) == "counts of X"
    sparse_one = sparse.csr_array(hidden)
    assert kind_of_values(sparse_one) == "scaled"


def test_only_the_chosen_matrix_is_read():
    asked = []
    CellMatrices("cells", SCALED, COUNTS, {"counts": SCALED, "later": LOGGED}).choose(
        lambda element, place: asked.append(place) or element
    )
    assert asked == [".raw"]


def test_zeros_and_whole_numbers_of_any_type_are_counts():
    for X in (np.zeros((3, 2)), sparse.csr_array((3, 2)), COUNTS.astype(np.uint16), COUNTS > 0):
        assert kind_of_values(X) == kind_of_values(X, sample=True) == "counts"


def test_the_memory_of_a_matrix_is_known_before_it_is_read():
    assert stored_bytes(COUNTS) == COUNTS.nbytes
    X = sparse.csr_array(COUNTS)
    assert stored_bytes(X) == X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def test_what_is_elsewhere_is_brought_into_memory(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py comes with anndata")
    with h5py.File(tmp_path / "x.h5", "w") as stored:
        stored["X"] = COUNTS
        np.testing.assert_array_equal(in_memory(stored["X"], "x"), COUNTS)
        assert kind_of_values(stored["X"], sample=True) == "counts"


def test_negative_values_that_were_asked_for_need_a_model_that_takes_them():
    samples = Samples("cells", "x.h5ad", SCALED, matrix="scaled values of X", values="scaled")
    check_signs(LCCF(2), samples)
    with pytest.raises(ValueError, match="layer names scaled values of X and NMF takes no negative values"):
        check_signs(NMF(2), samples)
