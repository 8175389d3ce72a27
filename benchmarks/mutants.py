"""Faults put into terms, solvers and graphs one at a time, and whether the tests of their room see them.

    python benchmarks/mutants.py [MUTANTS [SEED]]    draw faults and try them
    python benchmarks/mutants.py again               try those that survived once more, after tests were written

Faults are shared out over the cores. An interrupt ends it with what was tried until then.

A mutant is a copy of the package in which one operator, comparison, number or condition is another. The tests of a room
run once under coverage, which says which of them come by the changed line; a mutant meets those, the quickest first,
half a minute of its own room and half a minute of the others and the models, and survives where all of them pass. A
line that runs when its module is imported meets tests of the whole room. Docstrings, texts of errors and type
annotations are left alone. What was found of a survivor when somebody looked at it is in `benchmarks/mutants.toml`.
Goes to `results/mutants.md`.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from subprocess import PIPE
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("terms", "solvers", "graphs")
#: Rooms whose tests a fault meets once those of its own have passed.
OTHERS = (*ROOMS, "models")
#: For so long it meets tests of its own room, and then those of others, the quickest first.
MOST_SECONDS = 30.0
MUTANTS = 500
#: How a child ends whose tests did not even start.
CRASHED = 70
#: What the tests come by, until a file changes.
KEPT = ROOT / ".mutants"
#: Tests whose work is done in processes of their own, and those that take minutes: random data, scikit-learn's checks.
LEFT_OUT = (
    "tests/solvers/test_killed_fits.py",
    "tests/models/test_any_data.py",
    "tests/models/test_concurrency.py",
    "tests/models/test_memory_needs.py",
    "tests/models/test_repeated_fits.py",
    "tests/models/test_sklearn.py",
)
#: A mutant has so many times what its tests take without it, and these seconds to start: more is an endless loop.
TIMES, SECONDS = 4, 30
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Sites(ast.NodeVisitor):
    """Places where a fault can be, as the node's number in the tree."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[int] = []
        self._numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
        self.visit(tree)

    def _add(self, node: ast.AST) -> None:
        self.found.append(self._numbers[id(node)])

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in SWAPS and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            self._add(node)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._add(node)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._add(node)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._add(node)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return
        self._add(node)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool | int | float):
            self._add(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """What is said in an error is no behaviour."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Annotations of parameters."""


@dataclass(frozen=True)
class Mutant:
    """A fault: the source that has it, the lines it is on, and how it reads."""

    room: str
    file: Path
    source: str
    lines: range
    before: str
    now: str

    @property
    def name(self) -> str:
        return self.file.relative_to(ROOT / "src/manifact").as_posix()


def mutant(room: str, file: Path, number: int) -> Mutant:
    """The fault at a node of a file."""
    tree = deepcopy(ast.parse(file.read_text("utf-8")))
    node: Any = next(node for at, node in enumerate(ast.walk(tree)) if at == number)
    shown = node.test if isinstance(node, ast.If) else node
    lines = range(shown.lineno, shown.end_lineno + 1)
    before = ast.unparse(shown)
    match node:
        case ast.BinOp() | ast.BoolOp():
            node.op = SWAPS[type(node.op)]()
        case ast.Compare():
            node.ops[0] = SWAPS[type(node.ops[0])]()
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant():
            node.value = node.value + 1 if isinstance(node.value, int) else node.value * 2 or 1.0
    shown = node.test if isinstance(node, ast.If) else node
    return Mutant(room, file, ast.unparse(ast.fix_missing_locations(tree)), lines, before, ast.unparse(shown))


def drawn(count: int, seed: int) -> Iterator[Mutant]:
    """Faults of all rooms, without repetition."""
    sites = []
    for room in ROOMS:
        for file in sorted((ROOT / "src/manifact" / room).glob("*.py")):
            sites += [(room, file, number) for number in Sites(ast.parse(file.read_text("utf-8"))).found]
    random.Random(seed).shuffle(sites)
    print(f"{len(sites)} places", flush=True)
    for site in sites[:count]:
        yield mutant(*site)


def survivors_of_last_time(record: dict[str, Any]) -> Iterator[Mutant]:
    """Faults that were seen by no test when they were drawn, as the files have them now."""
    wanted = {(row["file"], row["before"], row["now"]) for row in record["survivors"]}
    for name in sorted({file for file, _, _ in wanted}):
        file = ROOT / "src/manifact" / name
        for number in Sites(ast.parse(file.read_text("utf-8"))).found:
            found = mutant(Path(name).parts[0], file, number)
            if (name, found.before, found.now) in wanted:
                wanted.discard((name, found.before, found.now))
                yield found


@dataclass
class RoomTests:
    """Which tests of a room come by which lines, and what they take."""

    seconds: dict[str, float] = field(default_factory=dict)
    by_line: dict[str, dict[int, set[str]]] = field(default_factory=dict)

    def of(self, fault: Mutant, *, own: bool) -> list[str]:
        """Those that meet the fault, the quickest first; lines of an import belong to all tests of their own room."""
        lines = self.by_line.get(fault.name, {})
        found = set().union(*(lines.get(line, set()) for line in fault.lines))
        if "" in found:
            found = set(self.seconds) if own else found - {""}
        return sorted(found, key=self.seconds.__getitem__)


def quickest(seconds: dict[str, float]) -> tuple[list[str], float]:
    """Tests in the order of what they take, as many as end within the time that there is, and their sum."""
    ordered = sorted(seconds, key=seconds.__getitem__)
    ends = list(accumulate(map(seconds.__getitem__, ordered)))
    within = sum(end <= MOST_SECONDS for end in ends)
    return ordered[:within], ends[within - 1] if within else 0.0


class AllTests:
    """Tests of all rooms, looked at when the first fault needs them."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._rooms: dict[str, RoomTests] = {}

    def of(self, fault: Mutant) -> Iterator[tuple[list[str], float]]:
        """What a fault meets one after the other, and the seconds that it takes without a fault."""
        own = self._room(fault.room)
        yield quickest({name: own.seconds[name] for name in own.of(fault, own=True)})
        rooms = [self._room(room) for room in OTHERS if room != fault.room]
        yield quickest({name: room.seconds[name] for room in rooms for name in room.of(fault, own=False)})

    def _room(self, room: str) -> RoomTests:
        if room not in self._rooms:
            self._rooms[room] = tests_of(room, self._place)
        return self._rooms[room]


class Noted:
    """A plugin of pytest: the test that runs is the context of coverage, and its seconds are kept."""

    def __init__(self, coverage: Any) -> None:
        self.coverage, self.seconds = coverage, {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)
        self.seconds[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[nodeid] = time.monotonic() - self.seconds[nodeid]


def in_child(work: Callable[[], int], seconds: float | None = None) -> int | None:
    """The exit code of work in a process of its own, whose output nobody sees; None where it takes too long."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        code = CRASHED
        try:
            code = work()
        finally:  # whatever it ran into, nothing of what the parent does at its end is done here
            os._exit(code)
    begun = time.monotonic()
    while seconds is None or time.monotonic() - begun < seconds:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def pytest_of(tests: list[str], *plugins: Any) -> int:
    import pytest

    leaving = [f"--ignore={name}" for name in LEFT_OUT]
    # A fault is seen by what a test says, and not by a warning; pytest itself warns of what was loaded before it.
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore"]
    return int(pytest.main([*options, *leaving, *tests], plugins=[*plugins]))


def digest(room: str) -> str:
    """Of the tests of a room, and of the rooms that get faults."""
    folders = [ROOT / "tests" / room, *(ROOT / "src/manifact" / name for name in ROOMS)]
    found = hashlib.sha256()
    for file in sorted(file for folder in folders for file in folder.glob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def tests_of(room: str, place: Path) -> RoomTests:
    """Run the tests of a room once, under coverage."""
    kept = KEPT / f"{room}-{digest(room)}.json"
    if kept.exists():
        return from_json(json.loads(kept.read_text("utf-8")))
    begun = time.monotonic()
    kept.parent.mkdir(exist_ok=True)
    if in_child(lambda: measured_run(room, place, kept)) != 0:
        kept.unlink(missing_ok=True)
        sys.exit(f"tests/{room} does not pass without any fault")
    found = from_json(json.loads(kept.read_text("utf-8")))
    some = sorted(found.seconds, key=found.seconds.__getitem__)[:20]
    if in_child(partial(pytest_of, some)) != 0:
        sys.exit(f"tests of {room} pass together, and not when they are named")
    print(f"{room}: {len(found.seconds)} tests in {time.monotonic() - begun:.0f} s", flush=True)
    return found


def measured_run(room: str, place: Path, kept: Path) -> int:
    import coverage

    folders = {name: place / "manifact" / name for name in ROOMS}
    measured = coverage.Coverage(data_file=None, source=[*map(str, folders.values())], messages=False)
    noted = Noted(measured)
    measured.start()
    # What runs when a module is imported belongs to all tests, not to the one that was first.
    for name, folder in folders.items():
        for file in sorted(folder.glob("*.py")):
            import_module(f"manifact.{name}.{file.stem}".removesuffix(".__init__"))
    code = pytest_of([f"tests/{room}"], noted)
    measured.stop()
    data = measured.get_data()
    by_line = {
        Path(file).relative_to(place / "manifact").as_posix(): data.contexts_by_lineno(file)
        for file in data.measured_files()
    }
    kept.write_text(json.dumps({"seconds": noted.seconds, "by_line": by_line}), "utf-8")
    return code


def from_json(record: dict[str, Any]) -> RoomTests:
    by_line = {
        file: {int(line): set(names) for line, names in lines.items()} for file, lines in record["by_line"].items()
    }
    return RoomTests(record["seconds"], by_line)


def survives(fault: Mutant, tests: AllTests, place: Path) -> bool:
    """Whether all tests that come by a fault pass with it."""
    target = place / "manifact" / fault.name
    meeting = list(tests.of(fault))  # looked up before there is a fault
    before = target.read_text("utf-8")
    target.write_text(fault.source, "utf-8")
    try:
        for names, seconds in meeting:
            code = in_child(partial(pytest_of, names), SECONDS + TIMES * seconds) if names else 0
            if code == CRASHED:
                sys.exit(f"pytest does not start with {fault.now} in {fault.name}")
            if code != 0:
                return False
        return True
    finally:
        target.write_text(before, "utf-8")


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the package, which is what is imported from here on."""
    place = Path(tempfile.mkdtemp(prefix="manifact-mutants-"))
    try:
        shutil.copytree(ROOT / "src" / "manifact", place / "manifact")
        sys.path.insert(0, str(place))
        os.environ["PYTHONPATH"] = str(place)
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        # Loaded once, for all children: what takes long and no mutant changes.
        import hypothesis  # noqa: F401
        import pytest  # noqa: F401
        import scipy.sparse.linalg  # noqa: F401
        import sklearn.cluster  # noqa: F401

        import manifact.backends.numpy

        # For the page at the end, when the copy is gone.
        import manifact.experiments.result_tables
        import manifact.utils.files

        assert Path(manifact.backends.numpy.__file__).is_relative_to(place)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def main() -> None:
    os.chdir(ROOT)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which shells switch off for what runs behind them
    if sys.argv[1:2] == ["part"]:
        part(json.loads(sys.stdin.read()))
        return
    results = ROOT / "results" / "mutants.json"
    again = sys.argv[1:2] == ["again"]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    record = json.loads(results.read_text("utf-8")) if again else {"seed": seed, "rows": [], "survivors": []}
    count = int(sys.argv[1]) if len(sys.argv) > 1 and not again else MUTANTS
    faults = list(survivors_of_last_time(record) if again else drawn(count, seed))
    with copied() as place:
        for room in OTHERS:
            tests_of(room, place)
    tried = in_parts(faults, len(os.sched_getaffinity(0)))
    if again:
        still = {(fault.name, fault.before, fault.now) for fault, alive in tried if alive}
        met = {(fault.name, fault.before, fault.now) for fault, _ in tried}
        for row in record["survivors"]:
            if (key := (row["file"], row["before"], row["now"])) in met:
                row["since"] = "" if key in still else "seen by a test"
    else:
        record = first_record(tried, seed)
    tell(record)


def in_parts(faults: list[Mutant], parts: int) -> list[tuple[Mutant, bool]]:
    """Each fault that was tried, and whether it survived: so many processes, each with a copy of the package."""
    tried: list[tuple[Mutant, bool]] = []
    waiting = [list(enumerate(faults))[first::parts] for first in range(parts)]
    children = []
    for own in waiting:
        child = subprocess.Popen([sys.executable, __file__, "part"], stdin=PIPE, stdout=PIPE, text=True)
        assert child.stdin is not None
        child.stdin.write(json.dumps([{"number": number, **as_json(fault)} for number, fault in own]))
        child.stdin.close()
        children.append(child)

    def follow(child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        for line in child.stdout:
            number, alive = json.loads(line)
            fault = faults[number]
            tried.append((fault, alive))
            print(f"{fault.name}:{fault.lines[0]} {'SURVIVED ' + fault.now if alive else 'seen'}", flush=True)

    readers = [threading.Thread(target=follow, args=(child,)) for child in children]
    for reader in readers:
        reader.start()
    with suppress(KeyboardInterrupt):  # what was tried until then is a sample as well; children are interrupted, too
        for reader in readers:
            reader.join()
    for child, reader in zip(children, readers, strict=True):
        child.wait()
        reader.join()
    return tried


def part(faults: list[dict[str, Any]]) -> None:
    """Try some faults; a line for each."""
    with copied() as place, suppress(KeyboardInterrupt):
        tests = AllTests(place)
        for fault in faults:
            number = fault.pop("number")
            print(json.dumps([number, survives(from_fault(fault), tests, place)]), flush=True)


def as_json(fault: Mutant) -> dict[str, Any]:
    first, last = fault.lines.start, fault.lines.stop
    return asdict(fault) | {"file": str(fault.file), "lines": [first, last]}


def from_fault(record: dict[str, Any]) -> Mutant:
    return Mutant(**record | {"file": Path(record["file"]), "lines": range(*record["lines"])})


def first_record(tried: list[tuple[Mutant, bool]], seed: int) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = defaultdict(lambda: {"mutants": 0, "survived": 0})
    for fault, alive in tried:
        counts[fault.room]["mutants"] += 1
        counts[fault.room]["survived"] += alive
    survivors = [
        {"file": fault.name, "line": fault.lines[0], "before": fault.before, "now": fault.now, "since": ""}
        for fault, alive in tried
        if alive
    ]
    rows = [{"room": room, **counts[room]} for room in ROOMS if room in counts]
    return {"seed": seed, "rows": rows, "survivors": survivors}


def looked_at() -> dict[tuple[str, str], str]:
    """What somebody found of survivors, by file and changed expression."""
    file = ROOT / "benchmarks" / "mutants.toml"
    entries = tomllib.loads(file.read_text("utf-8"))["survivor"] if file.exists() else []
    return {(entry["file"], entry["now"]): entry["found"] for entry in entries}


def tell(record: dict[str, Any]) -> None:
    from manifact.experiments.result_tables import dumps, table, write
    from manifact.utils.files import write_text

    found = looked_at()
    survivors = record["survivors"]
    tried, left = sum(row["mutants"] for row in record["rows"]), [row for row in survivors if not row["since"]]
    note = (
        f"{tried} mutants were drawn with seed {record['seed']}; {len(survivors)} of them survived the tests of their "
        f"room ({len(survivors) / max(tried, 1):.1%}). With the tests written since then {len(left)} are left "
        f"({len(left) / max(tried, 1):.1%})."
    )
    if survivors:
        rows = [
            {
                "file": row["file"],
                "was": _code(row["before"]),
                "mutant": _code(row["now"]),
                "since": row["since"] or found.get((row["file"], row["now"]), "not looked at yet"),
            }
            for row in survivors
        ]
        note += "\n\n" + table(rows)
    page = write("mutants", "Faults that tests see", note, record["rows"])
    results = page.with_suffix(".json")
    write_text(results, dumps(json.loads(results.read_text("utf-8")) | record))
    print(page)


def _code(text: str) -> str:
    shown = text if len(text) <= 70 else text[:67] + "..."
    return "`" + shown.replace("|", "\\|") + "`"


if __name__ == "__main__":
    main()
