"""What is timed."""

from manifact.experiments.reproduce.tasks import fit_time, iteration_time

MODEL = {"data": "digits", "prepare": "range", "classes": 3, "draw": 0, "n_components": 5, "seed": 0}


def test_a_step_does_not_count_what_happens_once(monkeypatch):
    # A run takes 3 seconds to set up and 0.5 for each iteration.
    monkeypatch.setattr(iteration_time, "_seconds", lambda settings, S, iterations: 3 + 0.5 * iterations)
    assert iteration_time.run({**MODEL, "method": "NMF", "steps": 10}) == {"seconds": 0.5, "steps": 10}


def test_steps_are_those_asked_for(monkeypatch):
    asked = []
    make = iteration_time.make

    def spy(settings, n_classes, seed):
        asked.append((settings["parameters"]["max_iter"], settings["parameters"]["tol"]))
        return make(settings, n_classes, seed)

    monkeypatch.setattr(iteration_time, "make", spy)
    found = iteration_time.run({**MODEL, "method": "GNMF", "graph": {"n_neighbors": 3}, "steps": 4})
    assert asked == [(2, 0.0), (5, 0.0), (1, 0.0)]
    assert 0 <= found["seconds"] < 1


def test_graph_and_fit_are_timed_apart():
    settings = {**MODEL, "method": "ALPNMF", "parameters": {"solver": "mu", "max_iter": 3}, "weights": "ncw"}
    found = fit_time.run({**settings, "graph": {"kind": "landmark", "n_landmarks": 20}})
    assert found["graph"] > 0
    assert found["fit"] > 0
    assert found["samples"] > 500
