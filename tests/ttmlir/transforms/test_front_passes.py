"""The passes in front of the conversion to TTNN: what they cost, what they share, and that each of their rules has a test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from support.shell import Shell, run_lines
from support.ttmlir_programs import A, compiled, function, operation
from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.enums import OperandConstraint
from tt_model.layouts.known_systems import default_system
from tt_model.operations.dialects import DIALECTS
from tt_model.operations.operation import RowOperation
from ttl.ir.context import ToolContext, make_context
from ttl.ir.failure import NotLegalized
from ttl.ir.parser import parse_text
from ttmlir.opt.main import TTMLIR_OPT
from ttmlir.transforms import (
    canonicalize,
    common_subexpressions,
    decomposition,
    greedy,
    inline,
    remove_dead_values,
    symbols,
    system_desc,
    ttnn_layout,
    windows,
)
from ttmlir.transforms.decomposition import DecomposeTTIR
from ttmlir.transforms.inline import InlineCalls
from ttmlir.transforms.model_memory import memory_needs
from ttmlir.transforms.remove_dead_values import RemoveDeadValues
from ttmlir.transforms.system_desc import ImplicitDevice, LoadSystemDesc
from ttmlir.transforms.ttnn_layout import TTNNLayoutPass

LIT = Path(__file__).parents[1] / "lit"
SHELL = Shell({"ttmlir-opt": TTMLIR_OPT.run})
FRONT: tuple[ModulePass, ...] = (
    DecomposeTTIR(),
    InlineCalls(),
    LoadSystemDesc(),
    ImplicitDevice(),
    TTNNLayoutPass(),
    RemoveDeadValues(),
)


def read(text: str) -> tuple[ToolContext, ModuleOp]:
    context = make_context(DIALECTS)
    return context, parse_text(context, text, "test.mlir")


def chain(length: int) -> str:
    """A function in which operations with constants follow each other, half of it in a private function."""
    type = "tensor<64x64xbf16>"
    lines = []
    value = "%x"
    for step in range(length):
        lines.append(f"  %e{step} = tensor.empty() : {type}")
        lines.append(
            f'  %c{step} = "ttir.constant"() <{{value = dense<{step % 7}.0> : {type}}}> : () -> {type}'
        )
        lines.append(
            f'  %v{step} = "ttir.add"({value}, %c{step}, %e{step}) <{{operandSegmentSizes = array<i32: 2, 1>, '
            f"operand_constraints = [#any, #any, #any]}}> : ({type}, {type}, {type}) -> {type}"
        )
        value = f"%v{step}"
    body = "\n".join(lines)
    return f"""
