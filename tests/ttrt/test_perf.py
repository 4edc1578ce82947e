"""``ttrt perf``: what bounds an operation, tables that other tools read, the page, and the comparison with kernels."""

from __future__ import annotations

import csv
import importlib.util
import json
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
import ttmlir
from support.perf_reports import perf_report
from support.ttnn_binaries import Binary as Tables
from tt_model.binaries.estimate import Estimate, estimates
from tt_model.cost.products import Product, fastest_product
from tt_model.cost.rates import Rates
from tt_model.layouts.known_systems import system
from ttl.arch import chip_named
from ttrt.common.main import run
from ttrt.common.perf_files import COLUMNS

ROOT = Path(__file__).parents[2]
COSTS = chip_named("wormhole").costs
START = COSTS.launch.value + COSTS.startup.value
RATES = Rates(chip_named("wormhole"))


def estimate(
    kind: str, *inputs: list[int], out: list[int], l1: str = "", grid: tuple[int, int] = (8, 8), **fields: Any
) -> Estimate:
    """Of one operation. ``l1``: its tensors lie there, in this way, on the cores of ``grid``."""
    cores = {"y": grid[0], "x": grid[1]}
    built = Tables()
    given = [built.tensor(shape, space="DeviceL1" if l1 else "DeviceDRAM") for shape in inputs]
    result = built.tensor(out, space="DeviceL1" if l1 else "DeviceDRAM")
    for tensor in (*given, result):
        tensor["desc"]["layout"]["memory_desc"]["memory_layout"] = l1 or "Interleaved"
        tensor["desc"]["layout"]["core_range_set"] = [{"loc": {"y": 0, "x": 0}, "size": cores}]
    match kind:
        case "MatmulOp":
            operands: dict[str, Any] = {"in0": given[0], "in1": given[1]}
        case "EltwiseOp" | "ConcatOp":
            operands = {"ins": given}
        case "EmbeddingOp":
            operands = {"in": given[0], "weight": given[1]}
        case _:
            operands = {"in": given[0]}
    built.op(kind, **operands, **fields, out=result)
    return estimates({"operations": built.operations}, system("n150").first_chip)[-1]


def square(size: int, *batch: int) -> Estimate:
    return estimate("MatmulOp", [*batch, size, size], [*batch, size, size], out=[*batch, size, size])


def add(rows: int, cols: int, l1: str = "", grid: tuple[int, int] = (8, 8)) -> Estimate:
    return estimate("EltwiseOp", [rows, cols], [rows, cols], out=[rows, cols], type="Add", l1=l1, grid=grid)


@pytest.mark.parametrize(
    ("one", "bound", "cores"),
    [
        (add(32, 32), "launch", 1),
        (add(2048, 2048), "DRAM", 64),
        (add(2048, 2048, "Interleaved"), "network", 64),
        (add(2048, 2048, "BlockSharded"), "arithmetic", 64),
        (add(2048, 2048, "WidthSharded", (2, 8)), "arithmetic", 16),
        (square(1024), "arithmetic", 64),
        (estimate("MatmulOp", [2048, 32], [32, 2048], out=[2048, 2048]), "DRAM", 64),
        (estimate("EltwiseOp", [2048, 2048], out=[2048, 2048], type="Sqrt"), "DRAM", 64),
        (estimate("EltwiseOp", [2048, 2048], [2048, 2048], out=[2048, 2048], type="Div"), "DRAM", 64),
        (estimate("SoftmaxOp", [256, 512], out=[256, 512], dimension=1), "arithmetic", 8),
        (estimate("ReductionOp", [512, 512], out=[512, 1], type="Sum", dim_arg=[1]), "latency", 16),
    ],
)  # fmt: skip
def test_what_bounds_an_operation(one: Estimate, bound: str, cores: int) -> None:
    assert (one.bound, one.cores) == (bound, cores)
    assert one.cycles >= one.start + max(one.compute_cycles, one.dram_cycles) - 1


