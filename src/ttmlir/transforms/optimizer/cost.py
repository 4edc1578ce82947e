"""The cost of an operation with its operands and its result in certain layouts, by the model of ``ttrt perf``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xdsl.ir import Operation

from tt_model.cost.operations import WITHOUT_WORK, Bound, OperationCall, bound_of, work_of
from tt_model.cost.rates import Rates, chip_of
from tt_model.cost.tensors import TensorOfLayout
from tt_model.layouts.enums import PageLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.values import LayoutError
from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.operations.ttnn import TTNNConv2dOp, TTNNToMemoryConfigOp
from ttmlir.transforms.optimizer.chip import TargetChip

Laid = tuple[TTNNLayout, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class LayoutCost:
    """Cycles of the chip, launch included; their bound; the number of cores; bytes of circular buffers per core."""

    cycles: int
    bound: Bound
    cores: int
    buffers: int


@dataclass(frozen=True)
class CostModel:
    """Costs on one chip."""

    chip: TargetChip

    @cached_property
    def _rates(self) -> Rates:
        return Rates(chip_of(self.chip.system.first_chip))

    def of(self, op: Operation, operands: Sequence[Laid], result: Laid) -> LayoutCost | None:
        """Return the cost of an operation; None without a model, as for kernels of TT-Lang and work of the host."""
        if not isinstance(op, TTNNOperation) or op.ROW.runs_kernels or isinstance(op, WITHOUT_WORK):
            return None
        flatbuffer = op.ROW.flatbuffer
        if flatbuffer is None:
            return None
        try:
            inputs = tuple(TensorOfLayout.of(layout, shape, self.chip.device) for layout, shape in operands)
            outputs = (TensorOfLayout.of(*result, self.chip.device),)
        except LayoutError:
            return None
        if any(one.config is None for one in (*inputs, *outputs)) and not isinstance(op, TTNNConv2dOp):
            return None
        return self._cost(type(op), _fields(op, flatbuffer.type), inputs, outputs)

    def of_move(self, source: Laid, target: Laid) -> LayoutCost:
        """Return the cost of moving a tensor of the device to another layout. Raises ``LayoutError``."""
        tensors = (TensorOfLayout.of(*one, self.chip.device) for one in (source, target))
        return self._cost(TTNNToMemoryConfigOp, {}, *((one,) for one in tensors))

    def _cost(
        self,
        kind: type[TTNNOperation],
        fields: dict[str, Any],
        inputs: tuple[TensorOfLayout, ...],
        outputs: tuple[TensorOfLayout, ...],
    ) -> LayoutCost:
        grid, rates = (self.chip.rows, self.chip.columns), self._rates
        call = OperationCall(kind=kind, fields=fields, inputs=inputs, outputs=outputs, grid=grid, rates=rates)
        work = work_of(call)
        return LayoutCost(
            round(rates.start + work.cycles), bound_of(work, rates.start), work.cores, work.buffers
        )


def _fields(op: RowOperation, word: str) -> dict[str, Any]:
    """The fields of an operation's flatbuffer table on which its cost depends."""
    fields = {one.name: op.value_of(one) for one in sorted(op.ROW.attributes, key=lambda one: one.name)}
    page = fields.get("layout")
    if isinstance(page, PageLayout):
        fields["layout"] = page.name
    return {"type": word} | {name: value for name, value in fields.items() if value is not None}
