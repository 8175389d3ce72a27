"""Rows of a tall factor as vectors: inner products and sums that use all lanes of the processor for any k.

Left to itself the compiler pays for short rows with checks and scalar remainders, more than for the arithmetic. These
few operations are written as vector instructions of 64 bytes, which every processor can run in as many pieces as it
needs. Rows must be padded with zeros to whole vectors (`padded_length`); several rows at a time hide their latency.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from manifact.backends.compiled import intrinsic

VECTOR_BYTES = 64
#: Rows whose products are made together: as many sums as hide each other's latency.
TILE_ROWS = 8
_INDEX = ir.IntType(64)
#: The order of a sum is free: it is fixed by the padded length, not by the number of threads.
_FAST = ("contract", "reassoc", "nsz")


def padded_length(k: int, itemsize: int) -> int:
    """K rounded up to whole vectors."""
    lanes = VECTOR_BYTES // itemsize
    return -(-k // lanes) * lanes


@intrinsic
def dots(typingctx: Any, M: Any, rows: Any, v: Any) -> Any:
    """<m_i, v> for each row i of the tuple ``rows``."""
    signature = types.UniTuple(M.dtype, len(rows))(M, rows, v)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        M_type, rows_type, v_type = signature.args
        vector = _vector(context, M_type.dtype)
        gathered = _row_pointers(context, builder, M_type, args[0], rows_type, args[1], vector)
        mine, blocks = _pointer(context, builder, v_type, args[2], vector)
        sums = [cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * vector.count)) for _ in gathered]
        with cgutils.for_range(builder, blocks) as block:
            right = _load(builder, mine, block.index)
            for pointer, total in zip(gathered, sums, strict=True):
                product = builder.fmul(_load(builder, pointer, block.index), right, flags=_FAST)
                builder.store(builder.fadd(builder.load(total), product, flags=_FAST), total)
        return cgutils.pack_array(builder, _sums(builder, [builder.load(total) for total in sums]))

    return signature, generate


@intrinsic
def add_scaled(typingctx: Any, out: Any, scales: Any, M: Any, rows: Any) -> Any:
    """Out += Σ scales_i m_i over the rows i of the tuple ``rows``."""
    signature = types.void(out, scales, M, rows)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        out_type, _, M_type, rows_type = signature.args
        vector = _vector(context, M_type.dtype)
        gathered = _row_pointers(context, builder, M_type, args[2], rows_type, args[3], vector)
        scales = [_spread(builder, scale, vector) for scale in cgutils.unpack_tuple(builder, args[1])]
        mine, blocks = _pointer(context, builder, out_type, args[0], vector)
        with cgutils.for_range(builder, blocks) as block:
            total = _load(builder, mine, block.index)
            for pointer, scale in zip(gathered, scales, strict=True):
                product = builder.fmul(_load(builder, pointer, block.index), scale, flags=_FAST)
                total = builder.fadd(total, product, flags=_FAST)
            stored = builder.store(total, builder.gep(mine, [block.index]))
            stored.align = _align(vector)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def combine(typingctx: Any, out: Any, scales: Any, M: Any) -> Any:
    """Out = Σ_l scales_l m_l over all rows of M, four vectors wide: the sums stay in registers."""
    signature = types.void(out, scales, M)
    width = 4

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        out_type, scales_type, M_type = signature.args
        vector = _vector(context, M_type.dtype)
        mine, _ = _pointer(context, builder, out_type, args[0], vector)
        scale_array = context.make_array(scales_type)(context, builder, args[1])
        rows, _ = _pointer(context, builder, M_type, args[2], vector)
        count = cgutils.unpack_tuple(builder, scale_array.shape)[0]
        zero = ir.Constant(vector, [0.0] * vector.count)
        sums = [cgutils.alloca_once_value(builder, zero) for _ in range(width)]
        with cgutils.for_range(builder, count) as row:
            scale = _spread(builder, builder.load(builder.gep(scale_array.data, [row.index])), vector)
            first = builder.mul(row.index, _INDEX(width))
            for lane, total in enumerate(sums):
                value = _load(builder, rows, builder.add(first, _INDEX(lane)))
                product = builder.fmul(value, scale, flags=_FAST)
                builder.store(builder.fadd(builder.load(total), product, flags=_FAST), total)
        for lane, total in enumerate(sums):
            stored = builder.store(builder.load(total), builder.gep(mine, [_INDEX(lane)]))
            stored.align = _align(vector)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def tile_products(typingctx: Any, out: Any, P: Any, G: Any) -> Any:
    """Out = P G for the `TILE_ROWS` rows of P, a vector of columns at a time: the sums stay in registers.

    G and out have rows of whole vectors, each in one piece; P may be a transposed view.
    """
    signature = types.void(out, P, G)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        out_type, P_type, G_type = signature.args
        vector = _vector(context, G_type.dtype)
        zero = ir.Constant(vector, [0.0] * vector.count)
        numbers = context.make_array(P_type)(context, builder, args[1])
        depth = cgutils.unpack_tuple(builder, numbers.shape)[1]
        down, along = cgutils.unpack_tuple(builder, numbers.strides)
        corner = builder.bitcast(numbers.data, ir.IntType(8).as_pointer())
        starts = [builder.gep(corner, [builder.mul(_INDEX(row), down)]) for row in range(TILE_ROWS)]
        right, blocks = _pointer(context, builder, G_type, args[2], vector)
        mine, _ = _pointer(context, builder, out_type, args[0], vector)
        sums = [cgutils.alloca_once_value(builder, zero) for _ in range(TILE_ROWS)]
        with cgutils.for_range(builder, blocks) as block:
            for total in sums:
                builder.store(zero, total)
            with cgutils.for_range(builder, depth) as step:
                value = _load(builder, right, builder.add(builder.mul(step.index, blocks), block.index))
                offset = builder.mul(step.index, along)
                for start, total in zip(starts, sums, strict=True):
                    place = builder.bitcast(builder.gep(start, [offset]), vector.element.as_pointer())
                    product = builder.fmul(value, _spread(builder, builder.load(place), vector), flags=_FAST)
                    builder.store(builder.fadd(builder.load(total), product, flags=_FAST), total)
            for row, total in enumerate(sums):
                place = builder.add(builder.mul(_INDEX(row), blocks), block.index)
                stored = builder.store(builder.load(total), builder.gep(mine, [place]))
                stored.align = _align(vector)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_outer_products(typingctx: Any, out: Any, X: Any, V: Any) -> Any:
    """Out += XᵀV for the `TILE_ROWS` rows of X and V, a vector of columns at a time: V stays in registers.

    V and out have rows of whole vectors, each in one piece; those of X may be pieces of longer ones.
    """
    signature = types.void(out, X, V)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        out_type, X_type, V_type = signature.args
        vector = _vector(context, V_type.dtype)
        numbers = context.make_array(X_type)(context, builder, args[1])
        length, (down, _) = (
            cgutils.unpack_tuple(builder, numbers.shape)[1],
            cgutils.unpack_tuple(builder, numbers.strides),
        )
        corner = builder.bitcast(numbers.data, ir.IntType(8).as_pointer())
        starts = [
            builder.bitcast(builder.gep(corner, [builder.mul(_INDEX(row), down)]), vector.element.as_pointer())
            for row in range(TILE_ROWS)
        ]
        mine, blocks = _pointer(context, builder, out_type, args[0], vector)
        right, _ = _pointer(context, builder, V_type, args[2], vector)
        with cgutils.for_range(builder, blocks) as block:
            values = [
                _load(builder, right, builder.add(builder.mul(_INDEX(row), blocks), block.index))
                for row in range(TILE_ROWS)
            ]
            with cgutils.for_range(builder, length) as step:
                place = builder.add(builder.mul(step.index, blocks), block.index)
                # Two sums, so that they need not wait for each other.
                sums = [_load(builder, mine, place), ir.Constant(vector, [0.0] * vector.count)]
                for row, (start, value) in enumerate(zip(starts, values, strict=True)):
                    x = _spread(builder, builder.load(builder.gep(start, [step.index])), vector)
                    product = builder.fmul(value, x, flags=_FAST)
                    sums[row % 2] = builder.fadd(sums[row % 2], product, flags=_FAST)
                _store(builder, builder.fadd(*sums, flags=_FAST), builder.gep(mine, [place]))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def set_product(typingctx: Any, out: Any, A: Any, B: Any, row: Any) -> Any:
    """out_row = a_row ∘ b_row, rows of one vector each."""
    signature = types.void(out, A, B, row)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        mine, left, right = _single_vectors(context, builder, signature.args[:3], args[:3], args[3])
        _store(builder, builder.fmul(_load(builder, left, _INDEX(0)), _load(builder, right, _INDEX(0))), mine)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_product(typingctx: Any, total: Any, A: Any, B: Any, row: Any) -> Any:
    """total_0 += a_row ∘ b_row, rows of one vector each."""
    signature = types.void(total, A, B, row)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right = _single_vectors(context, builder, signature.args[1:3], args[1:3], args[3])
        (mine,) = _single_vectors(context, builder, signature.args[:1], args[:1], _INDEX(0))
        product = builder.fmul(_load(builder, left, _INDEX(0)), _load(builder, right, _INDEX(0)), flags=_FAST)
        _store(builder, builder.fadd(_load(builder, mine, _INDEX(0)), product, flags=_FAST), mine)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def conjugate_step(
    typingctx: Any, moved: Any, inverse: Any, alpha: Any, beta: Any, block: Any, total: Any, row: Any
) -> Any:
    """With Q, AQ, P, AP, step, R = moved, one vector of each: a step of conjugate gradients in place.

    P = Q + β P, AP = AQ + β AP, step += α P, R −= α AP, Q = inverse ∘ R; total_0 += R ∘ Q, total_1 += R².
    """
    signature = types.void(moved, inverse, alpha, beta, block, total, row)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        moved_types, inverse_type, alpha_type, beta_type, _, total_type, _ = signature.args
        arrays = (*cgutils.unpack_tuple(builder, args[0]), args[1])
        places = _single_vectors(context, builder, (*moved_types, inverse_type), arrays, args[6])
        lengths = _single_vectors(context, builder, (alpha_type, beta_type), args[2:4], args[4])
        sums = [_single_vectors(context, builder, (total_type,), args[5:6], _INDEX(number))[0] for number in range(2)]
        Q, AQ, P, AP, step, R, scale = (_load(builder, place, _INDEX(0)) for place in places)
        a, b = (_load(builder, place, _INDEX(0)) for place in lengths)

        def sum_of(first: Any, left: Any, right: Any) -> Any:
            return builder.fadd(first, builder.fmul(left, right, flags=_FAST), flags=_FAST)

        P, AP = sum_of(Q, b, P), sum_of(AQ, b, AP)
        step = sum_of(step, a, P)
        R = builder.fsub(R, builder.fmul(a, AP, flags=_FAST), flags=_FAST)
        Q = builder.fmul(R, scale, flags=_FAST)
        for value, place in zip((Q, P, AP, step, R), (places[0], *places[2:6]), strict=True):
            _store(builder, value, place)
        for place, other in zip(sums, (Q, R), strict=True):
            _store(builder, sum_of(_load(builder, place, _INDEX(0)), R, other), place)
        return context.get_dummy_value()

    return signature, generate


def rows_abreast(itemsize: int) -> int:
    """Length of the rows that `combine` adds."""
    return 4 * VECTOR_BYTES // itemsize


def _vector(context: Any, dtype: Any) -> Any:
    return ir.VectorType(context.get_value_type(dtype), VECTOR_BYTES * 8 // dtype.bitwidth)


def _align(vector: Any) -> int:
    return 4 if vector.element == ir.FloatType() else 8


def _load(builder: Any, pointer: Any, index: Any) -> Any:
    value = builder.load(builder.gep(pointer, [index]))
    value.align = _align(value.type)
    return value


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, vector: Any) -> tuple[Any, Any]:
    """Start of an array as vectors, and how many vectors its last axis has."""
    view = context.make_array(array_type)(context, builder, array)
    length = cgutils.unpack_tuple(builder, view.shape)[-1]
    return builder.bitcast(view.data, vector.as_pointer()), builder.udiv(length, length.type(vector.count))


def _store(builder: Any, value: Any, pointer: Any) -> None:
    builder.store(value, pointer).align = _align(value.type)


def _single_vectors(context: Any, builder: Any, array_types: Any, arrays: Any, row: Any) -> list[Any]:
    """Where a row of each array is, rows of one vector."""
    pointers = []
    for array_type, array in zip(array_types, arrays, strict=True):
        start, _ = _pointer(context, builder, array_type, array, _vector(context, array_type.dtype))
        pointers.append(builder.gep(start, [row]))
    return pointers


def _row_pointers(context: Any, builder: Any, M_type: Any, M: Any, rows_type: Any, rows: Any, vector: Any) -> list[Any]:
    view = context.make_array(M_type)(context, builder, M)
    stride = cgutils.unpack_tuple(builder, view.strides)[0]
    start = builder.bitcast(view.data, ir.IntType(8).as_pointer())
    pointers = []
    for row in cgutils.unpack_tuple(builder, rows):
        wide = builder.sext(row, _INDEX) if row.type.width < _INDEX.width else row
        pointers.append(builder.bitcast(builder.gep(start, [builder.mul(wide, stride)]), vector.as_pointer()))
    return pointers


def _spread(builder: Any, value: Any, vector: Any) -> Any:
    """The number in every lane."""
    undefined = ir.Constant(vector, ir.Undefined)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(
        builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0)), undefined, lanes
    )


def _sums(builder: Any, vectors: list[Any]) -> list[Any]:
    """The sum of each vector: halves are added until the vectors fit side by side, then neighbours."""
    while vectors[0].type.count > len(vectors):
        lanes = vectors[0].type.count // 2
        vectors = [_half_sum(builder, v, v, range(lanes), range(lanes, 2 * lanes)) for v in vectors]
    lanes = vectors[0].type.count
    while len(vectors) > 1:
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [_half_sum(builder, a, b, range(0, 2 * lanes, 2), range(1, 2 * lanes, 2)) for a, b in pairs]
    total = vectors[0]
    return [builder.extract_element(total, ir.Constant(ir.IntType(32), lane)) for lane in range(total.type.count)]


def _half_sum(builder: Any, a: Any, b: Any, left: range, right: range) -> Any:
    """The lanes ``left`` of a and b, one after the other, plus the lanes ``right``."""
    masks = (ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), list(lanes)) for lanes in (left, right))
    first, second = (builder.shuffle_vector(a, b, mask) for mask in masks)
    return builder.fadd(first, second, flags=_FAST)
