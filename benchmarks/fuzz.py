"""Inputs that nobody wrote, for everything that reads files.

``python benchmarks/fuzz.py`` (needs the extra fuzz; ``--share 0.01`` tries a hundredth of the inputs)

Parsers of ours get bytes from atheris, which looks for those that reach new lines, texts from hypothesis, and changed
examples; readers that other libraries stand behind get changed files: bits and bytes, lengths, blocks moved, doubled,
cut out or taken from another file. Each input must be read or refused in one sentence. A crash, another error and an
input that takes more than 30 seconds are counted and kept (`fuzz-found/`). Lines are those of the modules of
`manifact.io` that ran, over all targets, for one input in twenty and all that atheris kept.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from fuzz_targets import TARGETS, Target
from manifact.experiments.result_tables import write

#: Seconds for one input, inputs in between two that are measured, and characters of the texts of hypothesis.
PATIENCE, MEASURED = 30, 20
LETTERS = "0123456789.,;:+-eE\t\n\r \"'=@#_/%{}[]abcinfNATdxé\u4e00\ud800\x00"
FOUND = Path("fuzz-found")
#: Modules outside the readers whose lines are counted.
OTHERS = (
    "unpacked_size",
    "spreadsheet_cells",
    "file_errors",
    "model_files",
    "model_schema",
    "packed_values",
    "non_prose",
)


def changed(seeds, rng):
    """A file with something wrong in it, or a mixture of two."""
    content = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(content)) if content else 0
        length = min(rng.choice((1, 2, 4, 8, 16, 64)), max(1, len(content) - at))
        how = rng.randrange(8)
        if how == 0 and content:
            content[at] ^= 1 << rng.randrange(8)
        elif how == 1 and content:
            content[at] = rng.choice((0, 255, 127, 128, rng.randrange(256)))
        elif how == 2:
            odd = rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 2**64 - 16, rng.randrange(2**20)))
            content[at : at + 8] = odd.to_bytes(8, rng.choice(("little", "big")))[: rng.choice((4, 8))]
        elif how == 3:
            del content[at : at + length]
        elif how == 4:
            content[at:at] = content[at : at + length] * rng.choice((1, 2, 100))
        elif how == 5:
            other = rng.choice(seeds)
            start = rng.randrange(len(other))
            content[at : at + length] = other[start : start + length]
        elif how == 6:
            del content[at:]
        else:
            content[at:at] = rng.randbytes(length)
    return bytes(content)


class Trial:
    """One input after the other: each is written down before it is tried, and counted after."""

    def __init__(self, target: Target, folder: Path) -> None:
        self.target, self.folder = target, folder
        self.log, self.current = (folder / "log").open("a"), (folder / "current").open("wb")
        self.slowest = 0.0
        import coverage

        self.measured = coverage.Coverage(data_file=str(folder / ".coverage"), data_suffix=True, source=["manifact.io"])
        self.count = 0
        self.measured.start()  # what runs once, with the import
        from manifact.io.readers import hdf5_inspection

        hdf5_inspection.SECONDS = 3
        for content in target.seeds():
            with suppress(Exception):
                target.attempt(content, folder)
        self.measured.stop()

    def __call__(self, content: bytes, measured: bool = False) -> None:
        note_down(self.current, content)
        if measured:
            self.measured.start()
        begun = time.monotonic()
        try:
            outcome = self.target.attempt(content, self.folder)
        except Exception as problem:
            outcome = f"error {type(problem).__name__}"
            keep(self.target, content, outcome)
        finally:
            if measured:
                self.measured.stop()
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.count += 1
        print(outcome, round(time.monotonic() - begun, 3), file=self.log, flush=True)

    def close(self) -> None:
        self.log.close()
        self.measured.save()


def note_down(current, content):
    """Write an input where it is found if it is the last one."""
    current.seek(0)
    current.write(content)
    current.truncate()
    current.flush()


def keep(target, content, why):
    FOUND.mkdir(exist_ok=True)
    name = "".join(letter if letter.isalnum() else "-" for letter in f"{target.name}-{why}")
    (FOUND / f"{name}-{random.randrange(2**32):08x}").write_bytes(content)


def worked(target: Target, engine: str, count: int, seed: int, folder: Path) -> None:
    """What a process of its own does, until it is done or dead."""
    if engine == "atheris":
        guided(target, count, seed, folder)
        return
    trial = Trial(target, folder)
    seeds = target.seeds()
    if engine == "mutation":
        rng = random.Random(seed)
        for number in range(count):
            trial(changed(seeds, rng), measured=number % MEASURED == 0)
    elif engine == "hypothesis":
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis import seed as seeded
        from hypothesis import strategies as st

        text = st.text(alphabet=LETTERS, max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass"))
        lines = st.lists(st.text(alphabet=LETTERS.replace("\n", ""), max_size=30), max_size=20)
        inputs = st.one_of(text, lines.map(lambda rows: "\n".join(rows).encode("utf-8", "surrogatepass")), st.binary())

        @seeded(seed)
        @settings(
            max_examples=count,
            deadline=None,
            phases=[Phase.generate],
            database=None,
            suppress_health_check=[*HealthCheck],
        )
        @given(inputs)
        def tried(content):
            trial(content, measured=trial.count % MEASURED == 0)

        tried()
    else:
        for kept in sorted((folder / "corpus").iterdir()):
            trial(kept.read_bytes(), measured=True)
    trial.close()


def guided(target, count, seed, folder):
    """atheris decides which inputs are worth changing again; it ends the process."""
    import atheris

    with atheris.instrument_imports(include=["manifact.io"]):  # nothing of it may be there before
        seeds = target.seeds()
        target.attempt(seeds[0], folder)
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for number, content in enumerate(seeds):
        (corpus / f"seed{number}").write_bytes(content)
    log, current = (folder / "log").open("a"), (folder / "current").open("wb")

    def one(content):
        note_down(current, content)
        begun = time.monotonic()
        try:
            outcome = target.attempt(content, folder)
        except Exception as problem:
            outcome = f"error {type(problem).__name__}"
            keep(target, content, outcome)
        print(outcome, round(time.monotonic() - begun, 3), file=log, flush=True)

    options = [f"-runs={count}", f"-seed={seed}", "-max_len=4096", f"-timeout={PATIENCE}", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={folder}/", str(corpus)], one)
    atheris.Fuzz()


def supervised(number: int, engine: str, count: int, folder: Path) -> dict[str, int]:
    """A process for the inputs, and another one for the rest wherever one has died of an input."""
    target, found, seed = TARGETS[number][0], {"crashes": 0, "hangs": 0}, 0
    log = folder / "log"
    while (done := lines_of(log)) < count and seed < 50:
        command = [sys.executable, __file__, "--worker", str(number), engine, str(count - done), str(seed), str(folder)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=(folder / "errors").open("w"))
        seen, since = done, time.monotonic()
        while process.poll() is None:
            time.sleep(0.2)
            now = lines_of(log)
            if now > seen or seen == done == now:  # the first one waits for imports
                since = time.monotonic() if now > seen else since
                seen = now
            if time.monotonic() - since > PATIENCE + (60 if seen == done else 0):
                process.kill()
                process.wait()
                found["hangs"] += 1
                keep(target, (folder / "current").read_bytes() if (folder / "current").exists() else b"", "hang")
                break
        seed += 1
        if process.returncode and lines_of(log) == done and not (folder / "current").exists():
            raise SystemExit((folder / "errors").read_text())
        if process.returncode and process.returncode != -9:
            found["crashes"] += 1
            keep(target, (folder / "current").read_bytes() if (folder / "current").exists() else b"", "crash")
            print(target.name, engine, "ended with", process.returncode, (folder / "errors").read_text()[-600:])
        elif engine == "atheris" or process.returncode == 0:
            break
    return found


def lines_of(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def measure(share: float, folder: Path):
    for number, (target, total) in enumerate(TARGETS):
        row = {"what is read": target.name, "inputs": 0, "read": 0, "refused": 0, "other errors": 0}
        row |= {"crashes": 0, "hangs": 0, "slowest (s)": 0.0}
        for engine, part in target.engines.items():
            place = folder / f"{number}-{engine}"
            place.mkdir(parents=True)
            found = supervised(number, engine, max(1, round(total * part * share)), place)
            if engine == "atheris":
                again = folder / f"{number}-replay"
                shutil.copytree(place / "corpus", again / "corpus")
                supervised(number, "replay", lines_of(place / "log") or 1, again)
            row = {**row, **{name: row[name] + found[name] for name in found}}
            for line in (place / "log").read_text().splitlines():
                outcome, *kind, seconds = line.split()
                row["inputs"] += 1
                row["other errors" if kind else outcome] += 1
                row["slowest (s)"] = max(row["slowest (s)"], float(seconds))
        print(row, flush=True)
        yield row


def lines_run(folder: Path):
    """Share of the lines of each module that ran."""
    import coverage

    data = folder / ".coverage"
    together = coverage.Coverage(data_file=str(data), source=["manifact.io"])
    together.combine([str(file) for file in folder.glob("*/.coverage.*")], keep=True)
    together.save()
    for file in sorted(together.get_data().measured_files()):
        place = Path(file)
        _, lines, _, missing, _ = together.analysis2(file)
        if (place.parent.name == "readers" or place.stem in OTHERS) and lines:
            yield {"module": f"{place.parent.name}/{place.name}", "lines": len(lines), "run": len(lines) - len(missing)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--results", default="results")
    parser.add_argument("--worker", nargs=5)
    asked = parser.parse_args()
    if asked.worker:
        number, engine, count, seed, folder = asked.worker
        worked(TARGETS[int(number)][0], engine, int(count), int(seed), Path(folder))
        return
    note = (__doc__ or "").split("\n\n")[2].strip()
    with tempfile.TemporaryDirectory() as name:
        rows = list(measure(asked.share, Path(name)))
        together = {key: sum(row[key] for row in rows) for key in list(rows[0])[1:-1]}
        rows.append({"what is read": "all", **together, "slowest (s)": max(row["slowest (s)"] for row in rows)})
        print(write("fuzz", "Inputs that nobody wrote", note, rows, asked.results))
        lines = [{**row, "share": row["run"] / row["lines"]} for row in lines_run(Path(name))]
        whole = {key: sum(row[key] for row in lines) for key in ("lines", "run")}
        lines.append({"module": "all", **whole, "share": whole["run"] / whole["lines"]})
        print(write("fuzz-lines", "Lines of the readers that fuzzing runs", "See `fuzz.md`.", lines, asked.results))


if __name__ == "__main__":
    main()
