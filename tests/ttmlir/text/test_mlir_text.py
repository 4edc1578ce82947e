"""What is printed is what MLIR prints: compared with ``mlir-opt`` of LLVM, byte for byte where it knows the dialects.

It is looked for in PATH, in ``TTL_MLIR_OPT`` and where Debian's ``mlir-19-tools`` puts it; where there is none, what needs it
is skipped.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FloatAttr, bf16, f16, f32, f64

from ttl.ir.assembly import Style
from ttl.ir.context import make_context
from ttl.ir.literals import float_text
from ttl.ir.mlir_text import print_alone, print_as_mlir, print_operation
from ttl.ir.parser import parse_text
from ttmlir.bindings.printing import attribute_text, value_name
from ttmlir.opt.main import TTMLIR_OPT

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").glob("*.mlir"))
FLAGS = {
    "": Style(),
    "--mlir-print-op-generic": Style(generic=True),
    "--mlir-print-debuginfo": Style(locations=True),
    "--mlir-print-local-scope": Style(local_scope=True),
    "--mlir-elide-elementsattrs-if-larger=1": Style(elide_from=1),
}
DEBIAN = "/usr/lib/llvm-19/bin/mlir-opt"
MLIR_OPT = (
    os.environ.get("TTL_MLIR_OPT") or shutil.which("mlir-opt") or (DEBIAN if Path(DEBIAN).exists() else None)
)
needs_mlir = pytest.mark.skipif(MLIR_OPT is None, reason="no mlir-opt")

LAYERS = """
#any_device = #tt.operand_constraint<any_device>
func.func @main(%arg0: tensor<64x128xbf16>, %arg1: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
  %0 = tensor.empty() : tensor<64x128xbf16>
  %1 = "ttir.subtract"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %1 : tensor<64x128xbf16>
}
"""


def mlir_opt(text: str, *flags: str) -> str:
    assert MLIR_OPT is not None
    done = subprocess.run(
        [MLIR_OPT, "--allow-unregistered-dialect", *flags],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ours(text: str, *flags: str) -> str:
    output, errors = io.StringIO(), io.StringIO()
    status = TTMLIR_OPT.run(["--allow-unregistered-dialect", *flags], io.StringIO(text), output, errors)
    assert status == 0, errors.getvalue()
    return output.getvalue()


@pytest.mark.mlir
@needs_mlir
@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_text_is_that_of_mlir_opt(path: Path, flag: str) -> None:
    text = path.read_text(encoding="utf-8")
    # Locations name the input.
    wanted = mlir_opt(text, *([flag] if flag else [])).replace('"<stdin>"', '"-"').replace('"-"', '"<stdin>"')
    assert ours(text, *([flag] if flag else [])) == wanted


@pytest.mark.mlir
@needs_mlir
def test_numbers_are_those_of_mlir_opt() -> None:
    numbers = random.Random(7)
    lines, texts = [], []
    for type, name in ((f32, "f32"), (f64, "f64"), (f16, "f16"), (bf16, "bf16")):
        for _ in range(300):
            number = numbers.uniform(-10, 10) * 10.0 ** numbers.randint(-4, 3 if type is f16 else 12)
            value = FloatAttr(number, type).value.data
            raw = int.from_bytes(type.pack((value,)), "little")
            lines.append(f'"x.y"() {{a = 0x{raw:X} : {name}}} : () -> ()')
            texts.append(f"a = {float_text(value, type)} : {name}".removesuffix(" : f64") + "}")
    printed = [line for line in mlir_opt("\n".join(lines)).splitlines() if "x.y" in line]
    assert len(printed) == len(texts)
    wrong = [(text, line) for text, line in zip(texts, printed) if text not in line.replace(" : f64}", "}")]
    assert wrong == []


@pytest.mark.mlir
@needs_mlir
@pytest.mark.parametrize("flags", [(), ("--mlir-print-op-generic",), ("--mlir-print-debuginfo",)])
@pytest.mark.parametrize("passes", [(), ("--ttir-to-ttnn-backend-pipeline",)])
def test_modules_are_read_by_mlir_opt_and_come_back(flags: tuple[str, ...], passes: tuple[str, ...]) -> None:
    printed = ours(LAYERS, *passes, *flags)
    assert mlir_opt(printed, *flags)
    # It keeps attributes of dialects that it does not know as text, also aliases in them: spelled out they come back.
    again = mlir_opt(ours(LAYERS, *passes, *flags, "--mlir-print-local-scope"), *flags)
    assert ours(again, *flags) == printed


@pytest.mark.parametrize("style", FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_is_printed_is_printed_the_same_when_it_is_read_again(
    path: Path, style: Style, request: pytest.FixtureRequest
) -> None:
    if path.stem == "loops" and style.locations:
        gap = "xDSL's affine.for reads no location of its variable"
        request.applymarker(pytest.mark.xfail(reason=gap, strict=True))

    def printed(text: str) -> str:
        context = make_context({}, allow_unregistered=True)
        return print_as_mlir(parse_text(context, text, "f.mlir"), style, context)

    once = printed(path.read_text(encoding="utf-8"))
    if style.elide_from is None:
        assert printed(once) == once


def test_an_operation_alone_has_no_aliases_and_the_names_of_its_function() -> None:
    context = make_context(TTMLIR_OPT.dialects)
    module = parse_text(context, LAYERS, "f.mlir")
    subtract = next(op for op in module.walk() if op.name == "ttir.subtract")
    text = print_alone(subtract, Style())
    assert text.startswith('%1 = "ttir.subtract"(%arg0, %arg1, %0) <{')
    assert "#any_device" not in text and "#tt.operand_constraint<dram|l1|" in text
    empty = next(op for op in module.walk() if op.name == "tensor.empty")
    assert print_operation(empty, Style(locations=True)).endswith('loc("f.mlir":4:8)')
    assert value_name(subtract.results[0]) == "%1" and value_name(subtract.operands[1]) == "%arg1"
    assert attribute_text(subtract.results[0].type) == "tensor<64x128xbf16>"


def test_a_constant_of_one_value_is_printed_as_one() -> None:
    text = '"t.c"() {a = dense<1.0> : tensor<4096x1024xf32>, b = dense<[2, 2]> : tensor<2xi8>} : () -> ()'
    printed = ours(text)
    assert "a = dense<1.000000e+00> : tensor<4096x1024xf32>, b = dense<2> : tensor<2xi8>" in printed
