"""Runs that lie beside the pages: taken by whoever has the pages, if the same code did them."""

from __future__ import annotations

import gzip
import json

import pytest

from manifact.experiments.reproduce import jobs, kept_runs
from manifact.experiments.reproduce.jobs import Job, Store

JOBS = [Job("clustering_scores", {"seed": seed}) for seed in range(5)]


@pytest.fixture
def filled(tmp_path):
    store = Store(tmp_path / "store")
    for number, job in enumerate(JOBS):
        store.put(job, {"AC": [number / 10]})
    return store


def test_another_store_has_the_same_results(tmp_path, filled):
    kept_runs.keep(tmp_path, "page", JOBS, filled)
    other = Store(tmp_path / "other")
    assert kept_runs.adopt(tmp_path, "page", other) == len(JOBS)
    assert [other.get(job) for job in JOBS] == [filled.get(job) for job in JOBS]
    assert kept_runs.adopt(tmp_path, "page", other) == 0


def test_the_same_runs_are_the_same_bytes_in_whatever_order(tmp_path, filled):
    kept_runs.keep(tmp_path, "one", JOBS, filled)
    kept_runs.keep(tmp_path, "two", reversed(JOBS), filled)
    one, two = (tmp_path / kept_runs.FOLDER / f"{name}.jsonl.gz" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_a_result_that_is_there_is_left(tmp_path, filled):
    kept_runs.keep(tmp_path, "page", JOBS, filled)
    other = Store(tmp_path / "other")
    other.put(JOBS[0], {"AC": [1.0]})
    assert kept_runs.adopt(tmp_path, "page", other) == len(JOBS) - 1
    assert other.get(JOBS[0])["AC"] == [1.0]


def test_runs_of_other_code_are_not_taken(tmp_path, filled, monkeypatch):
    kept_runs.keep(tmp_path, "page", JOBS, filled)
    monkeypatch.setattr(kept_runs, "numerical_code", lambda: "another")
    assert kept_runs.adopt(tmp_path, "page", Store(tmp_path / "other")) == 0


# Named: gzip writes down the time, and all processes must have the same tests.
@pytest.mark.parametrize(
    "content",
    [b"", b"no file of ours", gzip.compress(b"{"), gzip.compress(b'{"settings": 1}\n')],
    ids=["empty", "another", "half a line", "no run"],
)
def test_a_file_that_is_none_of_ours_counts_as_none(tmp_path, content):
    (tmp_path / kept_runs.FOLDER).mkdir()
    (tmp_path / kept_runs.FOLDER / "page.jsonl.gz").write_bytes(content)
    assert kept_runs.adopt(tmp_path, "page", Store(tmp_path / "other")) == 0


def test_a_file_that_is_torn_counts_as_none(tmp_path, filled):
    kept_runs.keep(tmp_path, "page", JOBS, filled)
    file = tmp_path / kept_runs.FOLDER / "page.jsonl.gz"
    file.write_bytes(file.read_bytes()[:-20])
    other = Store(tmp_path / "other")
    assert kept_runs.adopt(tmp_path, "page", other) == 0
    assert all(other.get(job) is None for job in JOBS)


def test_without_runs_or_file_there_is_nothing(tmp_path, filled):
    kept_runs.keep(tmp_path, "page", [], filled)
    assert not (tmp_path / kept_runs.FOLDER).exists()
    assert kept_runs.adopt(tmp_path, "page", filled) == 0


def test_a_job_is_found_under_the_settings_that_were_kept(tmp_path, filled):
    kept = filled.stored(JOBS[0])
    assert kept["settings"] == json.loads(JOBS[0]._text)
    assert kept["result"][jobs.DAY]
