"""Programs of TTIR as text, and what ``ttmlir-opt`` makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from xdsl.dialects.builtin import ModuleOp

from tt_model.operations.dialects import DIALECTS
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.failure import Remarks
from ttl.ir.parser import parse_text
from ttl.ir.reports import Report
from ttl.ir.verifier import verify
from ttmlir.transforms.pipelines import TTIRToTTNNBackendPipeline

# Constraints of operands: on the device in any layout, and on the device in tiles.
A, T = "#A", "#T"
ALIASES = """#A = #tt.operand_constraint<dram|l1|scalar|tile|any_device>
#T = #tt.operand_constraint<dram|l1|tile|any_device_tile>
"""


def operation(
    result: str,
    mnemonic: str,
    operands: str,
    types: Sequence[str],
    result_type: str,
    constraint: str,
    attributes: str = "",
    *,
    location: str = "",
) -> str:
    """An operation of TTIR and the ``tensor.empty`` that it writes to. Types are without ``tensor<>``."""
    values = operands.split()
    init = f"%init_of_{result[1:]}"
    constraints = ", ".join([constraint] * (len(values) + 1))
    inside = [f"operand_constraints = [{constraints}]"]
    if mnemonic in ELEMENTWISE:
        inside.append(f"operandSegmentSizes = array<i32: {len(values)}, 1>")
    if attributes:
        inside.append(attributes)
    tensors = ", ".join(f"tensor<{type}>" for type in [*types, result_type])
    return (
        f"  {init} = tensor.empty() : tensor<{result_type}>\n"
        f'  {result} = "ttir.{mnemonic}"({", ".join([*values, init])}) <{{{", ".join(inside)}}}> : '
        f"({tensors}) -> tensor<{result_type}>{' ' + location if location else ''}\n"
    )


def _elementwise() -> frozenset[str]:
    from tt_model.operations.ttir import TTIR

    return frozenset(row.mnemonic for row in TTIR.rows if row.segments)


ELEMENTWISE = _elementwise()


def function(arguments: str, result: str, body: str, returned: str, name: str = "f") -> str:
    """A function with one result. ``result`` is its type without ``tensor<>``."""
    return f"func.func @{name}({arguments}) -> tensor<{result}> {{\n{body}  return {returned} : tensor<{result}>\n}}"


def parsed(text: str) -> ModuleOp:
    """A module of the functions in a text, which may use ``#A`` and ``#T``; verified."""
    module = parse_text(make_context(DIALECTS), ALIASES + text, "model.mlir")
    assert verify(module) == []
    return module


def compiled(text: str, pipeline: TTIRToTTNNBackendPipeline | None = None) -> ModuleOp:
    """The module after the pipeline to TTNN, verified after every pass."""
    module = parsed(text)
    context = make_context(DIALECTS)
    for one in (pipeline or TTIRToTTNNBackendPipeline()).passes():
        with suppress(Remarks):
            one.apply(context, module)
        problems: list[Report] = verify(module)
        assert problems == [], f"after {one.name}: {problems}"
    return module


def refused(text: str, pipeline: TTIRToTTNNBackendPipeline | None = None) -> list[Report]:
    """What the pipeline to TTNN refuses of a module."""
    passes = (pipeline or TTIRToTTNNBackendPipeline()).passes()
    driver = Driver(DIALECTS, passes, Options(), Timing(), lambda _: None)
    return list(driver.run(ALIASES + text, "model.mlir").reports)
