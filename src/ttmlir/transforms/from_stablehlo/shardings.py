"""The distribution of tensors over a mesh of chips: the strings and attributes of GSPMD and Shardy, as a dimension per mesh axis.

GSPMD has strings (``mhlo.sharding``) with the part of a tensor on each device. They do not name the mesh: it is the first number
of rows and columns that expresses all shardings of a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from tt_model.layouts.enums import ShardType
from tt_model.layouts.mesh import groups_along
from tt_model.layouts.values import dimensions_text
from tt_model.stablehlo.shardy import MeshAxes, Sharding
from ttl.ir.refusals import Refused

WAY_OUT = "what works: meshes of one or two axes, which cut different dimensions, or both the same one"
_TILES = re.compile(
    r"\{devices=\[([\d,]+)\](?:<=\[([\d,]+)\](?:T\(([\d,]+)\))?|([\d,]+))\s*(last_tile_dim_replicate|last_tile_dims=\{[^}]*\})?\s*\}"
)


class SingletonGroups(Enum):
    """Groups of one device each."""

    ALONE = "alone"


ALONE: Final = SingletonGroups.ALONE
# The axis of a mesh along which devices are brought together; None: all of them.
Along = int | None | Literal[SingletonGroups.ALONE]


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of a tensor on each chip: ``shard_type``, ``shard_shape`` and ``shard_dims`` of ``ttir.mesh_shard``."""

    kind: ShardType
    shape: tuple[int, ...]
    dims: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChipMesh:
    """Rows and columns of chips. ``axes``: the program's axes, each as rows (0) or columns (1); None for one chip."""

    extents: tuple[int, int]
    axes: Mapping[str, int | None]

    @property
    def chips(self) -> int:
        """The number of chips."""
        return self.extents[0] * self.extents[1]


def mesh_of_axes(mesh: MeshAxes) -> ChipMesh:
    """Convert a mesh of Shardy. Raises ``Refused`` for more than two axes, or devices not in order of their numbers."""
    if mesh.devices and mesh.devices != tuple(range(len(mesh.devices))):
        raise Refused(
            f"the devices of the mesh are not in the order of their numbers: {list(mesh.devices)}",
            "what works: devices in the order of their numbers, as jax.make_mesh has them",
        )
    real = [(name, extent) for name, extent in mesh.axes if extent > 1]
    said = ", ".join(f"{name} = {extent}" for name, extent in mesh.axes)
    if len(real) > 2:
        raise Refused(
            f"the mesh has {len(real)} axes ({said}), but a mesh of chips has two: rows and columns", WAY_OUT
        )
    extents = [extent for _, extent in real]
    places: dict[str, int | None] = dict.fromkeys((name for name, _ in mesh.axes), None)
    first = 2 - len(real)
    places.update({name: first + at for at, (name, _) in enumerate(real)})
    rows, columns = (*(1,) * first, *extents)
    return ChipMesh((rows, columns), places)


def cut_by_axes(sharding: Sharding, mesh: ChipMesh, manual: Sequence[str] | None = None) -> Cut:
    """Return the cut that a sharding of Shardy means; ``manual`` are the axes that count. Raises ``Refused``."""
    if sharding.odd:
        raise Refused(f"a sharding has {sharding.odd}", WAY_OUT)
    dims = [-1, -1]
    shape = [1] * len(sharding.dims)
    for dim, names in enumerate(sharding.dims):
        at = [
            axis
            for name in names
            if (manual is None or name in manual) and (axis := mesh.axes.get(name)) is not None
        ]
        if at != sorted(at):
            raise Refused(
                f"dimension {dim} is cut by the axes {', '.join(names)}: the columns of the mesh come before its rows",
                "what works: axes in the order of the mesh",
            )
        for axis in at:
            dims[axis] = dim
            shape[dim] *= mesh.extents[axis]
    return _cut(shape, (dims[0], dims[1]))


def _cut(shape: Sequence[int], dims: tuple[int, int]) -> Cut:
    if set(shape) <= {1}:
        return Cut(ShardType.Replicate, (1,), (-1, -1))
    return Cut(ShardType.Devices, tuple(shape), dims)


# GSPMD


@dataclass(frozen=True, slots=True)
class Tiles:
    """The part of each device: ``places[device]`` is its place along each dimension, of ``counts`` parts."""

    counts: tuple[int, ...]
    places: npt.NDArray[np.int64]


