"""``.ttm`` files: written, read, and run on the emulated chip, command by command beside the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support.broken_binaries import KINDS, broken
from support.metal_binaries import Change, changed, metal_binary, run_binary, run_random
from support.random_programs.ttir.metal_modules import random_metal_module
from support.ttmlir_models import compiled, golden_run
from tt_model.layouts.enums import DataType
from tt_model.layouts.kernel_permissions import allowed
from tt_model.operations.dialects import DIALECTS
from tt_model.reference.interpreter import interpret
from tt_model.runtime.problems import RuntimeProblem
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttrt.binary import Binary, FlatbufferError, load_binary_from_capsule
from ttrt.common.golden import compared
from ttrt.common.main import run as ttrt

CONSTRAINT = "#tt.operand_constraint<dram|l1|tile|any_device_tile>"
UNARY = "abs ceil cos exp expm1 floor gelu isfinite log log1p logical_not neg reciprocal relu rsqrt sigmoid sign sin sqrt"
BINARY = (
    "add div eq ge gt le logical_and logical_or logical_xor lt maximum minimum multiply ne remainder subtract"
)
SHAPE = (64, 64)


def operation(
    number: int,
    name: str,
    inputs: dict[str, str],
    result: str,
    attributes: str = "",
    *,
    segments: bool = True,
) -> list[str]:
    """The lines of an operation: its result is ``%rN``."""
    parts = [attributes] if attributes else []
    if segments:
        parts.append(f"operandSegmentSizes = array<i32: {len(inputs)}, 1>")
    parts.append(f"operand_constraints = [{', '.join([CONSTRAINT] * (len(inputs) + 1))}]")
    return [
        f"  %e{number} = tensor.empty() : {result}",
        f'  %r{number} = "ttir.{name}"({", ".join([*inputs, f"%e{number}"])}) <{{{", ".join(parts)}}}> : '
        f"({', '.join([*inputs.values(), result])}) -> {result}",
    ]


def every_operation() -> tuple[str, list[str]]:
    """A module whose results are one of each operation that both ways have, and their names."""
    a, one = "tensor<64x64xbf16>", "tensor<64x1xbf16>"
    x, xy, xyz = {"%x": a}, {"%x": a, "%y": a}, {"%x": a, "%y": a, "%z": a}
    cases: list[tuple[str, dict[str, str], str, str, bool]] = [
        *((name, x, a, "", True) for name in UNARY.split()),
        *((name, xy, a, "", True) for name in BINARY.split()),
        ("where", xyz, a, "", True),
        ("leaky_relu", x, a, "parameter = 0.25 : f32", True),
        ("clamp", x, a, "min = 0.75 : f32, max = 1.5 : f32", False),
        ("matmul", xy, a, "", False),
        ("transpose", x, a, "dim0 = 0 : si32, dim1 = 1 : si32", False),
        *((name, x, one, "keep_dim = true, dim_arg = [1 : i32]", False) for name in ("sum", "mean", "max")),
        ("typecast", x, "tensor<64x64xf32>", "", True),
        ("unsqueeze", x, "tensor<1x64x64xbf16>", "dim = 0 : si32", False),
    ]
    lines: list[str] = []
    for number, (name, inputs, result, attributes, segments) in enumerate(cases):
        lines += operation(number, name, inputs, result, attributes, segments=segments)
    types = ", ".join(result for _, _, result, _, _ in cases)
    returned = ", ".join(f"%r{number}" for number in range(len(cases)))
    head = f"func.func @forward(%x: {a}, %y: {a}, %z: {a}) -> ({types}) {{"
    return "\n".join([head, *lines, f"  return {returned} : {types}", "}"]), [case[0] for case in cases]


def test_every_operation_of_both_ways_gives_the_same() -> None:
    text, names = every_operation()
    generator = np.random.default_rng(1)
    # Away from where results jump, and from numbers whose functions are not the reference's to the bit on either way.
    inputs = [
        np.asarray(torch.from_numpy(generator.uniform(0.3, 1.9, SHAPE)).bfloat16().double()) for _ in range(3)
    ]
    run = run_binary(metal_binary(text), inputs)
    assert run.golden is not None and not run.golden.stopped and not run.golden.to_blame()
    ttnn = golden_run(compiled(text), 0, [torch.from_numpy(one).bfloat16() for one in inputs]).outputs
    exact = interpret(parse_text(make_context(DIALECTS), text, "model.mlir"), "forward", inputs)
    for name, metal, other, wanted in zip(names, run.outputs, ttnn, exact, strict=True):
        for against in (other.double().numpy(), wanted):
            result = compared(name, "", against, metal.double().numpy(), DataType.BFloat16)
            assert not result.diverges(0.99), f"{name}: {result.report(0.99)}"


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", [3, 27, 44, 106, 152, 299])
def test_random_modules_give_what_the_reference_does_to_the_bit(seed: int) -> None:
    """All 300: ``benchmarks/metal_modules.py``."""
    run = run_random(random_metal_module(seed))
    assert run.golden is not None and not run.golden.stopped
    assert [str(one) for one in run.golden.comparisons if one.own] == []
    assert run.golden.first_bad(0.99) is None and not run.report.leaks
    assert all(one.cycles > 800 for one in run.report.dispatches)


ADD = f"""#grid = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<1x1x!tt.tile<32x32, bf16>, #tt.memory_space<l1>>>
func.func @forward(%x: tensor<32x64xbf16>) -> tensor<32x64xbf16> {{
  %e = tensor.empty() : tensor<32x64xbf16, #grid>
  %r = "ttir.exp"(%x, %e) <{{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [{CONSTRAINT}, {CONSTRAINT}]}}> : (tensor<32x64xbf16>, tensor<32x64xbf16, #grid>) -> tensor<32x64xbf16, #grid>
  %f = tensor.empty() : tensor<32x64xbf16>
  %s = "ttir.add"(%r, %x, %f) <{{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [{CONSTRAINT}, {CONSTRAINT}, {CONSTRAINT}]}}> : (tensor<32x64xbf16, #grid>, tensor<32x64xbf16>, tensor<32x64xbf16>) -> tensor<32x64xbf16>
  return %s : tensor<32x64xbf16>
}}
"""


@pytest.fixture(scope="module")
def model() -> Binary:
    """``exp`` on two cores and ``add`` on one: tilize, streams, computes in place, untilize."""
    return metal_binary(ADD)


def expected(x: Any) -> Any:
    return (torch.exp(x.double()) + x.double()).numpy()


def test_an_n150(tmp_path: Path) -> None:
    """A system whose tensors begin elsewhere, and whose cores have other coordinates."""
    assert (
        ttrt(
            [
                "query",
                "--sim",
                "n150",
                "--quiet",
                "--save-artifacts",
                "--artifact-dir",
                str(tmp_path),
                "--result-file",
                str(tmp_path / "r.json"),
            ]
        )
        == 0
    )
    run = run_binary(metal_binary(ADD, str(tmp_path / "system_desc.ttsys")))
    assert run.golden is not None and not run.golden.to_blame()


def _at_the_end(commands: list[dict[str, Any]], *more: tuple[str, dict[str, Any]]) -> None:
    commands += [{"type_type": kind, "type": fields} for kind, fields in more]


def of_host(reference: dict[str, Any], number: int) -> dict[str, Any]:
    """A tensor of the host as large as one of the device."""
    desc = json.loads(json.dumps(reference["desc"]))
    desc["layout"]["memory_desc"]["memory_space"] = "System"
    return {"global_id": number, "address": 0, "size": 0, "desc": desc}


def test_queues_events_and_the_host(model: Binary) -> None:
    """The input is written and the output read by commands of another queue, in the order that events give."""

    def change(program: dict[str, Any], commands: list[dict[str, Any]]) -> None:
        (given,), (result,) = program["inputs"], program["outputs"]
        host_in, host_out = of_host(given, 90), of_host(result, 91)
        program["inputs"], program["outputs"] = [host_in], [host_out]
        events = [{"global_id": number} for number in (1, 2)]
        other: list[dict[str, Any]] = []
        _at_the_end(
            other,
            *(("CreateEventCommand", {"ref": event}) for event in events),
            ("CreateBufferCommand", {"ref": given}),
            ("EnqueueWriteBufferCommand", {"src_type": "TensorRef", "src": host_in, "dst": given}),
            ("EnqueueRecordEventCommand", {"ref": events[0]}),
            ("EventSynchronizeCommand", {"ref": events[1]}),
            ("EventQueryCommand", {"ref": events[1]}),
            ("EnqueueReadBufferCommand", {"src": result, "dst": host_out}),
            ("DeallocateBufferCommand", {"ref": result}),
            ("DeallocateBufferCommand", {"ref": given}),
            ("FinishCommand", {}),
        )
        commands.insert(0, {"type_type": "EnqueueWaitForEventCommand", "type": {"ref": events[0]}})
        _at_the_end(commands, ("EnqueueRecordEventCommand", {"ref": events[1]}))
        program["device_programs"][0]["command_queues"].append({"name": "host", "commands": other})

    x = torch.linspace(-2, 2, 32 * 64).reshape(32, 64).bfloat16()
    with allowed(sources=True):
        run = run_binary(changed(model, change), [x.float().numpy()], golden=False)
    assert not run.report.leaks
    np.testing.assert_allclose(run.outputs[0].double().numpy(), expected(x), rtol=2e-2, atol=1e-2)


MOVER = """#include <cstdint>
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const auto word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t tensor = get_arg_val<uint32_t>(1);
    BODY
}
"""
SENDER = "noc_async_write(tensor, get_noc_addr(1, 0, tensor), 4096); noc_async_write_barrier(); noc_semaphore_inc(get_noc_addr(1, 0, get_arg_val<uint32_t>(0)), 1); noc_async_atomic_barrier();"
RECEIVER = "noc_semaphore_wait(word, 3); noc_async_write(tensor, get_noc_addr(0, 0, tensor + 4096), 4096); noc_async_write_barrier();"


def test_semaphores_and_both_networks(model: Binary) -> None:
    """A hand-written dispatch: one core sends its input to another, which waits for a semaphore and sends it back."""

    def change(program: dict[str, Any], commands: list[dict[str, Any]]) -> None:
        (given,), (result,) = program["inputs"], program["outputs"]
        del commands[:]
        size = result["size"]
        # One buffer for both: the sender's part is what was given, what comes back is behind it.
        result["address"] = given["address"] + size
        arguments = {
            "runtime_args_type": ["RuntimeArgSemaphoreAddress", "RuntimeArgTensorAddress"],
            "runtime_args": [{"initial_value": 2, "core_type": "WORKER"}, {"operand_idx": 0}],
        }
        kernels = [
            {
                "kernel_type": "KernelSource",
                "kernel": {
                    "source": MOVER.replace("BODY", body),
                    "config_type": "NocConfig",
                    "config": {"noc_index": noc},
                },
                "core_range_set": [{"loc": {"y": 0, "x": x}, "size": {"y": 1, "x": 1}}],
                **arguments,
            }
            for x, noc, body in ((0, "Noc0", SENDER), (1, "Noc1", RECEIVER))
        ]
        _at_the_end(
            commands,
            ("CreateBufferCommand", {"ref": result}),
            ("EnqueueProgramCommand", {"operands": [given, result], "program": {"kernels": kernels}}),
        )

    x = torch.linspace(-2, 2, 32 * 64).reshape(32, 64).bfloat16()
    binary = changed(model, change)
    with pytest.raises(RuntimeProblem, match=r"C\+\+ in the file(.|\n)*--allow-kernel-source"):
        run_binary(binary, golden=False)
    with allowed(sources=True):
        assert torch.equal(run_binary(binary, [x.float().numpy()], golden=False).outputs[0], x)


def _dispatches(commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["type"] for one in commands if one["type_type"] == "EnqueueProgramCommand"]


def _compute(commands: list[dict[str, Any]], number: int) -> dict[str, Any]:
    kernel: dict[str, Any] = _dispatches(commands)[number]["program"]["kernels"][0]
    return kernel


def in_source(number: int, old: str, new: str) -> Change:
    def change(program: dict[str, Any], commands: list[dict[str, Any]]) -> None:
        held = _compute(commands, number)["kernel"]
        assert old in held["source"]
        held["source"] = held["source"].replace(old, new)

    return change


def in_commands(edit: Any) -> Change:
    return lambda program, commands: edit(commands)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (in_source(-2, "add_init(", "sub_init("), r"TTL1513"),
        (in_source(0, "tilize_block(", "oops("), r"does not compile for the emulated chip \(TTL1501\)"),
        (in_source(0, "#include <cstdint>", '#include "compute_kernel_api/common.h"'), r"kernel 0 calls the kernel API as it was in 2024(.|\n)*ttmlir-translate --ttmetal-to-flatbuffer"),
        (in_source(0, "kernel_main", "oops"), r"its kernels cannot be started: undefined symbol: .*kernel_main"),
        (in_source(-2, "cb_wait_front", "// "), r"command \d+ \(EnqueueProgramCommand\) at .*computes with tile 0 of cb_in\d.*\(TTL1506\)"),
        (in_source(-2, "cb_wait_front(cb_in0, ", "cb_wait_front(cb_in0, 64 + "), r"waits for .* cb_in0"),
        (in_commands(lambda c: c[0].update(type_type="FinishCommand", type={})), r"tensor \d+ is not on the device"),
        (in_commands(lambda c: _compute(c, 0)["cbs"][0]["desc"].update(page_size=20)), r"command \d+ .*kernel 0: circular buffer 0 has 4,096 bytes, which is not a whole number of pages of 20 bytes"),
        (in_commands(lambda c: _compute(c, 0)["cbs"][0].update(address=1 << 40)), r"is not in an L1 of 1,499,136 bytes"),
        (in_commands(lambda c: _compute(c, 0)["core_range_set"][0]["size"].update(x=9)), r"a range of 1x9 cores from \(0, 0\) on is not on the chip, which has 8x8"),
        (in_commands(lambda c: _compute(c, 0)["kernel"].update(config_type="EthernetConfig", config={"eth_type": "Sender", "noc_index": "Noc0"})), r"kernel 0 is for EthernetConfig, and cores for Ethernet are not emulated"),
        (in_commands(lambda c: _dispatches(c)[0]["program"]["kernels"].append(_compute(c, 0))), r"kernels 0 and 1 are both for compute of core \(0, 0\)"),
        (in_commands(lambda c: c.append(c[-1] | {"type_type": "EventQueryCommand", "type": {"ref": {"global_id": 7}}})), r"event 7 was not created"),
        (in_commands(lambda c: c.append({"type_type": "EnqueueWaitForEventCommand", "type": {"ref": {"global_id": 7}}})), r"it waits for event 7, which no command records"),
        (in_commands(lambda c: c.append({"type_type": "DeallocateBufferCommand", "type": {"ref": c[0]["type"]["ref"] | {"global_id": 99}}})), r"tensor 99 is not on the device: it was not created, or it was freed"),
        (in_commands(lambda c: c[0]["type"]["ref"].update(address=1 << 30)), r"lies at 1,073,741,824 to .* of L1, and tensors may have 1,024 to 1,495,040"),
        (in_commands(lambda c: c[0]["type"]["ref"].update(address=1024)), r"where tensor 1 \(input 0\) still is"),
        (in_commands(lambda c: c[0]["type"]["ref"]["desc"]["layout"]["memory_desc"].update(shape=[1 << 20, 1 << 20])), r"bytes on each core for shards of"),
        (lambda p, c: p["inputs"][0]["desc"].update(shape=[7, 9, 11, 13]), r"program forward: tensor 1: TensorDesc.shape is \[7, 9, 11, 13\], 9,009 elements"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(model: Binary, change: Change, said: str) -> None:
    with allowed(sources=True), pytest.raises(RuntimeProblem, match=said):
        run_binary(changed(model, change), golden=False)


def test_a_wrong_kernel_is_noticed_where_it_is(model: Binary) -> None:
    binary = changed(model, in_source(-2, "add_tiles(cb_in0, cb_in1", "add_tiles(cb_in0, cb_in0"))
    with allowed(sources=True):
        run = run_binary(binary)
    assert run.golden is not None
    assert [one.operation.partition(" ")[2] for one in run.golden.to_blame()] == ["dispatch (add)"]


def test_broken_files_are_errors(model: Binary) -> None:
    kinds = set()
    for kind in KINDS:
        for copy in broken(model.content, kind, 12, seed=5):
            try:
                run_binary(load_binary_from_capsule(copy), golden=False)
            except (FlatbufferError, RuntimeProblem) as problem:
                kinds.add(type(problem).__name__)
                assert str(problem)
            else:
                kinds.add("ran")
    assert {"ran", "FlatbufferError", "RuntimeProblem"} <= kinds


def test_the_commands(
    model: Binary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.ttm").write_bytes(model.content)
    assert ttrt(["run", "m.ttm", "--golden", "--save-artifacts", "--report", "r.json"]) == 0
    (entry,) = json.loads(Path("run_results.json").read_text())
    (program,) = entry["programs"]
    assert program["cycles"] == sum(one["cycles"] for one in program["dispatches"]) > 4 * 800
    report = json.loads(Path("r.json").read_text())
    assert [one["length"] for one in report["launches"]] == [one["cycles"] for one in program["dispatches"]]
    assert "add_tiles" in "".join(one["text"] for one in report["launches"][-2]["kernels"])
    kernels = sorted(path.name for path in Path("ttrt-artifacts").rglob("*.cpp"))
    assert len(kernels) == sum(one["kernels"] for one in program["dispatches"])
    for section, text in (
        ("cpp", "add_tiles(cb_in0, cb_in1"),
        ("op_stats", "ttmetal.enqueue_program"),
        ("mlir", "ttmetal.dispatch"),
    ):
        capsys.readouterr()
        assert ttrt(["read", "--section", section, "m.ttm"]) == 0
        assert text in capsys.readouterr().out
    assert ttrt(["perf", "m.ttm"]) == 0
    assert json.loads(Path("perf_results.json").read_text())[0]["estimated_cycles"] == program["cycles"]
    assert "dispatch (add)" in Path("ops_perf_results.csv").read_text()
    assert ttrt(["check", "--sim", "n150", "m.ttm"]) == 1
    assert ttrt(["run", "m.ttm", "--report", "missing/r.json"]) == 1
