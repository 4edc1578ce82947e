"""Cycles of an operation of TT-Lang in a binary: its kernels run on the emulated chip, once for each kind of call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ttl.session import Part
from ttmlir.layouts.system_desc import SystemDesc
from ttmlir.layouts.values import LayoutError
from ttmlir.runtime.devices import SimulatedDevice
from ttmlir.runtime.executor import prepare_program, run_program
from ttmlir.runtime.problems import RuntimeProblem

# What was emulated in this session, by what the cycles depend on.
_KNOWN: Part[dict[str, int | str]] = Part(dict)


def emulated_cycles(fields: Mapping[str, Any], system: SystemDesc) -> int | str:
    """The cycles of a ``TTLangOp``, or in words why there are none.

    It runs alone, on inputs of ones: what it reads decides no control flow.
    """
    of_tensors = [reference.get("desc") for reference in [*_inputs(fields), fields.get("out", {})]]
    key = repr(
        [{name: value for name, value in fields.items() if isinstance(value, str)}, of_tensors, system]
    )
    known = _KNOWN.get()
    if key not in known:
        known[key] = _run(fields, system)
    return known[key]


def _inputs(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(fields.get("inputs", []))


def _run(fields: Mapping[str, Any], system: SystemDesc) -> int | str:
    device = {"global_id": 0}
    filled = [
        {
            "type_type": "FullOp",
            "type": {"device": device, "fill_value": 1.0, "num_shards": 1, "out": reference},
        }
        for reference in {one["global_id"]: one for one in _inputs(fields)}.values()
    ]
    program = {
        "name": "alone",
        "inputs": [],
        "outputs": [],
        "operations": [
            {"type_type": "GetDeviceOp", "type": {"chip_ids": [0], "out": device}},
            *filled,
            {"type_type": "TTLangOp", "type": dict(fields)},
        ],
    }
    try:
        _, report = run_program(SimulatedDevice(system, [0]), prepare_program(program), [], tt_lang="emu")
    except (RuntimeProblem, LayoutError) as problem:
        return str(problem).partition("\n")[0]
    return sum(kernel.cycles for kernel in report.kernels)
