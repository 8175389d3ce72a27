"""What is said of files and lines that became no samples, also where nothing else is said."""

import json
from pathlib import Path

from tests.cli.test_fit import QUICK, N, run


def with_strangers(make):
    data = make("texts")
    for number in range(5):
        (data / "animals" / f"paper{number}.docx").write_bytes(b"PK\x03\x04\0\0")
        (data / "tools" / f"bad{number}.log").write_bytes(b"PK\x03\0binary")
    return data


def test_quiet_still_says_which_files_are_skipped(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("fit", with_strangers(make), *QUICK, "-q")
    assert result.stdout == ""
    bad = "; ".join(f"tools/bad{number}.log is not text (byte 3 is 0)" for number in range(3))
    assert result.stderr.splitlines() == [
        f"note: 5 of {N + 5} files are skipped (--strict stops at the first): {bad}; and 2 more (--json has all)",
        "note: 5 files (.docx) are not text and left out: animals/paper0.docx, animals/paper1.docx, "
        "animals/paper2.docx, and 2 more (--json has all)",
    ]
    Path("lines.txt").write_text("cat dog\n\n" * 5 + "saw drill\n" * 5)
    assert run("fit", "lines.txt", *QUICK, "-q").stderr == ""
    assert "5 of 15 lines are blank" in run("report", "lines.safetensors", "-o", "a.html").stderr
    assert run("report", "lines.safetensors", "-q", "-o", "b.html").stderr == ""


def test_json_has_every_file_that_was_left_out_and_why(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("fit", with_strangers(make), *QUICK, "--json")
    assert result.stderr == ""
    shown = json.loads(result.stdout)
    assert shown["skipped"] == {f"tools/bad{number}.log": "is not text (byte 3 is 0)" for number in range(5)} | {
        f"animals/paper{number}.docx": "is not text" for number in range(5)
    }
    assert shown["n_samples"] == N
    assert json.loads(run("info", "texts.safetensors", "--json").stdout)["skipped"] == shown["skipped"]
