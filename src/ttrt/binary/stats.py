"""The operations of a binary, in the format of the CI's statistics."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tt_model.binaries.binary import Binary


def collect_op_stats(bin: Binary) -> list[dict[str, Any]]:
    """One entry for each operation, or command, of the first program: its name, inputs, outputs, attributes."""
    programs = bin.programs
    if not programs:
        return []
    operations = [_entry(operation) for operation in programs[0].get("operations", [])]
    return operations + [_entry(command, "ttmetal") for command in commands_of(programs[0])]


def commands_of(program: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the commands of a TTMetal program, in the order of the file; empty for a TTNN program."""
    return [
        command
        for device in program.get("device_programs", [])
        for queue in device.get("command_queues", [])
        for command in queue.get("commands", [])
    ]


def construct_op_stats_json(frontend: str, model: str, bin: Binary) -> str:
    """The entries with the names of the frontend and the model, as JSON."""
    return json.dumps({"frontend": frontend, "model": model, "ops": collect_op_stats(bin)}, indent=2)


def _entry(operation: Mapping[str, Any], dialect: str = "ttnn") -> dict[str, Any]:
    fields = operation.get("type", {})
    inputs, outputs = [], []
    for name, value in fields.items():
        tensors = value if isinstance(value, list) else [value]
        references = [tensor for tensor in tensors if isinstance(tensor, dict) and "desc" in tensor]
        if name == "operands":  # of a command with kernels: the last operand is written
            inputs += [_tensor(tensor) for tensor in references[:-1]]
            outputs += [_tensor(tensor) for tensor in references[-1:]]
        elif name.startswith("out") or name == "dst":
            outputs += [_tensor(tensor) for tensor in references]
        else:
            inputs += [_tensor(tensor) for tensor in references]
    attributes = {
        name: value for name, value in fields.items() if isinstance(value, int | float | str | bool)
    }
    return {
        "op_name": f"{dialect}.{_snake(operation.get('type_type', 'None'))}",
        "framework_op_name": "",
        "dialect_op_name": "",
        "ttir_op_name": "",
        "inputs": inputs,
        "outputs": outputs,
        "attributes": attributes,
    }


def _snake(name: str) -> str:
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Op").removesuffix("Command"))
    return words.lower()


def _tensor(reference: Mapping[str, Any]) -> dict[str, Any]:
    desc = reference["desc"]
    layout = desc.get("layout", {})
    memory = layout.get("memory_desc", {})
    return {
        "shape": desc.get("shape", []),
        "data_type": memory.get("data_type"),
        "memory_space": memory.get("memory_space"),
        "memory_layout": memory.get("memory_layout"),
        "core_range_set": layout.get("core_range_set", []),
    }
