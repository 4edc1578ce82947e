"""Every operation and type of ``ttkernel``: text to IR and back, in the readable and the generic form."""

from __future__ import annotations

from typing import Literal

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from support.kernel_examples import example_of, module_with, module_with_calls
from ttl.dialects import ttkernel
from ttl.dialects.elements import TileType
from ttl.dialects.text import context, parse_module
from ttl.dialects.ttkernel import CBType, call, class_of
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify
from ttl.kernel_api import CALLS
from ttl.rows import dtypes

WRITTEN = {
    "ttkernel.cb": "!ttkernel.cb<16, !ttl.tile<32x32, bf16>>",
    "ttkernel.noc_addr": "!ttkernel.noc_addr",
    "ttkernel.l1_addr_ptr": "!ttkernel.l1_addr_ptr",
    "ttkernel.tensor_accessor": "!ttkernel.tensor_accessor",
    "ttkernel.semaphore": "!ttkernel.semaphore",
}
BUFFER = CBType(4, TileType(32, 32, "bf16"))


def assert_round_trip(module: ModuleOp) -> None:
    for generic in (False, True):
        for locations in (False, True):
            text = print_module(module, generic=generic, locations=locations)
            again = parse_module(text)
            assert print_module(again, generic=generic, locations=locations) == text
            assert again.is_structurally_equivalent(module)


@pytest.mark.parametrize("kind", ttkernel.STRUCTURE, ids=lambda kind: kind.name)
class TestOperation:
    def test_is_printed_as_its_example(self, kind: type[Operation]) -> None:
        module = parse_module(module_with(kind))
        assert verify(module) == []
        assert any(type(op) is kind for op in module.walk())
        printed = [line.strip() for line in print_module(module).splitlines()]
        wanted = [line.strip() for line in example_of(kind).splitlines()]
        assert [line for line in wanted if line not in printed] == []

    def test_round_trip(self, kind: type[Operation]) -> None:
        assert_round_trip(parse_module(module_with(kind)))


@pytest.mark.parametrize("thread", ["tensix", "noc"])
def test_calls_of_a_thread(thread: Literal["tensix", "noc"]) -> None:
    """All of them in one kernel: each is printed as its example, and comes back."""
    module = parse_module(module_with_calls(thread))
    assert verify(module) == []
    found = {op.name for op in module.walk() if isinstance(op, ttkernel.KernelCallOp)}
    rows = [row for row in CALLS.values() if row.thread in (thread, "any")]
    assert found >= {f"ttkernel.{row.name}" for row in rows}
    printed = {line.strip().partition("ttkernel.")[2] for line in print_module(module).splitlines()}
    wanted = {example_of(class_of(row.name)).partition("ttkernel.")[2] for row in rows}
    assert wanted - printed == set()
    assert_round_trip(module)


def test_every_operation_says_what_it_is() -> None:
    assert [kind.name for kind in ttkernel.operations() if not (kind.__doc__ or "").strip()] == []


@pytest.mark.parametrize("kind", ttkernel.TYPES, ids=lambda kind: kind.name)
def test_type(kind: type[Attribute]) -> None:
    from ttl.ir.parser import LocationParser

    found = LocationParser(context(), WRITTEN[kind.name]).parse_attribute()
    assert type(found) is kind
    assert str(found) == WRITTEN[kind.name]


def number(value: int = 0) -> SSAValue:
    return ConstantOp(IntegerAttr(value, IndexType())).result


def buffer() -> SSAValue:
    return ttkernel.GetCBOp("a_dfb", BUFFER).result


