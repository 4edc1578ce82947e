"""What a module writes into, such as a cache of keys, stays where it is in the binary; torch's own tensors are the judge."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")
import numpy as np

import ttmlir
from support.scripts import Script
from support.ttmlir_models import ttnn_module
from tt_model.runtime.problems import RuntimeProblem
from ttmlir.loaded import LoadedModel
from ttmlir.standalone.project import project_of

STEPS = 4
CACHE = (2, 4, 64, 32)
ONE, MANY = (2, 4, 1, 32), (2, 4, 32, 32)


class Cached(torch.nn.Module):
    """A module that writes into buffers ``k`` and ``v``, and gives what it computes of the first of them."""

    def __init__(self, write: Callable[..., object], shape: tuple[int, ...], dtype: torch.dtype) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(3)
        for name in ("k", "v"):
            self.register_buffer(name, torch.randn(shape, generator=generator).to(dtype))
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.write = write

    def forward(self, *given: torch.Tensor) -> object:
        result = self.write(self, *given)
        return (self.k * 2).sum(dim=-1) if result is None else result


def index_copy(m, x, place):
    m.k.index_copy_(2, place, x)


def set_item(m, x, place):
    m.k[:, :, place] = x


def set_known(m, x):
    m.k[:, :, 5:6] = x
    m.k[:, :, -1] = x[:, :, 0]


def fill(m, x):
    m.k[:, :, :32] = x


def both(m, x, place):
    m.v.index_copy_(2, place, x * 3)
    m.k.index_copy_(2, place, m.v[:, :, 7:8])


def old_is_read(m, x, place):
    before = m.k[:, :, :8] * 1
    m.k.index_copy_(2, place, x)
    return before, m.k + 1


def input_is_written(m, x):
    x[:, :, 3] = m.k[:, :, 0]
    return x.sum(dim=1)


def several(m, x, place):
    m.k[:, :, place] = x


def one_user(m, x):
    m.k[1, :, :32] = x


def scaled(m):
    m.k.mul_(0.5)


def exchanged(m):
    old = m.k.clone()
    m.k.copy_(m.v)
    m.v.copy_(old)


def counted(m, x):
    m.k[:, :, m.count] = x
    m.count += 1


def along_another(m, x):
    m.k[:, 5] = x


PLACE = ((1,), "i64")
# What writes, its inputs, the cache, and how often the operations that write in place stand in the module.
FORMS = [
    (index_copy, (ONE, PLACE), CACHE, {"update_cache": 1, "copy": 0}),
    (set_item, (ONE, PLACE), CACHE, {"update_cache": 1, "copy": 0}),
    (set_known, (ONE,), CACHE, {"update_cache": 2, "copy": 0}),
    (fill, (MANY,), CACHE, {"fill_cache": 2, "copy": 0}),
    (both, (ONE, PLACE), CACHE, {"update_cache": 2, "copy": 0}),
    (counted, (ONE,), CACHE, {"update_cache": 1, "copy": 1}),
    (old_is_read, (ONE, PLACE), CACHE, {"update_cache": 1, "copy": 0}),
    (input_is_written, ((2, 4, 32, 32),), (2, 4, 32, 32), {"update_cache": 1, "copy": 0}),
    (index_copy, (((3, 2, 1, 20)), PLACE), (3, 2, 40, 20), {"update_cache": 0, "copy": 1}),
    (several, ((2, 4, 3, 32), ((3,), "i64")), CACHE, {"update_cache": 0, "copy": 1}),
    (one_user, ((4, 32, 32),), CACHE, {"fill_cache": 0, "copy": 1}),
    (scaled, (), CACHE, {"copy": 1}),
    (exchanged, (), CACHE, {"copy": 4}),
    (along_another, ((5, 40),), (5, 7, 40), {"copy": 1}),
]
NAMES = [f"{write.__name__}-{'x'.join(map(str, shape))}" for write, _, shape, _ in FORMS]


def drawn(inputs: tuple, step: int, positions: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(step)
    tensors = []
    for one in inputs:
        if isinstance(one[-1], str):
            tensors.append(torch.randperm(positions, generator=generator)[: one[0][0]])
        else:
            tensors.append(torch.randn(one, generator=generator))
    return tensors


@pytest.mark.one_of(3)
@pytest.mark.parametrize("options", ["", "enable-optimizer=true memory-layout-analysis-enabled=true"])
@pytest.mark.parametrize(("write", "inputs", "shape", "wanted"), FORMS, ids=NAMES)
def test_what_is_written_stays_in_place(write, inputs, shape, wanted, options) -> None:
    ours = Cached(write, shape, torch.float32)
    theirs = copy.deepcopy(ours)
    model = ttmlir.compile(ours, *inputs, options=options)
    text = str(model.module)
    assert {name: text.count(f'"ttnn.{name}"') for name in wanted} == wanted, text
    program = model.binary.programs[0]
    given, got = ([one["global_id"] for one in program[side]] for side in ("inputs", "outputs"))
    written = [name for name in ("k", "v", "count") if name in model._written]
    assert len(set(given) & set(got)) == len(model._written) > 0
    for step in range(STEPS):
        tensors = drawn(inputs, step, shape[-2])
        expected_inputs = [one.clone() for one in tensors]
        results, expected = model(*tensors), theirs(*expected_inputs)
        for name in written:
            assert torch.equal(getattr(ours, name), getattr(theirs, name)), name
        for one, other in zip(tensors, expected_inputs, strict=True):
            assert torch.equal(one, other)
        for one, other in zip(flat(results), flat(expected), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)
        assert not model.report.leaks and not model.report.warnings


def flat(given: object) -> list[torch.Tensor]:
    return [given] if isinstance(given, torch.Tensor) else list(given)  # type: ignore[call-overload]


def test_sixteen_bits() -> None:
    ours = Cached(index_copy, CACHE, torch.bfloat16)
    theirs = copy.deepcopy(ours)
    model = ttmlir.compile(ours, (ONE, "bf16"), PLACE)
    assert '"ttnn.update_cache"' in str(model.module)
    for place in (0, 63):
        x = torch.randn(ONE).bfloat16()
        model(x, torch.tensor([place]))
        theirs(x, torch.tensor([place]))
        assert torch.equal(ours.k, theirs.k)


def test_a_cache_is_counted_once() -> None:
    """At the worst moment there is the cache, and beside it what is computed of it; no second one before and behind."""
    shape = (1, 8, 4096, 128)
    size = 4 * 8 * 4096 * 128

    def write(m, x, place):
        m.k.index_copy_(2, place, x)
        return m.k[:, :, :1] * 1

    model = ttmlir.compile(Cached(write, shape, torch.float32), (1, 8, 1, 128), PLACE)
    (needs,) = [one for one in model.memory() if one.memory == "DRAM"]
    assert size <= needs.weights < 1.03 * size and needs.needed < 1.03 * size
    model(torch.randn(1, 8, 1, 128), torch.tensor([7]))
    assert model.report.peaks["DRAM of chip 0"] * 12 < 1.05 * size
    assert "to_device" not in "".join(line for line in str(model.module).splitlines() if "1x8x4096" in line)


def test_a_position_beyond_the_cache_is_refused() -> None:
    model = ttmlir.compile(Cached(index_copy, CACHE, torch.float32), ONE, PLACE)
    with pytest.raises(
        RuntimeProblem, match=r"position 64 of tensor .* is written, but it has only 64 positions"
    ):
        model(torch.zeros(ONE), torch.tensor([64]))


TEXT = """
module {{
  func.func @main(%cache: tensor<2x4x64x32xf32>{written}, %x: tensor<1x4x2x32xf32>, %at: tensor<1xi32>) -> (tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>) {{
    %new = "ttir.update_cache"(%cache, %x, %at) <{{batch_offset = 0 : i32, operand_constraints = [#any, #any, #any]}}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xi32>) -> tensor<2x4x64x32xf32>
    %0 = tensor.empty() : tensor<2x4x64x32xf32>
    %old = "ttir.abs"({read}, %0) <{{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any, #any]}}> : (tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>) -> tensor<2x4x64x32xf32>
    return %new, %old : tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>
  }}
}}
"""
ANY = "#any = #tt.operand_constraint<dram|tile|any_device_tile>\n"


@pytest.mark.parametrize(
    ("written", "read", "copies"),
    [
        (" {ttir.written = 0 : i64}", "%new", 0),
        (" {ttir.written = 0 : i64}", "%cache", 2),  # before it is written, and back into the argument
        ("", "%new", 0),  # what the host gave was copied to the device
        ("", "%cache", 1),
    ],
)
def test_what_is_read_as_it_was_is_copied_before(written: str, read: str, copies: int) -> None:

    module = ttnn_module(ANY + TEXT.format(written=written, read=read))
    text = str(module)
    assert text.count('"ttnn.copy"') <= copies, text
    from ttmlir.translate.serialise import ttnn_to_flatbuffer
    from ttrt.binary import load_binary_from_capsule

    model = LoadedModel(load_binary_from_capsule(ttnn_to_flatbuffer(module)))
    cache, x, at = torch.randn(CACHE), torch.randn(1, 4, 2, 32), torch.tensor([9], dtype=torch.int64)
    expected = cache.index_copy(2, at, x.permute(2, 1, 0, 3))
    new, old = model.run(cache, x, at.to(torch.uint32))
    assert torch.equal(new, expected)
    assert torch.equal(old, (expected if read == "%new" else cache).abs())


def test_a_script_and_a_project_write_in_place() -> None:
    ours = Cached(counted, CACHE, torch.float32)
    model = ttmlir.compile(ours, ONE)
    from ttmlir.inspection import module_of

    module = module_of(model.module)
    script = Script(module)
    assert "ttnn.update_cache(" in script.text and "on_device=True" in script.text
    x = torch.randn(ONE)
    given = model.program_inputs(x)
    expected = ours.k.clone()
    expected[:, :, 0] = x[:, :, 0]
    results = script.run([one.clone() for one in given])
    assert any(one.shape == expected.shape and torch.equal(one, expected) for one in results)
    text = project_of(module, "m.mlir", "0.81")["ttnn-standalone.cpp"]
    assert "ttnn::update_cache(" in text and "ttnn::onto_device(" in text and "ttnn::off_device(" in text
    assert "ttnn::first_number<std::uint32_t>" in text


def of_jax(cache, x, place):
    from jax import lax

    return lax.dynamic_update_slice(cache, x, (0, 0, place, 0))


def known_of_jax(cache, x):
    return cache.at[:, :, 5:6].set(x).at[:, :, -1].set(2 * x[:, :, 0])


def first_of_jax(cache, x):
    return cache.at[:, :, :32].set(x)


def user_of_jax(cache, x):
    from jax import lax

    return lax.dynamic_update_slice(cache.at[0, :, :32].set(x[1]), x[:1], (1, 0, 0, 0))


def behind_of_jax(cache, x):
    return cache.at[:, :, 32:].set(x)


def dropped_of_jax(cache, x, place):
    return cache.at[:, :, place].set(x[:, :, 0])


JAX_FORMS = [
    (of_jax, ONE, 1, {"UpdateCacheOp": 1, "CopyOp": 0}),
    (known_of_jax, ONE, 0, {"UpdateCacheOp": 2, "CopyOp": 0}),
    (first_of_jax, MANY, 0, {"FillCacheOp": 2, "CopyOp": 0}),
    (user_of_jax, MANY, 0, {"FillCacheOp": 2, "CopyOp": 0}),
    (behind_of_jax, MANY, 0, {"FillCacheOp": 0, "CopyOp": 1}),
    (dropped_of_jax, ONE, 1, {"UpdateCacheOp": 0, "CopyOp": 1}),
]


@pytest.mark.parametrize(("write", "shape", "places", "wanted"), JAX_FORMS)
def test_text_of_stablehlo_says_it_in_its_own_way(write, shape, places, wanted) -> None:
    """Donated arguments. ``.at[].set`` at a place that is not known writes nothing where that is outside: no operation does so."""
    jax = pytest.importorskip("jax")

    def step(cache, x, *place):
        cache = write(cache, x, *place)
        return cache.sum(axis=2), cache

    model = ttmlir.compile(jax.jit(step, donate_argnums=0), CACHE, shape, *[((), "i32")] * places)
    program = model.binary.programs[0]
    assert program["inputs"][0]["global_id"] == program["outputs"][1]["global_id"]
    kinds = [one["type_type"] for one in program["operations"]]
    assert {kind: kinds.count(kind) for kind in wanted} == wanted
    ours = theirs = jax.numpy.asarray(np.random.default_rng(0).standard_normal(CACHE), np.float32)
    for place in (3, 60, 64, 3):
        x = np.random.default_rng(place).standard_normal(shape).astype(np.float32)
        given = [np.int32(place)] * places
        total, ours = model(ours, x, *given)
        expected, theirs = step(theirs, x, *given)
        assert np.array_equal(ours, theirs)
        np.testing.assert_allclose(total, expected, rtol=1e-5, atol=1e-5)
        assert not model.report.leaks and not model.report.warnings
