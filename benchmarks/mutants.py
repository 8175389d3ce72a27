"""Faults put into terms, solvers and graphs one at a time, and whether the tests of their room see them.

    python benchmarks/mutants.py [MUTANTS [SEED]]

A mutant is a copy of the package in which one operator, comparison, number or condition is another. It survives where
all tests of its room pass; those of its own file run first. Survivors are listed with their line: each is a missing
test, or a change that means the same. Docstrings, texts of errors and type annotations are left alone. Goes to
`results/mutants.md`.
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("terms", "solvers", "graphs")
MUTANTS, SECONDS = 500, 600
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Sites(ast.NodeVisitor):
    """Places where a fault can be, as the node's number in the tree and what becomes of it."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[tuple[int, str]] = []
        self._numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
        self.visit(tree)

    def _add(self, node: ast.AST, what: str) -> None:
        self.found.append((self._numbers[id(node)], what))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in SWAPS and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            self._add(node, "operator")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._add(node, "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._add(node, "and / or")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._add(node, "condition")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self._add(node, "condition")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool | int | float):
            self._add(node, "constant")

    def visit_Raise(self, node: ast.Raise) -> None:
        """What is said in an error is no behaviour."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Annotations of parameters."""


def mutated(tree: ast.Module, number: int) -> tuple[str, int, str]:
    """The source with the fault, its line, and what stands there."""
    tree = deepcopy(tree)
    node = next(node for at, node in enumerate(ast.walk(tree)) if at == number)
    line = node.lineno
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
    return ast.unparse(ast.fix_missing_locations(tree)), line, ast.unparse(shown)


def passes(place: Path, tests: list[str]) -> bool | None:
    """Whether tests pass on the package in ``place``; None where they take too long."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.path.insert(0, str(place))
        os.environ["PYTHONPATH"] = str(place)
        import pytest

        os._exit(int(pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests])))
    begun = time.monotonic()
    while time.monotonic() - begun < SECONDS:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.2)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def chosen(count: int, seed: int) -> Iterator[tuple[str, Path, int]]:
    """Sites of all rooms, drawn without repetition."""
    sites = []
    for room in ROOMS:
        for file in sorted((ROOT / "src/manifact" / room).glob("*.py")):
            sites += [(room, file, number) for number, _ in Sites(ast.parse(file.read_text("utf-8"))).found]
    random.Random(seed).shuffle(sites)
    print(f"{len(sites)} places")
    yield from sites[:count]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else MUTANTS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    # Loaded once, for all children: what takes long and no mutant changes.
    import hypothesis  # noqa: F401

    os.chdir(ROOT)
    rows, survivors, place = {}, [], Path(tempfile.mkdtemp(prefix="manifact-mutants-"))
    try:
        shutil.copytree(ROOT / "src" / "manifact", place / "manifact")
        for room, file, number in chosen(count, seed):
            name = file.relative_to(ROOT / "src/manifact").as_posix()
            source, line, shown = mutated(ast.parse(file.read_text("utf-8")), number)
            target = place / "manifact" / name
            before = target.read_text("utf-8")
            target.write_text(source, "utf-8")
            own = ROOT / "tests" / room / f"test_{file.name}"
            alive = passes(place, [str(own)]) if own.exists() else True
            if alive:
                alive = passes(place, [f"tests/{room}"])
            target.write_text(before, "utf-8")
            row = rows.setdefault(room, {"room": room, "mutants": 0, "seen": 0, "survived": 0})
            row["mutants"] += 1
            row["survived" if alive else "seen"] += 1
            if alive:
                survivors.append({"file": name, "line": line, "now": f"`{shown[:80]}`"})
            print(f"{name}:{line} {'SURVIVED ' + shown if alive else 'seen'}", flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    tell(list(rows.values()), survivors, seed)


def tell(rows: list[dict[str, object]], survivors: list[dict[str, object]], seed: int) -> None:
    sys.path.insert(0, str(ROOT / "src"))
    from manifact.experiments.result_tables import table, write

    all_of = sum(int(row["mutants"]) for row in rows)
    left = len(survivors)
    share = f"{left / max(all_of, 1):.1%}"
    note = f"{left} of {all_of} mutants survive the tests of their room ({share}; drawn with seed {seed})."
    if survivors:
        note += "\n\n" + table(survivors).replace("*", "\\*")
    print(write("mutants", "Faults that tests see", note, rows))


if __name__ == "__main__":
    main()
