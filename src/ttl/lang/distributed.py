"""Distributed tensors: the distribution of a tensor over the nodes of the grid, and a node's own part of it."""

from __future__ import annotations

from math import prod
from typing import Any

from ttl.diag.values import is_int
from ttl.host.tensor import Tensor
from ttl.lang.check import fail, public, right
from ttl.lang.context import current
from ttl.lang.making_buffers import placed
from ttl.lang.transfers import DeferredSlice, TensorSlice
from ttl.rows.params import is_of_node
from ttl.rules import distribution as rules
from ttl.rules import slices
from ttl.rules.copies import Direction


class DistributedTensor:
    """A tensor with its distribution over the grid, made by ``ttl.distribute``. ``print`` shows which node has which part."""

    __slots__ = ("_distribution", "tensor")

    def __init__(self, tensor: Tensor, distribution: rules.Distribution) -> None:
        self.tensor = tensor
        self._distribution = distribution

    @property
    def strategy(self) -> str:
        """How the tensor is distributed: ``"sharded"``, ``"interleaved"`` or ``"replicated"``."""
        return self._distribution.strategy

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the tensor, in tiles (tiled) or elements (row-major)."""
        return self._distribution.extents

    @property
    def shard_shape(self) -> tuple[int, ...]:
        """Extents of one node's shard, in the same unit. Raises TTL0534 for an interleaved tensor."""
        self._require_shards()
        return self._distribution.shard

    def shard(self) -> TensorShard:
        """The part of the tensor that belongs to this node: an end of a copy, like a slice.

        ``shard()[rows, columns]`` is a part of it. For a replicated tensor it is the whole tensor, which can only be
        read. Only in data movement kernels.

        Raises ``ProgramError``: TTL0534 the tensor is interleaved.
        """
        self._require_shards()
        return TensorShard(self)

    def part(self, index: tuple[Any, ...]) -> TensorSlice:
        """The slice of the whole tensor for an index of this node's shard (TTL0505, TTL0506, TTL0508, TTL0509, TTL0536)."""
        of = self._distribution
        entries = right(slices.expand(index, of.shard, of.layout))
        for axis, (entry, extent) in enumerate(zip(entries, of.shard, strict=True)):
            low, high = _bounds(entry, extent)
            if is_int(low) and is_int(high) and low < high and not 0 <= low < high <= extent:
                fail(rules.beyond(axis, low, high, extent, of.layout))
        finding = slices.partial_error(tuple(map(_shown, entries)), of.shard, of.layout)
        if finding is not None:
            fail(finding)
        execution = current("shard()")
        origin = of.origin(*execution.node(2))
        whole: list[Any] = []
        for entry, begin, extent in zip(entries, origin, of.shard, strict=True):
            low, high = _bounds(entry, extent)
            whole.append(slice(begin + low, begin + high) if isinstance(entry, slice) else begin + low)
        return execution.shard_part(self.tensor, tuple(whole), of)

    def require_writable(self) -> None:
        """Refuse a replicated tensor that several nodes would write (TTL0535)."""
        grid = self._distribution.grid
        if self.strategy == "replicated" and prod(grid) > 1:
            fail(rules.many_writers(grid))

    def _require_shards(self) -> None:
        if self.strategy == "interleaved":
            fail(rules.no_shard(self.strategy))

    def __repr__(self) -> str:
        return self._distribution.text()


class ShardPart(DeferredSlice):
    """A part of the shard of the running node, which becomes a slice of the tensor when it is copied."""

    __slots__ = ("_distributed", "_index")

    def __init__(self, distributed: DistributedTensor, index: tuple[Any, ...] = ()) -> None:
        self._distributed = distributed
        self._index = index

    def as_slice(self, direction: Direction) -> TensorSlice:
        """The slice of the tensor. ``direction``: whether it is copied ``into`` a block or written ``from`` one."""
        if direction == "from":
            self._distributed.require_writable()
        return self._distributed.part(self._index)

    def __repr__(self) -> str:
        return f"<{'part of the shard' if self._index else 'shard'} of a tensor of {self._distributed.shape}>"


class TensorShard(ShardPart):
    """The shard of the running node: an end of a copy. ``shard[rows, columns]`` is a part of it."""

    __slots__ = ()
    __iter__ = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in tiles (tiled) or elements (row-major)."""
        return self._distributed.shard_shape

    def __getitem__(self, index: Any) -> ShardPart:
        return ShardPart(self._distributed, index if isinstance(index, tuple) else (index,))


@public
def distribute(tensor: Any, strategy: Any = "sharded", *, shard: Any = None) -> DistributedTensor:
    """Declare the distribution of a tensor over the nodes of the operation's grid: ``x = ttl.distribute(x, "sharded")``, then ``x.shard()`` in kernels.

    ``sharded``: every node has one part, of ``shard`` (rows, columns) in tiles or elements. If the tensor is sharded in L1, these
    are its shards, and each node has its shard in its own memory. Otherwise ``shard`` defaults to the tensor's rows divided by the rows
    of nodes, and its columns by their columns. ``replicated``: every node has the whole tensor. ``interleaved``: no node has its own part.

    Raises ``ProgramError``: TTL0530 an argument is not a tensor, a strategy or a shard shape; TTL0531 shards that do not divide the tensor;
    TTL0532 a grid with more or fewer nodes than shards; TTL0533 shards on other nodes.
    """
    execution = current("ttl.distribute()")
    if not isinstance(tensor, Tensor):
        fail(rules.no_tensor(tensor))
    named, part = right(rules.request(strategy, shard))
    layout, shape = tensor.layout, tuple(execution.known_shape(tensor))
    where = placed(tensor, shape)
    extents = rules.in_units(shape, layout)
    lying = rules.MemoryDistribution(
        memory=where.memory,
        spread=tensor.memory_config().memory_layout.name.lower(),  # also for tensors on a mesh
        shard=None if where.shard is None else rules.in_units(where.shard, layout),
        holders=where.holders,
    )
    return DistributedTensor(
        tensor, right(rules.distribution(named, extents, layout, tuple(execution.grid), part, lying))
    )


def _shown(entry: Any) -> Any:
    """Return an index for messages, with stand-ins for numbers that are known on the node only."""
    if isinstance(entry, slice):
        return slice(_shown(entry.start), _shown(entry.stop), _shown(entry.step))
    if not is_of_node(entry):
        return entry
    return slices.INTEGER if hasattr(entry, "bounds") else slices.FRACTION


def _bounds(entry: Any, extent: int) -> tuple[Any, Any]:
    """The start and the stop of an index of a dimension."""
    if not isinstance(entry, slice):
        return entry, entry + 1 if is_int(entry) or is_of_node(entry) else entry
    return 0 if entry.start is None else entry.start, extent if entry.stop is None else entry.stop
