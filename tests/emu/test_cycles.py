"""Cycles: what costs what, where they go, and that they are the same every time."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from emu.harness import tensor_of
from support.perf_reports import perf_report
from support.programs import run_ttl
from ttl.arch import Chip, all_chips, chip_named
from ttl.arch.costs import COPY
from ttl.emu import (
    CircularBuffer,
    Kernel,
    Program,
    Run,
    Semaphore,
    memory_of,
    run_program,
)
from ttl.emu.chip import costs_of, vector_costs
from ttl.emu.claim import CLAIM
from ttl.emu.critical import critical_path
from ttl.emu.perf_csv import COLUMNS
from ttl.emu.profile import Profile, profile
from ttl.emu.program import ROLES
from ttl.sim.diaries import Diary

WORMHOLE = chip_named("wormhole")
DATAFLOW = '#include "api/dataflow/dataflow_api.h"\n'
COMPUTE = "".join(
    f'#include "api/compute/{name}.h"\n'
    for name in (
        "eltwise_binary",
        "matmul",
        "tile_move_copy",
        "compute_kernel_api",
        "compute_kernel_hw_startup",
    )
)
L1 = 600 * 1024
SEEN = "(void)*(volatile uint32_t*)get_read_ptr({});"

# --- the numbers


@pytest.mark.parametrize("record", all_chips(), ids=lambda record: record.name)
def test_every_cost_has_a_source_and_the_runtime_takes_it(record: Chip) -> None:
    costs = record.costs.by_name()
    assert all(number.source and number.value > 0 for number in costs.values())
    assert set(costs_of(record)) == {*costs, "vector", "vector_approximate", "eth_rate", "eth_hop"}


def test_functions_of_the_vector_unit_cost_what_the_chip_says_of_operations() -> None:
    costs = vector_costs(chip_named("blackhole"))
    published = {name: number.value for name, number in chip_named("blackhole").operations.items()}
    for name in ("exp", "tanh", "sigmoid", "gelu", "abs", "atan", "floor"):
        assert costs[f"{name}_tile"].value == published[name]
    assert costs["relu_tile"].how == "estimated"
    assert min(number.value for number in costs.values()) > COPY


# --- programs of one kernel on some nodes


def moved(
    body: str, cores: Any = ((0, 0),), noc: Literal[0, 1] = 0, record: Chip = WORMHOLE, **options: Any
) -> Run:
    """Run a data movement kernel; buffer 0 has one tile, there are two semaphores."""
    kernel = Kernel(
        name="mover", source=f"{DATAFLOW}void kernel_main() {{\n{body}\n}}\n", processor="ncrisc", noc=noc,
        cores=cores, **options,
    )  # fmt: skip
    program = Program(
        generation="0.81",
        kernels=(kernel,),
        circular_buffers=(CircularBuffer(index=0, pages=1, page_bytes=2048, dtype="bfloat16", cores=cores),),
        semaphores=tuple(Semaphore(id=number, cores=cores) for number in range(2)),
    )
    return run_program(program, memory_of(record), recorded=True)


def computed(body: str, tiles: int = 1, dtype: str = "bfloat16", **options: Any) -> Run:
    """Run a compute kernel on tiles in buffers 0 and 1, which are there from the start; 16 is emptied."""
    core = ((0, 0),)
    size = 4096 if dtype == "float32" else 2048
    fill = f"for (uint32_t i = 0; i < 2; ++i) {{ cb_reserve_back(i, {tiles}); cb_push_back(i, {tiles}); }}"
    empty = f"for (uint32_t i = 0; i < {tiles}; ++i) {{ cb_wait_front(16, 1); {SEEN.format(16)} cb_pop_front(16, 1); }}"
    kernels = (
        Kernel(name="fill", source=f"{DATAFLOW}void kernel_main() {{ {fill} }}", processor="ncrisc", cores=core),
        Kernel(
            name="compute", processor="compute", cores=core,
            source=f"{COMPUTE}void kernel_main() {{\ncompute_kernel_hw_startup(0, 1, 16);\n{body}\n}}", **options,
        ),
        Kernel(
            name="empty", source=f"{DATAFLOW}void kernel_main() {{ {empty} }}", processor="brisc", noc=1, cores=core
        ),
    )  # fmt: skip
    program = Program(
        generation="0.81",
        kernels=kernels,
        circular_buffers=tuple(
            CircularBuffer(index=index, pages=tiles, page_bytes=size, dtype=dtype, cores=core)
            for index in (0, 1, 16)
        ),
    )
    return run_program(program, memory_of(WORMHOLE), recorded=True)


def elementwise(init: str, call: str, tiles: int = 16, packs: int = 1, **options: Any) -> Run:
    """Tile by tile from buffers 0 and 1 to 16."""
    return computed(
        f"""{init}