#any = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device>
func.func private @half(%x: {type}) -> {type} {{
{body}
  return {value} : {type}
}}
func.func @whole(%y: {type}) -> {type} {{
  %x = call @half(%y) : ({type}) -> {type}
{body}
  return {value} : {type}
}}
"""


def calls_of(work: Callable[[], None]) -> int:
    """How many functions of Python were called: what work costs, the same every time."""
    count = 0

    def see(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("one", FRONT, ids=lambda one: one.name)
def test_the_cost_of_a_pass_grows_as_the_module(one: ModulePass) -> None:
    def cost(length: int) -> int:
        context, module = read(chain(length))
        for earlier in FRONT[: FRONT.index(one)]:
            earlier.apply(context, module)
        return calls_of(lambda: one.apply(context, module))

    cost(10)  # what is kept of it between runs is made
    small, large = cost(40), cost(160)
    # Four times the module; what does not depend on it makes the ratio smaller.
    assert large <= 4.4 * small + 500


def reshapes(length: int) -> str:
    """A function in which every result lies in the pages that its operand lies in."""
    shapes = [("64x32xf32", "64 : i32, 32 : i32"), ("32x64xf32", "32 : i32, 64 : i32")] * length
    body = "".join(
        operation(f"%{step + 1}", "reshape", f"%{step}", [shapes[step][0]], shape, A, f"shape = [{extents}]")
        for step, (shape, extents) in enumerate(shapes[1 : length + 1])
    )
    body = operation("%0", "relu", "%x", [shapes[0][0]], shapes[0][0], A) + body
    return function(f"%x: tensor<{shapes[0][0]}>", shapes[length][0], body, f"%{length}")


def test_the_cost_of_the_pipeline_grows_as_a_chain_of_operations_in_the_pages_of_their_operands() -> None:
    def cost(length: int) -> int:
        def whole() -> None:
            assert memory_needs(compiled(reshapes(length)))

        return calls_of(whole)

    cost(10)
    small, large = cost(60), cost(240)
    assert large <= 4.4 * small


def test_equal_layouts_are_one_object() -> None:
    context, module = read(chain(20))
    for one in FRONT:
        one.apply(context, module)
    encodings = {
        id(value.type.encoding): value.type.encoding
        for op in module.walk()
        for value in op.results
        if isinstance(value.type, TensorType)
    }
    assert len(encodings) == len(set(encodings.values())) == 2


def test_nothing_is_changed_where_something_is_refused() -> None:
    text = (LIT / "decomposition" / "decomposition_negative.mlir").read_text(encoding="utf-8")
    context, module = read(text)
    before = str(module)
    with pytest.raises(NotLegalized) as refused:
        DecomposeTTIR().apply(context, module)
    assert len(refused.value.reports) == 6
    assert str(module) == before


# Negative controls: with a rule taken out, a test of it fails.

Defect = Callable[[pytest.MonkeyPatch], None]


def _set(target: Any, name: str, value: Any) -> Defect:
    return lambda patch: patch.setattr(target, name, value)


def _without_decomposition(kind: type[RowOperation]) -> Defect:
    def unchanged(op: RowOperation, emission: Any) -> list[SSAValue]:
        return [op.inits[0] if op.inits else op.operands[0]]

    stages = decomposition.DECOMPOSITIONS, decomposition.CONDITIONS

    def defect(patch: pytest.MonkeyPatch) -> None:
        for stage, own in zip(stages, (unchanged, None), strict=True):
            of = stage.of
            patch.setattr(stage, "of", lambda wanted, of=of, own=own: own if wanted is kind else of(wanted))

    return defect


def _constants_stay(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(greedy, "_insert_at_start", lambda op, block: block.add_op(op))


def _places_stay(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(inline, "_place_at_call", lambda op, call, places: None)


def _every_operand(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ttnn_layout, "_operands_to_place", lambda op: range(len(op.operands)))


def _tiles_always(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(OperandConstraint, "is_tiled", property(lambda constraint: True))


def _spread_nothing(patch: pytest.MonkeyPatch) -> None:
    real = OperandConstraint.memory_layout
    patch.setattr(
        OperandConstraint, "memory_layout", property(lambda constraint: real.fget(OperandConstraint.DRAM))
    )


def _nothing_to_the_host(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ttnn_layout._Placement, "_match", lambda placement, op, types: None)


def _one_constant(patch: pytest.MonkeyPatch) -> None:
    real = ttnn_layout._Placement._constant

    def taking_all(placement: Any, op: Any, position: int, type: Any, owner: Any) -> None:
        placement._origins.pop(owner, None)
        real(placement, op, position, type, owner)

    patch.setattr(ttnn_layout._Placement, "_constant", taking_all)


def _arguments_are_written_to(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ttnn_layout, "_is_row_major_on_device", lambda type: False)


def _names_stay(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ttnn_layout._Placement, "_named", lambda placement, place, position: place)


@pytest.mark.parametrize(
    ("file", "defect"),
    [
        ("canonicalize/canonicalize", _constants_stay),
        ("inline/inline", _set(greedy, "erase_unused", lambda root: False)),
        ("canonicalize/canonicalize", _set(canonicalize, "_has_foreign_forms", lambda root: False)),
        ("inline/inline", _places_stay),
        ("inline/inline", _set(inline, "_callees_first", lambda calls: (list(calls), set(calls)))),
        ("inline/inline", _set(inline._Inliner, "_erase_unused", lambda inliner: None)),
        (
            "remove-dead-values/remove_dead_values",
            _set(remove_dead_values, "erase_unused", lambda root: False),
        ),
        (
            "remove-dead-values/remove_dead_values",
            _set(remove_dead_values, "_private_functions", lambda module: {}),
        ),
        ("cse/cse", _set(common_subexpressions, "_is_written", lambda value: False)),
        ("cse/cse", _set(common_subexpressions, "_merge", lambda op, scope, dead: None)),
        ("symbol-dce/symbol_dce", _set(symbols, "_sweep", lambda module: None)),
        (
            "system-desc/load_system_desc",
            _set(system_desc, "_described", lambda module, path: default_system()),
        ),
        (
            "implicit-device/implicit_device",
            _set(
                system_desc,
                "DeviceRecord",
                type("OneChip", (), {"of": lambda desc, mesh: DeviceRecord.of(desc, ())}),
            ),
        ),
        *[
            (f"decomposition/{kind.ROW.mnemonic}", _without_decomposition(kind))
            for kind in decomposition.DECOMPOSITIONS.kinds
        ],
        ("decomposition/output_layout", _set(windows, "exchanges_of", lambda current, wanted: [])),
        ("decomposition/decomposition_negative", _set(DecomposeTTIR, "apply", lambda one, ctx, op: None)),
        ("ttnn-layout/multiply", _tiles_always),
        ("ttnn-layout/multiply", _nothing_to_the_host),
        ("ttnn-layout/conv2d", _every_operand),
        ("ttnn-layout/constants", _constants_stay),
        ("ttnn-layout/constants", _set(ttnn_layout, "TTIRConstantOp", type(None))),
        ("ttnn-layout/constraints", _spread_nothing),
        ("ttnn-layout/locations", _names_stay),
        ("ttnn-layout/shared", _arguments_are_written_to),
        ("ttnn-layout/functions", _nothing_to_the_host),
        ("ttnn-layout/ttnn_layout_negative", _set(ttnn_layout, "_problems", lambda module, types: iter(()))),
    ],
)
def test_without_a_rule_a_test_of_it_fails(
    file: str, defect: Defect, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = LIT / f"{file}.mlir"
    assert _holds(path, tmp_path)
    defect(monkeypatch)
    assert not _holds(path, tmp_path)


def _holds(path: Path, tmp_path: Path) -> bool:
    lines = [line.replace("%s", str(path)).replace("%t", str(tmp_path / "t")) for line in run_lines(path)]
    return all(SHELL.run(line).status == 0 for line in lines)
