"""Names that would act upon a terminal, from every place that has names, in everything that commands print."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_fit import QUICK, run

import manifact

BAD = "\x1b]0;owned\x07\x9b2J\u202e"
ACTING = "\x1b\x07\x9b\u202e"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def quiet(result):
    assert not any(character in result.stdout + result.stderr for character in ACTING), result.stdout + result.stderr
    return result


def table(file, header="name,a,b,c,d", label=""):
    rng = np.random.default_rng(0)
    rows = [",".join([f"s{i}{BAD}", *map(str, rng.integers(0, 9, 4))]) for i in range(30)]
    Path(file).write_text("\n".join([header, *rows]) + "\n")


def test_names_of_samples_columns_and_files(monkeypatch):
    data = f"x{BAD}.csv"
    table(data, f"name,a{BAD},b{BAD},c{BAD},d{BAD}")
    quiet(run("fit", data, *QUICK, "-o", "m.safetensors"))
    monkeypatch.setattr(sys.stdout.__class__, "isatty", lambda self: True, raising=False)
    for command in (["info", "m.safetensors"], ["predict", "m.safetensors", data, "-o", "p.csv"]):
        quiet(run(*command))
        quiet(run(*command[:2], "--json"))
    quiet(run("transform", "m.safetensors", data, "--json"))
    assert json.loads(run("predict", "m.safetensors", data, "--json").stdout)[0]["name"] == f"s0{BAD}"
    quiet(run("report", "m.safetensors", "-o", f"r{BAD}.html"))


def test_refusals_and_notes():
    table("x.csv", f"name,a,b,c,e{BAD}")
    Path("x.csv").write_text(
        Path("x.csv").read_text().replace(",a,", f",a{BAD},").replace("s3", f"s3{BAD}", 1) + "s,1,2,3,text\n"
    )
    quiet(run("fit", "x.csv", *QUICK, code=2))
    quiet(run("fit", f"gone{BAD}.csv", code=2))
    quiet(run("fit", f"x.csv{BAD}", code=2))
    Path(f"odd{BAD}.csv").write_text("1,2\n3\n")
    quiet(run("fit", f"odd{BAD}.csv", code=2))
    quiet(run("fit", "x.csv", "--label", BAD, code=2))
    quiet(run("fit", "x.csv", f"y{BAD}.csv", code=2))
    quiet(run(f"nonsense{BAD}", code=2))
    quiet(run("fit", "x.csv", f"--{BAD}", code=2))


def test_names_of_files_in_a_folder_and_groups():
    for group in ("one", "two"):
        folder = Path("texts", f"{group}{BAD}")
        folder.mkdir(parents=True)
        for i in range(15):
            (folder / f"{i}{BAD}.txt").write_text(f"{group} word{i % 3} word{i % 4} thing{i % 5} {group}{i % 2}")
    Path("texts", f"odd{BAD}.png").write_bytes(b"\x89PNG")
    Path("texts", f"one{BAD}", f"broken{BAD}.txt").write_bytes(b"\0\0")
    shown = quiet(run("fit", "texts", *QUICK, "-o", "m.safetensors"))
    assert "\\x1b]0;owned" in shown.stdout + shown.stderr
    quiet(run("predict", "m.safetensors", "texts", "-o", "p.csv", code=1))


def test_results_for_programs_are_as_they_are(tmp_path):
    """A pipe gets the names themselves, a terminal what can be shown of them."""
    table("x.csv")
    run("fit", "x.csv", *QUICK, "-o", "m.safetensors", "-q")
    assert f"s0{BAD}" in run("predict", "m.safetensors").stdout


def test_halves_of_characters_are_told_from_the_beginning():
    """JSON may name half a character, which no file in UTF-8 can hold: this was found out after the fit."""
    rows = [{"text": f"word{i % 3} other{i % 4} more{i % 5}", "id": f"\ud800{i}", "class": "\udcff"} for i in range(20)]
    Path("x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run("fit", "x.jsonl", *QUICK, "--name", "id", "--label", "class", "-o", "m.safetensors", "--clusters", "c.csv")
    assert "\\ud8000" in Path("c.csv").read_text()
    run("report", "m.safetensors", "-q")
    assert json.loads(run("predict", "m.safetensors", "x.jsonl", "--json").stdout)[0]["name"] == "\\ud8000"


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8 there")
def test_a_file_whose_name_is_no_text(tmp_path):
    name = os.fsdecode(b"caf\xe9.csv")
    table(name)
    shown = run("fit", name, *QUICK, "-o", "m.safetensors")
    assert "explore" in shown.stdout
    run("report", "m.safetensors", "-q")


def test_pipes_and_devices_are_not_waited_for(tmp_path):
    os.mkfifo("pipe.csv")
    assert "is a pipe or a device" in run("fit", "pipe.csv", code=2).stderr
    assert "is a pipe or a device" in " ".join(run("fit", "/dev/zero", "--format", "csv", code=2).stderr.split())
    os.mkfifo("m.safetensors")
    assert "is no plain file" in run("info", "m.safetensors", code=2).stderr


def test_a_terminal_gets_no_escapes():
    """The same in a terminal of its own: what a program would have as it is, somebody looks at."""
    pty = pytest.importorskip("pty", reason="there are no terminals of one's own here")
    ours, theirs = pty.openpty()
    program = f"from manifact.cli.printed_lines import hand_over, say; hand_over({BAD!r}); say({BAD!r}, err=True)"
    here = {**os.environ, "PYTHONPATH": str(Path(manifact.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", program], stdout=theirs, stderr=theirs, env=here, check=True)
    shown = os.read(ours, 65536)
    os.close(ours)
    os.close(theirs)
    assert shown.count(b"\\x1b]0;owned\\x07") == 2
    assert not any(character.encode() in shown for character in ACTING)
