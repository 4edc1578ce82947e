"""``stablehlo.dot_general``: becomes a product of matrices, between transposes and reshapes of operands and result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from tt_model.integers import arithmetic
from tt_model.integers.kinds import kind_of
from tt_model.stablehlo.numbers import shape_of, tensor_type
from tt_model.stablehlo.reading import attribute, fields, integer
from ttmlir.compositions import matrices
from ttmlir.compositions.dimensions import MOST_DIMENSIONS, permuted
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, tensor, volume

Dims = tuple[int, ...]


def is_matmul(left: Dims, right: Dims, contracted: tuple[Dims, Dims], batch: tuple[Dims, Dims]) -> bool:
    """Whether a product is one of matrices without transposes and reshapes, by the conditions of the real project."""
    if contracted[0] != (len(left) - 1,) or len(contracted[1]) != 1 or contracted[1][0] != len(right) - 2:
        return False
    if batch[0] != batch[1] or batch[0] != tuple(range(len(batch[0]))) or len(right) > len(left):
        return False
    # If the right side is one matrix, the rows of the left side may have several dimensions.
    if len(right) == 2:
        return not batch[0]
    return len(left) == len(right) == len(batch[0]) + 2


def dot_general(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a product of any dimensions: batch dimensions come first, summed ones between, others are joined."""
    numbers = fields(op, "dot_dimension_numbers")
    batch = numbers.numbers("lhs_batching_dimensions"), numbers.numbers("rhs_batching_dimensions")
    summed = numbers.numbers("lhs_contracting_dimensions"), numbers.numbers("rhs_contracting_dimensions")
    return [product(op, w, batch, summed)]


def dot(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert the older product of matrices and vectors."""
    rank = len(shape_of(op.operands[0]))
    return [product(op, w, ((), ()), ((rank - 1,), (0,)))]


def product(op: Operation, w: Writer, batch: tuple[Dims, Dims], summed: tuple[Dims, Dims]) -> SSAValue:
    """Convert a product. ``batch`` and ``summed`` are dimensions of the left and the right side."""
    shapes = shape_of(op.operands[0]), shape_of(op.operands[1])
    left, right = (operand_of_sum(operand, op, w) for operand in op.operands)
    type = w.result(op)
    is_small = max(map(len, shapes)) <= MOST_DIMENSIONS
    if is_small and shapes[0] and shapes[1] and is_matmul(*shapes, summed, batch):
        return w.matmul(left, right, type)
    rests = tuple(
        tuple(dim for dim in range(len(shape)) if dim not in batch[side] and dim not in summed[side])
        for side, shape in enumerate(shapes)
    )
    batches = [shapes[0][dim] for dim in batch[0]]
    joined = batches if len(batches) <= MOST_DIMENSIONS - 2 else [volume(batches)]
    depth = volume([shapes[0][dim] for dim in summed[0]])
    rows, columns = (volume([shapes[side][dim] for dim in rests[side]]) for side in (0, 1))
    left = _arranged(left, shapes[0], (*batch[0], *rests[0], *summed[0]), [*joined, rows, depth], w)
    right = _arranged(right, shapes[1], (*batch[1], *summed[1], *rests[1]), [*joined, depth, columns], w)
    result = w.matmul(left, right, tensor((*joined, rows, columns), type.element_type))
    return result if len(type.get_shape()) > MOST_DIMENSIONS else w.reshape(result, type.get_shape())


def operand_of_sum(operand: SSAValue, op: Operation, w: Writer) -> SSAValue:
    """Return an operand of a sum, integers in the type of the result, which may be wider."""
    kind = kind_of(tensor_type(op.results[0]).element_type)
    if kind is None or kind_of(tensor_type(operand).element_type) is None:
        return w[operand]
    wide: SSAValue = arithmetic.to_integer(w[operand], kind, w.signs.may_be_negative(operand), w)
    return wide


def _arranged(value: SSAValue, shape: Dims, order: Dims, wanted: Sequence[int], w: Writer) -> SSAValue:
    if shape:
        many = len(shape) > MOST_DIMENSIONS
        value = permuted(value, shape, order, w) if many else w.rearrange(value, order)
    return w.reshape(value, wanted)


CONTRACTIONS: Mapping[str, Rule] = MappingProxyType(
    {"stablehlo.dot_general": dot_general, "stablehlo.dot": dot}
)


_SWAPPED = (0, 2, 1)


def _batches(value: SSAValue, w: Writer) -> SSAValue:
    """Reshape a value to (batch, rows, columns), in float32."""
    shape = w.shape(value)
    return w.typecast(w.reshape(value, [volume(shape[:-2]), *shape[-2:]]), f32)


def _flag(op: Operation, name: str) -> bool:
    return attribute(op, name) is not None and integer(op, name) != 0


def cholesky(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a Cholesky decomposition: an upper one is computed from the transpose, and transposed back."""
    (value,) = w.operands(op)
    given, is_lower = _batches(value, w), _flag(op, "lower")
    result = matrices.cholesky(given if is_lower else w.permute(given, _SWAPPED), w)
    result = result if is_lower else w.permute(result, _SWAPPED)
    return [w.reshape(w.typecast(result, w.element(value)), w.shape(value))]


def triangular_solve(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a triangular solve to one from the left; X A = B is A' X' = B'."""
    left, right = w.operands(op)
    matrix, wanted = _batches(left, w), _batches(right, w)
    is_upper, from_left = not _flag(op, "lower"), _flag(op, "left_side")
    is_transposed = "NO_TRANSPOSE" not in str(attribute(op, "transpose_a"))
    if not from_left:
        wanted = w.permute(wanted, _SWAPPED)
    if is_transposed is from_left:
        matrix, is_upper = w.permute(matrix, _SWAPPED), not is_upper
    has_ones = _flag(op, "unit_diagonal")
    matches = matrices.solved(matrix, wanted, w, is_upper=is_upper, has_unit_diagonal=has_ones)
    matches = matches if from_left else w.permute(matches, _SWAPPED)
    return [w.reshape(w.typecast(matches, w.element(right)), w.shape(right))]


MATRICES: Mapping[str, Rule] = MappingProxyType(
    {f"stablehlo.{rule.__name__}": rule for rule in (cholesky, triangular_solve)}
)
