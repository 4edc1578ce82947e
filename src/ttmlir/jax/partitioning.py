"""Functions of JAX over a mesh of devices: the mesh, and the program of one device when arguments are sharded.

``jax.shard_map`` describes the program of one device already. For arguments and values with a ``NamedSharding``,
Shardy, the partitioner of JAX, finds the sharding of every other value, and the communication of the devices.
``jaxlib`` has its passes.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from ttl.diag import TTLWarning
from ttmlir.loaded import CompileError
from ttmlir.transforms.system_desc import MESH_SHAPE

if TYPE_CHECKING:
    from ttmlir.ir import Module

# Default systems, by the largest number of chips of a mesh.
_SYSTEMS = ((1, ""), (2, "n300"), (8, "t3000"), (32, "galaxy"))
_PIPELINE = (
    "builtin.module(sdy-propagation-pipeline,func.func(sdy-insert-explicit-reshards{enable-full-version=true},"
    "sdy-reshard-to-collectives),sdy-convert-global-to-local)"
)
_PLACE = re.compile(r'"([^"]+)":(\d+):\d+')
_PARTITIONED = "tt.partitioned"
_SHARDING = "sdy.sharding"


def partitioned(upstream: Any, name: str) -> Any:
    """Partition an MLIR module with sharded arguments or values into the module of one device; return others unchanged.

    Where Shardy cannot cut an operation, a warning says which, and the module is not partitioned.
    """
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager

    if not _has_shardings(upstream):
        return upstream
    with upstream.context, ir.Location.unknown():
        text = upstream.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
        copy = ir.Module.parse(text)
        _inline_calls(copy)
        try:
            PassManager.parse(_PIPELINE).run(copy.operation)
        except ir.MLIRError as problem:
            warnings.warn(
                f"{name} is not partitioned, and every chip computes all of it: {_reason(problem)}",
                TTLWarning,
                stacklevel=5,
            )
            return upstream
        copy.operation.attributes[_PARTITIONED] = ir.UnitAttr.get()
        return copy


def _reason(problem: Exception) -> str:
    """Return Shardy's message on the first operation that it cannot partition."""
    lines = [line for line in str(problem).splitlines() if "error:" in line] or [str(problem)]
    place = _PLACE.search(lines[0])
    where = "" if place is None else f"{place[1]}:{place[2]}: "
    said = lines[0].rpartition("'stablehlo.")
    return where + ("'stablehlo." + said[2] if said[1] else lines[0].partition("error:")[2].strip())


def _operations(op: Any) -> Any:
    """Yield the operations nested in an operation, at all levels."""
    for region in op.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                yield inner.operation
                yield from _operations(inner.operation)


def _is_function(op: Any) -> bool:
    from jaxlib.mlir.dialects import func

    return isinstance(op.opview, func.FuncOp)


def _is_call(op: Any) -> bool:
    from jaxlib.mlir.dialects import func

    return isinstance(op.opview, func.CallOp)


def _has_shardings(module: Any) -> bool:
    """Whether arguments, results or values are sharded outside of manual computations."""
    for op in _operations(module.operation):
        if op.name == "sdy.sharding_constraint":
            return True
        if not _is_function(op):
            continue
        for listed in ("arg_attrs", "res_attrs"):
            if listed in op.attributes and any(_SHARDING in one for one in op.attributes[listed]):
                return True
    return False


def _inline_calls(module: Any) -> None:
    """Inline all calls: Shardy's last pass does not update the types of calls."""
    functions = {
        op.operation.attributes["sym_name"].value: op.operation
        for op in module.body.operations
        if _is_function(op.operation)
    }
    waiting = [op for op in _operations(module.operation) if _is_call(op)]
    while waiting:
        call = waiting.pop()
        copy = functions[call.attributes["callee"].value].clone()
        block = copy.regions[0].blocks[0]
        for argument, operand in zip(block.arguments, call.operands, strict=True):
            argument.replace_all_uses_with(operand)
        *body, last = list(block.operations)
        for inner in body:
            inner.operation.move_before(call)
            waiting += [op for op in (inner.operation, *_operations(inner.operation)) if _is_call(op)]
        for result, value in zip(call.results, last.operation.operands, strict=True):
            result.replace_all_uses_with(value)
        call.erase()
        copy.erase()
    for name, function in functions.items():
        attributes = function.attributes
        private = "sym_visibility" in attributes and attributes["sym_visibility"].value == "private"
        if name != "main" and private:
            function.erase()


def options_for_mesh(module: Module, options: str) -> str:
    """Return the pipeline options for a module with a mesh: if no system is named, they name one with that mesh.

    Raises ``CompileError`` if no known system has so many chips.
    """
    from xdsl.dialects.builtin import DenseArrayBase

    shape = module.operation.xdsl.attributes.get(MESH_SHAPE)
    if not isinstance(shape, DenseArrayBase) or "system-desc-path" in options:
        return options
    rows, columns = (int(extent) for extent in shape.get_values())
    name = next((name for most, name in _SYSTEMS if rows * columns <= most), None)
    if name is None:
        raise CompileError(
            f"the function is for a mesh of {rows}x{columns} chips, and the largest system that is known by name has "
            f"{_SYSTEMS[-1][0]}: give options='system-desc-path=...' with a description of yours"
        )
    return f"{options} system-desc-path={name}".strip() if name else options


__all__ = ["options_for_mesh", "partitioned"]