def test_arithmetic_is_that_of_the_busiest_core() -> None:
    product = 4 * COSTS.matmul_phase.value + COSTS.matmul_overhead.value
    one = estimate("MatmulOp", [32, 256], [256, 32], out=[32, 32])
    assert (one.cores, one.arithmetic) == (1, 32 * 32 * 256)
    assert one.compute_cycles == 8 * product + COSTS.pack_narrow.value
    # Nine rows of tiles on eight rows of cores: one core has two, and the others wait for it.
    assert square(9 * 32).compute_cycles > 2 * square(8 * 32).compute_cycles
    # A reduction cannot use more cores than there are tiles of the result.
    everything = estimate("ReductionOp", [512, 512], out=[1, 1], type="Sum")
    assert everything.cores == 1 and everything.compute_cycles > 256 * COSTS.reduce_both.value


def test_only_what_is_taken_is_read() -> None:
    table = estimate("EmbeddingOp", [1, 32], [50000, 128], out=[1, 32, 128])
    assert table.read == 2048 + 4 * 2048 and table.cycles < START + 5_000
    cut = estimate("SliceOp", [1024, 1024], out=[32, 1024], begins=[0, 0], ends=[32, 1024], step=[1, 1])
    assert cut.read == cut.written == 32 * 2048


def test_operands_that_cores_share_are_read_once() -> None:
    """A multicast reads each operand once for a row or column of cores; a batch is read by every core for itself."""
    extents: dict[str, Any] = {"batch": 1, "rows": 16, "inner": 16, "columns": 16}
    product = Product(**extents, data_type=add(32, 32).outputs[0].data_type)
    shared, alone = (fastest_product(RATES, product, (8, 8), how)[1] for how in ("multicast", "alone"))
    once = 3 * 256 * 2048 / RATES.chip.dram_bytes_per_cycle
    assert round(shared.dram) == round(once)
    assert round(alone.dram) == round((2 * 8 + 1) / 3 * once)
    # A row of one tile: the first operand goes to all cores, which read their columns of the second themselves.
    row = estimate("MatmulOp", [32, 4096], [4096, 4096], out=[32, 4096])
    assert (row.cores, row.bound) == (64, "DRAM")
    assert row.dram_cycles == round((128 + 128 * 128 + 128) * 2048 / RATES.chip.dram_bytes_per_cycle)
    assert square(128, 64).cores == 64


def test_the_model_grows_with_the_work() -> None:
    """No shape is cheaper than a part of it."""
    for smaller, larger in ((128, 256), (256, 512), (512, 1024), (1024, 4096)):
        assert square(smaller).cycles <= square(larger).cycles
        assert add(smaller, 512).cycles <= add(larger, 512).cycles


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@cache
def model() -> bytes:
    """A product, elementwise functions, a reduction, a softmax, a convolution, a cut and a joint."""

    @ttmlir.compile(((64, 128), "bf16"), ((128, 64), "bf16"), ((1, 3, 8, 8), "bf16"), ((4, 3, 3, 3), "bf16"))
    def layer(x: Any, w: Any, i: Any, k: Any) -> Any:
        y = torch.relu(x @ w)
        z = torch.cat([y[:, 0:32], y[:, 32:]], 1).softmax(-1)
        return (
            z,
            y.mean(1, True),
            torch.nn.functional.conv2d(i, k, padding=1),
            (y / 3).transpose(0, 1),
        )

    return bytes(layer.binary.content)


