"""Memory, from a model through a ``.ttnn`` file and ``ttrt run``: what does not fit, is used when it is gone, or never given back.

Each error names the operation of the model by its location; what does not fit comes with a table of what lies where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
from support.ttmlir_models import HEADER, ttnn_module
from tt_model.flatbuffer.system_desc import write_system_desc
from tt_model.layouts.known_systems import system
from tt_model.layouts.system_desc import SystemRecord
from tt_model.operations.operation import RowOperation
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.common.api import Run

# A tensor of this many rows of 1024 is 1 MiB in bf16; a core has 1.4 MiB left for buffers.
L1 = "#l1 = #tt.operand_constraint<l1|tile|height_sharded>\n"


def model(constraint: str, shape: str = "512x1024") -> str:
    """``exp(x) * y`` of bf16, with names for its operations."""
    t = f"tensor<{shape}xbf16>"
    return f"""{HEADER}{L1}
func.func @forward(%x: {t} loc("x"), %y: {t} loc("y")) -> {t} {{
  %0 = tensor.empty() : {t} loc("grown_out")
  %1 = "ttir.exp"(%x, %0) <{{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [{constraint}, {constraint}]}}> : ({t}, {t}) -> {t} loc("grown")
  %2 = tensor.empty() : {t} loc("scaled_out")
  %3 = "ttir.multiply"(%1, %y, %2) <{{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [{constraint}, {constraint}, {constraint}]}}> : ({t}, {t}, {t}) -> {t} loc("scaled")
  return %3 : {t} loc("result")
}}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(
    text: str, change: Callable[[Any], None] = lambda module: None, golden: bool = False, **options: Any
) -> dict[str, Any]:
    """Compile, change the TTNN module, write, run: the entry of the file."""
    module = ttnn_module(text, **options)
    change(module)
    Path("model.ttnn").write_bytes(ttnn_to_flatbuffer(module))
    code, (entry,) = Run({"binary": "model.ttnn", "--golden": golden})()
    assert code == (entry["result"] != "pass")
    return entry


def small_dram(megabytes: int) -> SystemRecord:
    """An n150 with so much DRAM in each of its 12 channels."""
    record = system("n150")
    (chip,) = record.chip_descs
    return replace(
        record, chip_descs=(replace(chip, dram_unreserved_end=chip.dram_unreserved_base + (megabytes << 20)),)
    )


def test_what_fits_says_how_much_it_took() -> None:
    entry = run(model("#any_device"))
    (program,) = entry["programs"]
    assert entry["result"] == "pass" and program["leaks"] == []
    # Three tensors of 512 tiles of 2 KiB over 12 channels are live at once, at most.
    peak = program["peak_bytes_per_bank"]
    assert 2 * 43 * 2048 <= peak["DRAM of chip 0"] <= 4 * 43 * 2048 and peak["L1 of chip 0"] == 0


def test_a_bank_of_l1_that_is_full() -> None:
    """One core has the whole of each tensor."""
    head, *table = run(model("#l1"))["exception"].splitlines()
    assert head == (
        'operation 4 (EmptyOp) at loc("grown_out"): out of memory in L1 of chip 0: tensor 5 (512x1024) takes 1,048,576 bytes '
        "of each of 64 banks; 416,768 of 1,465,344 are free"
    )
    assert [" ".join(line.split()) for line in table] == [
        "L1 of chip 0 holds (1,048,576 of 1,465,344 bytes of each of 64 banks):",
        "address bytes of each what",
        '0x65c00 1,048,576 tensor 4 (512x1024), since operation 2 (ToLayoutOp) at loc("grown_in_0_layout")',
    ]


def test_dram_that_is_full() -> None:
    write_system_desc("small.ttsys", small_dram(1))
    entry = run(model("#any_device", "4096x1024"), system_desc_path="small.ttsys")
    head, *table = entry["exception"].splitlines()
    assert 'at loc("' in head and "out of memory in DRAM of chip 0: tensor " in head
    assert "(4096x1024) takes 700,416 bytes of each of 12 banks; 348,160 of 1,048,576 are free" in head
    assert table[0] == "DRAM of chip 0 holds (700,416 of 1,048,576 bytes of each of 12 banks):"
    assert len(table) == 3 and "since operation " in table[2] and 'loc("grown' in table[2]


