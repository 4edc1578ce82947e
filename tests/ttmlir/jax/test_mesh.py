"""Functions of JAX over meshes of 1x2 and 2x4 simulated chips give what they give on one device.

Meshes are abstract: JAX needs no devices to trace for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import ttmlir.jax
from tt_model.stablehlo.pretty import generic_text
from ttl.diag import TTLWarning
from ttmlir.ir import Context, Module
from ttmlir.loaded import CompileError
from ttmlir.passes import stablehlo_to_ttir_pipeline
from ttmlir.transforms.from_stablehlo.shardings import cut_by_tiles, gspmd

MESHES = ((1, 2), (2, 4))
A, B = (64, 128), (128, 32)
Arrays = Callable[..., Any]


def mesh_of(extents: tuple[int, int]) -> Any:
    return AbstractMesh(extents, ("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))


# What one chip does, how its arguments and its result are cut, the shapes, and what it gives on one device.
BY_HAND: dict[str, tuple[Arrays, tuple[Any, ...], Any, tuple[Any, ...], Arrays]] = {
    "psum": (lambda a, b: lax.psum(a @ b, "y"), (P("x", "y"), P("y")), P("x"), (A, B), lambda a, b: a @ b),
    "all_gather": (
        lambda a: lax.all_gather(a, "y", axis=1, tiled=True) * lax.all_gather(a, "x", axis=0).sum(),
        (P(None, "y"),),
        P("x"),
        (A,),
        None,
    ),
    "psum_scatter": (
        lambda a, b: lax.psum_scatter(a @ b, "y", scatter_dimension=1, tiled=True),
        (P("x", "y"), P("y", None)),
        P("x", "y"),
        (A, B),
        lambda a, b: a @ b,
    ),
    "a number": (
        lambda a: lax.pmean((a * a).mean(), ("x", "y")),
        (P("x", "y"),),
        P(),
        (A,),
        lambda a: (a * a).mean(),
    ),
    "axis_index, pmax, pmin": (
        lambda a: (a + lax.axis_index("y")) * (1 + lax.axis_index("x")) + lax.pmax(a, "y") - lax.pmin(a, "x"),
        (P("x", "y"),),
        P("x", "y"),
        (A,),
        None,
    ),
    "ppermute": (
        lambda a: lax.ppermute(
            a, "y", [(i, (i + 1) % lax.axis_size("y")) for i in range(lax.axis_size("y"))]
        ),
        (P("x", "y"),),
        P("x", "y"),
        (A,),
        None,
    ),
    "all_to_all": (
        lambda a: lax.all_to_all(a, "y", split_axis=1, concat_axis=0, tiled=True),
        (P("y", "x"),),
        P(None, ("x", "y")),
        (A,),
        lambda a: a,
    ),
    "both axes": (lambda a: lax.psum(a, ("x", "y")), (P(("x", "y")),), P(), (A,), None),
}


def by_parts(extents: tuple[int, int], name: str, arrays: list[Any]) -> Any:
    """What the chips of a mesh give together: by ``vmap`` over the parts, which names its axes as the mesh does."""
    function, given, out, _, _ = BY_HAND[name]
    parts = [split(array, spec, extents) for array, spec in zip(arrays, given, strict=True)]
    results = jax.vmap(jax.vmap(function, axis_name="y"), axis_name="x")(*parts)
    return joined(np.asarray(results), out, extents)


def split(array: Any, spec: Any, extents: tuple[int, int]) -> Any:
    rows = []
    for i in range(extents[0]):
        rows.append([array[place(array.shape, spec, extents, i, j)] for j in range(extents[1])])
    return jnp.asarray(rows)


def joined(results: Any, spec: Any, extents: tuple[int, int]) -> Any:
    sizes = {"x": extents[0], "y": extents[1]}
    shape = list(results.shape[2:])
    for dim, names in enumerate(spec):
        for name in (names,) if isinstance(names, str) else names or ():
            shape[dim] *= sizes[name]
    whole = np.zeros(shape, results.dtype)
    for i in reversed(range(extents[0])):
        for j in reversed(range(extents[1])):
            whole[place(tuple(shape), spec, extents, i, j)] = results[i, j]
    return whole


def place(shape: tuple[int, ...], spec: Any, extents: tuple[int, int], i: int, j: int) -> Any:
    slices = [slice(None)] * len(shape)
    for dim, names in enumerate(spec):
        at, count = 0, 1
        for name in (names,) if isinstance(names, str) else names or ():
            own, size = (i, extents[0]) if name == "x" else (j, extents[1])
            at, count = at * size + own, count * size
        part = shape[dim] // count
        slices[dim] = slice(at * part, (at + 1) * part)
    return tuple(slices)


def drawn(shapes: tuple[Any, ...]) -> list[Any]:
    generator = np.random.default_rng(0)
    return [generator.standard_normal(shape, np.float32) for shape in shapes]


@contextmanager
def gspmd_in_jax() -> Iterator[None]:
    """JAX writes shardings for GSPMD."""
    jax.config.update("jax_use_shardy_partitioner", False)
    try:
        yield
    finally:
        jax.config.update("jax_use_shardy_partitioner", True)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("extents", MESHES)
@pytest.mark.parametrize("name", BY_HAND)
def test_shard_map(name: str, extents: tuple[int, int]) -> None:
    """Each collective, against the function on one device, or against its parts on one device. GSPMD's text for psum, too."""
    function, given, out, shapes, one_device = BY_HAND[name]
    mapped = jax.shard_map(function, mesh=mesh_of(extents), in_specs=given, out_specs=out, check_vma=False)
    arrays = drawn(shapes)
    wanted = by_parts(extents, name, arrays) if one_device is None else one_device(*arrays)
    model = ttmlir.jax.compile(mapped, *shapes)
    assert model.prepared.extents == extents
    np.testing.assert_allclose(model.run(*arrays), wanted, atol=2e-4, rtol=1e-4)
    model.collectives = "sim"
    np.testing.assert_allclose(model.run(*arrays), wanted, atol=2e-4, rtol=1e-4)


