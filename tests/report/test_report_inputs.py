"""What report refuses, and what it fills in from the model."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from manifact import GNMF
from manifact.report import report
from manifact.report.report_inputs import checked, target
from manifact.utils.labels import labelled


def test_a_model_that_is_not_fitted():
    with pytest.raises(NotFittedError, match="not fitted"):
        report(GNMF())


def test_a_model_of_somebody_else():
    from sklearn.decomposition import NMF

    with pytest.raises(TypeError, match="report shows the models of manifact"):
        report(NMF(2).fit(np.eye(3)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"positions": np.ones((59, 2))}, "positions has shape .59, 2. for 60 samples: give n x 2 places on the map"),
        ({"positions": np.ones((60, 1))}, "positions has shape .60, 1. for 60 samples"),
        ({"positions": np.full((60, 2), np.nan)}, "positions contains NaN or infinity: give every sample a place"),
        ({"X": np.ones((59, 7))}, "report shows the training samples: X has 59 samples but the model was fitted to 60"),
        ({"X": np.ones((60, 8))}, "X has 8 features but the model was fitted to 7"),
        ({"feature_names": ["a"]}, "feature_names holds 1 strings for 7 features"),
        ({"sample_names": ["a"] * 61}, "sample_names holds 61 strings for 60 samples"),
        ({"texts": []}, "texts holds 0 strings for 60 samples"),
        ({"labels": [1, 2]}, r"labels has shape \(2,\) for 60 samples"),
        ({"image_shape": (2, 3)}, r"image_shape=\(2, 3\) does not fit: 2 x 3 is 6, samples have 7 features"),
        ({"image_shape": (7,)}, "not the shape of an image"),
        ({"images": np.ones((3, 4, 4))}, "images holds 3 images for 60 samples"),
        ({"images": np.ones((60, 16))}, "does not say how they lie"),
        ({"images": np.ones(60)}, r"images has shape \(60,\)"),
    ],
)
def test_refusals(table, given, message):
    with pytest.raises(ValueError, match=message):
        checked(table.model, **given)


def test_a_string_is_no_sequence_of_names(table):
    with pytest.raises(TypeError, match="sample_names must be a sequence of 60 strings"):
        checked(table.model, sample_names="abc")


def test_a_folder_that_is_not_there(table, tmp_path):
    with pytest.raises(ValueError, match="is in a folder that does not exist"):
        report(table.model, path=tmp_path / "no" / "page.html")
    with pytest.raises(ValueError, match="is a folder: name a file in it"):
        report(table.model, path=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_name_for_the_file():
    assert target(None, "GNMF").name == "gnmf-report.html"


def test_names_come_from_the_preparation_then_from_fit(table):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    columns = [f"c{i}" for i in range(7)]
    named = GNMF(2, random_state=0, max_iter=2).fit(pandas.DataFrame(table.X, columns=columns))
    assert checked(named).feature_names == columns
    named.preparation_ = SimpleNamespace(feature_names=list("abcdefg"), image_shape=(1, 7))
    assert checked(named).feature_names == list("abcdefg")
    assert checked(named).image_shape == (1, 7)
    assert checked(named, feature_names=columns, image_shape=(7, 1)).image_shape == (7, 1)
    assert checked(table.model).feature_names is None


def test_unknown_labels(table):
    labels = ["b", "a", "", None, "-1"] + ["b"] * 55
    given = checked(table.model, labels=np.array(labels, dtype=object))
    assert given.classes == ["a", "b"]
    assert given.class_of[:6].tolist() == [1, 0, -1, -1, -1, 1]
    given = checked(table.model, labels=[10.0, 9.0, np.nan, -1] + [10.0] * 56)
    assert given.classes == ["9", "10"]
    assert given.class_of[:4].tolist() == [1, 0, -1, -1]
    assert checked(table.model, labels=[-1] * 60).classes is None


def test_a_class_may_be_called_none(table):
    labels = ["None", "a", None, float("nan")] + ["a"] * 56
    given = checked(table.model, labels=labels)
    assert given.classes == ["None", "a"]
    assert given.class_of[:4].tolist() == [0, 1, -1, -1]
    assert ((given.class_of >= 0) == labelled(labels)).all()


def test_images_of_another_shape_than_the_features(table):
    given = checked(table.model, images=np.zeros((60, 4, 5, 3)))
    assert given.pixels.shape == (60, 60)
    assert given.pixel_shape == (4, 5, 3)
    assert given.image_shape is None