def test_a_result_lies_beside_its_destination_while_it_is_computed() -> None:
    """As on a card, where the operation makes a tensor of its own."""
    write_system_desc("small.ttsys", small_dram(1))
    entry = run(model("#any_device", "2048x1024"), system_desc_path="small.ttsys")
    head, *table = entry["exception"].splitlines()
    assert head.startswith(
        'operation 5 (EltwiseOp) at loc("grown"): out of memory in DRAM of chip 0: tensor 5 (2048x1024)'
    )
    assert head.endswith("takes 350,208 bytes of each of 12 banks; 348,160 of 1,048,576 are free")
    assert [line[line.index("tensor") :] for line in table[2:]] == [
        'tensor 5 (2048x1024), since operation 4 (EmptyOp) at loc("grown_out")',
        'tensor 4 (2048x1024), since operation 2 (ToLayoutOp) at loc("grown_in_0_layout")',
    ]


def _deallocations(module: Any) -> list[RowOperation]:
    return [op for op in module.walk() if op.name == "ttnn.deallocate"]


def _of(module: Any, name: str) -> RowOperation:
    (op,) = (op for op in module.walk() if op.name == name)
    assert isinstance(op, RowOperation)
    return op


def free_before(module: Any) -> None:
    """What ``multiply`` reads is given back before it."""
    multiply = _of(module, "ttnn.multiply")
    read = multiply.operands[1]
    (freed,) = (op for op in _deallocations(module) if op.operands[0] is read)
    freed.detach()
    multiply.parent.insert_op_before(freed, multiply)


def free_twice(module: Any) -> None:
    """What ``multiply`` read is given back twice."""
    read = _of(module, "ttnn.multiply").operands[1]
    (freed,) = (op for op in _deallocations(module) if op.operands[0] is read)
    freed.parent.insert_op_after(freed.clone(), freed)


def free_an_input(module: Any) -> None:
    """An input of the program is given back."""
    multiply = _of(module, "ttnn.multiply")
    freed = _deallocations(module)[0].clone()
    freed.operands[0] = multiply.parent.args[0]
    multiply.parent.insert_op_before(freed, multiply)


@pytest.mark.parametrize("golden", [False, True])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (free_before, ("(EltwiseOp) at loc(\"scaled\"): tensor ", " is used after it was deallocated by operation ", "(DeallocateOp) at loc(\"scaled\")")),
        (free_twice, ("(DeallocateOp) at loc(\"scaled\"): tensor ", " is deallocated twice: operation ", "(DeallocateOp) at loc(\"scaled\") did it first")),
        (free_an_input, ("(DeallocateOp) at loc(\"", "is an input of the program, which it must not deallocate")),
    ],
)  # fmt: skip
def test_what_is_given_back_too_early_or_twice(
    change: Callable[[Any], None], said: tuple[str, ...], golden: bool
) -> None:
    entry = run(model("#any_device"), change, golden)
    (line,) = entry["exception"].splitlines()
    assert (
        entry["result"] == "error" and line.startswith("operation ") and all(part in line for part in said)
    ), line


def test_what_is_never_given_back() -> None:
    """A warning, with how much it is and since when; the run passes, and the next has the memory."""

    def forget(module: Any) -> None:
        read = _of(module, "ttnn.multiply").operands[1]
        for op in _deallocations(module):
            if op.operands[0] is read:
                op.detach()

    entry = run(model("#any_device"), forget)
    (leak,) = entry["programs"][0]["leaks"]
    assert entry["result"] == "pass"
    assert (
        leak.startswith("tensor ")
        and "(512x1024 bf16, tiles, DRAM) was not deallocated: 88,064 bytes of each bank" in leak
    )
    assert ", since operation " in leak and leak.endswith('at loc("scaled_in_1_layout")')


def test_a_leak_that_fills_the_memory_is_in_the_table() -> None:
    """What was forgotten is named where something else does not fit."""
    write_system_desc("small.ttsys", small_dram(1))

    def forget_all(module: Any) -> None:
        for op in _deallocations(module):
            op.detach()

    passing = run(model("#any_device", "1024x1024"), system_desc_path="small.ttsys")
    assert passing["result"] == "pass"
    entry = run(model("#any_device", "1024x1024"), forget_all, system_desc_path="small.ttsys")
    head, *table = entry["exception"].splitlines()
    assert "out of memory in DRAM of chip 0" in head and 'at loc("' in head
    assert sum("(1024x1024), since operation " in line for line in table) == len(table) - 2 >= 4