class TestCall:
    def test_operands_and_constants(self) -> None:
        a, i = buffer(), number()
        op = call("matmul_block", a, a, i, i, i, transpose=0, ct=2, rt=1, kt=4)
        assert op.name == "ttkernel.matmul_block"
        assert op.call is CALLS["matmul_block"]
        assert tuple(op.operands) == (a, a, i, i, i)
        assert op.constants == {"transpose": 0, "ct": 2, "rt": 1, "kt": 4}
        assert op.results == ()

    def test_constants_of_every_kind(self) -> None:
        op = call("exp_tile", number(), approx=1)
        assert op.constants == {"approx": True}
        assert op.constants["approx"] is True
        op = call("leaky_relu_tile", number(), slope=2)
        assert type(op.constants["slope"]) is float
        op = call("typecast_tile", number(), in_format=dtypes.INT32, out_format=dtypes.BFLOAT8_B)
        assert op.constants == {"in_format": dtypes.INT32, "out_format": dtypes.BFLOAT8_B}

    def test_result(self) -> None:
        address = call("get_write_ptr", buffer()).results[0]
        assert address.type == IndexType()
        remote = call("get_noc_addr_xy", number(), number(), address).results[0]
        assert remote.type == ttkernel.NocAddrType()

    def test_every_row_has_one_class(self) -> None:
        assert class_of("add_tiles") is class_of("add_tiles")
        assert {kind.name for kind in ttkernel.operations() if issubclass(kind, ttkernel.KernelCallOp)} == {
            f"ttkernel.{name}" for name in CALLS
        }

    def test_effects_are_those_of_the_row(self) -> None:
        """What is pure may be merged and moved; what reads is not erased while it is used; calls keep their order."""
        assert is_side_effect_free(call("get_absolute_logical_x"))
        assert not is_side_effect_free(call("get_write_ptr", buffer()))
        assert not is_side_effect_free(call("tile_regs_acquire"))

    @pytest.mark.parametrize(
        ("name", "operands", "constants", "message"),
        [
            ("add_tiles", 4, {}, "add_tiles takes 5 operands (in0, in1, i, j, d), not 4"),
            ("cb_pop_front", 1, {}, "cb_pop_front takes 2 operands (cb, pages), not 1"),
            ("exp_tile", 1, {}, "exp_tile takes approx, not none"),
            ("exp_tile", 1, {"fast": True}, "exp_tile takes approx, not fast"),
            ("add_tiles", 5, {"acc": True}, "add_tiles takes no constants, not acc"),
        ],
    )
    def test_refused(self, name: str, operands: int, constants: dict[str, bool], message: str) -> None:
        row = CALLS[name]
        given = [buffer() if each.kind == "cb" else number() for each in row.operands][:operands]
        with pytest.raises(TypeError) as caught:
            call(name, *given, **constants)
        assert str(caught.value) == message

    def test_kinds_of_operands(self) -> None:
        with pytest.raises(TypeError) as caught:
            call("cb_pop_front", number(), number())
        assert str(caught.value) == "cb_pop_front: cb is a circular buffer, not index"

    def test_unknown(self) -> None:
        with pytest.raises(KeyError):
            call("frobnicate_tile")


def test_a_program_knows_its_parts() -> None:
    kernel = ttkernel.KernelOp(
        "compute",
        "tensix",
        Region(Block()),
        common_args=["address(a)"],
        config={"unpack_to_dest_fp32": ["a"]},
    )
    parts: list[Operation] = [
        ttkernel.CircularBufferOp("a_dfb", 3, 4, 2048, BUFFER.element_type, made_by="compiler"),
        ttkernel.SemaphoreOp("ready", 1, 7),
        kernel,
    ]
    program = ttkernel.ProgramOp("f", (8, 8), Region(Block(parts)), arg_names=["a"])
    assert verify(ModuleOp([program])) == []
    assert (program.program_name, program.grid, program.arg_names) == ("f", (8, 8), ("a",))
    assert [each.type for each in program.buffers] == [BUFFER]
    assert [(each.id, each.initial) for each in program.semaphores] == [(1, 7)]
    assert program.kernels == (kernel,)
    assert kernel.config == {"unpack_to_dest_fp32": ["a"]}
    kernel.common_args = ["noc_x(0)", *kernel.common_args]
    kernel.config = {**kernel.config, "fp32_dest_acc_en": True}
    assert kernel.common_args == ["noc_x(0)", "address(a)"]
    assert kernel.config == {"unpack_to_dest_fp32": ["a"], "fp32_dest_acc_en": True}
