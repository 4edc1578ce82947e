"""Kernels as threads of microcores and back (002, section 10.1): the same operation in another form."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.dialects import ttl as dialect
from ttl.dialects.text import parse_module
from ttl.frontend.file import lower_file
from ttl.ir.failure import NotLowered
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify
from ttl.opt.main import CheckPass
from ttl.passes.microcores import KernelsToMicrocores, MicrocoresToKernels

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))

OPERATION = """
module {
  ttl.operation @copy(%a: tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>, %b: tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>) grid <1x1> {
    %b_accessor = ttl.tensor_accessor %b : tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>
    %a_accessor = ttl.tensor_accessor %a : tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>
    %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.tile_proc microcores <MICROCORES> {
      ttl.thread(READ) @read {
        %0 = ttl.dfb_reserve %dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %c0 = arith.constant 0 : index
        %1 = ttl.tensor_slice %a_accessor[%c0, %c0] : !ttl.accessor<tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
        %2 = ttl.copy %1 to %0 : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
        ttl.wait %2 explicit
        ttl.dfb_push %0 with : <[1, 1], !ttl.tile<32x32, bf16>>
      }
      %c1 = arith.constant 1 : index
      ttl.thread(WRITE) @write {
        %0 = ttl.dfb_wait %dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %c0_0 = arith.constant 0 : index
        %1 = ttl.tensor_slice %b_accessor[%c0_0, %c0_0] : !ttl.accessor<tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
        %2 = ttl.copy %0 to %1 : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
        ttl.wait %2 explicit
        ttl.dfb_pop %0 with : <[1, 1], !ttl.tile<32x32, bf16>>
      }
    }
  }
}
"""
FIVE = "NOC0, NOC1, UNPACK, MATH, PACK"


def written(microcores: str = FIVE, read: str = "@NOC0", write: str = "@NOC1") -> ModuleOp:
    text = OPERATION.replace("MICROCORES", microcores).replace("READ", read).replace("WRITE", write)
    for thread in ("read", "write"):
        if f"inferred) @{thread}" in text:
            text = text.replace(f" inferred) @{thread}", f") @{thread} inferred")
    return parse_module(text)


def to_threads(module: ModuleOp) -> ModuleOp:
    module = module.clone()
    KernelsToMicrocores().apply(Context(), module)
    assert verify(module) == []
    return module


def to_kernels(module: ModuleOp) -> ModuleOp:
    module = module.clone()
    MicrocoresToKernels().apply(Context(), module)
    assert verify(module) == []
    return module


def text_of(module: ModuleOp) -> str:
    return print_module(module, locations=True)


@cache
def lowered(path: Path) -> ModuleOp:
    return lower_file(str(path)).module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_002_10_1_an_example_comes_back_as_it_was(path: Path) -> None:
    """To the byte, with places; and the text of its threads is read as it is written."""
    kernels = lowered(path)
    threads = to_threads(kernels)
    assert text_of(to_kernels(threads)) == text_of(kernels)
    assert text_of(parse_module(text_of(threads))) == text_of(threads)
    operations = [op for op in kernels.walk() if isinstance(op, dialect.OperationOp)]
    expected = sum(len(op.kernels) for op in operations)
    assert sum(isinstance(op, dialect.ThreadOp) for op in threads.walk()) == expected
    assert not any(op.kernels for op in threads.walk() if isinstance(op, dialect.OperationOp))


@pytest.mark.parametrize(
    ("microcores", "read", "write", "hints"),
    [
        (FIVE, "@NOC0", "@NOC1", ("NOC0", "NOC1")),
        (FIVE, "@NOC1", "@NOC0", ("NOC1", "NOC0")),
        (FIVE, "@NOC0 inferred", "@NOC1", (None, "NOC1")),
        (FIVE, "@NOC1", "@NOC0 inferred", ("NOC1", None)),
        (FIVE, "@NOC0 inferred", "@NOC1 inferred", (None, None)),
        ("NOC1, NOC1, UNPACK, MATH, PACK", "@NOC1", "@NOC1", ("NOC1", "NOC1")),
    ],
)
def test_002_10_1_threads_come_back_as_they_were(
    microcores: str, read: str, write: str, hints: tuple[str | None, str | None]
) -> None:
    threads = written(microcores, read, write)
    kernels = to_kernels(threads)
    movers = [op for op in kernels.walk() if isinstance(op, dialect.DataMovementKernelOp)]
    assert tuple(op.microcore_hint for op in movers) == hints
    assert print_module(to_threads(kernels)) == print_module(threads), (
        "the wrapper is where its first kernel is"
    )


def test_002_10_1_a_thread_keeps_its_microcore_though_the_rule_would_choose_another() -> None:
    """``inferred`` says where it comes from, the role where it runs."""
    kernels = to_kernels(written(FIVE, "@NOC1 inferred", "@NOC0 inferred"))
    threads = [op for op in to_threads(kernels).walk() if isinstance(op, dialect.ThreadOp)]
    assert [op.roles for op in threads] == [("NOC1",), ("NOC0",)]
    shared = written("NOC0, NOC0", "@NOC0 inferred", "@NOC0 inferred")
    threads = [op for op in to_threads(to_kernels(shared)).walk() if isinstance(op, dialect.ThreadOp)]
    assert [op.roles for op in threads] == [("NOC0",), ("NOC0",)]


@pytest.mark.parametrize("path", EXAMPLES[::6], ids=lambda path: path.stem)
def test_002_10_1_threads_compile_to_the_same_kernels(path: Path) -> None:
    kernels = lowered(path)
    one, other = (
        compile_module(module.clone(), settings.current()) for module in (kernels, to_threads(kernels))
    )
    assert one.descriptions == other.descriptions and len(one.diagnostics) == len(other.diagnostics)


def test_002_10_1_threads_run_where_they_are_written() -> None:
    compiled = compile_module(written(FIVE, "@NOC1", "@NOC0"), settings.current())
    (program,) = compiled.descriptions
    assert [(kernel.name, kernel.processor, kernel.noc) for kernel in program.kernels] == [
        ("read", "brisc", 1),
        ("write", "ncrisc", 0),
    ]


def test_002_10_1_threads_are_checked_as_kernels_are() -> None:
    module = written()
    (pop,) = (op for op in module.walk() if isinstance(op, dialect.DfbPopOp))
    pop.detach()
    pop.erase()
    before = text_of(module)
    with pytest.raises(NotLowered) as caught:
        CheckPass(strict=True).apply(Context(), module)
    assert caught.value.diagnostics
    assert text_of(module) == before, "a check changes nothing"


@pytest.mark.parametrize(
    ("microcores", "read", "write", "words"),
    [
        ("NOC0, NOC2", "@NOC0", "@NOC0", "a microcore is one of NOC0, NOC1, UNPACK, MATH, PACK, not NOC2"),
        ("NOC0, NOC0, NOC1", "@NOC0", "@NOC1", "a node has two microcores that move data, not 3"),
        ("NOC0, NOC1, MATH, MATH", "@NOC0", "@NOC1", "a node has one MATH, not 2"),
        ("NOC0, MATH", "@NOC0", "@NOC1", "a thread is for @NOC1, and the microcores are NOC0, MATH"),
        (FIVE, "@NOC0", "@NOC0", "2 threads are for @NOC0, but only 1 is declared"),
        (FIVE, "@NOC0", "@UNPACK", "a thread is for @NOC0 or @NOC1, or for @UNPACK, @MATH, @PACK together"),
        (FIVE, "@NOC0", "@NOC0, @NOC1", "not for @NOC0, @NOC1"),
        (FIVE, "@NOC0", "@FPU", "not for @FPU"),
    ],
)
def test_002_10_1_threads_and_microcores_fit(microcores: str, read: str, write: str, words: str) -> None:
    try:
        problems = [report.message for report in verify(written(microcores, read, write))]
    except Exception as problem:  # of an attribute: while it is read
        problems = [str(problem)]
    assert any(words in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (
            'datamovement_kernel @k attributes {microcore_hint = "MATH"}',
            "runs on NOC0 or NOC1, and not on MATH",
        ),
        ('compute_kernel @k attributes {microcore_hint = "NOC0"}', "runs on MATH, and not on NOC0"),
        ('datamovement_kernel @k attributes {microcore_hint = "NOC2"}', "and not on NOC2"),
    ],
)
def test_002_4_1_a_hint_is_a_microcore_of_the_kind(kernel: str, words: str) -> None:
    module = parse_module(
        f"module {{\n  ttl.operation @f() grid <1x1> {{\n    ttl.{kernel} {{\n    }}\n  }}\n}}\n"
    )
    assert [report for report in verify(module) if words in report.message]


def test_002_4_1_a_hint_of_a_compute_kernel_is_kept() -> None:
    text = 'ttl.compute_kernel @k attributes {microcore_hint = "MATH"} {\n    }'
    module = parse_module(f"module {{\n  ttl.operation @f() grid <1x1> {{\n    {text}\n  }}\n}}\n")
    assert text_of(to_kernels(to_threads(module))) == text_of(module)
