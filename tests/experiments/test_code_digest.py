"""Results of other code are other results."""

import random
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

from manifact.experiments import code_digest
from manifact.experiments.code_digest import NOT_RUN, NUMERICAL, PACKAGE, code, digest, numerical_code
from manifact.experiments.reproduce.jobs import Job


@pytest.fixture
def package(tmp_path):
    """A copy of what results depend on."""
    for place in NUMERICAL:
        source, target = PACKAGE / place, tmp_path / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    return tmp_path


def test_the_same_files_have_the_same_digest_in_any_order(package):
    places = list(NUMERICAL)
    random.Random(0).shuffle(places)
    assert digest(package, places, NOT_RUN) == digest(package, NUMERICAL, NOT_RUN[::-1]) == numerical_code()
    assert digest(package, (*NUMERICAL, "backends"), NOT_RUN) == numerical_code()


@pytest.mark.parametrize("place", NUMERICAL)
def test_every_change_makes_another_digest(package, place):
    file = package / place
    if file.is_dir():
        file = sorted(file.rglob("*.py"))[-1]
    before = digest(package, NUMERICAL)
    file.write_text(file.read_text() + "another = 1\n")
    changed = digest(package, NUMERICAL)
    file.rename(file.with_name(f"other_{file.name}")) if (package / place).is_dir() else file.write_text("")
    assert len({before, changed, digest(package, NUMERICAL)}) == 3


TOLD = '''"""What it is."""

import math


def area(r):  # of a circle
    """π r²,
    # for r ≥ 0."""
    # known to Archimedes
    return math.pi * r**2 + len("# π")


def told(): "On one line"; return """a

text"""
'''
UNTOLD = '''import math
def area(r):
    return math.pi * r**2 + len("# π")
def told(): "On one line"; return """a
text"""'''


def test_words_about_code_do_not_count():
    assert code(TOLD) == UNTOLD
    assert code(UNTOLD) == UNTOLD


def test_a_new_file_counts_and_compiled_ones_do_not(package):
    before = digest(package, NUMERICAL)
    (package / "graphs" / "__pycache__").mkdir()
    (package / "graphs" / "__pycache__" / "knn.cpython-311.pyc").write_bytes(b"compiled")
    assert digest(package, NUMERICAL) == before
    (package / "graphs" / "new.py").touch()
    assert digest(package, NUMERICAL) != before


def test_a_place_that_is_gone_is_not_passed_over(package):
    with pytest.raises(FileNotFoundError):
        digest(package, ("terms", "nowhere.py"))


def test_other_code_makes_another_job(package, monkeypatch):
    before = Job("clustering_scores", {"seed": 0}).key
    assert Job("clustering_scores", {"seed": 0}).key == before
    (package / "solvers" / "engine.py").write_text("another = 'loop'")
    monkeypatch.setattr(code_digest, "PACKAGE", package)
    numerical_code.cache_clear()
    try:
        assert Job("clustering_scores", {"seed": 0}).key != before
    finally:
        numerical_code.cache_clear()


def test_files_are_read_once_in_a_process(monkeypatch):
    numerical_code()
    monkeypatch.setattr(code_digest, "digest", lambda *places: pytest.fail("read again"))
    Job("clustering_scores", {"seed": 1}).key  # noqa: B018


@pytest.mark.parametrize("place", NOT_RUN)
def test_code_that_no_experiment_runs_does_not_count(package, place):
    before = digest(package, NUMERICAL, NOT_RUN)
    file = package / place
    (file / "__init__.py" if file.is_dir() else file).write_text("another = 'program'")
    assert digest(package, NUMERICAL, NOT_RUN) == before
    assert digest(package, NUMERICAL) != digest(PACKAGE, NUMERICAL)


TINY = {"data": "digits", "classes": 2, "draw": 0, "seed": 0}
LANDMARKS = {"kind": "landmark", "n_landmarks": 40, "n_neighbors": 3}
RUN = {
    "GNMF": ("clustering_scores", TINY | {"method": "GNMF"}),
    "ALPNMF": ("clustering_scores", TINY | {"method": "ALPNMF", "graph": LANDMARKS}),
    "LPNMF": ("clustering_scores", TINY | {"method": "LPNMF"}),
    "SPNMF": ("clustering_scores", TINY | {"method": "SPNMF"}),
    "LCF": ("clustering_scores", TINY | {"method": "LCF"}),
    "AffinityNMF": ("clustering_scores", TINY | {"method": "AffinityNMF", "kmeans": {"rule": "own"}}),
    "NCut": ("clustering_scores", TINY | {"method": "NCut", "graph": {"n_neighbors": 5}}),
    "trace": ("objective_trace", TINY | {"method": "NMF", "parameters": {"max_iter": 3}}),
    "precision": (
        "nearest_precision",
        TINY | {"method": "NMF", "dimensions": [2], "train": 5, "stage": "test", "repeat": 0},
    ),
}


@pytest.mark.parametrize("name", RUN)
def test_no_experiment_runs_what_does_not_count(name):
    task, settings = RUN[name]
    module = import_module(f"manifact.experiments.reproduce.tasks.{task}")
    seen = set()

    def note(frame, event, argument):
        if event == "call":
            seen.add((frame.f_code.co_filename, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        module.run(settings)
    finally:
        sys.setprofile(None)
    inside = {
        (Path(file).relative_to(PACKAGE).as_posix(), function)
        for file, function in seen
        if Path(file).is_relative_to(PACKAGE)
    }
    assert ("solvers/engine.py", "run") in inside or name == "NCut"
    # `fit` forgets a stream that there was, which changes no number.
    inside.discard(("models/streaming.py", "_store"))
    assert not [place for place in inside if place[0].startswith(NOT_RUN)]
