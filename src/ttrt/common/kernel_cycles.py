"""Cycles of a binary's operations on the emulated chip: its TT-Lang kernels, and our kernels for TTNN operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tt_model.binaries.estimate import Estimate
from tt_model.cost.operations import OperationCall
from tt_model.cost.rates import Rates, chip_of
from tt_model.layouts.kernel_permissions import PERMISSIONS
from tt_model.layouts.system_desc import ChipDesc, SystemRecord
from tt_model.layouts.values import LayoutError
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.ttnn import TTNNFullOp, TTNNGetDeviceOp
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import prepare_program, run_program
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.tt_lang import kernel_call
from ttl.session import Part

# The kernels emulated in this session, by the properties that their cycles depend on.
_KNOWN: Part[dict[str, int | str]] = Part(dict)


def emulated_cycles(kind: type[TTNNOperation], fields: Mapping[str, Any], system: SystemRecord) -> int | str:
    """The cycles of a call of a kernel, or a text that says why they are not known: it may not run, or fails.

    The kernel runs alone, on inputs of ones: the data that it reads do not decide its control flow.
    """
    try:
        call = kernel_call(kind, fields)
    except RuntimeProblem as problem:
        return _first_line(problem)
    if call is None:
        return f"{_table(kind)} calls no kernel"
    held = {name: value for name, value in fields.items() if name not in ("inputs", "out", "further_outs")}
    key = repr([_table(kind), call.request, held, system, PERMISSIONS.get()])
    known = _KNOWN.get()
    if key not in known:
        known[key] = _run(kind, fields, system)
    return known[key]


def _run(kind: type[TTNNOperation], fields: Mapping[str, Any], system: SystemRecord) -> int | str:
    device = {"global_id": 0}
    # The destinations of the call must exist, too.
    references = [*fields.get("inputs", []), fields["out"], *fields.get("further_outs", [])]
    tensors = {one["global_id"]: one for one in references}
    filled = [
        {
            "type_type": _table(TTNNFullOp),
            "type": {"device": device, "fill_value": 1.0, "num_shards": 1, "out": reference},
        }
        for reference in tensors.values()
    ]
    program = {
        "name": "alone",
        "inputs": [],
        "outputs": [],
        "operations": [
            {"type_type": _table(TTNNGetDeviceOp), "type": {"chip_ids": [0], "out": device}},
            *filled,
            {"type_type": _table(kind), "type": dict(fields)},
        ],
    }
    try:
        _, report = run_program(SimulatedDevice(system, [0]), prepare_program(program), [], tt_lang="emu")
    except (RuntimeProblem, LayoutError) as problem:
        return _first_line(problem)
    return sum(kernel.cycles for kernel in report.kernels)


def _table(kind: type[TTNNOperation]) -> str:
    written = kind.ROW.flatbuffer
    assert written is not None
    return written.table


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0]


def emulated_operation(estimated: Estimate, program: Mapping[str, Any], chip: ChipDesc) -> int | str:
    """The cycles of an operation of TTNN as one of our kernels on the emulated chip; if unknown, a text that says why.

    The tensors are placed as in the program.
    """
    from tt_model.emulated.kernel_choice import emulated_cycles as cycles_of_call

    assert estimated.kind is not None
    call = OperationCall(
        kind=estimated.kind,
        fields=program["operations"][estimated.index]["type"],
        inputs=estimated.inputs,
        outputs=estimated.outputs,
        grid=chip.grid,
        rates=Rates(chip_of(chip)),
    )
    return cycles_of_call(call)
