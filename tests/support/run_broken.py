"""Everything that the commands do with a binary, on one that may be broken."""

from __future__ import annotations

from tt_model.binaries.estimate import estimates
from tt_model.binaries.submission import prepared
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from tt_model.runtime.problems import RuntimeProblem
from ttrt.binary import Binary, FlatbufferError, load_binary_from_capsule, stats
from ttrt.common.programs import golden_inputs, initialised, system_for


def exercised(content: bytes) -> str:
    """What came of it: ``ran``, or the kind of error. Other exceptions are mistakes of ours."""
    try:
        binary = load_binary_from_capsule(content)
        binary.as_json()
        stats.collect_op_stats(binary)
        _run(binary)
    except (FlatbufferError, RuntimeProblem) as problem:
        assert str(problem)
        return type(problem).__name__
    return "ran"


def _run(binary: Binary) -> None:
    system = system_for(binary, "")
    device = SimulatedDevice(system, list(range(len(system.chips))))
    for index in range(len(binary.programs)):
        estimates(binary.programs[index], system.first_chip)
        program = prepared(binary, index)
        inputs = golden_inputs(binary, index, program) or initialised(program, "ones", 0)
        run_program(device, program, inputs)
