"""C++ of ``emitc``: what ``mlir-translate`` of LLVM 19 prints, whole texts, and what it does not print.

Where they differ on purpose: LLVM 19 ends a statement with braces, or C++ as it is, with a semicolon where it stands in another one;
and it prints a function without a body as one with an empty body.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, SymbolRefAttr, UnitAttr, f32, i32

from support.kernel_programs import generate
from support.metal_kernels import dispatches
from ttl.codegen.emitc.export import export
from ttl.emitc.dialect import emitc
from ttl.emitc.printer import print_cpp
from ttl.ir.context import make_context
from ttl.ir.failure import NotLegalized, NotLowered
from ttl.ir.parser import parse_text
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify
from ttmlir.emitc.kernel_text import emitc_module

MODULES = Path(__file__).parent / "modules"
MLIR_TRANSLATE = shutil.which("mlir-translate-19")
needs_mlir = pytest.mark.skipif(MLIR_TRANSLATE is None, reason="no mlir-translate-19 in PATH")
FUNCTION_WITHOUT_BODY = ("int32_t ext() {\n}\n\n", "int32_t ext(int32_t);\n")


def parsed(text: str) -> ModuleOp:
    module = parse_text(make_context({"emitc": emitc}), text, "module.mlir")
    module.verify()
    return module


def printed_by_mlir(text: str) -> str:
    assert MLIR_TRANSLATE is not None
    done = subprocess.run(
        [MLIR_TRANSLATE, "--mlir-to-cpp", "--split-input-file", "--output-split-marker=//@@"],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return without_empty_statements(done.stdout)


def without_empty_statements(text: str) -> str:
    return re.sub(r"(?m)^( +\}| +.*;| +#pragma x);$", r"\1", text)


@pytest.mark.mlir
@needs_mlir
@pytest.mark.parametrize("name", ["statements", "expressions", "globals"])
def test_it_is_what_mlir_prints(name: str) -> None:
    text = (MODULES / f"{name}.mlir").read_text(encoding="utf-8")
    expected = printed_by_mlir(text).replace(*FUNCTION_WITHOUT_BODY)
    assert print_cpp(parsed(text)) == expected
    # The generic form, in which modules are printed, is the same module.
    assert print_cpp(parsed(print_module(parsed(text)))) == expected


def of_mlir_19(module: ModuleOp) -> str:
    """A module in the form of MLIR 19: variables are used as they are, and what is loaded from one is a call of nothing."""
    text = print_module(module)
    text = re.sub(r'"emitc.load"\(([^)]*)\)', r'"emitc.call_opaque"(\1) <{callee = "loaded"}>', text)
    return re.sub(r"!emitc\.lvalue<((?:[^<>]|<[^<>]*>)*)>", r"\1", text)


@pytest.mark.mlir
@needs_mlir
def test_kernels_of_both_ways_are_printed_as_mlir_prints_them() -> None:
    modules = []
    for seed in range(40):
        try:
            (file,) = export(generate(seed)).ops
        except NotLowered:
            continue
        modules.append(ModuleOp([op.clone() for op in file.regions[0].block.ops]))
    from_tt_lang = len(modules)
    for seed in range(6):
        modules += [
            emitc_module(region.block, config)
            for dispatch in dispatches(seed)
            for region, config in zip(dispatch.regions, dispatch.properties["kernelConfigs"], strict=True)  # type: ignore[call-overload]
        ]
    modules = [module for module in modules if not has_later_forms(module)]
    assert from_tt_lang > 20 and len(modules) > from_tt_lang
    expected = printed_by_mlir("\n// -----\n".join(map(of_mlir_19, modules))).split("//@@\n")
    for module, text in zip(modules, expected, strict=True):
        assert print_cpp(module) == re.sub(r"= loaded\((v\d+)\);", r"= \1;", text)


def has_later_forms(module: ModuleOp) -> bool:
    return any(op.name == "emitc.verbatim" and op.operands for op in module.walk())


@pytest.mark.parametrize(
    ("text", "message", "way_out"),
    [
        (
            "%0 = tensor.empty() : tensor<2xf32>",
            "'tensor.empty' op unable to find printer for op",
            "operations of emitc",
        ),
        (
            '%0 = "emitc.variable"() {value = 1 : i24} : () -> i24',
            "'emitc.variable' op cannot emit type i24",
            "integers of 8, 16, 32 and 64 bits",
        ),
        (
            'emitc.call_opaque "f"() {args = ["text"]} : () -> ()',
            "'emitc.call_opaque' op cannot emit attribute: \"text\"",
            "#emitc.opaque",
        ),
        (
            'emitc.call_opaque "f"() {args = [1 : index]} : () -> ()',
            "'emitc.call_opaque' op has argument 1, and 0 operands",
            "from 0",
        ),
        ("emitc.declare_func @nobody", "'emitc.declare_func' op declares 'nobody'", "the name of one"),
    ],
)
def test_what_has_no_form_is_an_error_at_its_place(text: str, message: str, way_out: str) -> None:
    module = parsed(f"func.func @f() {{\n  {text}\n  return\n}}")
    with pytest.raises(NotLegalized) as refused:
        print_cpp(module)
    (report,) = refused.value.reports
    assert report.message.startswith(message) and report.span is not None and report.span.line == 2
    assert way_out in report.notes[0].message


def test_all_of_it_is_said_and_nothing_printed() -> None:
    module = parsed(
        """
        func.func @f(%a: tensor<?xf32>) {
          %0 = tensor.empty() : tensor<2xf32>
          %1 = "emitc.constant"() {value = 1 : i24} : () -> i24
          "emitc.call_opaque"(%0, %1) {callee = "f"} : (tensor<2xf32>, i24) -> ()
          return
        }
        func.func @g() -> !emitc.array<2xf32> {
          %0 = "emitc.variable"() {value = #emitc.opaque<"">} : () -> !emitc.array<2xf32>
          return %0 : !emitc.array<2xf32>
        }
        """
    )
    with pytest.raises(NotLegalized) as refused:
        print_cpp(module)
    assert [report.message.split("'")[1] for report in refused.value.reports] == ["func.func", "func.func"]


def test_forms_that_came_after_mlir_19() -> None:
    text = """
        func.func @f(%a: i32, %b: !emitc.ptr<i32>, %s: !emitc.lvalue<!emitc.opaque<"S">>) {
          %0 = "emitc.variable"() {value = 3 : i32} : () -> !emitc.lvalue<i32>
          %1 = emitc.load %0 : !emitc.lvalue<i32>
          emitc.verbatim "{{ f({}, {}); }" args %a, %1 : i32, i32
          %2 = emitc.expression %a, %1 : (i32, i32) -> i32 {
            %3 = emitc.add %a, %1 : (i32, i32) -> i32
            yield %3 : i32
          }
          emitc.assign %2 : i32 to %0 : !emitc.lvalue<i32>
          emitc.switch %a : i32
          case 2 {
            emitc.call_opaque "two"() : () -> ()
          }
          default {
          }
          %4 = "emitc.member"(%s) {member = "x"} : (!emitc.lvalue<!emitc.opaque<"S">>) -> !emitc.lvalue<i32>
          emitc.assign %a : i32 to %4 : !emitc.lvalue<i32>
          %5 = emitc.address_of %0 : (!emitc.lvalue<i32>) -> !emitc.ptr<i32>
          return
        }
        emitc.file "other.cpp" {
          emitc.include "other.h"
        }
        """
    module = parsed(text.replace("yield %3", "emitc.yield %3"))
    assert print_cpp(module) == "\n".join(
        (
            "void f(int32_t v1, int32_t* v2, S v3) {",
            "  int32_t v4 = 3;",
            "  int32_t v5 = v4;",
            "  { f(v1, v5); }",
            "  v4 = v1 + v5;",
            "  switch (v1) {",
            "  case 2: {",
            "    two();",
            "    break;",
            "  }",
            "  default: {",
            "    break;",
            "  }",
            "  }",
            "  v3.x = v1;",
            "  int32_t* v6 = &v4;",
            "  return;",
            "}",
            "",
            "",
            "",
        )
    )
    assert '#include "other.h"' in print_cpp(module, file="other.cpp")


@pytest.mark.parametrize("name", ["statements", "expressions", "globals"])
def test_any_module_is_printed_or_refused(name: str) -> None:
    """Attributes of other kinds, attributes that are gone, values of other operations: never anything but a report."""
    module = parsed((MODULES / f"{name}.mlir").read_text(encoding="utf-8"))
    outcomes: Counter[str] = Counter()
    for seed in range(150):
        choice = random.Random(seed)
        changed = module.clone()
        ops = [op for op in changed.walk() if op.name.startswith("emitc.")]
        op = choice.choice(ops)
        results = [result for one in ops for result in one.results]
        if op.operands and choice.random() < 0.4:
            op.operands = [choice.choice(results) for _ in op.operands]
        elif op.properties:
            key = choice.choice(list(op.properties))
            op.properties[key] = choice.choice(
                [StringAttr("x"), IntegerAttr(99, i32), UnitAttr(), f32, SymbolRefAttr("q")]
            )
        if verify(changed):
            continue
        try:
            outcomes["printed" if print_cpp(changed) else "empty"] += 1
        except NotLegalized as refused:
            assert all(report.notes for report in refused.reports)
            outcomes["refused"] += 1
    assert outcomes["refused"] > 5 and outcomes["printed"] > 20
