"""What a model needs of a chip's memory: at compile time, without its weights, and what would make it fit."""

from __future__ import annotations

import resource
from typing import Any

import pytest

from support.ttmlir_programs import T, compiled, function, operation
from ttmlir.transforms.memory_map import memory_map
from ttmlir.transforms.model_memory import MemoryNeeds, memory_needs

GB = 10**9
L1 = "#tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>"


def needs_of(shapes: list[str], result: str, name: str, constraint: str = T, **more: Any) -> MemoryNeeds:
    arguments = ", ".join(f"%{chr(97 + at)}: tensor<{shape}>" for at, shape in enumerate(shapes))
    operands = " ".join(f"%{chr(97 + at)}" for at in range(len(shapes)))
    module = compiled(
        function(arguments, result, operation("%0", name, operands, shapes, result, constraint), "%0")
    )
    (needs,) = memory_needs(module, **more)
    assert needs.needed == memory_map(module)[0].reserved * len(needs.moment.banks)
    return needs


def test_what_there_is_and_what_is_needed() -> None:
    needs = needs_of(["64x128xf32", "128x96xf32"], "64x96xf32", "matmul")
    assert (needs.memory, needs.chip, needs.fits, needs.ways) == ("DRAM", "wormhole_b0", True, ())
    # Twelve channels of a gigabyte, without what the system keeps. A bank has a tile of each operand at most.
    assert 12 * 0.9 * GB < needs.capacity < 12 * 2**30
    assert (needs.weights, needs.inputs) == (12 * 4096, 12 * 4096)


@pytest.mark.parametrize(("weights", "share"), [(None, 1), (frozenset({1}), 1), (frozenset(), 0)])
def test_the_weights_are_those_that_are_named_or_that_a_product_multiplies_by(
    weights: Any, share: int
) -> None:
    needs = needs_of(["64x128xf32", "128x96xf32"], "64x96xf32", "matmul", weights=weights)
    assert needs.weights == share * 12 * 4096 and needs.weights + needs.inputs == 2 * 12 * 4096


def test_a_factor_that_is_computed_from_the_input_does_not_make_it_a_weight() -> None:
    """The scores of an attention multiply by keys, which are a product of the input with a weight."""
    tokens, square, turned = "64x128xf32", "128x128xf32", "128x64xf32"
    dims = "dim0 = 0 : si32, dim1 = 1 : si32"
    body = (
        operation("%q", "matmul", "%x %wq", [tokens, square], tokens, T)
        + operation("%k", "matmul", "%x %wk", [tokens, square], tokens, T)
        + operation("%t", "transpose", "%k", [tokens], turned, T, dims)
        + operation("%s", "matmul", "%q %t", [tokens, turned], "64x64xf32", T)
    )
    arguments = f"%x: tensor<{tokens}>, %wq: tensor<{square}>, %wk: tensor<{square}>"
    (needs,) = memory_needs(compiled(function(arguments, "64x64xf32", body, "%s")))
    # A bank has two tiles of each weight at most, and one of the input.
    assert (needs.weights, needs.inputs) == (2 * 2 * 12 * 4096, 12 * 4096)


def test_what_does_not_fit_says_what_would_make_it_fit() -> None:
    needs = needs_of(["32x65536xf32", "65536x65536xf32"], "32x65536xf32", "matmul")
    small = 32 * 65536 * 4
    weights = 65536 * 65536 * 4
    assert not needs.fits and needs.weights >= weights and weights < needs.needed < weights + 4 * small
    ways = {way.change: way for way in needs.ways}
    assert list(ways) == ["weights in bf16", "weights in bfp_bf8", "weights cut over 2 chips, a part on each"]
    for change, share in (("weights in bf16", 1 / 2), ("weights in bfp_bf8", 1088 / 4096)):
        assert ways[change].needed == pytest.approx(weights * share + 3 * small, rel=1e-3)
    assert all(way.fits for way in needs.ways)
    first, _, *rest = str(needs).splitlines()
    assert first.startswith(
        "f needs 17.21 GB of DRAM at once, of 12.88 GB that a wormhole_b0 chip has for tensors; most at ttnn.matmul"
    )
    assert "17.18 GB: 65536x65536 f32 in tiles, model.mlir:5:8" in rest[1]


def test_a_smaller_batch_is_the_largest_one_that_fits() -> None:
    needs = needs_of(["64x16384x1024xf32"] * 2, "64x16384x1024xf32", "add")
    assert not needs.fits and not needs.weights
    (way,) = needs.ways
    count = int(way.change.split()[3])
    assert way.fits and needs.needed * count <= needs.capacity * 64 < needs.needed * (count + 1)


def test_weights_that_fit_one_by_one_do_not_stay_on_the_chip() -> None:
    shapes = ["32x40960xf32", *["40960x40960xf32"] * 2]
    body = operation("%0", "matmul", "%a %b", shapes[:2], shapes[0], T) + operation(
        "%1", "matmul", "%0 %c", shapes[:2], shapes[0], T
    )
    module = compiled(
        function(
            f"%a: tensor<{shapes[0]}>, %b: tensor<{shapes[1]}>, %c: tensor<{shapes[2]}>",
            shapes[0],
            body,
            "%1",
        )
    )
    (needs,) = memory_needs(module)
    assert needs.fits and not needs.weights_stay
    assert needs.weights == pytest.approx(2 * 40960 * 40960 * 4, rel=1e-3)
    ways = {way.change: way.needed for way in needs.ways}
    assert ways["weights cut over 2 chips, a part on each"] == pytest.approx(needs.weights / 2, rel=1e-3)


def test_shards_that_are_too_large_for_l1_may_lie_in_dram() -> None:
    needs = needs_of(["1024x1024xf32"], "1024x1024xf32", "relu", L1)
    assert (needs.memory, needs.fits) == ("L1", False)
    # 64 cores, each without what the runtime keeps.
    assert needs.capacity == 64 * (1499136 - 1024 - 32768)
    in_dram, batch = needs.ways
    assert (in_dram.change, in_dram.needed, in_dram.fits) == (
        "in DRAM in place of L1",
        3 * 4 * 1024 * 1024,
        True,
    )
    assert batch.change == "a batch of 119 in place of 1024" and batch.fits


def test_a_module_of_torch_is_refused_without_its_weights() -> None:
    torch = pytest.importorskip("torch")
    import ttmlir

    class Large(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.large = torch.nn.Linear(80_000, 80_000, bias=False, device="meta")

        def forward(self, x: Any) -> Any:
            return self.large(x)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ttmlir.CompileError, match="TTL1709: it does not fit into the chip's DRAM") as refused:
        ttmlir.compile(Large(), (32, 80_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000, "in KB"
    line = Large.forward.__code__.co_firstlineno + 1
    assert f"25.60 GB: 80000x80000 f32 in tiles, {__file__}:{line}:" in str(refused.value)


def test_a_model_says_what_it_needs_and_warns_of_weights_that_do_not_stay() -> None:
    torch = pytest.importorskip("torch")
    import ttmlir
    from ttl.diag import TTLWarning

    layers = [torch.nn.Linear(30_000, 30_000, bias=False, device="meta") for _ in range(4)]
    with pytest.warns(TTLWarning, match="brought there at every run") as said:
        model = ttmlir.compile(torch.nn.Sequential(*layers), (32, 30_000))
    assert said[0].filename == __file__
    (needs,) = model.memory()
    assert needs.weights == pytest.approx(4 * 30_000**2 * 4, rel=0.01) and not needs.weights_stay
