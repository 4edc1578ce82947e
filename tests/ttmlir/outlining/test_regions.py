"""Which operations become one of TT-Lang, and that it computes what they did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.outlined import outline, results
from support.random_programs.ttir.modules import Profile, random_module
from support.ttir_text import Model

HERE = Path(__file__).parent
REGIONS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "regions").glob("*.mlir"))}


def close(actual: object, expected: object, share: float) -> None:
    """Within a share of the largest value."""
    wanted = np.asarray(expected)
    np.testing.assert_allclose(np.asarray(actual), wanted, rtol=share, atol=share * np.abs(wanted).max())


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", REGIONS)
def test_a_region_is_one_operation_that_computes_the_same(name: str, tmp_path: Path) -> None:
    """The second line of each model names the operations it becomes."""
    text = REGIONS[name]
    kernels = text.splitlines()[1].removeprefix("// kernels: ").split(", ")
    model = outline(text, tmp_path)
    assert (model.kernels, model.left, model.remarks) == (kernels, [], ())
    rng = np.random.default_rng(0)
    function = next(op for op in model.before.walk() if op.name == "func.func")
    inputs = [rng.standard_normal(type.get_shape()) for type in function.function_type.inputs]
    bf16 = "bf16" in text
    inputs = [np.round(one * 8) / 8 for one in inputs]  # what bf16 holds
    (before,), (referenced,), (simulated,) = results(model, "f", inputs, tmp_path)
    close(referenced, before, 2.0**-8 if bf16 else 1e-12)
    close(simulated, before, 2.0**-7 if bf16 else 2e-5)


def test_a_value_that_others_need_ends_a_region(tmp_path: Path) -> None:
    model = Model("64x64")
    shared = model.op("exp", "64x64", model.op("relu", "64x64", "a0"), result="shared")
    one = model.op("multiply", "64x64", shared, shared, result="one")
    two = model.op("sigmoid", "64x64", model.op("add", "64x64", shared, "a0"), result="two")
    outlined = outline(model.text(one, two), tmp_path)
    # ``one`` is a single elementwise operation: it is as well where it is.
    assert outlined.kernels == ["shared", "two"] and outlined.left == ["ttir.multiply"]


def test_what_is_returned_ends_a_region(tmp_path: Path) -> None:
    model = Model("64x64")
    first = model.op("relu", "64x64", model.op("exp", "64x64", "a0"), result="first")
    second = model.op("sigmoid", "64x64", model.op("exp", "64x64", first), result="second")
    assert outline(model.text(first, second), tmp_path).kernels == ["first", "second"]


def test_regions_of_equal_structure_share_an_operation(tmp_path: Path) -> None:
    model = Model("64x64", "64x64")
    ends = [
        model.op(
            "relu",
            "64x64",
            model.op("exp", "64x64", f"a{number}", result=f"{side}_power"),
            result=f"{side}_gate",
        )
        for number, side in enumerate(("left", "right"))
    ]
    outlined = outline(model.text(*ends), tmp_path)
    assert outlined.kernels == ["gate", "gate"]
    assert outlined.source.count("@ttl.operation") == 1
    assert "the model's left_gate and right_gate" in outlined.source
    assert "power = ttl.math.exp(" in outlined.source


def test_a_constant_is_a_number_where_the_result_needs_no_more(tmp_path: Path) -> None:
    model = Model("64x64", "1x64")
    half = model.op("multiply", "64x64", "a0", model.constant(0.5, "64x64"))
    end = model.op(
        "add", "64x64", half, model.op("add", "64x64", "a1", model.constant(1.0, "64x64")), result="end"
    )
    outlined = outline(model.text(end), tmp_path)
    # The second one makes 64 rows of one: it stays a tensor.
    assert "a0_blk * 0.5" in outlined.source and outlined.left == ["ttir.constant"]


@pytest.mark.parametrize(
    ("name", "shape", "attributes"),
    [
        ("cbrt", "64x64", {}),
        ("softmax", "64x64", {"dimension": "0 : si32"}),
        ("sum", "1x64", {"keep_dim": "true", "dim_arg": "[0 : i32]"}),
    ],
)
def test_other_operations_stay(name: str, shape: str, attributes: dict[str, str], tmp_path: Path) -> None:
    model = Model("64x64")
    outlined = outline(model.text(model.op(name, shape, "a0", **attributes)), tmp_path)
    assert outlined.left == [f"ttir.{name}"] and outlined.source == ""
    assert "no operation of the module becomes one of TT-Lang" in outlined.remarks[0]


def test_integers_stay(tmp_path: Path) -> None:
    model = Model("64x64", element="i32")
    end = model.op("add", "64x64", model.op("relu", "64x64", "a0"), "a0")
    assert outline(model.text(end), tmp_path).kernels == []


def test_what_does_not_fit_on_a_node_stays_and_is_said(tmp_path: Path) -> None:
    outlined = outline((HERE / "normalisation_of_long_rows.mlir").read_text(encoding="utf-8"), tmp_path)
    assert outlined.kernels == [] and len(outlined.left) == 10
    assert "9 operations up to 'ttir.add' stay as they are" in outlined.remarks[0]
    assert "TTL0" in outlined.remarks[0]


def test_each_by_itself(tmp_path: Path) -> None:
    outlined = outline(REGIONS["matmul_with_epilogue"], tmp_path, fuse=False)
    assert outlined.kernels == ["product", "biased", "active", "residual"] and outlined.left == []


_OPERATIONS = [
    "add",
    "subtract",
    "multiply",
    "div",
    "maximum",
    "minimum",
    "relu",
    "exp",
    "sigmoid",
    "neg",
    "abs",
    "ge",
    "lt",
    "where",
    "matmul",
    "softmax",
    "sum",
    "mean",
    "max",
    "transpose",
    "broadcast",
    "gelu",
    "clamp",
    "leaky_relu",
    "logical_and",
    "logical_not",
    "eq",
    "floor",
]


@pytest.mark.one_of(4)
@pytest.mark.parametrize("seeds", [range(10), range(10, 20), range(20, 30), range(30, 40)], ids=str)
def test_random_modules_compute_the_same(seeds: range, tmp_path: Path) -> None:
    profile = Profile(operations=tuple(_OPERATIONS), length=(4, 14), functions=0, dtypes=("f32",))
    assert _kernels_that_compute_the_same(seeds, profile, tmp_path) > 7


_MOVEMENTS = ["reshape", "transpose", "slice", "squeeze", "unsqueeze", "broadcast"]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    "seeds",
    [range(1000, 1020), range(1020, 1040), pytest.param(range(1040, 1400), marks=pytest.mark.long)],
    ids=str,
)
def test_random_movements_are_read_through(seeds: range, tmp_path: Path) -> None:
    """Extents of whole tiles, and half of the operations move elements."""
    profile = Profile(
        operations=(*_MOVEMENTS, "add", "sigmoid", "matmul", "softmax", "sum", "mean"),
        length=(4, 14),
        functions=0,
        dtypes=("f32",),
        extents=(1, 1, 2, 32, 64),
        largest=8192,
    )
    assert _kernels_that_compute_the_same(seeds, profile, tmp_path) > len(seeds)


def _kernels_that_compute_the_same(seeds: range, profile: Profile, folder: Path) -> int:
    """Outline random modules, and compare each with what it was; how many operations of TT-Lang there were."""
    count = 0
    for seed in seeds:
        case = random_module(seed, profile)
        model = outline(case.text, folder, f"seed_{seed}")
        count += len(model.kernels)
        for function in case.functions:
            for before, referenced, simulated in zip(
                *results(model, function, case.inputs(function), folder), strict=True
            ):
                np.testing.assert_allclose(referenced, before, rtol=1e-9, atol=1e-9, err_msg=str(seed))
                np.testing.assert_allclose(simulated, before, rtol=1e-3, atol=1e-3, err_msg=str(seed))
    return count
