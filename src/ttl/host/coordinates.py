"""Coordinates in a mesh of devices: its shape, ranges of coordinates, and the chips' names in packets."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from itertools import product
from typing import Any

from ttl.arch.systems import System
from ttl.host.calling import checked
from ttl.host.descriptors import word
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import extents_of, volume

__all__ = ("FabricNodeId", "MeshCoordinate", "MeshCoordinateRange", "MeshId", "MeshShape")


@checked
class MeshShape(tuple[int, ...]):
    """Extents of a mesh of devices: ``MeshShape(2, 4)`` is two rows of four devices."""

    __slots__ = ()

    def __new__(cls, *extents: Any) -> MeshShape:
        given = extents_of(extents[0] if len(extents) == 1 else extents, "a mesh shape")
        given = (1, *given) if len(given) == 1 else given
        if not given or 0 in given:
            fail(Code.NO_SHAPE, f"a mesh has at least one device in each dimension, not {given}")
        return super().__new__(cls, given)

    def dims(self) -> int:
        """How many dimensions."""
        return len(self)

    def mesh_size(self) -> int:
        """How many devices."""
        return volume(self)

    def __repr__(self) -> str:
        return f"MeshShape({list(self)})"


@checked
class MeshCoordinate(tuple[int, ...]):
    """Where a device is in a mesh: ``MeshCoordinate(0, 1)`` is in row 0, column 1."""

    __slots__ = ()

    def __new__(cls, *coords: Any) -> MeshCoordinate:
        given = coords[0] if len(coords) == 1 and not isinstance(coords[0], int) else coords
        try:
            numbers = tuple(operator.index(number) for number in given)
        except TypeError:
            fail(Code.WRONG_KIND, f"ttnn.MeshCoordinate takes whole numbers, not {describe(given)}")
        if not numbers or min(numbers) < 0:
            fail(
                Code.OUT_OF_RANGE,
                f"ttnn.MeshCoordinate: {numbers} is not a place in a mesh, whose devices count from 0",
            )
        return super().__new__(cls, numbers)

    def __repr__(self) -> str:
        return f"MeshCoordinate({list(self)})"


@checked
class MeshCoordinateRange:
    """Devices of a mesh from one corner to the other, both included; ``MeshCoordinateRange(shape)``: all of them."""

    __slots__ = ("end", "start")

    def __init__(self, start: Any, end: Any = None) -> None:
        if end is None:
            shape = extents_of(start, "a mesh shape")
            start, end = (0,) * len(shape), tuple(extent - 1 for extent in shape)
        self.start = start if isinstance(start, MeshCoordinate) else MeshCoordinate(start)
        self.end = end if isinstance(end, MeshCoordinate) else MeshCoordinate(end)
        if len(self.start) != len(self.end) or any(a > b for a, b in zip(self.start, self.end, strict=True)):
            fail(
                Code.OUT_OF_RANGE, f"ttnn.MeshCoordinateRange: no devices from {tuple(self.start)} to {tuple(self.end)}",
                help="give the corner with the smaller coordinates first; both corners are included",
            )  # fmt: skip

    def __iter__(self) -> Iterator[MeshCoordinate]:
        for at in product(*(range(a, b + 1) for a, b in zip(self.start, self.end, strict=True))):
            yield MeshCoordinate(at)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeshCoordinateRange) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"MeshCoordinateRange(start={self.start!r}, end={self.end!r})"


@checked
class MeshId(int):
    """The number of a mesh. There is one mesh, number 0."""

    __slots__ = ()

    def __new__(cls, value: int) -> MeshId:
        return super().__new__(cls, word(value, "a ttnn.MeshId"))


@checked
class FabricNodeId:
    """A chip as packets name it: its mesh and its number there, row by row of the system. Returned by
    ``mesh_device.get_fabric_node_id``."""

    __slots__ = ("chip_id", "mesh_id", "system")

    def __init__(self, mesh_id: Any, chip_id: int) -> None:
        self.mesh_id, self.chip_id = MeshId(mesh_id), word(chip_id, "chip_id of a ttnn.FabricNodeId")
        self.system: System | None = None
        if self.mesh_id:
            fail(Code.LINKS, f"ttnn.FabricNodeId: there is no mesh {self.mesh_id}; chips are in mesh 0")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FabricNodeId) and self.chip_id == other.chip_id

    def __hash__(self) -> int:
        return hash(self.chip_id)

    def __repr__(self) -> str:
        return f"FabricNodeId(mesh_id={int(self.mesh_id)}, chip_id={self.chip_id})"


def position(shape: tuple[int, ...], coordinate: Any, function: str) -> int:
    """The position in a mesh, row by row, of the device at a coordinate. Raises ``ProgramError`` TTL1012."""
    at = tuple(coordinate) if isinstance(coordinate, MeshCoordinate) else MeshCoordinate(coordinate)
    if len(at) != len(shape) or any(number >= extent for number, extent in zip(at, shape, strict=True)):
        fail(
            Code.MESH,
            f"ttnn.{function}: there is no device {tuple(at)} in a mesh of shape {tuple(shape)}",
            help=f"coordinates are {(0,) * len(shape)} to {tuple(extent - 1 for extent in shape)}",
        )
    number = 0
    for extent, here in zip(shape, at, strict=True):
        number = number * extent + here
    return number
