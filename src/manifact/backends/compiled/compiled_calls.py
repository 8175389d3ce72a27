"""Compiled kernels called by their address, with their arguments as plain words: nobody needs the interpreter for it.

A kernel takes its arguments as numbers and as the fields of arrays, one after the other. For each kind of arguments a
few instructions are compiled that read them from memory, so that all kernels are called alike.
"""

from __future__ import annotations

import struct
from array import array
from ctypes import CFUNCTYPE, c_int32, c_int64, c_void_p
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core.compiler_lock import global_compiler_lock

from manifact.backends.compiled.kernel_cache import cached_njit

_WORD = ir.IntType(64)
#: By kernel and kinds of arguments: the address to call, and what must stay in memory for it.
_ENTRIES: dict[Any, tuple[int, Any]] = {}


def entry(kernel: Any, args: tuple[Any, ...]) -> int:
    """The address of ``int entry(words, start, stop)``, which is not 0 where the kernel fails."""
    key = kernel, *map(_kind, args)
    if key not in _ENTRIES:
        signature = (*map(typeof, args), types.int64, types.int64)
        kernel.compile(signature)
        _ENTRIES[key] = _compiled(kernel.overloads[signature], len(packed(args)))
    return _ENTRIES[key][0]


def packed(args: tuple[Any, ...]) -> array[int]:
    """The arguments as words; the arrays among them must outlive these."""
    words: list[int] = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            address = arg.__array_interface__["data"][0]
            words += (0, 0, arg.size, arg.itemsize, address, *arg.shape, *arg.strides)
        elif isinstance(arg, float | np.floating):
            form = "f4x" if isinstance(arg, np.float32) else "d"
            words += struct.unpack("q", struct.pack(form, arg))
        else:
            words.append(int(arg))
    return array("q", words)


def _kind(arg: Any) -> Any:
    """What the compiled code depends on."""
    if not isinstance(arg, np.ndarray):
        return type(arg)
    flags = arg.flags
    return arg.dtype.char, arg.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned


@cached_njit()
def _trial(numbers: Any, factor: float, start: int, stop: int) -> None:
    for j in range(start, stop):
        numbers[j, 0] = factor * numbers[j, 1]


def takes_arguments_as_packed() -> bool:
    """Whether a kernel that is called by its address does what it should: Numba may come to call otherwise."""
    args = np.arange(24.0).reshape(4, 6)[:, ::3], np.float32(0.5)
    call, words = CFUNCTYPE(c_int32, c_void_p, c_int64, c_int64)(entry(_trial, args)), packed(args)
    return call(words.buffer_info()[0], 1, 3) == 0 and args[0][:, 0].tolist() == [0.0, 4.5, 7.5, 18.0]


@global_compiler_lock
def _compiled(kernel: Any, words_packed: int) -> tuple[int, Any]:
    """The address of the entry to a compiled kernel, whose arguments are so many words."""
    context, description = kernel.target_context, kernel.fndesc
    address = kernel.library.get_pointer_to_function(description.llvm_func_name)
    # Where the result and an error go, then the arguments.
    form = context.call_conv.get_function_type(description.restype, description.argtypes)
    if len(form.args) != 2 + words_packed + 2:
        raise TypeError(f"{description.qualname} takes {len(form.args)} words, and {words_packed} are known")
    module = ir.Module("entry")
    name = f"entry.{address:x}"
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [_WORD.as_pointer(), _WORD, _WORD]), name)
    words, start, stop = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    values = [builder.alloca(pointer.pointee) for pointer in form.args[:2]]
    for place, wanted in enumerate(form.args[2:-2]):
        word = builder.gep(words, [_WORD(place)])
        values.append(builder.load(builder.bitcast(word, wanted.as_pointer())))
    status = builder.call(builder.inttoptr(_WORD(address), form.as_pointer()), [*values, start, stop])
    builder.ret(status)
    library = context.codegen().create_library(name)
    library.add_ir_module(module)
    library.finalize()
    return library.get_pointer_to_function(name), (library, kernel)
