"""The distribution of a tensor over the chips of a mesh: the same on each of them, or in shards.

A binary states it in ``LayoutDesc.strategy``, a user in the words of ``create_multi_device_tensor``. Shapes in a binary
are those of one chip. A mesh has rows and columns of chips; its two axes may cut different dimensions, the same
dimension, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import TYPE_CHECKING, Any, Final, Literal

from tt_model.runtime.problems import RuntimeProblem

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Replicate:
    """The strategy of a tensor that is the same on each chip."""

    def __str__(self) -> str:
        return "replicated"


@dataclass(frozen=True, slots=True)
class ShardAlong:
    """The strategy of a tensor that is cut along a dimension: chip 0 has the first part."""

    dim: int

    def __str__(self) -> str:
        return f"sharded along dimension {self.dim}"


class UnknownShare(Enum):
    """Marks an axis along which it is not known how the parts of chips are joined, such as parts of a sum."""

    NOT_KNOWN = "not known"


NOT_KNOWN: Final = UnknownShare.NOT_KNOWN
# The dimension that an axis of a mesh cuts; None: all chips along it have the same part.
AxisCut = int | None | Literal[UnknownShare.NOT_KNOWN]


@dataclass(frozen=True, slots=True)
class ShardGrid:
    """The strategy of a tensor that is cut along the two axes of a mesh of ``rows`` x ``columns`` chips.

    ``dims`` are the dimensions that they cut: by default, rows cut the last dimension but one, and columns the last.
    """

    rows: int
    columns: int
    dims: tuple[AxisCut, AxisCut] = (-2, -1)

    @property
    def axes(self) -> tuple[tuple[int, AxisCut], tuple[int, AxisCut]]:
        """The axes of the mesh: the number of chips of each, and the dimension that it cuts."""
        return (self.rows, self.dims[0]), (self.columns, self.dims[1])

    def __str__(self) -> str:
        if self.dims == (-2, -1):
            return f"sharded {self.rows}x{self.columns}"
        said = ["not known" if dim is NOT_KNOWN else "-" if dim is None else str(dim) for dim in self.dims]
        return f"sharded {self.rows}x{self.columns} along dimensions {said[0]}, {said[1]}"


Strategy = Replicate | ShardAlong | ShardGrid


@dataclass(frozen=True, slots=True, eq=False)
class MeshShards:
    """The part of a tensor on each chip, in the order of the mesh.

    ``strategy`` is how the parts are joined to one tensor; None if that is not known.
    """

    parts: tuple[torch.Tensor, ...]
    strategy: Strategy | None

    def mapped(
        self, function: Callable[[torch.Tensor], torch.Tensor], strategy: Strategy | None
    ) -> MeshShards:
        """Apply a function to each part; ``strategy`` is that of the result."""
        return MeshShards(tuple(map(function, self.parts)), strategy)

    def whole(self) -> torch.Tensor:
        """The tensor that the parts make up. Raises ``RuntimeProblem`` if it is not known how they are joined."""
        import torch

        match self.strategy:
            case Replicate():
                return self.parts[0]
            case ShardAlong(dim):
                return torch.cat(self.parts, dim)
            case ShardGrid() as grid if NOT_KNOWN not in grid.dims:
                parts = self.parts
                for count, cuts in reversed(grid.axes):
                    groups = [parts[start : start + count] for start in range(0, len(parts), count)]
                    parts = tuple(
                        torch.cat(group, cuts) if isinstance(cuts, int) else group[0] for group in groups
                    )
                return parts[0]
        shape = "x".join(map(str, self.parts[0].shape))
        raise RuntimeProblem(
            f"it lies in {len(self.parts)} shards of {shape}, and it is not known how they are joined to one "
            "tensor: read the shards with a tensor of create_multi_device_tensor, or put a ttnn.all_gather before"
        )


def extents_of(strategy: Strategy, rank: int, chips: int) -> dict[int, int]:
    """The number of parts of each dimension that is cut. Raises ``RuntimeProblem`` for dimensions that do not exist."""
    match strategy:
        case ShardAlong(dim):
            if not -rank <= dim < rank:
                raise RuntimeProblem(
                    f"ShardTensor.shard_dim is {dim}, and the tensor has {rank} dimensions: name one from 0 to {rank - 1}"
                )
            return {dim % rank: chips}
        case ShardGrid(rows, columns, dims):
            if dims == (-2, -1) and rank < 2:
                raise RuntimeProblem(
                    f"ShardTensor2D cuts the last two dimensions, and the tensor has {rank}: use ShardTensor"
                )
            if rows * columns != chips:
                raise RuntimeProblem(
                    f"ShardTensor2D.shard_mesh is {rows}x{columns}, and there are {chips} chips: its extents multiply to "
                    "their number"
                )
            parts: dict[int, int] = {}
            for count, cuts in strategy.axes:
                if not isinstance(cuts, int):
                    continue
                if not -rank <= cuts < rank:
                    raise RuntimeProblem(
                        f"ShardTensor2D.shard_dims names dimension {cuts}, and the tensor has {rank} dimensions: name one "
                        f"from 0 to {rank - 1}"
                    )
                parts[cuts % rank] = parts.get(cuts % rank, 1) * count
            return parts
    return {}


def whole_shape(shape: Sequence[int], strategy: Strategy | None, chips: int) -> tuple[int, ...]:
    """The shape of a whole tensor, of which each chip has a part of ``shape``. Raises ``RuntimeProblem``."""
    if strategy is None:
        return tuple(shape)
    parts = extents_of(strategy, len(shape), chips)
    return tuple(extent * parts.get(dim, 1) for dim, extent in enumerate(shape))


def cut(values: torch.Tensor, strategy: Strategy, chips: int, owner: str) -> torch.Tensor | MeshShards:
    """Cut a whole tensor for the chips of a mesh. Raises ``RuntimeProblem`` for a shape that does not divide."""
    parts = extents_of(strategy, values.dim(), chips)
    if prod(parts.values()) == 1:
        return values
    for dim, count in sorted(parts.items()):
        extent = values.shape[dim]
        if extent % count:
            shape = "x".join(map(str, values.shape))
            raise RuntimeProblem(
                f"{owner} is {shape}, whose dimension {dim} does not divide into {count} shards: pad it to "
                f"{-(-extent // count) * count}, or replicate it"
            )
    pieces = [values]
    for count, cuts in axes_of(strategy, chips):
        pieces = [
            part
            for piece in pieces
            for part in (piece.chunk(count, cuts) if isinstance(cuts, int) else [piece] * count)
        ]
    return MeshShards(tuple(pieces), strategy)


def axes_of(
    strategy: Strategy | None, chips: int, mesh: tuple[int, int] | None = None
) -> tuple[tuple[int, AxisCut], tuple[int, AxisCut]]:
    """Return the number of chips of each axis of a mesh, and the dimension that it cuts.

    ``mesh`` has the rows and columns for a strategy that does not name them.
    """
    rows, columns = mesh or (1, chips)
    match strategy:
        case ShardGrid():
            return strategy.axes
        case ShardAlong(dim):
            return (rows, dim), (columns, dim)
        case Replicate():
            return (rows, None), (columns, None)
    return (rows, NOT_KNOWN), (columns, NOT_KNOWN)


def on_axes(mesh: tuple[int, int], cuts: tuple[AxisCut, AxisCut]) -> Strategy | None:
    """The strategy that cuts these dimensions along a mesh's axes, in its simplest form; None if nothing is known."""
    seen = {cut for count, cut in zip(mesh, cuts, strict=True) if count > 1}
    if not seen or seen == {None}:
        return Replicate()
    if len(seen) == 1:
        (only,) = seen
        return None if only is NOT_KNOWN else ShardAlong(only) if only is not None else Replicate()
    return ShardGrid(*mesh, cuts)


