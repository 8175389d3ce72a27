"""Experiments that share workers: pages as soon as they can be, stages, failures, and runs that want to be alone."""

import pytest

from manifact.experiments.reproduce.comparison_page import Page
from manifact.experiments.reproduce.job_runner import MissingRunsError, StoredRunner
from manifact.experiments.reproduce.jobs import Job, Store
from manifact.experiments.reproduce.many_experiments import Experiments, RefusedError


@pytest.fixture
def done(monkeypatch):
    """Settings of the jobs that were run, in order."""
    seen = []

    def run(job):
        if job.settings.get("fails"):
            raise ValueError("a representation with NaN")
        seen.append(dict(job.settings))
        return {"value": job.settings["number"]}

    monkeypatch.setattr(Job, "run", run)
    return seen


def jobs(name, count=2, **settings):
    return [Job("task", {"name": name, "number": number, **settings}) for number in range(count)]


def page(name, *blocks):
    return Page(name, name, "", [])


def run(folder, pages, names=None):
    """Names of the pages that were finished, and what was refused; ``pages``: name -> function of a runner."""
    finished = []
    every = Experiments(
        StoredRunner(Store(folder)), lambda name, runner: pages[name](runner), lambda one: finished.append(one.name)
    )
    every.run(names or list(pages), workers=1)
    return finished, every.refused


def simple(name, **settings):
    def make(runner):
        assert [one["value"] for one in runner.run(name, jobs(name, **settings))] == [0, 1]
        return page(name)

    return make


def test_runs_of_all_are_asked_for_before_the_first_is_done(tmp_path, done):
    finished, refused = run(tmp_path, {"one": simple("one"), "two": simple("two")})
    assert finished == ["one", "two"]
    assert refused == {}
    assert len(done) == 4


def test_what_is_stored_is_shown_without_work(tmp_path, done):
    run(tmp_path, {"one": simple("one")})
    done.clear()
    assert run(tmp_path, {"one": simple("one")}) == (["one"], {})
    assert done == []


def test_a_second_stage_waits_for_what_the_first_has_chosen(tmp_path, done):
    def two_stages(runner):
        best = max(one["value"] for one in runner.run("choosing", jobs("choosing", 3)))
        runner.run("testing", jobs("testing", 1, chosen=best))
        return page("staged")

    assert run(tmp_path, {"staged": two_stages, "one": simple("one")})[0] == ["one", "staged"]
    assert done[-1] == {"name": "testing", "number": 0, "chosen": 2}


def test_a_failure_is_the_end_of_its_experiment_alone(tmp_path, done):
    finished, refused = run(tmp_path, {"bad": simple("bad", fails=True), "good": simple("good")})
    assert finished == ["good"]
    assert refused == {"bad": "bad could not be run to its end: a representation with NaN"}


def test_what_is_refused_at_once_keeps_nobody_waiting(tmp_path, done):
    def absent(runner):
        raise RefusedError("absent needs data that are not here")

    finished, refused = run(tmp_path, {"absent": absent, "good": simple("good")})
    assert finished == ["good"]
    assert refused == {"absent": "absent needs data that are not here"}


def test_an_error_of_ours_is_not_hidden(tmp_path, done):
    def broken(runner):
        raise AttributeError("a bug")

    with pytest.raises(AttributeError, match="a bug"):
        run(tmp_path, {"broken": broken})


def test_runs_that_measure_time_come_last_and_by_themselves(tmp_path, done):
    def timed(runner):
        runner.run("timed", [Job("task", {"name": "timed", "number": 0}, alone=True), *jobs("beside", 1)])
        return page("timed")

    assert run(tmp_path, {"timed": timed, "one": simple("one")})[0] == ["one", "timed"]
    assert done[-1]["name"] == "timed"


def test_a_runner_of_stored_results_does_nothing_itself(tmp_path, done):
    with pytest.raises(MissingRunsError) as missing:
        StoredRunner(Store(tmp_path)).run("title", [*jobs("one"), *jobs("one")])
    assert [job.settings["number"] for job in missing.value.jobs] == [0, 1]
    assert done == []
