from types import SimpleNamespace

from manifact.models import feature_names as naming


def test_the_preparation_comes_before_the_data_frame():
    model = SimpleNamespace(feature_names_in_=["a", "b"])
    assert naming.feature_names(model) == ["a", "b"]
    model.preparation_ = SimpleNamespace(feature_names=None, image_shape=(8, 8))
    assert naming.feature_names(model) == ["a", "b"]
    model.preparation_.feature_names = ["x", "y"]
    assert naming.feature_names(model) == ["x", "y"]
    assert naming.prepared(model, "image_shape") == (8, 8)
    assert naming.feature_names(SimpleNamespace()) is None