def strategy_of(written: Mapping[str, Any] | None) -> Strategy | None:
    """The strategy of a ``DistributionStrategy`` in a binary; None if it states none. Raises ``RuntimeProblem``."""
    if not written:
        return None
    fields = written.get("strategy", {})
    match written.get("strategy_type", "NONE"):
        case "NONE":
            return None
        case "ReplicateTensor":
            return Replicate()
        case "ShardTensor":
            return ShardAlong(int(fields.get("shard_dim", 0)))
        case "ShardTensor2D":
            mesh = fields.get("shard_mesh", {"y": 0, "x": 0})
            grid = _grid(mesh["y"], mesh["x"], "ShardTensor2D.shard_mesh")
            dims = fields.get("shard_dims") or []
            if not dims:
                return grid
            if len(dims) != 2:
                raise RuntimeProblem(
                    f"ShardTensor2D.shard_dims is {list(dims)}: there is one for each axis of the mesh"
                )
            # The format has -1 for an axis that cuts no dimension.
            first, second = (None if dim < 0 else int(dim) for dim in dims)
            return ShardGrid(grid.rows, grid.columns, (first, second))
        case kind:
            raise RuntimeProblem(
                f"DistributionStrategy.strategy is {kind}, which does not make one tensor: insert a ttnn.all_gather after a "
                "sharded one"
            )


def strategy_in_words(words: Mapping[str, str], chips: int) -> Strategy:
    """The strategy in the words of ``create_multi_device_tensor``. Raises ``RuntimeProblem``.

    They are ``{"strategy": "replicate", "replication_factor": "2"}``, ``{"strategy": "shard", "shard_dim": "0"}`` or
    ``{"strategy": "shard_2d", "mesh_shape_y": "1", "mesh_shape_x": "2"}``.
    """
    kind = words.get("strategy", "replicate")
    match kind:
        case "replicate":
            factor = _number(words, "replication_factor", chips)
            if factor != chips:
                raise RuntimeProblem(
                    f"replication_factor is {factor}, but memory of {chips} tensors is passed: pass one tensor for each chip"
                )
            return Replicate()
        case "shard":
            return ShardAlong(_number(words, "shard_dim", 0))
        case "shard_2d":
            rows, columns = _number(words, "mesh_shape_y", 0), _number(words, "mesh_shape_x", 0)
            return _grid(rows, columns, "the mesh of shard_2d (mesh_shape_y, mesh_shape_x)")
    raise RuntimeProblem(f"the strategy {kind} is not known; expected replicate, shard or shard_2d")


def _grid(rows: int, columns: int, name: str) -> ShardGrid:
    if rows < 1 or columns < 1:
        raise RuntimeProblem(f"{name} is {rows}x{columns}: both extents are at least 1")
    return ShardGrid(rows, columns)


def _number(words: Mapping[str, str], name: str, default: int) -> int:
    text = str(words.get(name, default))
    try:
        return int(text)
    except ValueError:
        raise RuntimeProblem(f"{name} of the strategy is {text!r}, which is not a whole number") from None
