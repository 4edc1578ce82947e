"""The interfaces of operations (002, sections 4.9.1 to 4.9.4): effects on memory, synchronisation, buffers, branches of regions."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffect, MemoryEffectKind, Pure, RecursiveMemoryEffect, get_effects

from support.dialect_examples import module_with
from ttl.analysis.effects import is_dead, only_reads, uses_piece, writes
from ttl.analysis.fixed_point import ForwardAnalysis
from ttl.dialects import ttl
from ttl.dialects.effects import BUFFERS, DRAM, L1, RESOURCES, SEMAPHORES, TRANSFERS
from ttl.dialects.text import DIALECTS, parse_module
from ttl.dialects.ttl import OPERATIONS
from ttl.dialects.types import BufferLike
from ttl.ir.printer import print_module
from ttl.ir.rewriting import RegionBranchOp
from ttl.kernel_api.table import CALLS
from ttl.passes.canonicalize import CanonicalizeOperations
from ttl.passes.infer_sync import InferSync

# What operations read and write, a letter for each resource: Buffers, L1, Dram, registerS of dst, sEmaphores, Transfers, Pipes, pRogram.
LETTERS = dict(zip("BLDSETPR", RESOURCES, strict=True))
EFFECTS = {
    "operation": ("", "R"), "compute_kernel": ("", "R"), "datamovement_kernel": ("", "R"),
    "tile_proc": ("", "R"), "thread": ("", "R"),
    "create_dfb": ("", "B"), "create_pipe_net": ("", "P"), "create_semaphore": ("", "E"),
    "dfb_reserve": ("B", "B"), "dfb_wait": ("B", "B"), "dfb_push": ("B", "BL"), "dfb_pop": ("B", "BL"),
    "dfb_resident": ("", "LD"),
    "block_read": ("L", ""), "block_store": ("", "L"), "block_accumulate": ("L", "L"),
    "element_read": ("L", ""), "read_index": ("L", "R"), "element_write": ("", "L"),
    "copy": ("D", "LT"), "wait": ("T", "TLD"), "wait_any": ("T", "TLD"), "dma_barrier": ("T", "TLD"),
    "create_group": ("", "T"), "group_add": ("T", "T"), "group_wait": ("T", "TLD"),
    "semaphore_wait": ("E", "ELD"), "semaphore_set": ("", "ELD"), "semaphore_inc": ("E", "ELD"),
    "signpost": ("", "R"), "print": ("BLD", "R"), "assert": ("", "R"),
    "extern_call": ("BDSR", "BDSRL"), "extern_access": ("D", "D"), "gather_shards": ("DBP", "BPL"),
    "require_dst": ("S", "S"), "acquire_dst": ("S", "S"), "release_dst": ("S", "S"),
    "spill_tile": ("S", "L"), "restore_tile": ("L", "S"), "get_tile": ("L", "S"), "pack_tile": ("S", "L"),
}  # fmt: skip
# Those of their regions, and which of their own.
OF_REGIONS = {"if_pipe_src": "", "if_pipe_dst": "", "compute_region": "LS"}


def example(kind: type[Operation]) -> Operation:
    module = parse_module(module_with(kind), allow_unregistered=True)
    return next(op for op in module.walk() if isinstance(op, kind))


@pytest.mark.parametrize("kind", OPERATIONS, ids=lambda kind: kind.name)
def test_002_4_9_1_every_operation_declares_what_it_does_to_which_memory(kind: type[Operation]) -> None:
    """The table is total: what is in none of its parts computes values and nothing else."""
    name, op = kind.name.removeprefix("ttl."), example(kind)
    effects = get_effects(op)
    assert effects is not None, f"{kind.name} declares no effects"
    if name in OF_REGIONS:
        assert kind.has_trait(RecursiveMemoryEffect)
        own = {LETTERS[letter] for letter in OF_REGIONS[name]}
        assert own <= {effect.resource for effect in effects}
    elif name in EFFECTS:
        for kind_, letters in zip(
            (MemoryEffectKind.READ, MemoryEffectKind.WRITE), EFFECTS[name], strict=True
        ):
            touched = {effect.resource for effect in effects if effect.kind is kind_}
            assert touched == {LETTERS[letter] for letter in letters}
    else:
        assert kind.has_trait(Pure) and not effects


def test_002_4_9_1_operations_that_passes_make_declare_theirs_too() -> None:
    """All that the tool reads of our two dialects: tiles, calls, what is left of a region whose mathematics is elsewhere."""
    kinds = [kind for make in DIALECTS.values() for kind in make().operations]
    assert len(kinds) > len(OPERATIONS) + 10
    assert [kind.name for kind in kinds if not kind.get_traits_of_type(MemoryEffect)] == []  # type: ignore[type-abstract]


def test_002_4_9_1_the_table_has_no_others() -> None:
    assert {name for resource in RESOURCES for name in resource.types} <= {kind.name for kind in ttl.TYPES}
    names = {kind.name.removeprefix("ttl.") for kind in OPERATIONS}
    assert EFFECTS.keys() | OF_REGIONS.keys() <= names


@pytest.mark.parametrize("kind", OPERATIONS, ids=lambda kind: kind.name)
def test_002_4_9_1_the_pieces_are_operands_and_results_that_stand_for_them(kind: type[Operation]) -> None:
    op = example(kind)
    if kind.has_trait(RecursiveMemoryEffect):
        return
    for effect in get_effects(op) or ():
        if isinstance(effect.value, SSAValue):
            assert effect.value in (*op.operands, *op.results)
            assert effect.value.type.name in effect.resource.types  # type: ignore[attr-defined]


def kernel(body: str, kind: str = "compute") -> ModuleOp:
    lines = "\n".join(f"    {line.strip()}" for line in body.strip().splitlines())
    return parse_module(
        'ttl.operation @f() grid <1x1> {\n  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], f32, 2>\n'
        '  %out_dfb = ttl.create_dfb "out_dfb" : !ttl.dfb<[1, 1], f32, 2>\n  %s = ttl.create_semaphore "s" = 0\n'
        f"  ttl.{kind}_kernel @k {{\n{lines}\n  }}\n}}\n"
    )


BLOCKS = """
%a = ttl.dfb_wait %dfb : <[1, 1], f32, 2>
%b = ttl.dfb_reserve %out_dfb : <[1, 1], f32, 2>
%first = ttl.block_read %a : <[1, 1], f32>
{}
%second = ttl.block_read %a : <[1, 1], f32>
%sum = ttl.block_add %first, %second : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
ttl.block_store %sum, %b : tensor<1x1xf32> -> <[1, 1], f32>
ttl.dfb_push %b explicit : <[1, 1], f32>
ttl.dfb_pop %a explicit : <[1, 1], f32>
"""


@pytest.mark.parametrize(
    ("between", "count"),
    [
        ("", 1),
        ("ttl.block_store %first, %b : tensor<1x1xf32> -> <[1, 1], f32>", 1),
        ("ttl.signpost begin \"here\"", 1),
        ("%c = ttl.dfb_reserve %out_dfb : <[1, 1], f32, 2>", 1),
        ("ttl.block_store %first, %a : tensor<1x1xf32> -> <[1, 1], f32>", 2),
        ("ttl.block_accumulate %first, %a : tensor<1x1xf32> -> <[1, 1], f32>", 2),
        ("ttl.dma_barrier", 2),
        ("%one = arith.constant 1 : index\nttl.semaphore_wait %s eq %one", 2),
    ],
)  # fmt: skip
def test_002_4_9_1_a_block_is_read_once_until_somebody_writes_to_it(between: str, count: int) -> None:
    """Writes to other memory, and what only waits for room, do not count; barriers do."""
    module = kernel(BLOCKS.format(between))
    CanonicalizeOperations().apply(Context(), module)
    assert sum(isinstance(op, ttl.BlockReadOp) for op in module.walk()) == count


def test_002_4_9_1_what_only_reads_is_not_missed_and_what_waits_is() -> None:
    module = kernel(
        "%a = ttl.dfb_wait %dfb : <[1, 1], f32, 2>\n%value = ttl.block_read %a : <[1, 1], f32>\nttl.dfb_pop %a explicit : <[1, 1], f32>"
    )
    dead = [op.name for op in module.walk() if is_dead(op)]
    assert dead == ["ttl.block_read"]
    CanonicalizeOperations().apply(Context(), module)
    assert [op.name for op in module.walk() if op.name.startswith(("ttl.dfb", "ttl.block"))] == [
        "ttl.dfb_wait",
        "ttl.dfb_pop",
    ]


def test_002_4_9_1_a_release_is_inferred_behind_everything_that_uses_the_memory_of_a_block() -> None:
    """Whatever operation that is: a tile that is read by hand counts as the value of a block does."""
    module = kernel(
        "%a = ttl.dfb_wait %dfb : <[1, 1], f32, 2>\n%i = arith.constant 0 : index\n"
        "%x = ttl.element_read %a[%i, %i] : <[1, 1], f32>\nttl.print [\"\", \"\"](%x : f64)"
    )  # fmt: skip
    InferSync().apply(Context(), module)
    names = [op.name for op in module.walk()]
    assert names.index("ttl.dfb_pop") == names.index("ttl.element_read") + 1


def test_002_4_9_1_questions() -> None:
    store = example(ttl.BlockStoreOp)
    assert isinstance(store, ttl.BlockStoreOp)
    assert writes(store, L1) and not writes(store, BUFFERS, DRAM, SEMAPHORES, TRANSFERS)
    assert uses_piece(store, L1, store.block) and not uses_piece(store, L1, store.value)
    assert only_reads(example(ttl.BlockReadOp)) and not only_reads(store)


# --- synchronisation ------------------------------------------------------------------------------------------

WAITS = {
    "dfb_reserve": ("dfb", "node", False), "dfb_wait": ("dfb", "node", False),
    "wait": ("dma read", "node", False), "wait_any": ("dma read", "grid", False),
    "dma_barrier": ("dma read, dma write", "grid", True), "group_wait": ("dma read, dma write", "grid", False),
    "semaphore_wait": ("semaphore", "grid", False),
}  # fmt: skip


def test_002_4_9_2_what_synchronises_says_what_it_waits_for_and_for_whom() -> None:
    ops = [example(kind) for kind in OPERATIONS if issubclass(kind, ttl.SynchronizationOp)]
    assert {
        op.name.removeprefix("ttl."): (", ".join(op.barriers), op.scope, op.IS_GLOBAL)
        for op in ops
        if isinstance(op, ttl.SynchronizationOp)
    } == WAITS


TENSOR = "tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>"
TILE, ENDS = "!ttl.tile<32x32, bf16>", "!ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>"


@pytest.mark.parametrize(
    ("copy", "barriers", "scope"),
    [
        (f"%slice to %blk : {ENDS}, !ttl.block<[1, 1], {TILE}>", ["dma read"], "node"),
        (f"%blk to %slice : !ttl.block<[1, 1], {TILE}>, {ENDS}", ["dma write"], "node"),
        (f"%blk to %pipe : !ttl.block<[1, 1], {TILE}>, !ttl.pipe<src>", ["dma write"], "grid"),
    ],
)
@pytest.mark.parametrize("grouped", [False, True])
def test_002_4_9_2_a_wait_is_of_the_direction_of_its_transfers(
    copy: str, barriers: list[str], scope: str, grouped: bool
) -> None:
    wait = (
        "%g = ttl.create_group\n    ttl.group_add %xf to %g\n    ttl.group_wait %g"
        if grouped
        else "ttl.wait %xf explicit"
    )
    module = parse_module(f"""
