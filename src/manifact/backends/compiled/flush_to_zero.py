"""Subnormal numbers are zero: a bit of the processor, for the thread that asks for it.

Factors decay towards zero for as long as a run goes on. Numbers below the smallest normal one, and products that fall
below it, are computed ten times slower by some processors, and none of their digits counts here.

The control word is written by functions of their own: inside a kernel the compiler may move arithmetic before it.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from manifact.backends.compiled import intrinsic
from manifact.backends.compiled.kernel_cache import cached_njit

_INTEL = platform.machine().lower() in ("x86_64", "amd64")
_ARM = platform.machine().lower() in ("aarch64", "arm64")
#: Bits by which results that are subnormal become zero, and those by which operands do. On ARM one bit is both; where
#: neither is known nothing is set.
RESULTS, OPERANDS = (1 << 15, 1 << 6) if _INTEL else (1 << 24, 1 << 24) if _ARM else (0, 0)
#: All flags of what happened, and the one that is set when the processor meets a subnormal operand; on ARM they are
#: elsewhere.
FLAGS, MET = (0x3F, 1 << 1) if _INTEL else (0, 0)
_WORD, _BYTES = ir.IntType(64), ir.IntType(8).as_pointer()


@intrinsic
def _read(typingctx: Any) -> Any:
    """The control word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if _ARM:
            function = ir.FunctionType(_WORD, [])
            return builder.call(cgutils.get_or_insert_function(builder.module, function, "llvm.aarch64.get.fpcr"), [])
        slot = cgutils.alloca_once_value(builder, ir.IntType(32)(0))
        if _INTEL:
            _pass_memory(builder, "llvm.x86.sse.stmxcsr", slot)
        return builder.zext(builder.load(slot), _WORD)

    return types.int64(), generate


@intrinsic
def _write(typingctx: Any, word: Any) -> Any:
    """Set the control word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if _ARM:
            function = ir.FunctionType(ir.VoidType(), [_WORD])
            builder.call(cgutils.get_or_insert_function(builder.module, function, "llvm.aarch64.set.fpcr"), args)
        elif _INTEL:
            slot = cgutils.alloca_once_value(builder, builder.trunc(args[0], ir.IntType(32)))
            _pass_memory(builder, "llvm.x86.sse.ldmxcsr", slot)
        return context.get_dummy_value()

    return types.void(types.int64), generate


def _pass_memory(builder: Any, name: str, slot: Any) -> None:
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [_BYTES]), name)
    builder.call(function, [builder.bitcast(slot, _BYTES)])


@cached_njit()
def control_word() -> int:
    """How this thread computes: rounding, subnormal numbers, and flags of what happened."""
    return _read()


@cached_njit()
def restore(word: int) -> None:
    """Compute as before."""
    _write(word)


@cached_njit()
def flush() -> int:
    """Subnormal numbers are zero from here on, in this thread; what to `restore` afterwards. Flags begin anew."""
    word = _read()
    _write((word | RESULTS | OPERANDS) & ~FLAGS)
    return word
