"""Data from a pipe, and results into one."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import N, documents, table
from tests.cli.test_fit import QUICK, run
from typer.testing import CliRunner

import manifact
from manifact.cli import app

LINES = "\n".join(documents()).encode()
RECORDS = "\n".join(json.dumps({"body": text}) for text in documents()).encode()
REVIEWS = ("id,review\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(documents()))).encode()
NUMBERS = ("\n".join([",".join(f"p{i}" for i in range(64)), *(",".join(map(str, row)) for row in table())])).encode()


def piped(content, *arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=content)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def npy():
    stream = io.BytesIO()
    np.save(stream, table())
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "options", "kind"),
    ids=lambda value: "data" if isinstance(value, bytes) else None,
    argvalues=[
        (LINES, [], "documents"),
        (gzip.compress(LINES, mtime=0), [], "documents"),
        (RECORDS, [], "documents"),
        (gzip.compress(RECORDS, mtime=0), ["--text", "body"], "documents"),
        (REVIEWS, ["--text", "review"], "documents"),
        (REVIEWS, ["--format", "csv", "--text", "review"], "documents"),
        (NUMBERS, ["--format", "csv"], "table"),
        (NUMBERS, ["--kind", "table"], "table"),
        (npy(), [], "table"),
        (LINES.decode().encode("utf-16"), ["--format", "txt"], "documents"),
        ("été\n".encode("cp1252") + LINES, ["--encoding", "cp1252"], "documents"),
    ],
)
def test_what_comes_down_the_pipe_is_fitted_and_used_again(content, options, kind):
    shown = json.loads(piped(content, "fit", "-", *options, *QUICK, "-o", "m.safetensors", "--json").stdout)
    assert shown["kind"] == kind
    assert shown["n_samples"] - (b"\xe9t\xe9" in content) == N
    encoding = options if "--encoding" in options else []
    result = piped(content, "predict", "m.safetensors", "-", *encoding, "--json")
    assert len(json.loads(result.stdout)) == shown["n_samples"]
    result = piped(content, "transform", "m.safetensors", "-", *encoding)
    assert result.stdout.startswith("name,part0,part1\n")
    assert result.stdout.count("\n") == shown["n_samples"] + 1


def test_a_file_and_the_pipe_give_the_same_model():
    Path("x.txt").write_bytes(LINES)
    run("fit", "x.txt", *QUICK, "-q")
    piped(LINES, "fit", "-", *QUICK, "-q", "-o", "m.safetensors")
    a, b = manifact.load("x.safetensors"), manifact.load("m.safetensors")
    np.testing.assert_array_equal(a.components_, b.components_)
    assert (b.source_["path"], b.source_["names"]) == ("-", a.source_["names"])


def test_the_model_needs_a_name():
    result = piped(LINES, "fit", "-", *QUICK, code=2)
    assert result.stderr == ("standard input has no name that the model could get: say with --output where it goes\n")


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    ids=lambda value: "data" if isinstance(value, bytes) else None,
    argvalues=[
        (b"", [], "standard input is empty: send data to it, or name a file"),
        (b"\n \n", [], "standard input has no text: write a document in each line"),
        (
            NUMBERS,
            [],
            "standard input may be a table or documents in lines: say which with --format=",
        ),
        (b"caf\xe9 noir\n", [], "standard input is not UTF-8 (byte 3) in line 1, perhaps cp1252"),
        (b'{"text": "a"}\n{', [], "standard input has no JSON in line 2"),
        (LINES, ["--format", "pdf"], "--format='pdf' is not known"),
        (gzip.compress(LINES, mtime=0)[:40], [], "standard input cannot be read as compressed data"),
        (b"only 12 345\n", ["--stop-words", "english"], "standard input leaves no words"),
    ],
)
def test_what_is_refused_names_standard_input(content, options, sentence):
    result = piped(content, "fit", "-", *options, "-k", "2", "-o", "m.safetensors", code=2)
    assert result.stderr.startswith(sentence), result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not Path("m.safetensors").exists()


def test_a_report_says_what_it_lacks():
    piped(LINES, "fit", "-", *QUICK, "-q", "-o", "m.safetensors", "--report", "r.html")
    assert documents()[0] in Path("r.html").read_text()
    result = run("report", "m.safetensors")
    assert "they came from standard input, name a file" in result.stderr
    Path("x.txt").write_bytes(LINES)
    assert run("report", "m.safetensors", "x.txt", "-o", "s.html").stderr == ""


def test_a_pipe_that_is_closed_early_is_no_error():
    Path("x.txt").write_bytes(LINES)
    run("fit", "x.txt", *QUICK, "-q")
    Path("long.txt").write_text((documents()[0] + "\n") * 20_000)
    for options in (["transform"], ["transform", "--json"], ["predict"], ["predict", "--json"]):
        command, *more = options
        program = [sys.executable, "-c", "from manifact.cli import main; main()"]
        with subprocess.Popen(
            [*program, command, "x.safetensors", "long.txt", "--no-tie", "-q", *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as running:
            assert running.stdout.read(20)
            running.stdout.close()
            assert running.stderr.read() == b""


@pytest.mark.parametrize(
    "command", [("fit", "nope.txt"), ("predict", "nope.safetensors"), ("info", "nope.safetensors")]
)
def test_what_is_not_there_is_refused_before_much_is_imported(command, tmp_path):
    program = (
        "import sys\nfrom manifact.cli import app\n"
        "try:\n    app(sys.argv[1:])\nexcept SystemExit as end:\n    assert end.code == 2\n"
        "print(sorted({'sklearn', 'numba', 'scipy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program, *command], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run
    assert f"{command[1]} " in run.stderr