for (uint32_t i = 0; i < {tiles}; ++i) {{
  cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(16, 1);
  tile_regs_acquire();
  {call}
  tile_regs_commit(); tile_regs_wait();
  for (uint32_t turn = 0; turn < {packs}; ++turn) pack_tile<true>(0, 16, 0);
  tile_regs_release();
  cb_push_back(16, 1); cb_pop_front(0, 1); cb_pop_front(1, 1);
}}""",
        tiles=tiles,
        **options,
    )


def read_of(place: str, size: int, count: int = 1) -> str:
    return f"for (uint32_t i = 0; i < {count}; ++i) noc_async_read({place}, {L1}, {size});\nnoc_async_read_barrier();"


_NETWORKS: tuple[Literal[0, 1], ...] = (0, 1)
BANK = "get_noc_addr_from_bank_id<true>({}, 1 << 20)"


def of_node(x: int, y: int) -> str:
    column, row = memory_of(WORMHOLE).chip.node(x, y)
    return f"get_noc_addr({column}, {row}, {L1})"


# --- transfers


def test_a_transfer_takes_as_long_as_its_way_there_and_back() -> None:
    both = ((0, 0), (0, 4), (4, 4))
    across, axis = (
        moved(f"if (get_absolute_logical_y() == 0) {{ {read_of(of_node(*to), 64)} }}", cores=both).cycles
        for to in ((4, 4), (0, 4))
    )
    columns, _ = WORMHOLE.noc.torus
    # A ring is passed once, whichever part of it is the way there.
    assert across - axis == columns * WORMHOLE.costs.hop.value


def test_a_bank_is_at_another_router_for_the_other_network() -> None:
    blackhole = chip_named("blackhole")
    plan, bank = blackhole.floorplan, 1
    node = plan.node(0, 0)
    # Of the node's row on NoC 0: the way there and back is once around the chip. On NoC 1 it is once down, too.
    assert plan.banks[bank][1] == node[1] != plan.banks_of_noc_1[bank][1]
    first, second = (
        moved(read_of(BANK.format(bank), 64), noc=noc, record=blackhole).cycles for noc in _NETWORKS
    )
    assert second - first == blackhole.noc.torus[1] * blackhole.costs.hop.value


def test_readers_of_one_bank_wait_for_each_other() -> None:
    cores = tuple((x, 0) for x in range(4))
    one = moved(read_of(BANK.format("3"), 2048, 8), cores).cycles
    four = moved(read_of(BANK.format("3 + get_absolute_logical_x()"), 2048, 8), cores).cycles
    bank = 8 * 2048 * 1024 / WORMHOLE.costs.dram_rate.value
    assert one - four > 2 * bank


def test_transfers_over_one_link_wait_for_each_other() -> None:
    # On NoC 0 what comes to (1, 0) and (1, 2) from the column to the left shares no link; what comes from the
    # same row goes down the same column.
    cores = ((0, 0), (0, 2), (1, 1), (1, 2))
    apart = {(1, 1): (0, 0), (1, 2): (0, 2)}
    shared = {(1, 1): (0, 0), (1, 2): (0, 0)}
    found = []
    for sources in (apart, shared):
        parts = [
            f"if (get_absolute_logical_x() == {x} && get_absolute_logical_y() == {y}) {{ {read_of(of_node(*source), 8192, 8)} }}"
            for (x, y), source in sources.items()
        ]
        found.append(moved("\n".join(parts), cores))
    assert found[1].cycles > 1.5 * found[0].cycles
    assert profile(found[1], WORMHOLE).bound_by == "NoC"


def test_the_network_of_a_card_reads_best_on_noc_0_and_writes_best_on_noc_1() -> None:
    cores = tuple((x, y) for y in range(8) for x in range(8))
    access = {
        "read": f"noc_async_read(bank, {L1} + (i % 8) * 2048, 2048);",
        "write": f"noc_async_write({L1} + (i % 8) * 2048, bank, 2048);",
    }
    cycles = {}
    for kind, noc in (("read", 0), ("read", 1), ("write", 0), ("write", 1)):
        body = f"""for (uint32_t i = 0; i < 24; ++i) {{
  const uint32_t page = get_absolute_logical_y() * 8 + get_absolute_logical_x() + i * 5;
  const uint64_t bank = get_noc_addr_from_bank_id<true>(page % 12, (1 << 20) + page * 2048);
  {access[kind]}
  if (i % 8 == 7) noc_async_{kind}_barrier();
}}"""
        cycles[kind, noc] = moved(body, cores, noc=noc).cycles  # type: ignore[arg-type]
    assert cycles["read", 1] > 2 * cycles["read", 0]
    assert cycles["write", 0] > 2 * cycles["write", 1]


def test_stores_of_a_kernel_take_time() -> None:
    few, many = (
        moved(
            f"""cb_reserve_back(0, 1);