ttl.operation @f(%a: {TENSOR}) grid <2x1> {{
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], {TILE}, 2>
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [1, 0]>]
  %acc = ttl.tensor_accessor %a : {TENSOR}
  ttl.datamovement_kernel @k {{
    %i = arith.constant 0 : index
    %blk = ttl.dfb_reserve %dfb : <[1, 1], {TILE}, 2>
    %slice = ttl.tensor_slice %acc[%i size 1, %i size 1] : !ttl.accessor<{TENSOR}> -> {ENDS}
    ttl.if_pipe_src %net {{
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy {copy}
      {wait}
    }}
  }}
}}
""")
    (op,) = (op for op in module.walk() if isinstance(op, ttl.WaitOp | ttl.GroupWaitOp))
    assert ([*op.barriers], op.scope) == (barriers, scope)


def test_002_4_9_2_rows_of_the_kernel_api_start_and_end_transfers() -> None:
    """What starts something is ended by a row; a function that moves bytes or signals by its name says so."""
    starts = {row.name: row.starts for row in CALLS.values() if row.starts}
    ends = {row.name: row.ends for row in CALLS.values() if row.ends}
    assert frozenset().union(*starts.values()) == frozenset().union(*ends.values())
    assert ends["noc_async_full_barrier"] == frozenset().union(*ends.values())
    moving = {
        row.name for row in CALLS.values() if row.name.startswith("noc_async_write") and row.effect == "write"
    }
    assert moving - ends.keys() == {name for name in starts if name.startswith("noc_async_write")}
    assert {row.name for row in CALLS.values() if row.on_buffer} == {
        "cb_reserve_back",
        "cb_wait_front",
        "cb_push_back",
        "cb_pop_front",
    }


# --- buffers --------------------------------------------------------------------------------------------------


def test_002_4_9_3_memory_of_blocks_is_memrefs() -> None:
    assert {kind.name for kind in ttl.TYPES if issubclass(kind, BufferLike)} == {
        "ttl.block",
        "ttl.dist_tensor",
    }
    block = ttl.BlockMemoryType([2, 3], example_tile())
    assert str(block.buffer_type()) == 'memref<2x3x!ttl.tile<32x32, bf16>, "l1">'


def example_tile() -> Any:
    return ttl.TileType(32, 32, "bf16")


@pytest.mark.mlir
@pytest.mark.skipif(shutil.which("mlir-opt-19") is None, reason="no mlir-opt-19")
def test_002_4_9_3_mlir_reads_them() -> None:
    """Of elements that are its own: rows."""
    from xdsl.dialects.builtin import bf16

    type_ = ttl.BlockMemoryType([4, 32], bf16).buffer_type()
    text = f"func.func @f(%a: {type_}, %i: index) -> bf16 {{\n  %x = memref.load %a[%i, %i] : {type_}\n  return %x : bf16\n}}\n"
    done = subprocess.run(["mlir-opt-19"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert 'memref<4x32xbf16, "l1">' in done.stdout


# --- branches of regions --------------------------------------------------------------------------------------


class _Reached(ForwardAnalysis[frozenset[str]]):
    """The names of operations on some path to a place."""

    def transfer(self, op: Operation, state: frozenset[str]) -> frozenset[str]:
        return state | {op.name}

    def join(self, states: Any) -> frozenset[str]:
        return frozenset().union(*states)


class _Certain(_Reached):
    """Those on every path."""

    def join(self, states: Any) -> frozenset[str]:
        return frozenset.intersection(*states)


def test_002_4_9_4_operations_with_regions_say_how_often_they_run() -> None:
    branches = {
        kind.name: (kind.MAY_SKIP, kind.MAY_REPEAT) for kind in OPERATIONS if issubclass(kind, RegionBranchOp)
    }
    assert branches == {
        "ttl.if_pipe_src": (True, True),
        "ttl.if_pipe_dst": (True, True),
        "ttl.compute_region": (False, True),
    }


@pytest.mark.parametrize(("analysis", "behind"), [(_Reached, True), (_Certain, False)])
def test_002_4_9_4_an_analysis_follows_a_pipe_region_none_to_many_times(
    analysis: Callable[[], _Reached], behind: bool
) -> None:
    module = parse_module("""
ttl.operation @f() grid <2x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [1, 0]>]
  ttl.datamovement_kernel @k {
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      ttl.signpost begin "first"
      ttl.dma_barrier
    }
    ttl.signpost end "last"
  }
}
""")
    (kernel,) = (op for op in module.walk() if isinstance(op, ttl.UserKernelOp))
    run = analysis()
    run.block(kernel.body.block, frozenset())
    first, last = (op for op in run.before if isinstance(op, ttl.SignpostOp))
    assert ("ttl.dma_barrier" in run.before[last]) is behind, "it may not have run"
    assert ("ttl.dma_barrier" in run.before[first]) is behind, "it may have run before"


def test_002_4_9_a_module_is_printed_as_before() -> None:
    """Interfaces are no text."""
    text = module_with(ttl.ComputeRegionOp)
    assert print_module(parse_module(text)) == print_module(parse_module(print_module(parse_module(text))))
