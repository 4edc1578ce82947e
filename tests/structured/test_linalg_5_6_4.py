"""Block mathematics as ``linalg.generic`` (seed 002, sections 5.6.3 to 5.6.6), judged by MLIR's own tools.

Thirty kernels become functions of ``linalg.generic``. Debian's ``mlir-opt-19`` checks them, generalises, canonicalises and lowers them to
loops and to LLVM, and ``mlir-cpu-runner-19`` runs the result: its values are those of the arithmetic of the rows, which
the simulator computes with. The way back is compiled for the chip, and computes the same.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from passes.executed import compare
from support.block_kernels import Author
from support.ir_execution import block_results, kernel_results, operation_of, types_of
from support.random_programs.kernels import make
from ttl.analysis.dominance import outermost, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.structured import StructuredCallOp
from ttl.dialects.text import context, parse_module
from ttl.ir.failure import NotLegalized, NotLowered
from ttl.ir.printer import print_module
from ttl.ir.reports import InvalidIR
from ttl.ir.verifier import require_valid
from ttl.passes.assign_dst import AssignDst
from ttl.passes.buffers.blocks import name_of
from ttl.passes.pipeline import pipeline
from ttl.passes.structured.from_linalg import FromLinalg
from ttl.passes.structured.scalars import DEFINED, SINGLE
from ttl.passes.structured.to_linalg import ToLinalg, memref_of
from ttl.rows.dtypes import BFLOAT16, FLOAT32, DType
from ttl.rows.types import TILE

OPT, RUNNER = shutil.which("mlir-opt-19"), shutil.which("mlir-cpu-runner-19")
needs_mlir = pytest.mark.skipif(
    OPT is None or RUNNER is None, reason="mlir-opt-19 or mlir-cpu-runner-19 is not installed"
)
SIMPLIFIED = ("--linalg-generalize-named-ops", "--canonicalize", "--cse")
TO_LLVM = (
    "--inline", "--convert-linalg-to-loops", "--canonicalize", "--cse", "--convert-scf-to-cf", "--arith-expand=include-bf16",
    "--convert-math-to-llvm", "--convert-math-to-libm", "--expand-strided-metadata", "--lower-affine",
    "--finalize-memref-to-llvm", "--convert-arith-to-llvm", "--convert-index-to-llvm", "--convert-func-to-llvm",
    "--convert-cf-to-llvm", "--reconcile-unrealized-casts",
)  # fmt: skip

Value = SSAValue


@dataclass(frozen=True)
class Kernel:
    """What a kernel computes of the values of its buffers, which have these shapes and types."""

    compute: Callable[..., Value]
    shapes: Sequence[tuple[int, ...]]
    dtypes: Sequence[DType] = (FLOAT32,)
    result: DType = FLOAT32


def repeated(a: Author, value: Value, dims: Sequence[int], shape: Sequence[int]) -> Value:
    return a.apply("broadcast", value, dims=tuple(dims), shape=tuple(shape))


def softmax(a: Author, x: Value) -> Value:
    largest = a.apply("reduce_max", x, dims=(-1,), shape=(2, 1))
    powers = a.apply("exp", a.apply("sub", x, repeated(a, largest, [-1], (2, 3))))
    total = a.apply("reduce_sum", powers, dims=(-1,), shape=(2, 1))
    return a.apply("mul", powers, repeated(a, a.apply("recip", total), [-1], (2, 3)))


def dense_layer(a: Author, x: Value, w: Value, bias: Value) -> Value:
    product = a.apply("matmul", x, w)
    return a.apply("relu", a.apply("add", product, repeated(a, bias, [-2], (2, 3))))


def unary(row: str, **params: Any) -> Callable[..., Value]:
    return lambda a, x: a.apply(row, x, **params)


def binary(row: str) -> Callable[..., Value]:
    return lambda a, x, y: a.apply(row, x, y)


TWO = ((2, 3), (2, 3))
KERNELS: dict[str, Kernel] = {
    "chain": Kernel(lambda a, x, y, z: a.apply("exp", a.apply("mul", a.apply("add", x, y), z)), [(2, 3)] * 3),
    "chain in bfloat16": Kernel(
        lambda a, x, y: a.apply("mul", a.apply("add", x, y), 0.5), TWO, (BFLOAT16,), BFLOAT16
    ),
    "wide and narrow": Kernel(binary("sub"), TWO, (FLOAT32, BFLOAT16), BFLOAT16),
    "column": Kernel(lambda a, x, y: a.apply("mul", x, repeated(a, y, [-1], (2, 3))), [(2, 3), (2, 1)]),
    "row": Kernel(lambda a, x, y: a.apply("add", x, repeated(a, y, [-2], (2, 3))), [(2, 3), (1, 3)]),
    "scalar": Kernel(lambda a, x, y: a.apply("sub", x, repeated(a, y, [-2, -1], (2, 3))), [(2, 3), (1, 1)]),
    "transpose": Kernel(lambda a, x, y: a.apply("add", a.apply("transpose", x), y), [(3, 2), (2, 3)]),
    "product": Kernel(binary("matmul"), [(2, 3), (3, 2)]),
    "product in bfloat16": Kernel(binary("matmul"), [(2, 3), (3, 2)], (BFLOAT16,), BFLOAT16),
    "product of one tile": Kernel(binary("matmul"), [(2, 1), (1, 2)]),
    "product with the transposed": Kernel(
        lambda a, x, y: a.apply("matmul", x, a.apply("transpose", y)), [(2, 3), (2, 3)]
    ),
    "product onto": Kernel(lambda a, x, y, z: a.apply("add", z, a.apply("matmul", x, y)), [(2, 3), (3, 2), (2, 2)]),
    "layer": Kernel(dense_layer, [(2, 2), (2, 3), (1, 3)]),
    "sum of rows": Kernel(unary("reduce_sum", dims=(-1,), shape=(2, 1)), [(2, 3)], (BFLOAT16,)),
    "sum of columns": Kernel(unary("reduce_sum", dims=(-2,), shape=(1, 3)), [(2, 3)], (BFLOAT16,)),
    "sum of all": Kernel(unary("reduce_sum", dims=(-2, -1), shape=(1, 1)), [(2, 3)], (BFLOAT16,)),
    "maximum of rows": Kernel(unary("reduce_max", dims=(-1,), shape=(2, 1)), [(2, 3)], (BFLOAT16,)),
    "maximum of columns": Kernel(unary("reduce_max", dims=(-2,), shape=(1, 3)), [(2, 3)], (BFLOAT16,)),
    "sum of wide rows": Kernel(unary("reduce_sum", dims=(-1,), shape=(2, 1)), [(2, 3)]),
    "sum of tiles": Kernel(unary("reduce_sum", dims=(-3,), shape=(1, 2, 3)), [(4, 2, 3)]),
    "softmax": Kernel(softmax, [(2, 3)], (BFLOAT16,)),
    "gelu": Kernel(unary("gelu"), [(2, 3)]),
    "silu": Kernel(unary("silu"), [(2, 3)]),
    "sigmoid and tanh": Kernel(lambda a, x: a.apply("tanh", a.apply("sigmoid", x)), [(2, 3)]),
    "clamp": Kernel(unary("clamp", min=-1.5, max=2.0), [(2, 3)]),
    "leaky relu": Kernel(unary("leaky_relu", slope=0.25), [(2, 3)]),
    "choice": Kernel(
        lambda a, x, y: a.apply("where", a.apply("lt", x, y), x, y), TWO
    ),
    "filled": Kernel(lambda a, x: a.apply("max", x, a.fill(0.75, (2, 3))), [(2, 3)]),
    "root": Kernel(lambda a, x: a.apply("rsqrt", a.apply("add", a.apply("square", x), 1.0)), [(2, 3)]),
    "three dimensions": Kernel(binary("mul"), [(2, 1, 3), (2, 1, 3)]),
}  # fmt: skip


def made(name: str) -> ModuleOp:
    """The kernel as IR."""
    kernel = KERNELS[name]
    author = Author()
    blocks = [
        author.wait(author.dfb(f"in{at}", shape, kernel.dtypes[at % len(kernel.dtypes)]))
        for at, shape in enumerate(kernel.shapes)
    ]
    value = kernel.compute(author, *(author.read(block) for block in blocks))
    assert isinstance(value.type, type(author.read(blocks[0]).type))
    author.send(value, author.dfb("out", dialect.block_type_of(value.type).shape, kernel.result))
    for block in blocks:
        author.pop(block)
    module = author.module()
    until(module, AssignDst)
    return module


def until(module: ModuleOp, stop: type) -> None:
    for one in pipeline():
        if isinstance(one, stop):
            return
        one.apply(context(), module)


@cache
def inputs_of(name: str) -> dict[str, list[Any]]:
    """Values that bfloat16 holds exactly."""
    types = types_of(operation_of(source_of(name)))
    rng = np.random.default_rng(3)
    return {
        buffer: [(rng.integers(-8, 9, block.elements) / 4).astype(np.float32)]
        for buffer, block in types.items()
        if buffer.startswith("in")
    }


@cache
def source_of(name: str) -> ModuleOp:
    """The kernel before any pass."""
    kernel = KERNELS[name]
    author = Author()
    blocks = [
        author.wait(author.dfb(f"in{at}", shape, kernel.dtypes[at % len(kernel.dtypes)]))
        for at, shape in enumerate(kernel.shapes)
    ]
    value = kernel.compute(author, *(author.read(block) for block in blocks))
    author.send(value, author.dfb("out", dialect.block_type_of(value.type).shape, kernel.result))
    return author.module()


@cache
def wanted_of(name: str) -> Any:
    return block_results(source_of(name), inputs_of(name), rounds=False)


def structured(name: str) -> ModuleOp:
    module = made(name)
    ToLinalg().apply(context(), module)
    require_valid(module)
    assert not [op for op in walked(module) if isinstance(op, dialect.ComputeRegionOp)]
    return module


def opt(text: str, *flags: str) -> str:
    assert OPT is not None
    command = [OPT, "--allow-unregistered-dialect", "--mlir-print-op-generic", *flags]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def in_tiles(elements: Any) -> Any:
    """Elements in the order of a block's memory: tile after tile."""
    *outer, rows, columns = elements.shape
    apart = elements.reshape(*outer, rows // TILE, TILE, columns // TILE, TILE)
    return np.ascontiguousarray(np.moveaxis(apart, -3, -2))


def in_rows(tiles: Any) -> Any:
    *outer, rows, columns, height, width = tiles.shape
    return np.moveaxis(tiles, -2, -3).reshape(*outer, rows * height, columns * width)


class Program:
    """Functions of several kernels, and a ``main`` that calls them and writes what they compute to the standard output."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.globals: list[str] = []
        self.main: list[str] = []
        self.outputs: list[tuple[str, tuple[int, ...], Any]] = []

    def add(self, name: str, flags: Sequence[str]) -> None:
        module = structured(name)
        prefix = "".join(letter if letter.isalnum() else "_" for letter in name)
        memory: dict[str, str] = {}
        inputs = inputs_of(name)
        for call in [op for op in walked(operation_of(module)) if isinstance(op, StructuredCallOp)]:
            operands, types = [], []
            for block in call.blocks:
                type_ = memref_of(block)
                buffer = name_of(dialect.dfb_of(block))
                shape, element = type_.get_shape(), str(type_.element_type)
                text = f"memref<{'x'.join(map(str, shape))}x{element}>"
                if buffer not in memory:
                    memory[buffer] = f"%{prefix}_{buffer}"
                    if buffer in inputs:
                        self._given(memory[buffer], in_tiles(inputs[buffer][0]).reshape(shape), element, text)
                    else:
                        one = f"%one_of_{prefix}_{buffer}"
                        self.main += [
                            f"{memory[buffer]} = memref.alloc() : {text}",
                            f"{one} = arith.constant 1.0 : {element}",
                            f"linalg.fill ins({one} : {element}) outs({memory[buffer]} : {text})",
                        ]
                    if buffer == "out":
                        self.outputs.append((name, shape, element))
                operands.append(memory[buffer])
                types.append(text)
            callee = f"{prefix}_{call.callee}"
            self.main.append(f"func.call @{callee}({', '.join(operands)}) : ({', '.join(types)}) -> ()")
        for op in [op for op in module.body.block.ops if not isinstance(op, func.FuncOp)]:
            op.detach()
            op.erase(safe_erase=False)
        for op in module.body.block.ops:
            assert isinstance(op, func.FuncOp)
        text = print_module(module, generic=True)
        text = opt(text, *flags)
        for op in parse_module(text).body.block.ops:
            assert isinstance(op, func.FuncOp)
            text = text.replace(f'"{op.sym_name.data}"', f'"{prefix}_{op.sym_name.data}"')
            text = text.replace(f"@{op.sym_name.data}}}", f"@{prefix}_{op.sym_name.data}}}")
        self.functions.append(text)

    def _given(self, name: str, values: Any, element: str, text: str) -> None:
        data = values.astype(np.float32 if element == "f32" else ml_dtypes.bfloat16).tobytes().hex()
        word = name[1:]
        self.globals.append(f'memref.global "private" constant @{word} : {text} = dense<"0x{data}">')
        self.main.append(f"{name} = memref.get_global @{word} : {text}")

    def run(self) -> dict[str, Any]:
        """What each kernel computes, in rows."""
        lines = list(self.main)
        for at, (name, shape, element) in enumerate(self.outputs):
            prefix = "".join(letter if letter.isalnum() else "_" for letter in name)
            size = int(np.prod(shape)) * (4 if element == "f32" else 2)
            type_ = f"memref<{'x'.join(map(str, shape))}x{element}>"
            lines += [
                f"%p{at} = memref.extract_aligned_pointer_as_index %{prefix}_out : {type_} -> index",
                f"%i{at} = arith.index_cast %p{at} : index to i64",
                f"%n{at} = arith.constant {size} : i64",
                f"%w{at} = llvm.call @write(%one, %i{at}, %n{at}) : (i32, i64, i64) -> i64",
            ]
        renamed = [re.sub(r"#map(\d*)", rf"#of{at}_\1", body) for at, body in enumerate(self.functions)]
        aliases = [line for body in renamed for line in body.splitlines() if line.startswith("#")]
        inner = [body.partition("({\n")[2].rpartition("}) :")[0] for body in renamed]
        text = "\n".join(
            [*aliases, "module {", "llvm.func @write(i32, i64, i64) -> i64", *self.globals, *inner,
             "func.func @main() {", "%one = arith.constant 1 : i32", *lines, "return", "}", "}"]
        )  # fmt: skip
        lowered = opt(text, *TO_LLVM)
        assert RUNNER is not None
        command = [RUNNER, "-e", "main", "-entry-point-result=void"]
        run = subprocess.run(command, input=lowered.encode(), capture_output=True, check=False)
        assert run.returncode == 0, run.stderr.decode()
        results, data = {}, run.stdout
        for name, shape, element in self.outputs:
            kind: Any = np.float32 if element == "f32" else ml_dtypes.bfloat16
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            results[name] = in_rows(np.frombuffer(data[:size], kind).reshape(shape).astype(np.float32))
            data = data[size:]
        assert not data
        return results


def test_5_6_4_there_are_thirty_kernels() -> None:
    assert len(KERNELS) == 30


@needs_mlir
@pytest.mark.parametrize("flags", [(), SIMPLIFIED], ids=["as written", "simplified"])
def test_5_6_4_mlir_computes_what_the_kernels_say(flags: Sequence[str]) -> None:
    program = Program()
    for name in KERNELS:
        program.add(name, flags)
    results = program.run()
    assert results.keys() == KERNELS.keys()
    for name, found in results.items():
        wanted = wanted_of(name)
        (block,), (defined,) = wanted.blocks["out"], wanted.defined["out"]
        limit = 2.0**-7 if KERNELS[name].result is BFLOAT16 else 2.0**-18
        difference = np.abs(found - block)[defined]
        assert np.all(difference <= limit * np.maximum(1, np.abs(block[defined]))), (name, difference.max())


@needs_mlir
@pytest.mark.parametrize("name", KERNELS)
def test_5_6_4_the_way_back_through_mlir_opt_compiles_to_the_same_values(name: str) -> None:
    text = opt(print_module(structured(name), generic=True), *SIMPLIFIED)
    module = parse_module(text, allow_unregistered=True)
    FromLinalg().apply(context(), module)
    require_valid(module)
    compiled(name, module)


@pytest.mark.parametrize("name", KERNELS)
def test_5_6_4_the_way_back_gives_the_region(name: str) -> None:
    module = parse_module(print_module(structured(name)))
    FromLinalg().apply(context(), module)
    require_valid(module)
    before, after = (
        [[item.name for item in region.body.block.ops] for region in outermost(one, dialect.ComputeRegionOp)]
        for one in (made(name), module)
    )
    assert [sorted(names) for names in after] == [sorted(names) for names in before]
    compiled(name, module)


def compiled(name: str, module: ModuleOp) -> None:
    """Compile a module from its regions on, and compare what the calls compute with what the program says."""
    passes = [type(one) for one in pipeline()]
    for one in pipeline()[passes.index(AssignDst) :]:
        one.apply(context(), module)
    (program,) = (op for op in module.body.block.ops if op.name == "ttkernel.program")
    types = types_of(operation_of(source_of(name)))
    found = kernel_results(program, types, inputs_of(name), rounds=False).blocks  # type: ignore[arg-type]
    compare(wanted_of(name), {"out": found["out"]}, exactly=False)


def test_5_6_6_random_kernels_go_there_and_back_or_say_why_not() -> None:
    there = 0
    for seed in range(80):
        module = make(seed).module
        try:
            until(module, AssignDst)
        except NotLowered:
            continue
        before = module.clone()
        try:
            ToLinalg().apply(context(), module)
        except NotLegalized as problem:
            assert all(report.notes[0].message for report in problem.reports)
            continue
        FromLinalg().apply(context(), module)
        require_valid(module)
        there += 1
        assert len(outermost(module, dialect.ComputeRegionOp)) == len(
            outermost(before, dialect.ComputeRegionOp)
        )
    assert there > 15


def refused(compute: Callable[[Author], object]) -> list[str]:
    author = Author()
    compute(author)
    module = author.module()
    until(module, AssignDst)
    with pytest.raises(NotLegalized) as caught:
        ToLinalg().apply(context(), module)
    return [note.message for report in caught.value.reports for note in report.notes]


def test_5_6_6_what_has_no_structured_form_is_refused_with_the_reason() -> None:
    def one(row: str, **params: Any) -> Callable[[Author], object]:
        def write(a: Author) -> None:
            block = a.wait(a.dfb("in", (1, 1), FLOAT32))
            a.send(a.apply(row, a.read(block), **params), a.dfb("out", (1, 1), FLOAT32))

        return write

    def later(a: Author) -> None:
        block = a.wait(a.dfb("in", (1, 1), FLOAT32))
        a.send(a.write(dialect.COMPUTE["add"]([a.read(block), a.later(0.5)], (), dialect.block_type_of(a.read(block).type))), a.dfb("out", (1, 1), FLOAT32))  # fmt: skip

    assert "ttl.math.asin has no definition in arith and math" in refused(one("asin"))
    assert "ttl.math.exp with True, 1.0 has no definition in arith and math" in refused(
        one("exp", approx=True)
    )
    assert "a number is known only when the kernel runs" in refused(later)


def test_5_6_6_after_places_are_chosen_it_is_too_late() -> None:
    module = made("chain")
    AssignDst().apply(context(), module)
    with pytest.raises(NotLegalized) as caught:
        ToLinalg().apply(context(), module)
    (report,) = caught.value.reports
    assert [note.message for note in report.notes] == [
        "its tiles have places in the registers",
        "run ttl-to-linalg before ttl-assign-dst",
    ]


def test_5_6_6_what_is_no_tile_operation_is_refused_on_the_way_back() -> None:
    text = print_module(structured("chain"))
    cases = {
        "math.exp": ("math.cbrt", "math.cbrt is not in the table of operations"),
        "(d0, d1, d2, d3)>": ("(d0, d1, d3, d2)>", "is not written in the order of the points"),
    }
    for old, (new, reason) in cases.items():
        module = parse_module(text.replace(old, new), allow_unregistered=True)
        with pytest.raises(NotLegalized) as caught:
            FromLinalg().apply(context(), module)
        assert any(reason in note.message for report in caught.value.reports for note in report.notes)


def test_5_6_6_changed_functions_come_back_or_are_refused_and_never_end_in_a_traceback() -> None:
    """Each line of a function is left out, twice there, or has other dimensions: a region, or a report with the reason."""
    outcomes = {"region": 0, "refused": 0, "invalid": 0}
    for name in ("layer", "softmax", "sum of all", "choice"):
        lines = print_module(structured(name)).splitlines()
        changed = [[*lines[:at], *lines[at + 1 :]] for at in range(len(lines))]
        changed += [[*lines[:at], line.replace(*pair), *lines[at + 1 :]] for at, line in enumerate(lines) for pair in (("d0", "d1"), ("d3", "d2"), ("parallel", "reduction"), ("reduction", "parallel"), ("mulf", "addf"), ("addf", "mulf"), ("x32x32", "x32"))]  # fmt: skip
        for one in changed:
            if one == lines:
                continue
            try:
                module = parse_module("\n".join(one), allow_unregistered=True)
                require_valid(module)
            except InvalidIR:
                outcomes["invalid"] += 1
                continue
            try:
                FromLinalg().apply(context(), module)
                require_valid(module)
                outcomes["region"] += 1
            except NotLegalized as problem:
                assert all(report.notes for report in problem.reports)
                outcomes["refused"] += 1
    assert min(outcomes.values()) > 10, outcomes


def test_5_6_6_every_definition_is_of_a_row() -> None:
    from ttl.rows.table import op as row_named

    assert not SINGLE.keys() & DEFINED.keys()
    assert all(row_named(name).family == "elementwise" for name in (*SINGLE, *DEFINED))
