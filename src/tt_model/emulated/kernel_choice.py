"""The kernel of each operation, and the cycles that it takes on the emulated chip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tt_model.cost.operations import WITHOUT_WORK, OperationCall
from tt_model.cost.tensors import CostedTensor
from tt_model.emulated import lines, products, tilewise
from tt_model.emulated.parts import Parts, Values, can_emulate, result_of
from tt_model.operations import shared, ttnn
from tt_model.operations.elementwise import TTNNElementwiseOp
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.stages import PerClass
from ttl.emu.memory import Placed
from ttl.session import Part
from ttl.session.patience import Unavailable

PROGRAMS = PerClass[Callable[[OperationCall, Parts], Placed]](
    ((TTNNElementwiseOp, ttnn.TTNNClampOp), tilewise.program),
    ((ttnn.TTNNTypecastOp, ttnn.TTNNToMemoryConfigOp, shared.TTNNTransposeOp), tilewise.program),
    (shared.TTNNMatmulOp, products.program),
    (shared.TTNNReductionOp, lines.reduction),
    (shared.TTNNSoftmaxOp, lines.softmax),
    absent={
        **dict.fromkeys((*WITHOUT_WORK, ttnn.TTNNAllocOp), "it does not need a kernel"),
        **dict.fromkeys(
            (ttnn.TTNNToDeviceOp, ttnn.TTNNFromDeviceOp, shared.TTNNMeshShardOp),
            "it runs on the host, not on a core of the chip",
        ),
        **dict.fromkeys((ttnn.TTNNAllGatherOp, ttnn.TTNNReduceScatterOp), "one chip is emulated at a time"),
        **dict.fromkeys(
            (shared.TTNNTTLangOp, ttnn.TTNNGenericOp), "its kernels are its own, and are run as they are"
        ),
        TTNNOperation: "no kernel of it was written for the emulated chip",
    },
)
# The results of calls emulated in this session, by the properties that their cycles depend on.
_KNOWN: Part[dict[str, int | str]] = Part(dict)


def emulated_cycles(call: OperationCall) -> int | str:
    """Return the cycles of a call, or the reason why it cannot be emulated.

    The cycles do not depend on values: a call runs on zeros, once in a session.
    """
    tensors = [_lying(tensor) for tensor in (*call.inputs, *call.outputs)]
    key = repr((call.kind, _plain(call.fields), tensors, call.grid, call.rates.chip.arch))
    known = _KNOWN.get()
    if key not in known:
        try:
            known[key] = run(call)[0]
        except Unavailable as reason:
            known[key] = str(reason)
    return known[key]


def _plain(fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The fields that are not tensors, sorted by name."""
    numbers = (str, int, float, bool)
    return [
        (name, value)
        for name, value in sorted(fields.items())
        if isinstance(value, numbers)
        or (isinstance(value, list) and all(isinstance(one, numbers) for one in value))
    ]


def _lying(tensor: CostedTensor) -> tuple[object, ...]:
    return tensor.shape, tensor.data_type, tensor.tiled, tensor.config, tensor.cores


def run(call: OperationCall, values: Sequence[Values] = ()) -> tuple[int, Values]:
    """Return the cycles and the result of a call; missing ``values`` are zeros. Raises ``Unavailable``."""
    put_together = PROGRAMS.of(call.kind)
    if put_together is None:
        raise Unavailable(call.table)
    if len(call.outputs) != 1 or not call.inputs:
        raise Unavailable(f"{call.table} of {len(call.inputs)} operands")
    for tensor in (*call.inputs, *call.outputs):
        can_emulate(tensor)
    parts = Parts(chip=call.rates.chip, values=values)
    result = put_together(call, parts)
    cycles = parts.run().cycles
    return cycles, result_of(result, call.outputs[0].shape)
