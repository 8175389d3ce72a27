import pytest
from typer.testing import CliRunner

from manifact.cli import app

runner = CliRunner()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "speed"], "--only='speed' is not known: choose one of 'kl', 'frobenius', "),
        (["--data", "iris"], "--data='iris' is not known: choose one of 'coil20', "),
        (["--data", "tdt2"], "tdt2 is not in "),
        (["--results", "taken/results"], "--results='taken/results' cannot be written (Not a directory)"),
    ],
)
def test_bench_refuses_in_one_sentence(arguments, sentence, tmp_path, monkeypatch):
    from manifact.experiments.bench import benchmark_samples

    monkeypatch.setenv("MANIFACT_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    benchmark_samples.prepared.cache_clear()
    (tmp_path / "taken").touch()
    result = runner.invoke(app, ["bench", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "results").exists()


def test_bench_writes_a_section(tmp_path, monkeypatch):
    from manifact.experiments.bench import kl_iteration

    monkeypatch.setattr(kl_iteration, "measure", lambda setting: ([{"repeats": setting.repeats}], "A note."))
    result = runner.invoke(app, ["bench", "--only", "kl", "--repeats", "4", "--results", str(tmp_path)])
    assert result.exit_code == 0
    assert "A note." in result.stdout
    assert "| 4 |" in (tmp_path / "bench-kl.md").read_text()


def test_bench_says_what_an_interrupt_left(tmp_path, monkeypatch):
    from manifact.experiments.bench import kl_iteration

    def interrupted(setting):
        raise KeyboardInterrupt

    monkeypatch.setattr(kl_iteration, "measure", interrupted)
    result = runner.invoke(app, ["bench", "--only", "kl", "--results", str(tmp_path)])
    assert result.exit_code == 130
    assert result.stderr == f"interrupted in kl: the sections before it are in {tmp_path}\n"
