"""Binaries of one program, written by hand as the tables of the format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.system_desc import system_desc_fields
from tt_model.flatbuffer.version import version_fields
from tt_model.layouts.known_systems import default_system
from tt_model.layouts.system_desc import SystemRecord
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import PreparedProgram, RunReport, prepare_program, run_program


class Binary:
    """Builds the tables of one program, which runs on some chips of a system."""

    def __init__(self, chips: Sequence[int] = (0,), system: SystemRecord | None = None) -> None:
        self.system = system or default_system()
        device = {"mesh": {"y": 1, "x": len(chips)}, "chip_ids": list(chips), "out": {"global_id": 0}}
        self.operations: list[dict[str, Any]] = [{"type_type": "GetDeviceOp", "type": device}]
        self.inputs: list[dict[str, Any]] = []
        self.count = 0

    def tensor(
        self,
        shape: list[int],
        dtype: str = "BFloat16",
        space: str = "DeviceDRAM",
        tiled: bool = True,
        strategy: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        self.count += 1
        tile = 32 if tiled else 1
        host = space == "System"
        memory = {
            "shape": shape,
            "tile_shape": {"y": tile, "x": tile},
            "data_type": dtype,
            "memory_space": space,
            "memory_layout": "None" if host else "Interleaved",
        }
        layout = {"memory_desc": memory} | ({} if strategy is None else {"strategy": strategy})
        return {"global_id": self.count, "desc": {"shape": shape, "layout": layout}}

    def op(self, kind: str, **fields: Any) -> dict[str, Any]:
        self.operations.append({"type_type": kind, "type": fields, "debug_info": f'... loc("{kind}")'})
        return fields.get("out", {})

    def input(self, shape: list[int], dtype: str = "BFloat16", tiled: bool = True) -> dict[str, Any]:
        """An input, brought to the device."""
        given = self.tensor(shape, dtype, "System", tiled=False)
        self.inputs.append(given)
        laid = given
        if tiled:
            laid = self.op(
                "ToLayoutOp", **{"in": given}, layout="Tile", out=self.tensor(shape, dtype, "System")
            )
        return self.op(
            "ToDeviceOp", **{"in": laid}, device={"global_id": 0}, out=self.tensor(shape, dtype, tiled=tiled)
        )

    def output(self, shape: list[int], of: dict[str, Any], dtype: str = "BFloat16") -> list[dict[str, Any]]:
        host = self.op("FromDeviceOp", **{"in": of}, out=self.tensor(shape, dtype, "System"))
        last = self.tensor(shape, dtype, "System", tiled=False)
        return [self.op("ToLayoutOp", **{"in": host}, layout="RowMajor", out=last)]

    def run(
        self, outputs: list[dict[str, Any]], *inputs: Any, strict: bool = False
    ) -> tuple[list[Any], RunReport]:
        return run_program(self.device(), self.prepared(outputs), list(inputs), strict=strict)

    def prepared(self, outputs: list[dict[str, Any]]) -> PreparedProgram:
        """The program, ready to be run."""
        return prepare_program(self._program(outputs))

    def _program(self, outputs: list[dict[str, Any]]) -> dict[str, Any]:
        return {"name": "main", "inputs": self.inputs, "outputs": outputs, "operations": self.operations}

    def device(self) -> SimulatedDevice:
        """All chips of the system."""
        return SimulatedDevice(self.system, list(range(len(self.system.chips))))

    def content(
        self, outputs: list[dict[str, Any]], system: SystemRecord | None = None, mlir: str = ""
    ) -> bytes:
        """The bytes of a ``.ttnn`` file."""
        program = self._program(outputs) | {
            "debug_info": {"mlir": {"name": "ttnn", "source": mlir}, "cpp": ""}
        }
        desc = system_desc_fields(system or self.system)
        return encode(
            schema("TTNN/binary.fbs"), {**version_fields(), "system_desc": desc, "programs": [program]}
        )
