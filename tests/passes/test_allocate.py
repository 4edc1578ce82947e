"""Numbers of buffers and semaphores, reuse, and the plan of L1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.context import Context

from ttl.arch import chip_named
from ttl.dialects import ttl as dialect
from ttl.dialects.text import parse_module
from ttl.ir.failure import NotLowered
from ttl.passes.allocate import Allocate, allocate

WORMHOLE = chip_named("wormhole")
TILE = "!ttl.tile<32x32, bf16>"
USER, MADE = "", ' {ttl.made_by = "compiler", ttl.why = "a reason"}'


def buffer(name: str, shape: str = "1, 1", made: str = MADE, count: int = 1) -> str:
    return f'%{name} = ttl.create_dfb "{name}"{made} : !ttl.dfb<[{shape}], {TILE}, {count}>'


def phase(name: str, shape: str = "1, 1", count: int = 1) -> str:
    """A block that is filled, and then read and given back."""
    return f"""
      %{name}_r = ttl.dfb_reserve %{name} : <[{shape}], {TILE}, {count}>
      ttl.dfb_push %{name}_r inferred : <[{shape}], {TILE}>
      %{name}_w = ttl.dfb_wait %{name} : <[{shape}], {TILE}, {count}>
      ttl.dfb_pop %{name}_w inferred : <[{shape}], {TILE}>"""


def operation(*lines: str, compute: str = "", read: str = "", arguments: str = "") -> dialect.OperationOp:
    text = "\n    ".join(lines)
    module = parse_module(
        f"""module {{
  ttl.operation @f({arguments}) grid <1x1> {{
    {text}
    ttl.datamovement_kernel @read {{ {read} }}
    ttl.compute_kernel @compute {{ {compute} }}
  }}
}}"""
    )
    (op,) = (each for each in module.walk() if isinstance(each, dialect.OperationOp))
    return op


def buffers(op: dialect.OperationOp) -> dict[str, int | None]:
    return {
        each.buffer_name.data: each.buffer_index
        for each in op.walk()
        if isinstance(each, dialect.CreateDfbOp)
    }


def why(op: dialect.OperationOp, name: str) -> str:
    (found,) = (
        each for each in op.walk() if isinstance(each, dialect.CreateDfbOp) and each.buffer_name.data == name
    )
    return str(found.attributes["ttl.why"])


def test_the_buffers_of_the_program_come_first_in_its_order() -> None:
    op = operation(buffer("t"), buffer("a", made=USER), buffer("b", made=USER))
    assert allocate(op, WORMHOLE) == []
    assert buffers(op) == {"t": 2, "a": 0, "b": 1}


def test_semaphores_are_numbered() -> None:
    op = operation('%s = ttl.create_semaphore "s" = 0', '%t = ttl.create_semaphore "t" = 4')
    assert allocate(op, WORMHOLE) == []
    made = [each for each in op.walk() if isinstance(each, dialect.CreateSemaphoreOp)]
    assert [str(each.attributes["ttl.id"]) for each in made] == ["0 : i64", "1 : i64"]


def test_buffers_of_one_type_that_are_needed_one_after_the_other_are_one() -> None:
    op = operation(buffer("t"), buffer("u"), compute=phase("t") + phase("u"))
    assert allocate(op, WORMHOLE) == []
    assert buffers(op) == {"t": 0}
    assert "2 such purposes" in why(op, "t")


@pytest.mark.parametrize(
    ("second", "compute", "read"),
    [
        pytest.param(buffer("u", count=2), phase("t") + phase("u", count=2), "", id="another type"),
        pytest.param(buffer("u", made=USER), phase("t") + phase("u"), "", id="a buffer of the program"),
        pytest.param(buffer("u"), phase("t"), phase("u"), id="another kernel"),
        pytest.param(
            buffer("u"),
            f"""%r = ttl.dfb_reserve %t : <[1, 1], {TILE}, 1>
            {phase("u")}
            ttl.dfb_push %r inferred : <[1, 1], {TILE}>
            %w = ttl.dfb_wait %t : <[1, 1], {TILE}, 1>
            ttl.dfb_pop %w inferred : <[1, 1], {TILE}>""",
            "",
            id="one inside the other",
        ),
        pytest.param(
            buffer("u"),
            f"""%r = ttl.dfb_reserve %t : <[1, 1], {TILE}, 1>
            ttl.dfb_push %r inferred : <[1, 1], {TILE}>
            affine.for %i = 0 to 4 {{
              %w = ttl.dfb_wait %t : <[1, 1], {TILE}, 1>
              ttl.dfb_pop %w inferred : <[1, 1], {TILE}>
              {phase("u")}
              %again = ttl.dfb_reserve %t : <[1, 1], {TILE}, 1>
              ttl.dfb_push %again inferred : <[1, 1], {TILE}>
            }}
            %last = ttl.dfb_wait %t : <[1, 1], {TILE}, 1>
            ttl.dfb_pop %last inferred : <[1, 1], {TILE}>""",
            "",
            id="a loop carries one",
        ),
        pytest.param(
            buffer("u"),
            f"""affine.for %i = 0 to 4 {{
              %w = ttl.dfb_wait %t : <[1, 1], {TILE}, 1>
              ttl.dfb_pop %w inferred : <[1, 1], {TILE}>
              {phase("u")}
              %again = ttl.dfb_reserve %t : <[1, 1], {TILE}, 1>
              ttl.dfb_push %again inferred : <[1, 1], {TILE}>
            }}""",
            "",
            id="a turn reads what the turn before filled",
        ),
    ],
)
def test_buffers_that_may_hold_something_at_the_same_time_stay_apart(
    second: str, compute: str, read: str
) -> None:
    op = operation(buffer("t"), second, compute=compute, read=read)
    allocate(op, WORMHOLE)
    assert set(buffers(op)) == {"t", "u"}


def test_buffers_in_turns_of_one_loop_can_be_one() -> None:
    body = f"affine.for %i = 0 to 4 {{ {phase('t')} {phase('u')} }}"
    op = operation(buffer("t"), buffer("u"), compute=body)
    allocate(op, WORMHOLE)
    assert buffers(op) == {"t": 0}


def test_memory_is_shared_where_it_is_scarce() -> None:
    """300 tiles fit twice, with 150 more only if these are where the others were."""
    op = operation(
        buffer("a", "1, 300", USER), buffer("t", "1, 300"), buffer("u", "1, 150"),
        compute=phase("t", "1, 300") + phase("u", "1, 150"),
    )  # fmt: skip
    assert allocate(op, WORMHOLE) == []
    assert buffers(op) == {"a": 0, "t": 1, "u": 2}
    assert "memory of t" in why(op, "u")


@pytest.mark.parametrize("shape", ["1, 149", "1, 200"])
def test_memory_is_not_shared_with_blocks_that_would_cross_its_end(shape: str) -> None:
    op = operation(
        buffer("a", "1, 300", USER), buffer("t", "1, 300"), buffer("u", shape),
        compute=phase("t", "1, 300") + phase("u", shape),
    )  # fmt: skip
    (problem,) = allocate(op, WORMHOLE)
    assert problem.code == "TTL1430"


def test_memory_that_is_enough_is_not_shared() -> None:
    op = operation(buffer("t", "1, 2"), buffer("u"), compute=phase("t", "1, 2") + phase("u"))
    allocate(op, WORMHOLE)
    assert why(op, "u") == '"a reason"'


def test_too_much_names_the_buffers_of_the_compiler_and_why_they_are_there() -> None:
    op = operation(buffer("a", "1, 600", USER), buffer("t", "1, 100"))
    (problem,) = allocate(op, WORMHOLE)
    assert problem.code == "TTL1430"
    assert problem.message == (
        "dataflow buffers take 1433600 bytes of L1, 204800 of them in buffers that the compiler needs, and a node "
        "of wormhole has 1395424"
    )
    assert problem.notes[1] == "the compiler's buffers:\nt (line 4): a reason"


@pytest.mark.parametrize(("tiles", "fits"), [(200, True), (400, False)])
def test_blocks_that_overlap_are_offered_to_make_room(tiles: int, fits: bool) -> None:
    op = operation(buffer("a", "1, 340", USER, 2), buffer("t", f"1, {tiles}"))
    (problem,) = allocate(op, WORMHOLE)
    assert problem.code == "TTL1430"
    assert problem.help[0].endswith("block_count=1 for a makes enough room") == fits


def test_row_major_blocks_take_whole_tiles() -> None:
    row_major = '%a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], bf16, 682>'
    (problem,) = allocate(operation(row_major), WORMHOLE)
    assert problem.code == "TTL1430"
    assert problem.message == "dataflow buffers take 1396736 bytes of L1, and a node of wormhole has 1395424"
    assert "rounded up to whole tiles, which takes 1395372 bytes more" in problem.notes[-1]


def test_what_the_program_alone_has_too_much_of_is_said_as_the_checks_say_it() -> None:
    (problem,) = allocate(operation(buffer("a", "1, 700", USER), buffer("t")), WORMHOLE)
    assert problem.code == "TTL0801"


def test_too_many_buffers_with_those_of_the_compiler() -> None:
    few = replace(WORMHOLE, dataflow_buffers=2)
    op = operation(buffer("a", made=USER), buffer("b", made=USER), buffer("t"))
    (problem,) = allocate(op, few)
    assert problem.code == "TTL1431"
    assert (
        problem.message
        == "2 dataflow buffers of the program and 1 that the compiler needs, and a node of wormhole has 2"
    )


def test_too_many_semaphores_are_said_as_the_checks_say_it() -> None:
    lines = [f'%s{index} = ttl.create_semaphore "s{index}" = 0' for index in range(17)]
    (problem,) = allocate(operation(*lines), WORMHOLE)
    assert problem.code == "TTL0803"


def test_the_pass_raises_with_everything_it_found() -> None:
    op = operation(buffer("a", "1, 700", USER))
    module = op.parent_op()
    with pytest.raises(NotLowered) as raised:
        Allocate().apply(Context(), module)  # type: ignore[arg-type]
    assert [each.code for each in raised.value.diagnostics] == ["TTL0801"]


def test_blackhole_has_more_of_both() -> None:
    op = operation(buffer("a", "1, 700", USER))
    assert allocate(op, chip_named("blackhole")) == []


def _in_l1(layout: str) -> str:
    return f"%a : tensor<2048x64xbf16, #ttl.encoding<l1, #ttl.layout<tiled, {layout}>>>"


@pytest.mark.parametrize(
    ("layout", "nbytes"),
    [
        pytest.param("interleaved", 2 * 2048, id="pages go round all nodes"),
        pytest.param(
            "height_sharded, [256, 64], 8x1 at [0, 1]", 16 * 2048, id="a shard on each of some nodes"
        ),
        pytest.param("height_sharded, [64, 64], 4x1, 2x2 at [4, 4]", 4 * 4 * 2048, id="four shards on each"),
    ],
)
def test_tensors_in_l1_take_their_part(layout: str, nbytes: int) -> None:
    room = WORMHOLE.l1_available_bytes // 2048
    for tiles, fits in ((room - nbytes // 2048, True), (room - nbytes // 2048 + 1, False)):
        op = operation(
            "%acc = ttl.tensor_accessor %a : tensor<2048x64xbf16, #ttl.encoding<l1, "
            f"#ttl.layout<tiled, {layout}>>>",
            buffer("x", f"1, {tiles - 1}", made=USER),
            buffer("t"),
            compute=phase("t"),
            arguments=_in_l1(layout),
        )
        found = allocate(op, WORMHOLE)
        assert (found == []) is fits
        if not fits:
            assert found[0].code == "TTL1430"
            assert f"beside {nbytes} of tensors in L1" in found[0].message
            assert "or keep a in DRAM" in found[0].help[0]