def test_the_text_of_gspmd() -> None:
    """What JAX writes for GSPMD is the same program; which mesh was meant follows from its strings and groups."""
    function, given, out, shapes, _ = BY_HAND["psum_scatter"]
    mapped = jax.shard_map(function, mesh=mesh_of((2, 4)), in_specs=given, out_specs=out, check_vma=False)
    arrays = drawn(shapes)
    with gspmd_in_jax():
        model = ttmlir.jax.compile(mapped, *shapes)
        assert model.prepared.extents == (2, 4)
        text = str(ttmlir.jax.stablehlo_of(mapped, *shapes))
    assert "SPMDFullToShardShape" in text
    np.testing.assert_allclose(model.run(*arrays), arrays[0] @ arrays[1], atol=2e-4)


def mlp(x: Any, up: Any, down: Any) -> Any:
    return jax.nn.gelu(x @ up) @ down


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k)
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:])) > 0, scores, -1e9)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, -1), v)


gradient = jax.grad(lambda w, x: jnp.mean(jnp.tanh(x @ w) ** 2))
HEADS = (4, 4, 32, 32)
# A function, its shapes, and how its arguments are cut; JAX's partitioner finds the rest.
AUTOMATIC: dict[str, tuple[Arrays, tuple[Any, ...], tuple[Any, ...], bool]] = {
    "mlp": (mlp, ((64, 64), (64, 128), (128, 32)), (P("x"), P(None, "y"), P("y")), True),
    "attention": (attention, (HEADS,) * 3, (P("x", "y"),) * 3, False),
    "gradient": (gradient, ((64, 32), (64, 64)), (P(None, "y"), P("x")), False),
}