volatile uint32_t* word = (volatile uint32_t*)get_write_ptr(0);
for (uint32_t i = 0; i < {count}; ++i) word[i] = i;
cb_push_back(0, 1); cb_wait_front(0, 1); {SEEN.format(0)} cb_pop_front(0, 1);"""
        ).cycles
        for count in (10, 110)
    )
    assert many - few == 100 * WORMHOLE.costs.store.value


def test_a_barrier_after_each_tile_costs_what_one_after_all_saves() -> None:
    body = (
        "for (uint32_t i = 0; i < 16; ++i) {{ noc_async_read({}, {}, 2048); {} }}\nnoc_async_read_barrier();"
    )
    each = moved(body.format(BANK.format("i % 12"), L1, "noc_async_read_barrier();")).cycles
    once = moved(body.format(BANK.format("i % 12"), L1, "")).cycles
    launch = WORMHOLE.costs.launch.value
    assert each - launch > 4 * (once - launch)


# --- compute


@pytest.mark.parametrize(
    ("init", "call", "longer"),
    [
        # Asking the unpacker for a tile by itself takes longer than its bytes.
        ("copy_tile_init(0);", "copy_tile(0, 0, 0);", ("pack",)),
        ("add_tiles_init(0, 0);", "add_tiles(0, 0, 0, 0, 0);", ("unpack", "pack")),
    ],
)
def test_tiles_of_float32_take_longer_to_unpack_and_to_pack(
    init: str, call: str, longer: tuple[str, ...]
) -> None:
    narrow, wide = (
        profile(elementwise(init, call, dtype=dtype, fp32_dst=dtype == "float32"), WORMHOLE)
        for dtype in ("bfloat16", "float32")
    )
    assert [role for role in ("unpack", "pack") if busy(wide, role) > busy(narrow, role)] == list(longer)


def busy(found: Profile, role: str) -> float:
    (each,) = (each for each in found.processors if each.role == role)
    return each.busy


def test_an_approximation_takes_less_time() -> None:
    exact, approximate = (
        elementwise("copy_tile_init(0); exp_tile_init();", f"copy_tile(0, 0, 0); exp_tile<{flag}>(0);").cycles
        for flag in ("false", "true")
    )
    assert approximate < exact / 2


@pytest.mark.parametrize(
    ("resource", "init", "call", "options"),
    [
        ("math", "copy_tile_init(0); exp_tile_init();", "copy_tile(0, 0, 0); exp_tile(0);", {}),
        ("math", "matmul_init(0, 1);", "for (int i = 0; i < 8; ++i) matmul_tiles(0, 1, 0, 0, 0);", {}),
        (
            "unpack",
            "matmul_init(0, 1);",
            "for (int i = 0; i < 8; ++i) matmul_tiles(0, 1, 0, 0, 0);",
            {"fidelity": "LoFi"},
        ),
        ("pack", "copy_tile_init(0);", "copy_tile(0, 0, 0);", {"packs": 4}),
    ],
)
def test_what_bounds_a_compute_kernel(resource: str, init: str, call: str, options: dict[str, Any]) -> None:
    assert profile(elementwise(init, call, tiles=32, **options), WORMHOLE).bound_by == resource


def test_a_ping_pong_is_bound_by_synchronisation() -> None:
    cores = ((0, 0), (1, 0))
    here, there = (memory_of(WORMHOLE).chip.node(*core) for core in cores)
    body = f"""
