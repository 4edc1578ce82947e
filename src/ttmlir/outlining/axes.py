"""The axes of a region in the text of its operation: the number of blocks, and the tiles of each tensor in a block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ttmlir.outlining.region import OutlinedRegion, RegionTensor
from ttmlir.outlining.tiles import TILE, tiles
from ttmlir.outlining.views import ElementPlace, Shape


@dataclass(frozen=True, slots=True)
class TileSpan:
    """The tiles of a block along an axis, as text: where they begin, how many they are, and both as a slice.

    Without ``start`` a block has all tiles along the axis.
    """

    start: str
    size: str
    slice: str


class RegionAxes:
    """The names of a region's axes before the last two in the text, and the expressions for the extents of all axes."""

    def __init__(self, region: OutlinedRegion, inputs: Sequence[str]) -> None:
        self._region = region
        self._named = [("y", region.output), *zip(inputs, region.inputs, strict=True)]
        leading = [axis for axis, extent in enumerate(region.domain[:-2]) if extent != 1]
        self.leading: Mapping[int, tuple[str, str]] = {
            axis: (f"batch_{axis}", f"batches_{axis}") if len(leading) > 1 else ("batch", "batches")
            for axis in leading
        }
        """For each axis before the last two with more than one element, the names of a position and of its extent."""

    def counts(self) -> Iterator[str]:
        """Statements that define the names of the extents of the axes before the last two."""
        for axis, (_, count) in self.leading.items():
            yield f"{count} = {self.elements(axis)}"

    def elements(self, axis: int) -> str:
        """Return the number of elements along an axis as text: an extent of a tensor if possible, else a number."""
        for name, dim, _ in self._whole(axis):
            return f"{name}.shape[{dim}]"
        return str(self._region.extents[axis])

    def tiles(self, axis: int) -> str:
        """Return the number of tiles along an axis of blocks as text."""
        for name, dim, rank in self._whole(axis):
            if dim >= rank - 2:
                return f"{name}.padded_shape[{dim - rank}] // ttl.TILE_SHAPE[{dim - rank}]"
        return str(tiles(self._region.extents[axis]))

    def _whole(self, axis: int) -> Iterator[tuple[str, int, int]]:
        """The tensors with a dimension that is the whole axis: name, dimension, rank."""
        for name, tensor in self._named:
            for dim, place in enumerate(tensor.view):
                if place.axis == axis and tensor.shape[dim] == self._region.extents[axis]:
                    yield name, dim, len(tensor.shape)

    def positions(self, tensors: Sequence[RegionTensor]) -> set[str]:
        """The names of positions that the blocks of tensors depend on."""
        return {name for axis, (name, _) in self.leading.items() if any(one.has(axis) for one in tensors)}

    def index(self, tensor: RegionTensor, spans: Mapping[int, TileSpan]) -> str:
        """The index of a tensor that selects the tiles of a block. ``spans``: the tiles along the axes of blocks."""
        texts = [self._position(place, 1) or "0" for place in tensor.view[:-2]]
        for place, axis, extent in zip(tensor.view[-2:], tensor.tile_axes, tensor.shape[-2:], strict=True):
            others = ElementPlace(place.offset, tuple(term for term in place.terms if term[0] != axis))
            base = self._position(others, TILE)
            if not tensor.has(axis):
                texts.append(f"slice({base}, {base} + 1)" if base else "0:1")
            elif not base and (spans[axis].start or extent == self._region.extents[axis]):
                texts.append(spans[axis].slice)
            else:
                start = " + ".join(part for part in (base, spans[axis].start) if part) or "0"
                texts.append(f"slice({start}, {start} + {spans[axis].size})")
        return ", ".join(texts)

    def _position(self, place: ElementPlace, unit: int) -> str:
        """A position as an expression of the names of axes, in units of ``unit`` elements; empty for 0."""
        parts = [str(place.offset // unit)] if place.offset else []
        for axis, stride in place.terms:
            name, _ = self.leading[axis]
            parts.append(name if stride == unit else f"{name} * {stride // unit}")
        return " + ".join(parts)


class BlockShapes:
    """The names of block shapes: ``(rows, columns)``, with 1 where a tensor is repeated along an axis."""

    def __init__(self, region: OutlinedRegion) -> None:
        self._region = region
        rank = len(region.domain)
        self._names = {
            axis: name if region.extents[axis] != 1 else "1"
            for axis, name in zip(range(rank - 2, rank + 2), ("rows", "columns", "inner", "width"))
            if axis < len(region.extents)
        }

    def of(self, shape: Shape) -> str:
        """Return the block shape of a step, by the extents of its result along the axes of the domain."""
        domain = self._region.domain
        axes = range(len(domain) - 2, len(domain))
        names = [self._names[axis] if shape[axis] == domain[axis] else "1" for axis in axes]
        return f"({', '.join(names)})"

    def in_memory(self, tensor: RegionTensor) -> str:
        """Return the shape of a tensor's blocks as they lie in memory."""
        names = [self._names[axis] if tensor.has(axis) else "1" for axis in tensor.tile_axes]
        return f"({', '.join(names)})"
