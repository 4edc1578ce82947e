"""How a tensor lies on the chips of a mesh: the same on each of them, or in shards.

A binary says it in ``LayoutDesc.strategy``, a user in the words of ``create_multi_device_tensor``. Shapes in a binary are
those of one chip. A tensor of two dimensions of shards is cut into rows and columns, its last two dimensions: the format has
no field for others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from ttmlir.runtime.problems import RuntimeProblem

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Replicate:
    """The same on each chip."""

    def __str__(self) -> str:
        return "replicated"


@dataclass(frozen=True, slots=True)
class ShardAlong:
    """Cut along a dimension: chip 0 has the beginning."""

    dim: int

    def __str__(self) -> str:
        return f"sharded along dimension {self.dim}"


@dataclass(frozen=True, slots=True)
class ShardGrid:
    """Cut into ``rows`` parts along the last dimension but one, and each of them into ``columns`` along the last."""

    rows: int
    columns: int

    def __str__(self) -> str:
        return f"sharded {self.rows}x{self.columns}"


Strategy = Replicate | ShardAlong | ShardGrid


@dataclass(frozen=True, slots=True, eq=False)
class MeshShards:
    """What each chip has of a tensor, in the order of the mesh. ``strategy``: how they make one; None where nobody knows."""

    parts: tuple[torch.Tensor, ...]
    strategy: Strategy | None

    def mapped(
        self, function: Callable[[torch.Tensor], torch.Tensor], strategy: Strategy | None
    ) -> MeshShards:
        """The same of each chip, by a function."""
        return MeshShards(tuple(map(function, self.parts)), strategy)

    def whole(self) -> torch.Tensor:
        """The tensor that the shards make. Raises ``RuntimeProblem`` where nobody knows how."""
        import torch

        match self.strategy:
            case Replicate():
                return self.parts[0]
            case ShardAlong(dim):
                return torch.cat(self.parts, dim)
            case ShardGrid(_, columns):
                rows = [
                    torch.cat(self.parts[start : start + columns], -1)
                    for start in range(0, len(self.parts), columns)
                ]
                return torch.cat(rows, -2)
        shape = "x".join(map(str, self.parts[0].shape))
        raise RuntimeProblem(
            f"it lies in {len(self.parts)} shards of {shape}, and neither the binary nor the operations before say how they "
            "make one tensor: read the shards with a tensor of create_multi_device_tensor, or put a ttnn.all_gather before"
        )


def extents_of(strategy: Strategy, rank: int, chips: int) -> dict[int, int]:
    """Into how many parts dimensions are cut. Raises ``RuntimeProblem`` for dimensions that are not there."""
    match strategy:
        case ShardAlong(dim):
            if not -rank <= dim < rank:
                raise RuntimeProblem(
                    f"ShardTensor.shard_dim is {dim}, and the tensor has {rank} dimensions: name one from 0 to {rank - 1}"
                )
            return {dim % rank: chips}
        case ShardGrid(rows, columns):
            if rank < 2:
                raise RuntimeProblem(
                    f"ShardTensor2D cuts the last two dimensions, and the tensor has {rank}: use ShardTensor"
                )
            if rows * columns != chips:
                raise RuntimeProblem(
                    f"ShardTensor2D.shard_mesh is {rows}x{columns}, and there are {chips} chips: its extents multiply to "
                    "their number"
                )
            return {rank - 2: rows, rank - 1: columns}
    return {}


def whole_shape(shape: Sequence[int], strategy: Strategy | None, chips: int) -> tuple[int, ...]:
    """The shape of a tensor of which each chip has ``shape``. Raises ``RuntimeProblem``."""
    if strategy is None:
        return tuple(shape)
    parts = extents_of(strategy, len(shape), chips)
    return tuple(extent * parts.get(dim, 1) for dim, extent in enumerate(shape))


def cut(values: torch.Tensor, strategy: Strategy, chips: int, owner: str) -> torch.Tensor | MeshShards:
    """A whole tensor for the chips of a mesh. Raises ``RuntimeProblem`` for a shape that does not divide."""
    parts = extents_of(strategy, values.dim(), chips)
    if prod(parts.values()) == 1:
        return values
    pieces = [values]
    for dim, count in sorted(parts.items()):
        extent = values.shape[dim]
        if extent % count:
            shape = "x".join(map(str, values.shape))
            raise RuntimeProblem(
                f"{owner} is {shape}, whose dimension {dim} does not divide into {count} shards: pad it to "
                f"{-(-extent // count) * count}, or replicate it"
            )
        pieces = [part for piece in pieces for part in piece.chunk(count, dim)]
    return MeshShards(tuple(pieces), strategy)


def strategy_of(written: Mapping[str, Any] | None) -> Strategy | None:
    """A ``DistributionStrategy`` of a binary; None where it says nothing. Raises ``RuntimeProblem``."""
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
            return _grid(mesh["y"], mesh["x"], "ShardTensor2D.shard_mesh")
        case kind:
            raise RuntimeProblem(
                f"DistributionStrategy.strategy is {kind}, which makes no tensor: put a ttnn.all_gather after one that is "
                "sharded"
            )


def strategy_in_words(words: Mapping[str, str], chips: int) -> Strategy:
    """A strategy of ``create_multi_device_tensor``. Raises ``RuntimeProblem``.

    ``{"strategy": "replicate", "replication_factor": "2"}``, ``{"strategy": "shard", "shard_dim": "0"}`` or
    ``{"strategy": "shard_2d", "mesh_shape_y": "1", "mesh_shape_x": "2"}``.
    """
    kind = words.get("strategy", "replicate")
    match kind:
        case "replicate":
            factor = _number(words, "replication_factor", chips)
            if factor != chips:
                raise RuntimeProblem(
                    f"replication_factor is {factor}, and memory of {chips} tensors is given: one for each chip"
                )
            return Replicate()
        case "shard":
            return ShardAlong(_number(words, "shard_dim", 0))
        case "shard_2d":
            rows, columns = _number(words, "mesh_shape_y", 0), _number(words, "mesh_shape_x", 0)
            return _grid(rows, columns, "the mesh of shard_2d (mesh_shape_y, mesh_shape_x)")
    raise RuntimeProblem(f"the strategy {kind} is not known; there are replicate, shard and shard_2d")


def _grid(rows: int, columns: int, name: str) -> ShardGrid:
    if rows < 1 or columns < 1:
        raise RuntimeProblem(f"{name} is {rows}x{columns}: both extents are at least 1")
    return ShardGrid(rows, columns)


def _number(words: Mapping[str, str], name: str, default: int) -> int:
    text = str(words.get(name, default))
    try:
        return int(text)
    except ValueError:
        raise RuntimeProblem(f"{name} of the strategy is {text!r}, which is no whole number") from None
