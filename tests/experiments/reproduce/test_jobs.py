"""Jobs: stored by their settings, done once, and the same after a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import date

import pytest

from manifact.experiments.reproduce import jobs
from manifact.experiments.reproduce.jobs import Job, Store, run_jobs

COMMON = {"data": "digits", "prepare": "unit", "method": "NMF", "classes": 3}
SCRIPT = """
import json, sys
from pathlib import Path
from manifact.experiments.reproduce.jobs import Job, Store, run_jobs
if __name__ == "__main__":
    folder, workers, jobs = json.loads(sys.argv[1])
    found = run_jobs([Job("clustering_scores", settings) for settings in jobs], Store(Path(folder)), workers)
    print(json.dumps(found))
"""


def settings(count, **more):
    # Iterations enough that a run can be killed in its middle.
    parameters = {"solver": "mu", "tol": 0.0, **more}
    return [{**COMMON, "draw": draw, "seed": draw, "parameters": parameters} for draw in range(count)]


def scores(results):
    """What must be equal from run to run: everything but the clock."""
    return [{name: value for name, value in result.items() if name != "seconds"} for result in results]


def start(tmp_path, folder, workers, wanted):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    arguments = json.dumps([str(folder), workers, wanted])
    return subprocess.Popen([sys.executable, str(script), arguments], stdout=subprocess.PIPE, text=True)


def stored(folder):
    return len(list(folder.rglob("*.json")))


def test_a_killed_run_goes_on_and_gives_the_same_numbers(tmp_path):
    wanted = settings(6, max_iter=1500)
    whole = run_jobs([Job("clustering_scores", one) for one in wanted], Store(tmp_path / "whole"))
    killed = start(tmp_path, tmp_path / "killed", 2, wanted)
    deadline = time.monotonic() + 120
    while stored(tmp_path / "killed") < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    kept = stored(tmp_path / "killed")
    assert 2 <= kept < len(wanted)
    output, _ = start(tmp_path, tmp_path / "killed", 2, wanted).communicate(timeout=120)
    assert scores(json.loads(output)) == scores(whole)


def test_workers_end_with_their_parent(tmp_path):
    parent = start(tmp_path, tmp_path / "runs", 2, settings(4, max_iter=100_000))
    deadline = time.monotonic() + 60
    while not (workers := _children(parent.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    workers |= _children(parent.pid)
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    deadline = time.monotonic() + 30
    while any(_runs(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert workers
    assert not any(_runs(pid) for pid in workers)


def _children(pid):
    listing = f"/proc/{pid}/task/{pid}/children"
    if not os.path.exists(listing):
        pytest.skip("children of a process can be listed on Linux only")
    with open(listing) as file:
        return set(map(int, file.read().split()))


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_what_is_stored_is_not_done_again(tmp_path, monkeypatch):
    wanted = [Job("clustering_scores", one) for one in settings(2, max_iter=5)]
    first = run_jobs(wanted, Store(tmp_path))
    monkeypatch.setattr(Job, "run", lambda job: pytest.fail("done twice"))
    assert run_jobs(wanted, Store(tmp_path)) == first


def test_processes_and_one_process_agree(tmp_path):
    wanted = [Job("clustering_scores", one) for one in settings(4, max_iter=20)]
    advanced = []
    together = run_jobs(wanted, Store(tmp_path / "many"), workers=2, advance=advanced.append)
    assert scores(together) == scores(run_jobs(wanted, Store(tmp_path / "one")))
    assert sum(advanced) == 4


def test_any_setting_makes_another_job(monkeypatch):
    base = {**COMMON, "draw": 0, "seed": 0}
    keys = {Job("clustering_scores", base).key, Job("objective_trace", base).key}
    keys |= {
        Job("clustering_scores", {**base, name: value}).key
        for name, value in (("seed", 1), ("classes", 4), ("x", None))
    }
    monkeypatch.setattr(jobs, "__version__", "another")
    keys.add(Job("clustering_scores", dict(base)).key)
    assert len(keys) == 6


def test_the_order_of_settings_does_not_matter():
    assert Job("clustering_scores", {"a": 1, "b": 2}).key == Job("clustering_scores", {"b": 2, "a": 1}).key


def test_a_torn_result_counts_as_none(tmp_path):
    store, job = Store(tmp_path), Job("clustering_scores", {"a": 1})
    store.put(job, {"AC": 1.0})
    assert store.get(job) == {"AC": 1.0, jobs.DAY: date.today().isoformat()}
    (file,) = tmp_path.rglob("*.json")
    file.write_text(file.read_text()[:-3])
    assert store.get(job) is None
    assert not list(tmp_path.rglob("*.tmp"))


def test_an_error_in_a_worker_reaches_the_caller_and_keeps_the_rest(tmp_path):
    good = [Job("clustering_scores", one) for one in settings(1, max_iter=5)]
    bad = Job("clustering_scores", {**settings(1)[0], "method": "unheard of"})
    with pytest.raises(ValueError, match="method='unheard of' is not known"):
        run_jobs([*good, bad], Store(tmp_path), workers=2)


def test_jobs_of_a_group_stay_together_and_in_order():
    wanted = [Job("clustering_scores", {"a": number}, group=str(number % 3)) for number in range(9)]
    groups, alone = jobs.groups_of(wanted)
    assert alone == []
    assert sorted(len(group) for group in groups) == [3, 3, 3]
    assert all([one.settings["a"] for one in group] == sorted(one.settings["a"] for one in group) for group in groups)


def test_jobs_that_measure_time_have_the_machine_to_themselves():
    wanted = [Job("fit_time", {"a": 1}, alone=True), Job("clustering_scores", {"a": 2})]
    assert jobs.groups_of(wanted) == ([[wanted[1]]], [[wanted[0]]])


def test_a_job_that_somebody_else_has_done_meanwhile_is_not_done_again(tmp_path, monkeypatch):
    store, job = Store(tmp_path), Job("clustering_scores", {"a": 1})
    store.put(job, {"AC": 0.5})
    monkeypatch.setattr(Job, "run", lambda job: pytest.fail("done twice"))
    advanced = []
    jobs.serve(store, [job, job], advanced.append)
    assert advanced == [1, 1]
    assert jobs.not_stored([job], store) == []
    assert jobs.stored_results([job], store)[0]["AC"] == 0.5


def test_a_result_that_was_not_kept_is_told(tmp_path):
    with pytest.raises(RuntimeError, match="the disk full"):
        jobs.stored_results([Job("clustering_scores", {"a": 1})], Store(tmp_path))