const bool first = get_absolute_logical_x() == 0;
const uint32_t word = get_semaphore(0);
const uint64_t other = first ? get_noc_addr({there[0]}, {there[1]}, word) : get_noc_addr({here[0]}, {here[1]}, word);
for (uint32_t turn = 1; turn <= 20; ++turn) {{
  if (first) noc_semaphore_inc(other, 1);
  noc_semaphore_wait_min((volatile uint32_t*)word, turn);
  if (!first) noc_semaphore_inc(other, 1);
}}
noc_async_atomic_barrier();
"""
    east, west = (moved(body, cores, noc=noc) for noc in (0, 1))
    assert profile(east, WORMHOLE).bound_by == "synchronisation"
    # One way is a hop and the other all the others, on either NoC; the last word goes one way only.
    assert abs(east.cycles - west.cycles) < 200


# --- the record


def test_cycles_are_the_same_on_every_run_and_when_they_are_recorded() -> None:
    def cycles(recorded: bool) -> tuple[int, ...]:
        memory = memory_of(WORMHOLE)
        placed = memory.place(tensor_of(np.zeros((32, 32 * 64), np.float32)))
        cores = tuple((x, y) for y in range(4) for x in range(4))
        kernel = Kernel(
            name="mover", processor="ncrisc", cores=cores, compile_time_args=placed.accessor,
            common_args=(placed.address,),
            source=f"""{DATAFLOW}void kernel_main() {{
constexpr auto args = TensorAccessorArgs<0>();
const auto from = TensorAccessor(args, get_common_arg_val<uint32_t>(0), 2048);
for (uint32_t i = 0; i < 16; ++i) {{
  cb_reserve_back(0, 1);
  noc_async_read_page((i * 7 + get_absolute_logical_x()) % 64, from, get_write_ptr(0));
  noc_async_read_barrier();
  cb_push_back(0, 1); cb_wait_front(0, 1); {SEEN.format(0)} cb_pop_front(0, 1);
}}
}}""",
        )  # fmt: skip
        program = Program(
            generation="0.81",
            kernels=(kernel,),
            circular_buffers=(
                CircularBuffer(index=0, pages=2, page_bytes=2048, dtype="bfloat16", cores=cores),
            ),
        )
        run = run_program(program, memory, recorded=recorded)
        assert (run.record is not None) == recorded
        return tuple(fiber.cycles for fiber in run.fibers)

    assert cycles(False) == cycles(True) == cycles(False)


def test_the_critical_path_is_the_run_and_the_spans_have_no_gaps() -> None:
    run = elementwise("add_tiles_init(0, 1);", "add_tiles(0, 1, 0, 0, 0);")
    found = profile(run, WORMHOLE)
    assert sum(found.path.values()) == run.cycles
    on_lines = sum(cost.path for cost in found.lines.values())
    assert on_lines == run.cycles - found.path["launch"]
    assert run.record is not None
    for diary in run.record.diaries.values():
        spans = diary.spans
        assert spans["begins"][0] == diary.started and spans["ends"][-1] == diary.ended
        assert (spans["begins"][1:] == spans["ends"][:-1]).all()
    assert found.roof.cycles <= run.cycles


def test_the_critical_path_ends_where_waits_go_in_a_circle() -> None:
    """Each was ended by the next one, at the same time: no run is so, a record may be."""
    record = elementwise("add_tiles_init(0, 1);", "add_tiles(0, 1, 0, 0, 0);").record
    assert record is not None
    rows = np.zeros(2, next(iter(record.diaries.values())).spans.dtype)
    rows["begins"], rows["ends"], rows["reason"], rows["by"] = [0, 10], [10, 50], [0, 2], [-1, 0]
    diaries = {}
    for fiber in range(3):
        own = rows.copy()
        own["by"][1] = (fiber + 1) % 3
        diaries[fiber] = Diary(core=(0, 0), role=ROLES[fiber], kernel=0, started=0, ended=50, spans=own)
    path = critical_path(replace(record, diaries=diaries), WORMHOLE)
    assert path.by_resource() == {"synchronisation": 40, "unpack": 10}
    assert sum(step.ends - step.begins for step in path.steps) == 50


# --- what users see

PROGRAM = """import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def doubled(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    column, _ = ttl.node(dims=2)

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[0, column], blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as blk, y_dfb.reserve() as out:
            out.store(blk + blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, column]).wait()


