"""``stablehlo.cholesky`` and ``stablehlo.triangular_solve``, by ``ttmlir.compositions.matrices``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from ttmlir.compositions import matrices
from ttmlir.stablehlo.reading import attribute, integer
from ttmlir.transforms.from_stablehlo.writer import Writer, volume

Rule = Callable[[Operation, Writer], Sequence[SSAValue]]
_SWAPPED = (0, 2, 1)


def _batches(value: SSAValue, w: Writer) -> SSAValue:
    """(batch, rows, columns), in float32."""
    shape = w.shape(value)
    return w.typecast(w.reshape(value, [volume(shape[:-2]), *shape[-2:]]), f32)


def _flag(op: Operation, name: str) -> bool:
    return attribute(op, name) is not None and integer(op, name) != 0


def cholesky(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """The lower triangle of the lower one, or of the upper one that on its side."""
    (value,) = w.operands(op)
    given, is_lower = _batches(value, w), _flag(op, "lower")
    result = matrices.cholesky(given if is_lower else w.permute(given, _SWAPPED), w)
    result = result if is_lower else w.permute(result, _SWAPPED)
    return [w.reshape(w.typecast(result, w.element(value)), w.shape(value))]


def triangular_solve(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """From the left; X A = B is A' X' = B'."""
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
