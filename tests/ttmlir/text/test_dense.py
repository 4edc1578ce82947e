"""Tables of elements: one value repeated is kept once, and texts mean what they mean to MLIR."""

from __future__ import annotations

import io
import shutil
import subprocess

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32

from ttl.ir.context import make_context
from ttl.ir.dense import count_of, dense, is_splat, values_of
from ttl.ir.parser import parse_text
from ttmlir.ir import Context, DenseElementsAttr, F32Type, RankedTensorType
from ttmlir.opt.main import TTMLIR_OPT

MLIR_OPT = shutil.which("mlir-opt", path="/usr/lib/llvm-19/bin")
GENERIC = ["--allow-unregistered-dialect"]

TABLES = [
    "dense<1.0> : tensor<8192x8192xbf16>",
    "dense<1.0> : tensor<10000000x10000000xf32>",
    "dense<[1.0, 1.0]> : tensor<2xf32>",
    "dense<[0.0, -0.0]> : tensor<2xf32>",
    "dense<[[1, 1], [1, 1]]> : tensor<2x2xi32>",
    "dense<1.0> : tensor<0xf32>",
    "dense<> : tensor<0xf32>",
    "dense<[[], []]> : tensor<2x0xf32>",
    "dense<true> : tensor<i1>",
    "dense<-1> : tensor<4xi1>",
    "dense<255> : tensor<3xi8>",
    "dense<0x7FC00000> : tensor<2xf32>",
    "dense<[0xFF800000, 1.0]> : tensor<2xf32>",
    "dense<0xFF80> : tensor<4xbf16>",
    """dense<"0x0000803F"> : tensor<4xf32>""",
    """dense<"0x0000803F00000040"> : tensor<2xf32>""",
    """dense<"0xFF"> : tensor<9xi1>""",
    """dense<"0xFE01"> : tensor<9xi1>""",
    """dense<"0x01"> : tensor<8xi1>""",
    """dense<"0x"> : tensor<0xf32>""",
    "dense<[(1.0, 2.0), (1.0, 2.0)]> : tensor<2xcomplex<f32>>",
]

REFUSED = [
    """dense<"0xFFFFFF"> : tensor<9xi1>""",
    """dense<"0xFFF"> : tensor<9xi1>""",
    """dense<"FFF"> : tensor<9xi1>""",
    "dense<[1, 2, 3]> : tensor<2xi32>",
    "dense<> : tensor<2xi32>",
    "dense<300> : tensor<2xi8>",
    "dense<-129> : tensor<3xi8>",
    "dense<1.0> : tensor<2xi8>",
    "dense<1> : tensor<2xf32>",
    "dense<true> : tensor<3xf32>",
    "dense<-1> : tensor<2xui8>",
    "dense<true> : tensor<2xi8>",
    "dense<-0x00> : tensor<3xf32>",
    "dense<0x1FFFFFFFF> : tensor<3xf32>",
    "dense<1.0> : tensor<?xf32>",
    "dense<1.0> : f32",
    "dense<9223372036854775808> : tensor<3xindex>",
]


def _run(text: str, flags: list[str]) -> tuple[int, str, str]:
    printed, problems = io.StringIO(), io.StringIO()
    status = TTMLIR_OPT.run(["-", *flags], io.StringIO(text), printed, problems)
    return status, printed.getvalue(), problems.getvalue()


def _module(tables: list[str]) -> str:
    return "".join(f'"t.c"() {{v = {table}}} : () -> ()\n' for table in tables)


@pytest.mark.mlir
@pytest.mark.skipif(MLIR_OPT is None, reason="no mlir-opt of LLVM 19")
def test_tables_are_read_and_printed_as_mlir_does() -> None:
    text = _module(TABLES)
    expected = subprocess.run(
        [MLIR_OPT, *GENERIC], input=text, capture_output=True, text=True, check=True
    ).stdout
    status, printed, problems = _run(text, GENERIC)
    assert (status, problems, printed.rstrip()) == (0, "", expected.rstrip())
    assert _run(expected, GENERIC)[1] == printed


@pytest.mark.mlir
@pytest.mark.skipif(MLIR_OPT is None, reason="no mlir-opt of LLVM 19")
def test_tables_are_refused_as_mlir_does() -> None:
    for table in REFUSED:
        text = _module([table])
        expected = subprocess.run([MLIR_OPT, *GENERIC], input=text, capture_output=True, text=True).stderr
        status, _, problems = _run(text, GENERIC)
        assert (status, problems.splitlines()[0]) == (1, expected.splitlines()[0])


def test_a_splat_takes_the_bytes_of_one_element_through_the_whole_pipeline() -> None:
    text = """
    func.func @f(%arg0: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
      %0 = "ttir.constant"() <{value = dense<2.0> : tensor<8192x8192xbf16>}> : () -> tensor<8192x8192xbf16>
      return %0 : tensor<8192x8192xbf16>
    }"""
    module = parse_text(make_context(TTMLIR_OPT.dialects), text)
    (constant,) = (op for op in module.walk() if op.name == "ttir.constant")
    value = constant.properties["value"]
    assert (len(value.data.data), count_of(value)) == (2, 8192 * 8192)
    status, printed, problems = _run(text, ["--ttir-to-ttnn-backend-pipeline"])
    assert (status, problems) == (0, "")
    assert '"ttnn.full"' in printed and "fillValue = 2.000000e+00 : f32" in printed


def test_two_spellings_of_a_splat_are_one_attribute() -> None:
    with Context():
        type = RankedTensorType.get([2, 2], F32Type.get())
        ways = [
            DenseElementsAttr.parse("dense<1.5> : tensor<2x2xf32>"),
            DenseElementsAttr.parse("dense<[[1.5, 1.5], [1.5, 1.5]]> : tensor<2x2xf32>"),
            DenseElementsAttr.parse('dense<"0x0000C03F"> : tensor<2x2xf32>'),
            DenseElementsAttr.parse('dense<"0x0000C03F0000C03F0000C03F0000C03F"> : tensor<2x2xf32>'),
            DenseElementsAttr.get(np.full((2, 2), 1.5, np.float32)),
        ]
        assert all(way == ways[0] and hash(way) == hash(ways[0]) for way in ways)
        own = np.array(ways[0])
        own[0, 0] = 7.0  # an array of the caller's own
        assert list(ways[4]) == [1.5] * 4 and ways[0][3] == 1.5
        with pytest.raises(IndexError):
            ways[0][4]
        for count in (3, 5):
            with pytest.raises(ValueError, match=f"expected 4 elements .* but got {count}"):
                DenseElementsAttr.get(np.full(count, 1.5, np.float32), type=type)


def test_zeros_of_two_signs_are_no_splat() -> None:
    table = dense(TensorType(f32, [2]), [0.0, -0.0])
    assert not is_splat(table) and values_of(table) == (0.0, -0.0)