def test_chips_work_together_in_tt_lang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``shard_map`` and ``pjit`` over 2x4 chips: what is between them is run by ``ttl.ops``, and golden on each chip."""
    from tt_model.tt_lang import collectives
    from ttrt.common.api import Run

    launched = []

    def counted(kind: Any, *arguments: Any, **options: Any) -> Any:
        launched.append((kind, options["axis"]))
        return between(kind, *arguments, **options)

    between = collectives.between_chips
    monkeypatch.setattr(collectives, "between_chips", counted)
    monkeypatch.chdir(tmp_path)
    mesh = mesh_of((2, 4))
    function, given, out, shapes, _ = BY_HAND["psum"]
    mapped = ttmlir.jax.compile(
        jax.shard_map(function, mesh=mesh, in_specs=given, out_specs=out, check_vma=False), *shapes
    )
    cut = zip(AUTOMATIC["mlp"][1], AUTOMATIC["mlp"][2], strict=True)
    automatic = ttmlir.jax.compile(
        jax.jit(mlp),
        *(
            jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))
            for shape, spec in cut
        ),
    )
    for name, model in (("mapped", mapped), ("automatic", automatic)):
        launched.clear()
        model.save(f"{name}.ttnn")
        code, (entry,) = Run({"binary": f"{name}.ttnn", "--golden": True, "--collectives": "sim"})()
        assert code == 0, entry
        # Inputs are spread, sums of the chips of a row are scattered and gathered, and the whole is gathered.
        assert {("broadcast", None), ("reduce_scatter", 1), ("all_gather", 1), ("all_gather", 0)} == set(
            launched
        )


@pytest.mark.parametrize("extents", MESHES)
@pytest.mark.parametrize("name", AUTOMATIC)
def test_arguments_that_are_cut(name: str, extents: tuple[int, int]) -> None:
    function, shapes, specs, combines = AUTOMATIC[name]
    mesh = mesh_of(extents)
    given = [
        jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))
        for shape, spec in zip(shapes, specs, strict=True)
    ]
    model = ttmlir.jax.compile(function, *given)
    arrays = drawn(shapes)
    assert model.prepared.extents == extents
    kinds = {step.at.kind for step in model.prepared.steps}
    assert "MeshShardOp" in kinds
    assert ("ReduceScatterOp" in kinds) or not combines
    np.testing.assert_allclose(model.run(*arrays), function(*arrays), atol=2e-4, rtol=1e-4)


def test_a_part_by_hand_in_a_function_that_is_cut() -> None:
    """Devices keep their own part of what they have: no gather, no search by data."""
    mesh = mesh_of((2, 4))
    inner = jax.shard_map(
        lambda a, b: lax.psum(a @ b, "y"), mesh=mesh, in_specs=(P("x", "y"), P("y")), out_specs=P("x")
    )
    given = [
        jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))
        for shape, spec in ((A, P("x")), (B, P()))
    ]
    model = ttmlir.jax.compile(lambda a, b: jnp.tanh(inner(a * 2, b)) @ b.T, *given)
    kinds = {step.at.kind for step in model.prepared.steps}
    assert "EmbeddingOp" not in kinds
    a, b = drawn((A, B))
    np.testing.assert_allclose(model.run(a, b), jnp.tanh((a * 2) @ b) @ b.T, atol=1e-3)


def test_what_the_partitioner_cannot_cut_is_computed_whole_and_said() -> None:
    given = jax.ShapeDtypeStruct((64, 64), jnp.float32, sharding=NamedSharding(mesh_of((2, 4)), P("x", "y")))
    with pytest.warns(TTLWarning, match=r"test_mesh\.py:\d+: 'stablehlo.slice' op dimension 1 is sharded"):
        model = ttmlir.jax.compile(lambda a: a[:, 3:9], given)
    (array,) = drawn(((64, 64),))
    np.testing.assert_array_equal(model.run(array), array[:, 3:9])


@pytest.mark.parametrize(
    ("axes", "specs", "said"),
    [
        (
            (2, 2, 2),
            P("a", "b", "c"),
            r"the mesh has 3 axes \(a = 2, b = 2, c = 2\), but a mesh of chips has two: rows and columns",
        ),
        ((2, 4), P(("b", "a")), "cut by the axes b, a: the columns of the mesh come before its rows"),
        ((8, 8), P("a", "b"), "a mesh of 8x8 chips, and the largest system that is known by name has 32"),
    ],
)
def test_meshes_that_chips_are_not(axes: tuple[int, ...], specs: Any, said: str) -> None:
    names = ("a", "b", "c")[: len(axes)]
    mesh = AbstractMesh(axes, names, axis_types=(AxisType.Auto,) * len(axes))
    mapped = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=(specs,), out_specs=specs, check_vma=False)
    with pytest.raises(CompileError, match=said):
        ttmlir.jax.compile(mapped, (16, 16, 16))


def test_a_galaxy_has_thirty_two_chips() -> None:
    mesh = AbstractMesh((4, 8), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    specs = P("a", "b")
    mapped = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=(specs,), out_specs=specs, check_vma=False)
    (array,) = drawn(((128, 256),))
    model = ttmlir.jax.compile(mapped, array)
    np.testing.assert_array_equal(model.run(array), array * 2)


@pytest.mark.parametrize(
    ("text", "mesh", "shape", "dims"),
    [
        ("{devices=[2,4]<=[8]}", (2, 4), (2, 4), (0, 1)),
        ("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", (2, 4), (4, 1), (-1, 0)),
        ("{devices=[8,1]<=[8]}", (2, 4), (8, 1), (0, 0)),
        ("{devices=[2,1]0,1}", (1, 2), (2, 1), (-1, 0)),
        ("{replicated}", (2, 4), (1,), (-1, -1)),
        ("{devices=[4,2]<=[8]}", (2, 4), None, None),
    ],
)
def test_shardings_of_gspmd(text: str, mesh: tuple[int, int], shape: Any, dims: Any) -> None:
    cut = cut_by_tiles(gspmd(text, 2), mesh)
    assert (None, None) if cut is None else (cut.shape, cut.dims) == (shape, dims)
    assert (cut is None) == (shape is None)


def parsed(text: str) -> Module:
    return Module.parse(generic_text(text, "-", 1), Context())


def test_shardy_as_text() -> None:
    """The pretty text of JAX, and what is wrong with groups of devices that are no axis."""
    text = """
module @m attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}"""
    with pytest.raises(
        RuntimeError,
        match="there are no rows and columns of 4 chips that fit all of its shardings and groups",
    ):
        stablehlo_to_ttir_pipeline(parsed(text))
    mesh = 'sdy.mesh @mesh = <["x"=2, "y"=2]>'
    computation = """
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"x", "y"}
      (%p: tensor<4x8xf32>) {
      %1 = stablehlo.add %p, %p : tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>"""
    module = parsed(
        f"module {{ {mesh}\n func.func public @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {{{computation}\n return %0 : tensor<8x8xf32> }} }}"
    )
    stablehlo_to_ttir_pipeline(module)
    assert "tt.mesh_shape = array<i64: 2, 2>" in str(module)
    assert str(module).count("shard_dims = array<i64: -1, 0>") == 2
