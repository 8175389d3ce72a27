"""Which lines of the package the tests run, by room.

    python benchmarks/coverage_of_tests.py [-- PYTEST OPTIONS]

Runs the test suite under coverage, in all processes that tests start. Functions that run compiled are left out: nobody
counts lines there, and each kernel is held against a plain twin instead. So is the backend of PyTorch, whose kernels
need a GPU. Goes to `results/coverage.md`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import coverage

from manifact.experiments.result_tables import table, write

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "manifact"
LEFT_OUT = ("backends/torch",)
#: Files of which more is missing are listed with the lines.
SHOWN_BELOW = 0.95
SETTINGS = """
[run]
source = {package}
omit = {omitted}
data_file = {place}/.coverage
parallel = true
concurrency = thread, multiprocessing
[report]
exclude_also =
    @(kernel|called_by_kernels|intrinsic|cached_njit)\\b
    if TYPE_CHECKING:
    @overload
    raise NotImplementedError
    ^\\s*\\.\\.\\.$
"""
#: What Python runs at the start of each process.
STARTED = "import coverage\ncoverage.process_startup()\n"


def run_tests(place: Path, options: list[str]) -> int:
    """The suite with coverage in each process; what was found lies in ``place``."""
    omitted = ",".join(f"{PACKAGE}/{name}/*" for name in LEFT_OUT)
    settings = place / "settings.ini"
    settings.write_text(SETTINGS.format(package=PACKAGE, omitted=omitted, place=place), "utf-8")
    (place / "sitecustomize.py").write_text(STARTED, "utf-8")
    folders = [str(place), str(Path(coverage.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "COVERAGE_PROCESS_START": str(settings),
        "PYTHONPATH": os.pathsep.join(filter(None, folders)),
    }
    return subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, env=environment, check=False).returncode


def lines_of_files(place: Path) -> list[dict[str, Any]]:
    """For each file its lines, and those that no test ran."""
    measured = coverage.Coverage(config_file=str(place / "settings.ini"))
    measured.combine([str(place)])
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        if name.startswith(LEFT_OUT):
            continue
        _, lines, _, missing, shown = measured.analysis2(str(file))
        found.append({"file": name, "lines": len(lines), "run": len(lines) - len(missing), "missing": shown})
    return found


def by_room(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines of each room, and of all."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file in files:
        room = file["file"].partition("/")[0] if "/" in file["file"] else "beside the rooms"
        for name in (room, "all"):
            sums[name][0] += file["lines"]
            sums[name][1] += file["run"]
    rooms = sorted(set(sums) - {"all"})
    return [
        {"room": room, "lines": lines, "run by tests": run, "share": f"{run / max(lines, 1):.1%}"}
        for room, (lines, run) in ((room, sums[room]) for room in (*rooms, "all"))
    ]


def main() -> None:
    options = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    with tempfile.TemporaryDirectory(prefix="manifact-coverage-") as folder:
        place = Path(folder)
        code = run_tests(place, options)
        files = lines_of_files(place)
    tell(files, code, options)


def tell(files: list[dict[str, Any]], code: int, options: list[str]) -> None:
    ended = "all tests passed" if code == 0 else f"pytest ended with exit code {code}"
    with_options = f" with `{' '.join(options)}`" if options else ""
    note = (
        f"Lines of `src/manifact` that the test suite runs{with_options}; {ended}. "
        "Functions that run compiled are left out, where no line is counted and which are held against plain twins, "
        f"and {', '.join(f'`{name}/`' for name in LEFT_OUT)}, whose kernels need a GPU."
    )
    low = [file for file in files if file["run"] < SHOWN_BELOW * file["lines"]]
    if low:
        rows = [
            {**file, "share": f"{file['run'] / file['lines']:.0%}", "missing": file["missing"][:120]} for file in low
        ]
        note += f"\n\nFiles of which less than {SHOWN_BELOW:.0%} runs:\n\n" + table(rows)
    print(write("coverage", "Lines that tests run", note, by_room(files)))


if __name__ == "__main__":
    main()
