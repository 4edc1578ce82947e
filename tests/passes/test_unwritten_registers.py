"""No function of the vector unit reads a register that nothing wrote since the registers were acquired.

Random kernels, rows and examples are looked at where they are lowered (``support.ir_execution.lowered``).
"""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from passes.written import compiled
from support.golden import PROGRAMS
from support.unwritten_registers import unwritten_reads
from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.dialects.text import parse_module
from ttl.dialects.ttkernel import KernelOp
from ttl.frontend.file import lower_file

_HEAD = """
ttkernel.program @p() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 4 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<4, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %4 = arith.constant 4 : index
"""
_COPY = "ttkernel.copy_tile %a, {0}, {0} : <4, !ttl.tile<32x32, bf16>>"


def _loop(variable: str, body: str, count: str = "%2") -> str:
    return f"scf.for %{variable} = %0 to {count} step %1 {{\n{body}\n}}\n"


def found(body: str) -> list[str]:
    """The functions that are reported."""
    module = parse_module(_HEAD + body + "\n}\n}\n")
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    return [each.call.name for each in unwritten_reads(kernel)]


_ACQUIRE, _RELEASE = "ttkernel.tile_regs_acquire\n", "ttkernel.tile_regs_release\n"
_ABS, _FILL = "ttkernel.abs_tile {0}\n", "ttkernel.fill_tile {0} {{value = 0.0 : f64}}\n"
_NEXT = "%next = arith.addi %i, %2 : index\n"

SEEN = {
    "nothing was written": _ACQUIRE + _ABS.format("%0"),
    "it was written in the section before": _ACQUIRE + _COPY.format("%0") + "\n" + _RELEASE + _ACQUIRE + _ABS.format("%0"),
    "another one was written": _ACQUIRE + _COPY.format("%0") + "\n" + _ABS.format("%1"),
    "what is added up begins with nothing": _ACQUIRE
    + _loop("q", _loop("i", _NEXT + _COPY.format("%next")) + _loop("j", "%t = arith.addi %j, %2 : index\nttkernel.add_binary_tile %j, %t, %j")),
    "only some of the registers were written": _ACQUIRE + _loop("i", _COPY.format("%i")) + _loop("j", _ABS.format("%j"), "%4"),
    "it was written in one of two branches": _ACQUIRE
    + "%c = arith.cmpi slt, %0, %1 : index\nscf.if %c {\n" + _COPY.format("%0") + "\n}\n" + _ABS.format("%0"),
}  # fmt: skip
UNSEEN = {
    "it was filled": _ACQUIRE + _FILL.format("%0") + _ABS.format("%0"),
    "each was written in a turn of a loop": _ACQUIRE + _loop("i", _COPY.format("%i"), "%4") + _loop("j", _ABS.format("%j")),
    "it was written in the turn": _ACQUIRE + _loop("i", _COPY.format("%i") + "\n" + _ABS.format("%i")),
    "it was written before the loop": _ACQUIRE + _COPY.format("%0") + "\n" + _loop("i", _ABS.format("%0")),
    "it was written in both branches": _ACQUIRE
    + "%c = arith.cmpi slt, %0, %1 : index\nscf.if %c {\n" + _COPY.format("%0") + "\n} else {\n" + _FILL.format("%0") + "}\n"
    + _ABS.format("%0"),
    "every turn is a section": _loop("i", _ACQUIRE + _COPY.format("%0") + "\n" + _ABS.format("%0") + _RELEASE),
}  # fmt: skip


@pytest.mark.parametrize("why", SEEN)
def test_a_read_of_an_unwritten_register_is_seen(why: str) -> None:
    assert len(found(SEEN[why])) == 1


@pytest.mark.parametrize("why", UNSEEN)
def test_a_register_that_was_written_is_not_reported(why: str) -> None:
    assert found(UNSEEN[why]) == []


# --- what the compiler makes of sums that begin with zero ---

_TERMS = {
    "a": "a[2, 2] -> y[2, 2]",
    "ttl.math.abs(a)": "a[2, 2] -> y[2, 2]",
    "ttl.block.broadcast(a, dims=[-1], shape=(2, 2))": "a[2, 1] -> y[2, 2]",
    "ttl.block.transpose(a)": "a[2, 2] -> y[2, 2]",
    "a * a": "a[2, 2] -> y[2, 2]",
}


@pytest.mark.parametrize("fp32", [True, False])
@pytest.mark.parametrize("term", _TERMS)
def test_terms_are_added_to_zeros_that_were_written(term: str, fp32: bool) -> None:
    body = f"""
        with y_dfb.reserve() as y:
            for _ in range(3):
                with a_dfb.wait() as a:
                    y += {term}
        """
    compiled(_TERMS[term], body, fp32_dest_acc_en=fp32)


@pytest.mark.parametrize("value", ["zeros + a", "ttl.math.max(zeros, a)", "zeros - a"])
def test_a_value_is_combined_with_zeros_that_were_written(value: str) -> None:
    body = f"""
        zeros = ttl.block.fill(0.0, shape=(2, 2))
        y.store({value})
        """
    compiled("a[2, 2] -> y[2, 2]", body, fp32_dest_acc_en=True)


def test_products_are_added_to_registers_that_nothing_wrote() -> None:
    """The matrix unit takes them for zero: no register is filled."""
    body = """
        with y_dfb.reserve() as y:
            for _ in range(3):
                with a_dfb.wait() as a, b_dfb.wait() as b:
                    y += a @ b
        """
    calls = compiled("a[1, 1] b[1, 1] -> y[1, 1]", body, fp32_dest_acc_en=True).calls
    assert calls["matmul_block"] == 3
    assert not {"fill_tile", "fill_tile_bitcast"} & calls.keys()


@pytest.mark.parametrize("name", PROGRAMS)
def test_golden_kernels_read_no_unwritten_register(name: str) -> None:
    module: ModuleOp = lower_file(str(PROGRAMS[name])).module
    programs = compile_module(module, settings.current(), generation="0.81").programs
    assert [
        each.call.name
        for program in programs
        for kernel in program.kernels
        for each in unwritten_reads(kernel)
    ] == []
