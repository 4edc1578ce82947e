"""The optimizer on models: which layouts it chooses, that what it chooses runs, and what it says of it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
import ttmlir
from support.optimized import binary_of, differences, outputs_of
from support.random_programs.ttir.modules import random_module, varied_profile
from support.ttmlir_models import ttnn_module
from support.ttmlir_programs import ALIASES, A, T, function, operation
from tt_model.binaries.estimate import estimates
from tt_model.flatbuffer.system_desc import write_system_desc
from tt_model.layouts.known_systems import default_system
from ttmlir import overrides
from ttrt.common.l1_time import l1_over_time

FOLDER = Path(__file__).parents[3] / "examples" / "models"
sys.path.insert(0, str(FOLDER))
try:
    import ten_models
finally:
    sys.path.remove(str(FOLDER))

ANALYSIS = "memory-layout-analysis-enabled=true"
SHARDING = {"enable_optimizer": True, "memory_layout_analysis_enabled": True}


def unary(names: str, type_: str, constraint: str = T) -> str:
    """A path of operations of one operand, each called by its letter."""
    words = {"r": "relu", "s": "sigmoid", "e": "exp", "n": "neg", "q": "sqrt", "t": "typecast"}
    body = (
        "".join(
            operation(
                f"%{index + 1}",
                words[name],
                f"%{index}",
                [type_],
                type_,
                constraint,
                location=f'loc("{name}{index}")',
            )
            for index, name in enumerate(names)
        )
        .replace("%0,", "%a,")
        .replace("(%0", "(%a")
    )
    return function(f"%a: tensor<{type_}>", type_, body, f"%{len(names)}")


def chosen(text: str, options: str = ANALYSIS) -> dict[str, str]:
    """What results get, by the names of their operations."""
    return {one.name: one.chosen for one in overrides.choices(ALIASES + text, options)}


def mnist() -> str:
    """Two layers and a softmax of 1x10, of float32, where scalars are allowed."""
    body = (
        operation("%1", "matmul", "%a %w1", ["1x784xf32", "784x256xf32"], "1x256xf32", A, location='loc("m1")')
        + operation("%2", "add", "%1 %b1", ["1x256xf32"] * 2, "1x256xf32", A, location='loc("a1")')
        + operation("%3", "relu", "%2", ["1x256xf32"], "1x256xf32", A, location='loc("r")')
        + operation("%4", "matmul", "%3 %w2", ["1x256xf32", "256x10xf32"], "1x10xf32", A, location='loc("m2")')
        + operation("%5", "add", "%4 %b2", ["1x10xf32"] * 2, "1x10xf32", A, location='loc("a2")')
        + operation("%6", "softmax", "%5", ["1x10xf32"], "1x10xf32", A, "dimension = 1 : si32", location='loc("s")')
    )  # fmt: skip
    arguments = (
        "%a: tensor<1x784xf32>, %w1: tensor<784x256xf32>, %b1: tensor<1x256xf32>, %w2: tensor<256x10xf32>, "
        "%b2: tensor<1x10xf32>"
    )
    return function(arguments, "1x10xf32", body, "%6")


def test_the_shards_of_chains_are_those_of_the_real_solver() -> None:
    layers = chosen(mnist())
    assert [layers[name].split(":tile")[0] for name in ("m1", "a1", "r", "m2", "a2")] == [
        *["1x8:l1:width_sharded"] * 3,
        *["1x1:l1:width_sharded"] * 2,
    ]
    assert layers["s"] == "8x8:dram:interleaved:row_major:f32"
    large = chosen(unary("rse", "2048x2048xbf16"))
    assert large["r0"] == large["s1"] == "64x1:l1:height_sharded:tile:bf16"
    assert large["e2"] == "8x8:dram:interleaved:tile:bf16"


def test_a_product_that_takes_its_second_operand_in_no_shards_ends_a_chain() -> None:
    body = operation("%1", "relu", "%a", ["64x64xbf16"], "64x64xbf16", T, location='loc("r")') + operation(
        "%2", "matmul", "%b %1", ["64x64xbf16"] * 2, "64x64xbf16", T, location='loc("m")'
    ) + operation("%3", "exp", "%2", ["64x64xbf16"], "64x64xbf16", T, location='loc("e")')  # fmt: skip
    layers = chosen(function("%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>", "64x64xbf16", body, "%3"))
    assert layers["r"] == "8x8:dram:interleaved:tile:bf16"
    assert layers["m"] == "2x2:l1:block_sharded:tile:bf16"


WINDOWS = (
    operation("%1", "conv2d", "%x %w", ["1x32x32x32xbf16", "64x32x3x3xbf16"], "1x32x32x64xbf16", T,
        "stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, "
        "groups = 1 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 1 : si32, "
        "padding_bottom = 1 : si32, operandSegmentSizes = array<i32: 1, 1, 0, 1>")
    + operation("%2", "relu", "%1", ["1x32x32x64xbf16"], "1x32x32x64xbf16", T)
    + operation("%3", "sigmoid", "%2", ["1x32x32x64xbf16"], "1x32x32x64xbf16", T)
    + operation("%4", "max_pool2d", "%3", ["1x32x32x64xbf16"], "1x16x16x64xbf16", A,
        "kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 2 : si32, stride_width = 2 : si32, "
        "dilation_height = 1 : si32, dilation_width = 1 : si32, ceil_mode = false, padding_left = 0 : si32, "
        "padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32")
)  # fmt: skip
LOOKUP = (
    operation("%1", "embedding", "%i %t", ["32xi32", "128x64xbf16"], "32x64xbf16", A)
    + operation("%2", "exp", "%1", ["32x64xbf16"], "32x64xbf16", T)
    + operation("%3", "typecast", "%2", ["32x64xbf16"], "32x64xf32", T)
    + operation("%4", "neg", "%3", ["32x64xf32"], "32x64xf32", T)
    + operation("%5", "sum", "%4", ["32x64xf32"], "32x1xf32", T, "keep_dim = true, dim_arg = [1 : i32]")
    + operation("%6", "subtract", "%4 %5", ["32x64xf32", "32x1xf32"], "32x64xf32", T)
)
SEVERAL = "\n".join(
    (
        function(
            "%x: tensor<1x32x32x32xbf16>, %w: tensor<64x32x3x3xbf16>",
            "1x16x16x64xbf16",
            WINDOWS,
            "%4",
            "windows",
        ),
        function("%i: tensor<32xi32>, %t: tensor<128x64xbf16>", "32x64xf32", LOOKUP, "%6", "lookup"),
    )
)


def test_the_fastest_policy_is_chosen_for_every_function() -> None:
    """The estimate of a function says which; a chain of large tensors gains, one operation has nothing to gain."""
    text = ALIASES + unary("rsenr", "1024x1024xbf16") + "\n" + unary("e", "64x64xbf16").replace("@f", "@g")
    offered = overrides.choices(text, f"{ANALYSIS} memory-layout-analysis-policy=Fastest")
    assert {one.chosen.split(":")[1] for one in offered if one.function == "f"} == {"l1", "dram"}
    (alone,) = [one for one in offered if one.function == "g"]
    assert alone.chosen == "8x8:dram:interleaved:tile:bf16"
    said = next(reason for reason in offered[0].reasons if "Fastest" in reason)
    numbers = [int(part.split()[-1]) for part in said.replace(",", "").split("cycles: ")[1].split(" L1")]
    assert len(numbers) == 2 and "no analysis" in said and "DFSharding" in said


def test_windows_lookups_and_several_functions_run_as_before() -> None:
    assert list(differences(ALIASES + SEVERAL)) == []
    assert "width_sharded" in str(ttnn_module(ALIASES + SEVERAL, **SHARDING))


@pytest.mark.one_of(4)
@pytest.mark.parametrize("start", [0, 3, 12, 15])
def test_random_modules_run_as_before(start: int) -> None:
    """A sample of what ``scripts/fuzz_optimizer.py`` runs."""
    for seed in range(start, start + 3):
        for module in (random_module(seed), random_module(seed, varied_profile(seed))):
            assert list(differences(module.text, module)) == [], f"seed {seed}"


def test_what_does_not_fit_beside_its_destination_goes_back_to_dram(tmp_path: Path) -> None:
    """Two tensors of 288 tiles are less than 0.8 of L1, but the runtime makes the second beside its destination."""
    system = default_system()
    chip = system.first_chip
    cores = replace(chip.physical_cores, worker=chip.physical_cores.worker[:1])
    one_core = replace(system, chip_descs=(replace(chip, grid=(1, 1), physical_cores=cores),))
    path = str(tmp_path / "one_core.ttsys")
    write_system_desc(path, one_core)
    typecast = operation("%1", "relu", "%a", ["224x1024xbf16"], "224x1024xbf16", T) + operation(
        "%2", "typecast", "%1", ["224x1024xbf16"], "224x1024xf32", T
    ) + operation("%3", "exp", "%2", ["224x1024xf32"], "224x1024xf32", T)  # fmt: skip
    kept = ALIASES + function("%a: tensor<224x1024xbf16>", "224x1024xf32", typecast, "%3")
    assert (
        list(differences(kept, system_desc_path=path)) == []
    )  # what lies where its operand lies goes with it
    text = ALIASES + unary("rsenr", "288x1024xbf16")
    assert list(differences(text, system_desc_path=path)) == []
    reasons = [
        reason
        for one in overrides.choices(text, f"{ANALYSIS} system-desc-path={path}")
        for reason in one.reasons
    ]
    assert any("back in DRAM: at ttnn." in reason for reason in reasons)
    program = binary_of(text, system_desc_path=path, **SHARDING).programs[0]
    steps = l1_over_time(program, one_core.first_chip, estimates(program, one_core.first_chip))
    assert 0 < max(step.used for step in steps) <= one_core.first_chip.program_l1_size


def test_l1_over_time_is_what_the_runtime_reserves() -> None:
    for policy in ("DFSharding", "L1Interleaved"):
        binary = binary_of(
            ALIASES + unary("rsenr", "256x256xbf16"), memory_layout_analysis_policy=policy, **SHARDING
        )
        program, chip = binary.programs[0], default_system().first_chip
        steps = l1_over_time(program, chip, estimates(program, chip))
        _, report = outputs_of(binary, 0)
        assert max(step.used - step.buffers for step in steps) == report.peaks["L1 of chip 0"]


# What is asked for


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("r0=3x1:l1:height_sharded:tile:bf16", "4x4 tiles do not divide into 3x1 shards of whole tiles"),
        ("r0=4x4:dram:block_sharded:tile:bf16", "shards are in l1"),
        ("r0=4x4:l1:block_sharded:row_major:bf16", "shards must have whole tiles: use tile"),
        ("r0=9x4:l1:block_sharded:tile:bf16", "9x4 shards are not a rectangle of 8x8 cores"),
        ("r0=4x2:l1:height_sharded:tile:bf16", "height_sharded has one column of shards, not 2"),
        (
            "r0=1x1:system_memory:interleaved:tile:bf16",
            "a result must be in dram or l1, not in system_memory",
        ),
        ("r0=1x1:l1:none:tile:bf16", "must be interleaved or sharded, not none"),
        (
            "r0=4x4:l1:block_sharded:tile:f32",
            "ttnn.relu returns bf16, the data type of its operand, not f32",
        ),
        ("r9=4x4:l1:block_sharded:tile:f32", "Trying to override non-existing op r9"),
        (
            "r0=1x1:l1:interleaved:tile:bf16 insert-memreconfig=s1=1",
            "no tensor as operand 1 to read; it has 0",
        ),
    ],
)
def test_what_cannot_be_overridden_says_why(override: str, problem: str) -> None:
    with pytest.raises(RuntimeError, match="Failed to run pass manager") as refused:
        chosen(unary("rs", "128x128xbf16"), f"override-output-layout={override}")
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"override_output_layout": "r0=4x4:l1:block_sharded:tile:bf16,s1=1x4:l1:width_sharded:tile:bf16"},
        {"override_output_layout": "s1=2x2:l1:block_sharded:tile:bf16", "insert_memreconfig": "s1=0,e2=0"},
        {"override_output_layout": "r0_in_0_layout=4x1:l1:height_sharded:tile:bf16"},
        {"override_output_layout": "t3=8x8:l1:interleaved:tile:bf16"},
        {"override_output_layout": "t3=2x1:l1:height_sharded:tile:bf16,e2=8x8:l1:interleaved:tile:bf16"},
        {"insert_memreconfig": "r0=0"},
    ],
)
def test_what_is_asked_for_runs_as_before(asked: dict[str, Any]) -> None:
    """Also where neighbours cannot be combined: tensors are laid out anew in between."""
    text = ALIASES + unary("rsetn", "128x128xbf16")
    plain, _ = outputs_of(binary_of(text), 0)
    for more in ({}, {"memory_layout_analysis_enabled": True}):
        outputs, report = outputs_of(binary_of(text, enable_optimizer=True, **more, **asked), 0)
        assert torch.equal(outputs[0], plain[0])
        assert report.leaks == []


def test_overrides_go_through_json_and_are_read_again() -> None:
    wanted = overrides.Overrides(
        output_layouts={"s1": "4x1:l1:height_sharded:tile:bf16"}, memory_reconfigurations={"s1": [0]}
    )
    assert overrides.Overrides.from_json(wanted.as_json()) == wanted
    layers = chosen(unary("rse", "128x128xbf16"), f"{ANALYSIS} {wanted.options()}")
    assert (layers["r0"], layers["s1"]) == (
        "4x4:l1:block_sharded:tile:bf16",
        "4x1:l1:height_sharded:tile:bf16",
    )
    for text in ('{"layouts": {}}', '{"output_layouts": {"a": 1}}', '{"output_layouts": {"a": "b"}}', "1"):
        with pytest.raises(ValueError):
            overrides.Overrides.from_json(text)


def test_every_candidate_that_is_offered_is_taken() -> None:
    text = unary("rse", "64x96xbf16")
    offered = next(one for one in overrides.choices(ALIASES + text, ANALYSIS) if one.name == "s1")
    assert [one.chosen for one in offered.candidates].count(True) == 1
    assert all(one.against and one.cycles for one in offered.candidates if not one.chosen)
    for candidate in offered.candidates:
        asked = f"{ANALYSIS} override-output-layout=s1={candidate.override}"
        assert chosen(text, asked)["s1"] == candidate.override


def test_what_is_said_is_always_the_same_and_goes_into_json() -> None:
    from dataclasses import asdict

    first, second = (overrides.choices(ALIASES + mnist(), ANALYSIS) for _ in range(2))
    assert json.dumps([asdict(one) for one in first]) == json.dumps([asdict(one) for one in second])
    (softmax,) = [one for one in first if one.name == "s"]
    assert any("in no chain, because ttnn.to_layout" in reason for reason in softmax.reasons)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", ["mlp", "mnist", "resnet", "unet", "attention", "bags", "lstm", "vit"])
def test_models_of_torch_give_the_same_bits(name: str) -> None:
    """Those of ``examples/models`` at their small size, in the policy that moves most; ``gpt`` and ``llama`` are more of the same."""
    example = ten_models.example(name, dtype=torch.bfloat16)
    options = f"enable-optimizer=true {ANALYSIS}"
    plain, optimized = (
        torch.utils._pytree.tree_flatten(
            ttmlir.compile(example.module, *example.inputs, options=one).run(*example.inputs)
        )[0]
        for one in ("", options)
    )
    assert all(torch.equal(one, other) for one, other in zip(optimized, plain, strict=True))


def test_the_published_table_gains_on_models_and_never_loses() -> None:
    """Of ten kinds of models, five at the least are estimated to take 8 % less; ``scripts/compare_optimizer.py`` makes the table."""
    page = (FOLDER.parents[1] / "docs" / "ttmlir" / "optimizer.md").read_text()
    table = page.partition("<!-- compared -->")[2].partition("<!-- /compared -->")[0]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.count("|") > 5
    ]
    shares = {}
    for name, without, *_, fastest, _, conversions, _ in rows[2:]:
        cycles = [int(cell.split()[0].replace(",", "")) for cell in (without, fastest)]
        shares[name] = cycles[1] / cycles[0]
        made, explained = conversions.split(", ")
        assert made == explained, name
    ten = (
        "encoder",
        "decoder with caches",
        "vit",
        "resnet",
        "unet",
        "Mamba",
        "mixture of experts",
        "diffusion transformer",
        "lstm",
        "mlp",
    )
    assert sum(shares[name] <= 0.92 for name in ten) >= 5
    assert max(shares.values()) < 1
