"""Scripts of TTNN modules, run in this process on the simulated library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tt_model.binaries.submission import prepared
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from ttl.host import importer
from ttmlir.standalone.script import ttnn_to_python
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import load_binary_from_capsule
from ttrt.common.programs import initialised, system_for

# Of whole numbers the real library of today refuses these: neither scripts nor C++ projects call them.
NOT_OF_WHOLE_NUMBERS = ("clamp", "div", "matmul", "remainder", "sign")


class Script:
    """A script that was imported, so to say: its functions, without its ``main``."""

    def __init__(self, module: ModuleOp) -> None:
        importer.install()
        self.text = ttnn_to_python(module, "model.mlir")
        self.names: dict[str, Any] = {"__name__": "script"}
        exec(compile(self.text, "script.py", "exec"), self.names)

    def run(self, inputs: Sequence[Any], program: str = "") -> list[Any]:
        """The results of a program, by default of the first one."""
        programs, ttnn = self.names["PROGRAMS"], self.names["ttnn"]
        entry = programs[program] if program else next(iter(programs.values()))
        device = ttnn.open_device(device_id=0)
        given = [
            self.names["as_given"](one, values, device)
            for one, values in zip(entry.inputs, inputs, strict=True)
        ]
        results = entry.function(device, *given)
        results = results if isinstance(results, tuple) else (results,)
        outputs = [
            self.names["as_torch"](result, one.dtype)
            for result, one in zip(results, entry.outputs, strict=True)
        ]
        ttnn.close_device(device)
        return outputs

    def drawn(self, seed: int = 0) -> list[Any]:
        """Random inputs of the first program."""
        inputs: list[Any] = self.names["random_inputs"](next(iter(self.names["PROGRAMS"].values())), seed)
        return inputs


def by_runtime(module: ModuleOp, inputs: Sequence[Any], index: int = 0) -> list[Any]:
    """The results of ``ttrt run`` for the same module."""
    binary = load_binary_from_capsule(ttnn_to_flatbuffer(module))
    system = system_for(binary, "")
    device = SimulatedDevice(system, list(range(len(system.chips))))
    outputs, report = run_program(device, prepared(binary, index), inputs)
    assert report.leaks == []
    return list(outputs)


def drawn_by_runtime(module: ModuleOp, seed: int = 0) -> list[Any]:
    """The inputs that ``ttrt run --seed`` draws."""
    return initialised(prepared(load_binary_from_capsule(ttnn_to_flatbuffer(module)), 0), "randn", seed)


def are_equal(one: Any, other: Any) -> bool:
    """Whether two tensors of torch have the same type, shape and values; what is no number equals itself."""
    same: bool = one.dtype == other.dtype and one.shape == other.shape
    return same and bool(((one == other) | ((one != one) & (other != other))).all())
