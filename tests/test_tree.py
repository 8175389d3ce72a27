"""The tree is what a reader expects: files with names of their own, short, and with their tests in the same place."""

import ast
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src" / "manifact"
FILES = sorted(SOURCE.rglob("*.py"))

LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 60
#: Functions that may be longer, and why.
LONGER = {
    "backends/torch/kernels/row_projections.py::_divergence": "one compiled kernel: its loops share registers",
}
#: Tests of what no single file does, and what that is.
ACROSS_FILES = {
    "backends/blocks/test_block_models.py": "every model on samples in blocks",
    "backends/dask/test_dask_models.py": "every model on chunks of Dask's",
    "backends/blocks/test_block_checkpoints.py": "runs in blocks that end and go on",
    "backends/torch/test_torch_models.py": "every model on tensors",
    "backends/torch/kernels/test_compiled_ahead.py": "every kernel",
    "backends/torch/test_torch_operations.py": "the operations of one backend against those of another",
    "baselines/test_bad_input.py": "every factorisation among the baselines",
    "baselines/test_clusterers.py": "both clusterers against each other",
    "baselines/test_factorizations.py": "every factorisation among the baselines",
    "baselines/test_sklearn.py": "scikit-learn's checks of every baseline",
    "cli/test_reading_once.py": "commands and readers together",
    "experiments/bench/test_benchmarks.py": "every section of the benchmarks",
    "experiments/reproduce/tasks/test_fit_and_iteration_time.py": "two tasks that time the same fits",
    "experiments/reproduce/test_figure_files.py": "the data files of the figures",
    "experiments/reproduce/test_spnmf_files.py": "the data files of two papers",
    "io/readers/test_damaged_files.py": "every reader",
    "models/test_layouts.py": "every model on dense samples that lie otherwise in memory",
    "models/test_any_data.py": "every model and solver",
    "models/test_bad_input.py": "every model",
    "models/test_concurrency.py": "models in threads and processes beside each other",
    "models/test_defaults.py": "what every model does as constructed",
    "models/test_device_parameter.py": "where every model works",
    "models/test_repeated_fits.py": "every model, again and again",
    "models/test_sklearn.py": "scikit-learn's checks of every model",
    "models/test_thread_counts.py": "every model, with any number of threads",
    "models/test_weights.py": "what weights mean in every model",
    "report/test_browser.py": "the page in a browser",
    "solvers/test_killed_fits.py": "models and the command line, killed and going on",
    "solvers/test_sums_of_terms.py": "every solver on every sum that it accepts",
    "test_docs.py": "the documentation",
    "test_import.py": "what importing loads",
    "test_layers.py": "which rooms import which",
    "test_readme.py": "the README",
    "test_scanpy.py": "scanpy with what we write",
    "test_tree.py": "this",
}
#: Folders of tests that mirror nothing: what other people's files can add, and the papers' updates written out.
BESIDE_THE_MIRROR = ("extending", "reference")


def lines(node):
    """Lines of a function without its docstring."""
    first = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    return node.end_lineno - node.lineno + 1 - (first.end_lineno - first.lineno + 1 if first else 0)


def functions(file):
    name = file.relative_to(SOURCE).as_posix()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{name}::{node.name}", lines(node)


def mirrored(test):
    """Whether a file, or a package of that name or around it, is what this test is named after."""
    place, name = SOURCE / test.parent, test.stem.removeprefix("test_")
    return (place / f"{name}.py").exists() or (place / name / "__init__.py").exists() or place.name == name


def found_tests():
    found = (path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py")))
    return [test for test in found if test.parts[0] not in BESIDE_THE_MIRROR]


def test_no_two_files_have_the_same_name():
    names = Counter(file.name for file in FILES if file.name != "__init__.py")
    assert len(names) > 150
    assert [name for name, times in names.items() if times > 1] == []


def test_no_file_is_long():
    assert {
        file.name: long for file in FILES if (long := len(file.read_text("utf-8").splitlines())) > LINES_OF_A_FILE
    } == {}


def test_no_function_is_long_without_a_reason():
    long = {name for file in FILES for name, size in functions(file) if size > LINES_OF_A_FUNCTION}
    assert long == set(LONGER)


def test_lines_are_counted_without_the_docstring():
    written = 'def short(a):\n    """One.\n\n    Two.\n    """\n    b = a\n\n    return b\n'
    assert lines(ast.parse(written).body[0]) == 4


def test_tests_are_where_a_reader_looks_for_them():
    assert len(found_tests()) > 100
    lost = [test.as_posix() for test in found_tests() if not mirrored(test)]
    assert sorted(set(lost) - set(ACROSS_FILES)) == []


@pytest.mark.parametrize("test", ACROSS_FILES)
def test_what_is_listed_here_is_there_and_has_no_other_place(test):
    assert (TESTS / test).exists()
    assert not mirrored(Path(test))
