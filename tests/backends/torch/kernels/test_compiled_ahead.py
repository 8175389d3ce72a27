"""Every kernel compiles for a GPU that is not here: the interpreter takes what the compiler refuses."""

import os
import subprocess
import sys

import pytest
import torch

KERNELS = {
    "ratio_passes._segment_ratios": {"k": 20, "H": 16, "E": 8, "HALVES": True, "WHOSE": 2, "LOGS": True},
    "gathered_products._segment_products": {"k": 20, "K": 32, "E": 16},
    "slot_sums._add_slots": {"k": 20, "K": 32, "S": 16},
    "block_sums._block_products": {"k": 20, "K": 32, "R": 64, "ROWS_HERE": 2048, "TWO": True},
    "edge_chunks._chunk_energies": {"k": 20, "K": 32, "E": 32, "EDGES_HERE": 512, "SAME": False},
    "edge_chunks._chunk_gaussians": {"k": 20, "K": 32, "E": 32},
    "row_sweeps._sweep": {"k": 20, "K": 32, "R": 64, "TIED": True},
    "row_sweeps._sweep_quartic": {"k": 20, "K": 32, "R": 64},
    "scaled_rows._rescaled": {"k": 20, "ONE_ROW": True, "N": 1024},
    "row_projections._least_squares": {"k": 20, "K": 32, "R": 16},
    "row_projections._divergence": {"k": 20, "K": 32, "T": 128},
}
#: Arguments that are not the numbers of a factor.
ENTRIES = ("indices", "heads", "tails", "order", "restless", "indptr")
WHOLE = dict.fromkeys(("row_at", "first_at", "size_at", "slot_at", "count_at", *ENTRIES), "*i32")
OTHERS = (
    WHOLE | dict.fromkeys(("n", "m", "edges", "size", "sweeps", "most"), "i32") | {"logs": "*fp64", "sums": "*fp64"}
)
COMPILE = """
import sys
from importlib import import_module
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from tests.backends.torch.kernels.test_compiled_ahead import KERNELS, OTHERS
for place, constants in KERNELS.items():
    module, name = place.split(".")
    kernel = getattr(import_module("manifact.backends.torch.kernels." + module), name)
    types = {arg: "constexpr" if arg in constants else OTHERS.get(arg, sys.argv[1]) for arg in kernel.arg_names}
    fixed = {(kernel.arg_names.index(arg),): value for arg, value in constants.items()}
    triton.compile(ASTSource(kernel, types, fixed), target=GPUTarget("cuda", 90, 32))
    print(place)
"""


@pytest.mark.skipif(torch.cuda.is_available(), reason="where there is a GPU the other tests compile them")
def test_kernels_compile_without_a_gpu():
    # In float64, beside which a constant that is float32 by mistake is refused.
    # Another process: in this one they are declared for the interpreter.
    known = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    paths = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, "*fp64"], env=known | {"PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert done.stdout.split() == list(KERNELS), done.stderr[-2000:]