def test_tt_perf_report_reads_the_table(folder: Path) -> None:
    (folder / "model.ttnn").write_bytes(model())
    assert run(["perf", "model.ttnn"]) == 0
    with open("ops_perf_results.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    said, seen = perf_report(folder / "ops_perf_results.csv")
    # It sorts all but fills, which it has no class for.
    warnings = [line for line in said.splitlines() if "Warning" in line]
    assert len(warnings) == 1 and "'FullDeviceOperation'" in warnings[0]
    assert len(seen) == len(rows)
    assert {row["Op Category"] for row in seen} == {"Compute", "TM", "Host", "Other"}
    (product,) = [row for row in seen if row["OP Code"].startswith("Matmul")]
    assert product["OP Code"] == "MatmulDeviceOperation 64 x 128 x 64" and product["Bound Analysis"] == "full"
    host = [row for row in rows if row["OP TYPE"] == "python_fallback"]
    assert len(host) == sum(row["Op Category"] == "Host" for row in seen) > 0


def test_what_a_card_measured_stands_beside_the_estimates(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "model.ttnn").write_bytes(model())
    assert run(["perf", "model.ttnn"]) == 0
    text = Path("ops_perf_results.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    on_chip = [row for row in rows if row["OP TYPE"] == "tt_dnn_device"]
    # As a spreadsheet saves it, and with a row that is cut off.
    with open("card.csv", "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        # Twice as long, one operation missing, one that is none of the binary's, and another device.
        for number, row in enumerate(on_chip):
            doubled = row | {"DEVICE KERNEL DURATION [ns]": 2 * int(row["DEVICE KERNEL DURATION [ns]"])}
            writer.writerows([doubled] if number else [])
            writer.writerow(row | {"OP CODE": "Other"} if number == 2 else row | {"DEVICE ID": 1})
        file.write('Matmul,"tt_dnn')
    capsys.readouterr()
    assert run(["perf", "model.ttnn", "--measured", "card.csv", "--report"]) == 0
    said = capsys.readouterr().err
    assert "estimated     emulated     measured    error" in said and said.count("-50 %") == len(on_chip) - 1
    assert (
        f"{len(on_chip) - 1} operations are measured, with a mean error of 50.0 %; 1 are not in the file"
        in said
    )
    assert "; 1 of the file are not in this binary" in said
    (entry,) = json.loads(Path("perf_results.json").read_text())
    assert len(entry["measured_cycles"]) == len(on_chip) - 1
    page = Path("perf_report.html").read_text()
    assert "<th>measured</th>" in page and "the measured column is from a card" in page
    data = json.loads(page.partition('id="estimates">')[2].partition("</script>")[0])
    assert sum("measured_cycles" in call for call in data["calls"]) == len(on_chip) - 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "no such file or directory"),
        ("", "it has no column DEVICE KERNEL DURATION [ns] and none OP CODE"),
        (
            "OP CODE,DEVICE KERNEL DURATION [ns]\nMatmul,\nMatmul,x\nMatmul,nan\nMatmul,-1\n\0",
            "no operation in it has",
        ),
    ],
)
def test_a_file_that_no_card_wrote_is_refused(
    text: str | None, why: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "model.ttnn").write_bytes(model())
    if text is not None:
        (folder / "card.csv").write_text(text)
    assert run(["perf", "model.ttnn", "--measured", "card.csv"]) == 1
    said = capsys.readouterr().err
    assert "error[TTL0147]" in said and why in said
    assert run(["perf", "model.ttnn", "--measured", "ops_perf_results.csv"]) == 1
    assert "the estimates would overwrite 'ops_perf_results.csv'" in capsys.readouterr().err