device = ttnn.open_device(device_id=0)
a = ttnn.ones((32, 64), device=device, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 64), device=device, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
doubled(a, y)
doubled(a, y)
"""


def test_a_profile_shows_cycles_beside_the_users_lines(tmp_path: Path) -> None:
    # A name that tt-perf-report takes for a matrix product, of which it wants more.
    program = PROGRAM.replace("doubled", "DoubledMatmul")
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    arguments = ["--profile", "--trace", "out.json", "--perf-csv", "out.csv", "program.py"]
    found = run_ttl(["run", "--target", "emu", *arguments], folder=tmp_path)
    assert found.status == 0, found.stderr
    report = found.stderr
    assert "DoubledMatmul: " in report and "in 2 launches on 2 nodes of wormhole" in report
    assert "bound by " in report and "own work" in report and CLAIM in report
    first, hottest, copy = (
        line for line in report.splitlines() if "ttl.copy(a[0, column], blk).wait()" in line
    )
    assert first.startswith("Look first at program.py:")
    assert int(copy.split()[0].replace(",", "")) > 0 and hottest.split()[:2] == copy.split()[:2]
    _check_trace(json.loads((tmp_path / "out.json").read_text(encoding="utf-8")))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert tuple(rows[0]) == COLUMNS and len(rows) == 2
    assert (rows[0]["OP CODE"], rows[0]["CORE COUNT"], rows[0]["MATH FIDELITY"]) == (
        "DoubledMatmul",
        "2",
        "HiFi4",
    )
    assert (rows[0]["INPUT_0_X_PAD[LOGICAL]"], rows[0]["OUTPUT_0_MEMORY"]) == (
        "64[64]",
        "DEV_0_DRAM_INTERLEAVED",
    )
    assert int(rows[0]["DEVICE KERNEL DURATION [ns]"]) > 1000
    assert rows[0]["DEVICE KERNEL DURATION [ns]"] == rows[1]["DEVICE KERNEL DURATION [ns]"]
    said, seen = perf_report(tmp_path / "out.csv")
    assert [row["OP Code"] for row in seen] == ["DoubledMatmul 32 x 64 x 64"] * 2
    assert "AVAILABLE WORKER CORE COUNT" not in said


def _check_trace(trace: dict[str, Any]) -> None:
    assert trace["otherData"]["note"] == CLAIM
    events = trace["traceEvents"]
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    assert sorted(name for (pid, _), name in tracks.items() if pid == 2) == [
        "NoC 0", "NoC 1", "brisc", "math", "ncrisc", "pack", "unpack",
    ]  # fmt: skip
    spans = [e for e in events if e["ph"] == "X"]
    assert "a_dfb.reserve() :13" in {e["name"] for e in spans}
    assert all((e["pid"], e["tid"]) in tracks for e in spans)
    starts, ends = ({e["id"] for e in events if e["ph"] == phase} for phase in "sf")
    assert starts == ends != set()


def test_without_an_emulated_chip_there_are_no_cycles_to_show(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('not run')\n", encoding="utf-8")
    found = run_ttl(["run", "--trace", "out.json", "program.py"], folder=tmp_path)
    assert found.status == 2 and "TTL0119" in found.stderr and not found.stdout
    found = run_ttl(["run", "--target", "emu", "--trace", "none/out.json", "program.py"], folder=tmp_path)
    assert found.status == 2 and "TTL0117" in found.stderr and not found.stdout
    found = run_ttl(["run", "--target", "emu", "--perf-csv", ".", "program.py"], folder=tmp_path)
    assert found.status == 2 and "is a directory" in found.stderr and not found.stdout


@pytest.mark.parametrize("flags", [["--compare"], ["--emu-seed", "0"], ["--emu-hostile", "0"]])
def test_what_the_simulator_would_not_heed_is_refused(flags: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('run')\n", encoding="utf-8")
    found = run_ttl(["run", *flags, "program.py"], folder=tmp_path)
    assert found.status == 2 and not found.stdout
    assert (
        f"error[TTL0119]: {flags[0]} needs the emulated chip, but the simulator runs the program"
        in found.stderr
    )
    found = run_ttl(["run", *flags, "--target", "emu", "program.py"], folder=tmp_path)
    assert (found.status, found.stdout) == (0, "run\n")


# --- the page


def test_the_page_has_the_claim_and_what_the_emulated_chip_says_now(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.syspath_prepend(str(root / "benchmarks" / "emulated"))
    page = (root / "docs" / "reference" / "cycles.md").read_text(encoding="utf-8")
    assert CLAIM in page
    import calibration

    rows = [row for row in calibration.rows() if "bank of DRAM" in row.name and row.chip == "wormhole"]
    assert len(rows) == 6
    for row in rows:
        assert f"| {row.name} | wormhole | {row.published[0]:,} cycles | {row.measure():,.0f} |" in page