def gspmd(text: str, rank: int) -> Tiles | ShardType:
    """Parse a sharding of GSPMD: parts, or the kind of a sharding that does not cut. Raises ``Refused``."""
    plain = text.strip()
    if plain in ("{replicated}", ""):
        return ShardType.Replicate
    if plain == "{manual}":
        return ShardType.Identity
    if plain.startswith("{maximal"):
        return ShardType.Maximal
    given = _TILES.fullmatch(plain)
    if given is None:
        raise Refused(f"the sharding {text} is not known", "what works: shardings as JAX writes them")
    tiles = _numbers(given[1])
    if given[4] is not None:
        devices = np.array(_numbers(given[4]))
    else:
        extents = _numbers(given[2])
        devices = np.arange(int(np.prod(extents))).reshape(extents)
        if given[3] is not None:
            devices = devices.transpose(_numbers(given[3]))
    if devices.size != int(np.prod(tiles)) or len(tiles) < rank or (given[5] is None and len(tiles) != rank):
        raise Refused(
            f"the sharding {text} does not fit a tensor of {rank} dimensions",
            "what works: shardings as JAX writes them",
        )
    places = np.zeros((devices.size, rank), np.int64)
    for place, device in zip(np.ndindex(*tiles), devices.reshape(-1), strict=True):
        places[device] = place[:rank]
    return Tiles(tuple(tiles[:rank]), places)


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def cut_by_tiles(tiles: Tiles | ShardType, mesh: tuple[int, int]) -> Cut | None:
    """Return a cut by the axes of a mesh; None if no axes of the mesh cut the tensor like that."""
    if isinstance(tiles, ShardType):
        return Cut(tiles, (1,), (-1, -1))
    rows, columns = np.divmod(np.arange(mesh[0] * mesh[1]), mesh[1])
    if len(tiles.places) != rows.size:
        return None
    dims = [-1, -1]
    for dim, count in enumerate(tiles.counts):
        if count == 1:
            continue
        at = tiles.places[:, dim]
        if count == mesh[0] and np.array_equal(at, rows):
            used: tuple[int, ...] = (0,)
        elif count == mesh[1] and np.array_equal(at, columns):
            used = (1,)
        elif count == rows.size and np.array_equal(at, rows * mesh[1] + columns):
            used = (0, 1)
        else:
            return None
        for axis in used:
            dims[axis] = dim
    return _cut(tiles.counts, (dims[0], dims[1]))


def meshes_of(chips: int) -> Iterator[tuple[int, int]]:
    """The rows and columns of meshes of ``chips`` chips, in ascending order of rows."""
    return ((rows, chips // rows) for rows in range(1, chips + 1) if chips % rows == 0)


def inferred_mesh(
    chips: int, shardings: Sequence[Tiles | ShardType], groups: Sequence[Sequence[Sequence[int]]]
) -> ChipMesh:
    """The mesh that describes all shardings of a program. Raises ``Refused`` if no such mesh exists."""
    for extents in meshes_of(chips):
        mesh = ChipMesh(extents, {})
        if all(cut_by_tiles(one, extents) is not None for one in shardings) and all(
            has_groups(one, mesh) for one in groups
        ):
            return mesh
    raise Refused(
        f"there are no rows and columns of {chips} chips that fit all of its shardings and groups of devices",
        WAY_OUT,
    )


# Groups of devices


def has_groups(groups: Sequence[Sequence[int]], mesh: ChipMesh) -> bool:
    """Whether groups of devices are single devices, all devices, or those along an axis, in any order."""
    try:
        axis_of_groups(groups, mesh, in_order=False)
    except Refused:
        return False
    return True


def axis_of_groups(groups: Sequence[Sequence[int]], mesh: ChipMesh, *, in_order: bool) -> Along:
    """The axis along which groups of devices run; None for one group of all devices, ``ALONE`` for single devices.

    ``in_order``: the order in the groups matters. Raises ``Refused`` for other groups.
    """
    rows = [list(group) if in_order else sorted(group) for group in groups]
    if all(len(group) == 1 for group in rows):
        return ALONE
    for axis in (None, 0, 1):
        if sorted(groups_along(mesh.extents, axis)) == sorted(rows):
            return axis
    raise Refused(
        f"its groups of devices are {[list(group) for group in groups]}, and those of a mesh "
        f"{dimensions_text(mesh.extents)} are {groups_along(mesh.extents, 0)} down its rows, {groups_along(mesh.extents, 1)} "
        "along its columns, or all",
        WAY_OUT,
    )