class _Page(HTMLParser):
    """What a page refers to, and its rows."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [str(value) for name, value in attrs if name in ("src", "href", "srcset", "action")]
        self.rows += tag == "tr"


def test_the_page_needs_nothing_else_and_says_what_the_table_says(folder: Path) -> None:
    name = "<b>&model.ttnn"
    (folder / name).write_bytes(model())
    assert run(["perf", name, "--report"]) == 0
    text = (folder / "perf_report.html").read_text(encoding="utf-8")
    page = _Page()
    page.feed(text)
    assert page.links == [] and "//" not in text.replace("</script>", "").split("<script")[2]
    assert "<b>&model" not in text and "&lt;b&gt;&amp;model.ttnn" in text
    data = json.loads(text.partition('id="estimates">')[2].partition("</script>")[0])
    with open("ops_perf_results.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert page.rows == len(rows) + 1
    assert [str(call["cycles"]) for call in data["calls"]] == [row["ESTIMATED CYCLES"] for row in rows]
    assert data["cycles"] + data["transfer_cycles"] == sum(data["by_bound"].values())
    (steps,) = data["l1"].values()
    assert [step["index"] for step in steps] == [call["index"] for call in data["calls"]]
    assert (
        text.count('<svg class="l1"') == 1 and 0 < max(step["used"] for step in steps) < data["l1_capacity"]
    )
    (entry,) = json.loads(Path("perf_results.json").read_text())
    assert entry["verdict"].replace('"', "&quot;") in text.replace("&#x27;", "'")


def test_binaries_of_a_folder_have_tables_of_their_own(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.ttnn").write_bytes(model())
    assert run(["perf", ".", "--report"]) == 0
    written = {path.name for path in folder.iterdir() if path.suffix in (".csv", ".html")}
    assert written == {
        f"{name}_{file}" for name in "ab" for file in ("ops_perf_results.csv", "perf_report.html")
    }


def test_what_is_assumed_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.ttnn").write_bytes(model())
    assert run(["perf", "model.ttnn"]) == 0
    assert "(PCIe 16 GB/s, assumed)" in capsys.readouterr().err
    with open("ops_perf_results.csv", encoding="utf-8") as file:
        notes = {row["NOTE"] for row in csv.DictReader(file) if row["BOUND BY"] == "PCIe"}
    assert notes == {"PCIe 16 GB/s, assumed"}


def test_operations_of_tt_lang_take_what_the_emulated_chip_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from support.tt_lang_models import MODEL, MODELS, content_of
    from tt_model.layouts.kernel_permissions import allowed

    monkeypatch.syspath_prepend(str(MODELS))
    with allowed(["gated"]):
        (folder / "model.ttnn").write_bytes(content_of(MODEL))

    def kernel() -> dict[str, str]:
        with open("ops_perf_results.csv", encoding="utf-8") as file:
            (row,) = [row for row in csv.DictReader(file) if row["OPERATION"] == "TTLangOp"]
        return row

    assert run(["perf", "model.ttnn"]) == 0
    assert kernel()["NOTE"].startswith("its bytes only: ") and kernel()["BOUND BY"] != "emulated"
    assert run(["perf", "model.ttnn", "--allow-tt-lang", "gated"]) == 0
    assert (kernel()["BOUND BY"], kernel()["ATTRIBUTES"]) == ("emulated", "{'source': 'emulated'}")
    assert int(kernel()["ESTIMATED CYCLES"]) > 1000


@pytest.fixture(scope="module")
def script() -> Any:
    path = ROOT / "scripts" / "compare_estimates.py"
    spec = importlib.util.spec_from_file_location("compare_estimates", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["compare_estimates"] = module
    kept = list(sys.path)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path[:] = kept
        del sys.modules["compare_estimates"]


def test_the_comparison_with_kernels_is_that_of_now(script: Any) -> None:
    """The row that takes no time to emulate is as the page has it; all are within a third."""
    text = (ROOT / "docs" / "ttmlir" / "estimates.md").read_text(encoding="utf-8")
    first = script.rows()[0]
    assert script.table([script.compared(first)]).splitlines()[-1] in text
    names = [row.name for row in script.rows()]
    shares = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in names:
            shares[cells[0]] = float(cells[-1].removesuffix(" %"))
    assert set(shares) == set(names)
    # Of one row the queues at the banks that the estimate counts with are not there: our kernel's nodes read strips of other tiles.
    beyond = {name: share for name, share in shares.items() if not 75 <= share <= 125}
    assert set(beyond) == {"relu, 256 x 2048"}, shares
