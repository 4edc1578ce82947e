"""Collective operations of the chips of a mesh: they gather, sum, broadcast and exchange parts of a tensor.

The grid of such an operation is (mesh rows, mesh columns, x, y). A tensor is, on every chip, the chip's shard; ``sizes`` are
the extents of the shard that is read, in elements. ``axis`` is the axis of the mesh along which chips work together: 0 for the
chips of a column, 1 for those of a row, None for all of them. Blocks go around rings of chips (``ttl.ops.chip_rings``), from
neighbour to neighbour; the nodes of a chip take blocks in turn, and several of them keep its links busy in both directions.
``reference`` takes a list of arrays, one for each chip, row by row of the mesh, and returns such a list.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

import ttl
from ttl.lang.library import TILE, require_choice, require_fit, require_numbers, require_parts, require_shapes
from ttl.ops.chips import (
    ChipParts,
    ChipRings,
    block_of,
    chip_rings,
    fetch,
    node_of_chip,
    own_part,
    own_place,
    part_behind,
    put,
    receive,
    send,
)

Pair = tuple[int, int]
Grid = tuple[int, int, int, int]


def added(total: Any, own: Any) -> Any:
    """The sum of two blocks, which is the default function of reductions."""
    return total + own


def make_all_gather(
    sizes: Pair,
    grid: Grid,
    blocks: Pair = (1, 1),
    *,
    axis: int | None = None,
    dim: int = 0,
    ports: int | None = None,
) -> ttl.Operation:
    """The shards of all chips of a ring, side by side along ``dim``, on each of them; ``sizes`` is (rows, columns).

    ``x`` is of (rows, columns); ``y`` is larger along ``dim`` by the number of chips of a ring. A block of ``blocks``
    (rows, columns) tiles goes once around the ring, and every chip that it passes keeps it. Values are only moved: results are
    exactly equal. The operation is called with ``x`` and ``y``. Its stage is called with ``x``, a dataflow buffer for
    blocks of ``y``, the number of a block, and optionally that of the part of ``x`` which it is of. It produces the block of the
    chip itself, then those of the others: after ``step`` others that of the chip with the part ``ttl.ops.part_behind(rings, step)``.

    ``ports`` pairs of nodes of a chip send to others, best as many as a link has ports, spread over the rows and columns of the grid
    so that they do not meet on the network of the chip. Of the other nodes, two for each port read the chip's own shard for them,
    and one for each port copies it, where the grid has them. None: all nodes send.

    Errors: numbers that are not positive integers (TTL1650), shards that are not multiples of the blocks, or along ``dim`` not whole tiles
    (TTL1651), and tensors of other shapes (TTL1652). Source: Thakur et al., "Optimization of Collective Communication
    Operations in MPICH" (2005).
    """
    rings, parts = _rings("all_gather", grid, axis), _parts("all_gather", sizes, 1, grid, blocks, dim)
    size = rings.size
    net = rings.net(parts.total)

    @ttl.operation()
    def stage(x: Any, y_dfb: ttl.DFB, block: int, part: int = 0) -> None:
        for step in range(size):
            with y_dfb.reserve() as part_blk:
                if step == 0:
                    ttl.copy(block_of(x, parts, block, part), part_blk).wait()
                elif size > 1:
                    net.if_dst(lambda pipe: ttl.copy(pipe, part_blk).wait())
                if step < size - 1:
                    net.if_src(lambda pipe: ttl.copy(part_blk, pipe).wait())

    # The operation itself has two nodes for each port: one sends ahead, the other back. A node receives over the link that it
    # sends over, so that a kernel has one link. Its other kernel, on the other network of the chip, writes what has come and
    # passes it to the node beside it, which sends it on. A window of blocks goes around together. Their messages take several
    # nets in turn, the lanes, so that some are under way. Other nodes read the chip's own blocks, but for the first ones.
    most = rings.nodes // 2
    if ports is not None:
        require_choice("all_gather", "ports", ports, range(1, max(most, 1) + 1))
    pairs = most if ports is None else min(ports, most)
    senders = _spread(grid, pairs)
    streams = len(senders)
    count = parts.total // streams if streams and parts.total % streams == 0 else 0
    window = next((blocks for blocks in (8, 4, 2, 1) if count and count % blocks == 0), 0)
    lanes, turns = min(window, 4), window * streams
    late = lanes // 2
    others = [number for number in range(rings.nodes) if number not in senders]
    feeders = others[:streams] if len(others) >= streams else []
    copiers = others[streams:][-pairs:] if feeders else []
    first = lanes if feeders else window
    named = {number: rank for rank, number in enumerate([*senders, *feeders, *copiers])}
    ranks = [named.get(number, rings.nodes) for number in range(rings.nodes)]
    steps = [(sender, 1 - at % 2 * 2, senders[at ^ 1]) for at, sender in enumerate(senders)]
    over = [rings.net_of(steps) for _ in range(lanes)]
    beside = rings.net_of([(sender, 0, to) for sender, _, to in steps])
    feed = rings.net_of([(feeder, 0, senders[at]) for at, feeder in enumerate(feeders)])

    def target(y: Any, block: int, place: int) -> Any:
        return block_of(y, parts, block, rings.parts[place % size])

    def fetch_own(x: Any, y: Any, block: int, place: int, own_dfb: Any) -> None:
        with own_dfb.reserve() as own_blk:
            ttl.copy(block_of(x, parts, block), own_blk).wait()
            if not copiers:
                ttl.copy(own_blk, target(y, block, place)).wait()

    def feed_own(y: Any, block: int, place: int, read_dfb: Any) -> None:
        with read_dfb.wait() as read_blk:
            feed.if_src(lambda pipe: ttl.copy(read_blk, pipe).wait())
            if not copiers:
                ttl.copy(read_blk, target(y, block, place)).wait()

    @ttl.operation(grid=grid)
    def around(x: Any, y: Any) -> None:
        require_shapes("all_gather", x=(x, sizes), y=(y, parts.times(size)))
        own_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks, block_count=first)
        relayed_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks)
        in_dfbs = [ttl.make_dataflow_buffer_like(x, shape=blocks) for _ in range(lanes)]
        read_dfb, fed_dfb = (
            ttl.make_dataflow_buffer_like(x, shape=blocks) if feeders else None for _ in range(2)
        )
        _, _, node = node_of_chip()
        place, rank = own_place(rings), ranks[node]
        on = 1 - rank % 2 * 2

        @ttl.datamovement(noc=1)
        def carry() -> None:
            if rank < streams:
                for turn in range(rank, parts.total, turns):
                    for step in range(size - 1):
                        for group in range(window // lanes):
                            for lane in ttl.static_range(lanes):
                                if step > 0:
                                    receive(beside, relayed_dfb)
                                    send(relayed_dfb, over[lane])
                                elif feeders and (turn > rank or group > 0):
                                    receive(feed, fed_dfb)
                                    send(fed_dfb, over[lane])
                                else:
                                    send(own_dfb, over[lane])
                                if lane >= late or group > 0 or step > 0 or turn > rank:
                                    receive(over[(lane - late) % lanes], in_dfbs[(lane - late) % lanes])
                for lane in ttl.static_range(lanes - late, lanes):
                    receive(over[lane], in_dfbs[lane])
            elif feeders and rank < 2 * streams:
                for block in range(rank + (first - 1) * streams, parts.total, streams):
                    fetch(block_of(x, parts, block), read_dfb)
            elif copiers and rank < 2 * streams + len(copiers):
                for block in range(rank - 2 * streams, parts.total, len(copiers)):
                    fetch(block_of(x, parts, block), read_dfb)

        @ttl.datamovement(noc=0)
        def store() -> None:
            if rank < streams:
                for at in range(first):
                    fetch_own(x, y, rank + at * streams, place, own_dfb)
                for turn in range(rank + on, parts.total, turns):
                    for step in range(size - 1):
                        for group in range(window // lanes):
                            for lane in ttl.static_range(lanes):
                                block = turn + (group * lanes + lane) * streams
                                if not feeders and step == 0 and turn + turns < parts.total:
                                    fetch_own(x, y, block - on + turns, place, own_dfb)
                                with in_dfbs[lane].wait() as in_blk:
                                    in_xf = ttl.copy(in_blk, target(y, block, place + on * (step + 1)))
                                    if step < size - 2:
                                        beside.if_src(lambda pipe: ttl.copy(in_blk, pipe).wait())
                                    in_xf.wait()
            elif feeders and rank < 2 * streams:
                for block in range(rank + (first - 1) * streams, parts.total, streams):
                    feed_own(y, block, place, read_dfb)
            elif copiers and rank < 2 * streams + len(copiers):
                for block in range(rank - 2 * streams, parts.total, len(copiers)):
                    put(read_dfb, target(y, block, place))

    # Where blocks are too few for that, or not as many for each node: one by one.
    @ttl.operation(grid=grid)
    def in_turn(x: Any, y: Any) -> None:
        require_shapes("all_gather", x=(x, sizes), y=(y, parts.times(size)))
        y_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks, block_count=size)
        for block in range(node_of_chip()[2], parts.total, rings.nodes):
            stage(x, y_dfb, block)
            for step in range(size):
                put(y_dfb, block_of(y, parts, block, part_behind(rings, step)))

    all_gather = around if size > 1 and window else in_turn
    all_gather.stage = stage
    all_gather.reference = partial(rings.each, lambda shards: [np.concatenate(shards, dim)] * len(shards))
    return all_gather


def make_reduce_scatter(
    sizes: Pair,
    grid: Grid,
    blocks: Pair = (1, 1),
    *,
    axis: int | None = None,
    dim: int = 0,
    function: Callable[[Any, Any], Any] = added,
) -> ttl.Operation:
    """The sum of the shards of all chips of a ring, of which each chip gets its part along ``dim``; ``sizes`` is (rows, columns).

    ``x`` is of (rows, columns); ``y`` is along ``dim`` that divided by the number of chips. The sum of a block of ``blocks``
    (rows, columns) tiles goes around the ring, and every chip adds its own. With D chips, numbered in the order of the ring,
    part p of nodes with an even number is ``((x[p + 1] + x[p + 2]) + ...) + x[p]``; of nodes with an odd number,
    ``((x[p - 1] + x[p - 2]) + ...) + x[p]``, numbers modulo D: in float32 equal to the last bit. In bfloat16 every sum is
    rounded: the result is within ``(D - 1) * 2**-8 * 1.03`` of the sum of the magnitudes. ``function``, of the result so far
    and the chip's own block, replaces the sum: ``ttl.math.max`` for example.

    The operation is called with ``x`` and ``y``. Its stage is called with dataflow buffers for blocks of ``x`` and of ``y``: it
    takes one of each part, that of ``ttl.ops.part_behind(rings, 1)`` first, then ``2`` and up to the number of chips, and
    gives one.

    Errors: numbers that are not positive integers (TTL1650), parts that are not multiples of the blocks, or along ``dim`` not whole tiles
    (TTL1651), and tensors of other shapes (TTL1652). Source: as for ``make_all_gather``.
    """
    rings = _rings("reduce_scatter", grid, axis)
    parts = _parts("reduce_scatter", sizes, rings.size, grid, blocks, dim)
    size = rings.size
    net = rings.net(parts.total)

    @ttl.operation()
    def alone(x_dfb: ttl.DFB, y_dfb: ttl.DFB) -> None:
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(x_blk)

    @ttl.operation()
    def around(x_dfb: ttl.DFB, y_dfb: ttl.DFB) -> None:
        sent_dfb = ttl.make_dfb(x_dfb.dtype, shape=blocks)
        received_dfb = ttl.make_dfb(x_dfb.dtype, shape=blocks)
        with x_dfb.wait() as x_blk, sent_dfb.reserve() as sum_blk:
            sum_blk.store(x_blk)
        for step in range(1, size):
            send(sent_dfb, net)
            receive(net, received_dfb)
            if step < size - 1:
                with received_dfb.wait() as so_far, x_dfb.wait() as x_blk, sent_dfb.reserve() as sum_blk:
                    sum_blk.store(function(so_far, x_blk))
        with received_dfb.wait() as so_far, x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(function(so_far, x_blk))

    stage = around if size > 1 else alone

    @ttl.operation(grid=grid)
    def reduce_scatter(x: Any, y: Any) -> None:
        require_shapes("reduce_scatter", x=(x, sizes), y=(y, parts.sizes))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks, block_count=size)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=blocks)
        for block in range(node_of_chip()[2], parts.total, rings.nodes):
            for step in range(1, size + 1):
                fetch(block_of(x, parts, block, part_behind(rings, step)), x_dfb)
            stage(x_dfb, y_dfb)
            put(y_dfb, block_of(y, parts, block))

    def reference(shards: Any) -> list[Any]:
        return np.split(_reduced(shards, function)[0], len(shards), dim)

    reduce_scatter.stage, reduce_scatter.reference = stage, partial(rings.each, reference)
    return reduce_scatter


def make_all_reduce(
    sizes: Pair,
    grid: Grid,
    blocks: Pair = (1, 1),
    *,
    axis: int | Pair | None = None,
    dim: int = 0,
    function: Callable[[Any, Any], Any] = added,
) -> ttl.Operation:
    """The sum of the shards of all chips of a ring, on each of them; ``sizes`` is (rows, columns).

    A reduce-scatter and an all-gather, composed: ``x`` and ``y`` are of (rows, columns), which divide along ``dim`` into as many
    parts of whole blocks as there are chips. ``axis=(1, 0)`` or ``(0, 1)`` works in two dimensions: the results of the rings along
    the first axis are reduced along the second, gathered along it, and then along the first, which takes fewer steps than one ring of all chips. Sums have the order and the bound of ``make_reduce_scatter``, along one axis after the other. The operation is called
    with ``x`` and ``y``; its stage with both and the number of a block of a part.

    Errors: numbers that are not positive integers, another ``axis`` (TTL1650), parts that are not multiples of the blocks, or along ``dim`` not whole tiles (TTL1651), and tensors of other shapes (TTL1652). Source: as for ``make_all_gather``.
    """
    first, second = axis if isinstance(axis, tuple) else (axis, None)
    outer = _rings("all_reduce", grid, first)
    twice = isinstance(axis, tuple)
    if twice:
        require_choice("all_reduce", "axis[0]", first, (0, 1))
        require_choice("all_reduce", "axis[1]", second, (1 if first == 0 else 0,))
    inner = (
        _rings("all_reduce", grid, second) if twice else ChipRings(grid=grid, axis=0, parts=(0,), places=(0,))
    )
    turns = inner.size
    parts = _parts("all_reduce", sizes, outer.size * turns, grid, blocks, dim)
    scatter = make_reduce_scatter(
        parts.times(outer.size), grid, blocks, axis=first, dim=dim, function=function
    ).stage
    gather = make_all_gather(parts.sizes, grid, blocks, axis=first, dim=dim).stage
    inner_scatter, inner_gather = scatter, gather
    if twice:
        inner_scatter = make_reduce_scatter(
            parts.times(turns), grid, blocks, axis=second, dim=dim, function=function
        ).stage
        inner_gather = make_all_gather(parts.sizes, grid, blocks, axis=second, dim=dim).stage

    @ttl.operation()
    def stage(x: Any, y: Any, block: int) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks, block_count=outer.size)
        sum_dfb = ttl.make_dataflow_buffer_like(y, shape=blocks)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=blocks, block_count=max(outer.size, turns))
        if twice:
            outer_dfb = ttl.make_dataflow_buffer_like(y, shape=blocks, block_count=turns)
        for turn in range(1, turns + 1):
            beside = part_behind(inner, turn) if twice else 0
            for step in range(1, outer.size + 1):
                fetch(block_of(x, parts, block, part_behind(outer, step) * turns + beside), x_dfb)
            scatter(x_dfb, outer_dfb if twice else sum_dfb)
        own = own_part(outer) * turns
        if twice:
            inner_scatter(outer_dfb, sum_dfb)
        put(sum_dfb, block_of(y, parts, block, own + own_part(inner) if twice else own))
        if twice:
            inner_gather(y, y_dfb, block, own + own_part(inner))
            for step in range(turns):
                put(y_dfb, block_of(y, parts, block, own + part_behind(inner, step)))
        for turn in range(turns):
            gather(y, y_dfb, block, own + turn)
            for step in range(outer.size):
                put(y_dfb, block_of(y, parts, block, part_behind(outer, step) * turns + turn))

    @ttl.operation(grid=grid)
    def all_reduce(x: Any, y: Any) -> None:
        require_shapes("all_reduce", x=(x, sizes), y=(y, sizes))
        for block in range(node_of_chip()[2], parts.total, outer.nodes):
            stage(x, y, block)

    def reference(shards: Any) -> list[Any]:
        reduced = partial(_reduced, function=function)
        sums = outer.each(reduced, shards)
        return inner.each(reduced, sums) if twice else sums

    all_reduce.stage, all_reduce.reference = stage, reference
    return all_reduce


def make_broadcast(
    sizes: Pair, grid: Grid, blocks: Pair = (1, 1), *, axis: int | None = None, root: int = 0
) -> ttl.Operation:
    """The shard of the chip with the part ``root`` on all chips of a ring; ``sizes`` is (rows, columns).

    ``x`` and ``y`` are of (rows, columns), which need not fill their last tiles. Blocks of ``blocks`` (rows, columns) tiles are
    passed from chip to chip, one after the other; values are only moved. The operation is called with ``x``, which only the
    chips with the part ``root`` read, and ``y``; its stage with ``x``, a dataflow buffer and the number of a block: it produces
    that block.

    Errors: numbers that are not positive integers, a root that does not exist (TTL1650), sizes that are not multiples of the blocks
    (TTL1651), and tensors of other shapes (TTL1652). Source: as for ``make_all_gather``.
    """
    rings, parts = (
        _rings("broadcast", grid, axis),
        _parts("broadcast", sizes, 1, grid, blocks, 0, padded=True),
    )
    require_choice("broadcast", "root", root, range(rings.size))
    start, size = rings.places[root], rings.size
    net = rings.net(parts.total)

    @ttl.operation()
    def stage(x: Any, y_dfb: ttl.DFB, block: int) -> None:
        _, _, node = node_of_chip()
        passed = (own_place(rings) - start) * (1 - 2 * (node % 2)) % size
        with y_dfb.reserve() as y_blk:
            if passed == 0:
                ttl.copy(block_of(x, parts, block), y_blk).wait()
            if size > 1:
                if passed > 0:
                    net.if_dst(lambda pipe: ttl.copy(pipe, y_blk).wait())
                if passed < size - 1:
                    net.if_src(lambda pipe: ttl.copy(y_blk, pipe).wait())

    @ttl.operation(grid=grid)
    def broadcast(x: Any, y: Any) -> None:
        require_shapes("broadcast", x=(x, sizes), y=(y, sizes))
        y_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks, block_count=3)
        for block in range(node_of_chip()[2], parts.total, rings.nodes):
            stage(x, y_dfb, block)
            put(y_dfb, block_of(y, parts, block))

    broadcast.stage = stage
    broadcast.reference = partial(rings.each, lambda shards: [np.asarray(shards[root])] * len(shards))
    return broadcast


def make_all_to_all(
    sizes: Pair, grid: Grid, blocks: Pair = (1, 1), *, axis: int | None = None, dims: Pair = (0, 0)
) -> ttl.Operation:
    """Every chip of a ring sends each other chip a part of its shard; ``sizes`` is (rows, columns).

    ``x`` is split along ``dims[0]`` into as many parts as a ring has chips; ``y`` is the parts that a chip gets from all chips, side by side along
    ``dims[1]``. In step n, a chip sends to the chip n places further along the ring; values
    are only moved. The operation is called with ``x`` and ``y``. Its stage is called with ``x``, a dataflow buffer, and the number
    of a block of a part: it produces the block of the chip itself, then those of the chips one place back, two places back, and so on.

    Errors: numbers that are not positive integers (TTL1650), parts that are not multiples of the blocks, or along ``dims`` not whole tiles
    (TTL1651), and tensors of other shapes (TTL1652). Source: as for ``make_all_gather``.
    """
    require_choice("all_to_all", "dims[1]", dims[1], (0, 1))
    rings = _rings("all_to_all", grid, axis)
    parts = _parts("all_to_all", sizes, rings.size, grid, blocks, dims[0])
    joined = _parts("all_to_all", parts.sizes, 1, grid, blocks, dims[1])
    size = rings.size
    nets = [rings.net(parts.total, shift, mirrored=False) for shift in range(1, size)]

    @ttl.operation()
    def around(x: Any, y_dfb: ttl.DFB, block: int) -> None:
        sent_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks)
        fetch(block_of(x, parts, block, own_part(rings)), y_dfb)
        for step in ttl.static_range(1, size):
            fetch(block_of(x, parts, block, rings.parts[(own_place(rings) + step) % size]), sent_dfb)
            send(sent_dfb, nets[step - 1])
            receive(nets[step - 1], y_dfb)

    stage = around if size > 1 else make_all_gather(sizes, grid, blocks, axis=axis).stage

    @ttl.operation(grid=grid)
    def all_to_all(x: Any, y: Any) -> None:
        require_shapes("all_to_all", x=(x, sizes), y=(y, joined.times(size)))
        y_dfb = ttl.make_dataflow_buffer_like(x, shape=blocks, block_count=size)
        for block in range(node_of_chip()[2], parts.total, rings.nodes):
            stage(x, y_dfb, block)
            for step in range(size):
                put(y_dfb, block_of(y, joined, block, rings.parts[(own_place(rings) - step) % size]))

    def reference(shards: Any) -> list[Any]:
        split = [np.split(np.asarray(shard), len(shards), dims[0]) for shard in shards]
        return [np.concatenate([pieces[chip] for pieces in split], dims[1]) for chip in range(len(shards))]

    all_to_all.stage, all_to_all.reference = stage, partial(rings.each, reference)
    return all_to_all


def make_halo_exchange(
    sizes: Pair,
    grid: Grid,
    blocks: tuple[int] = (1,),
    *,
    axis: int,
    halo: int = 1,
    dim: int = 0,
    wrap: bool = False,
    tile: int = TILE,
) -> ttl.Operation:
    """Every chip gets the borders of its neighbours along ``axis`` around its own shard; ``sizes`` is (rows, columns).

    ``x`` is of (rows, columns); ``y`` has ``halo`` tiles more on both sides along ``dim``: before the shard the last tiles of the
    previous chip, after it the first tiles of the next chip. With ``wrap`` the last chip comes before the first one; without, the
    outer halos at both ends are not written, so that the program can put its border there. With ``tile=1`` tensors are
    row-major, and halos and blocks are elements. Exchanged along both axes, one after the other, halos have corners; values
    are only moved. Nodes take strips in turn, each ``blocks`` (across,) tiles wide and as long as the shard. The operation is
    called with ``x`` and ``y``. Its stage is called with ``x``, a dataflow buffer for the halo before and one for the halo
    behind the shard, and the number of a strip: it produces the halos of the strip, one for each neighbour.

    Errors: numbers that are not positive integers, an axis with one chip, a halo larger than a shard (TTL1650), a shard that is
    along ``dim`` not whole tiles (TTL1651), and tensors of other shapes (TTL1652).
    """
    require_choice("halo_exchange", "tile", tile, (1, TILE))
    require_numbers("halo_exchange", "blocks", blocks, ("across",))
    (across,) = blocks
    strip = (1, across) if dim == 0 else (across, 1)
    parts = _parts("halo_exchange", sizes, 1, grid, strip, dim, tile=tile)
    require_choice("halo_exchange", "axis", axis, [one for one in (0, 1) if grid[one] > 1])
    extent = sizes[dim] // tile
    strips = parts.total // extent
    require_choice("halo_exchange", "halo", halo, range(1, extent + 1))
    rings = _rings("halo_exchange", grid, axis)
    edge, own, around = ((halo, across), (extent, across), (2 * halo * tile, 0)) if dim == 0 else (
        (across, halo), (across, extent), (0, 2 * halo * tile)
    )  # fmt: skip
    forth = rings.net(strips, 1, mirrored=False, closed=wrap)
    back = rings.net(strips, -1, mirrored=False, closed=wrap)

    def tiles(tensor: Any, number: int, first: int, count: int) -> Any:
        """The tiles of a strip from ``first`` on."""
        if dim == 0:
            return tensor[first : first + count, number * across : (number + 1) * across]
        return tensor[number * across : (number + 1) * across, first : first + count]

    @ttl.operation()
    def stage(x: Any, before_dfb: ttl.DFB, behind_dfb: ttl.DFB, number: int) -> None:
        sent_dfb = ttl.make_dataflow_buffer_like(x, shape=edge)
        for net, first in ((forth, extent - halo), (back, 0)):
            if net.is_src():
                fetch(tiles(x, number, first, halo), sent_dfb)
                send(sent_dfb, net)
        for net, halo_dfb in ((forth, before_dfb), (back, behind_dfb)):
            if net.is_dst():
                receive(net, halo_dfb)

    @ttl.operation(grid=grid)
    def halo_exchange(x: Any, y: Any) -> None:
        ends = (sizes[0] + around[0], sizes[1] + around[1])
        require_shapes("halo_exchange", x=(x, sizes), y=(y, ends))
        before_dfb = ttl.make_dataflow_buffer_like(x, shape=edge)
        behind_dfb = ttl.make_dataflow_buffer_like(x, shape=edge)
        own_dfb = ttl.make_dataflow_buffer_like(x, shape=own)
        for number in range(node_of_chip()[2], strips, rings.nodes):
            stage(x, before_dfb, behind_dfb, number)
            fetch(tiles(x, number, 0, extent), own_dfb)
            put(own_dfb, tiles(y, number, halo, extent))
            for net, halo_dfb, first in ((forth, before_dfb, 0), (back, behind_dfb, halo + extent)):
                if net.is_dst():
                    put(halo_dfb, tiles(y, number, first, halo))

    def reference(shards: Any) -> list[Any]:
        """With zeros at the ends."""
        arrays, count = [np.asarray(shard) for shard in shards], halo * tile
        last = [np.take(array, range(sizes[dim] - count, sizes[dim]), dim) for array in arrays]
        first = [np.take(array, range(count), dim) for array in arrays]
        if not wrap:
            last[-1], first[0] = np.zeros_like(last[-1]), np.zeros_like(first[0])
        before, behind = [last[-1], *last[:-1]], [*first[1:], first[0]]
        return [np.concatenate(three, dim) for three in zip(before, arrays, behind, strict=True)]

    halo_exchange.stage, halo_exchange.reference = stage, partial(rings.each, reference)
    return halo_exchange


_GRID = ("mesh rows", "mesh columns", "x", "y")


def _spread(grid: Grid, ports: int) -> list[int]:
    """The numbers of the nodes of a chip that send, two beside each other for each port, spread over its rows and columns."""
    _, _, columns, rows = grid
    first = [port * columns // ports * rows + port * rows // ports // 2 * 2 for port in range(ports)]
    numbers = [number for node in first for number in (node, node + 1)]
    return numbers if len({*numbers}) == 2 * ports else list(range(2 * ports))


def _rings(operation: str, grid: Grid, axis: int | None) -> ChipRings:
    require_numbers(operation, "grid", grid, _GRID)
    return chip_rings(grid, axis, operation)


def _parts(
    operation: str,
    sizes: Pair,
    count: int,
    grid: Grid,
    blocks: Pair,
    dim: int,
    *,
    padded: bool = False,
    tile: int = TILE,
) -> ChipParts:
    """``count`` parts of a tensor along ``dim``, in whole blocks. Across, and along it if ``padded``, last tiles may be cut off."""
    require_choice(operation, "dim", dim, (0, 1))
    require_numbers(operation, "sizes", sizes, ("rows", "columns"))
    if not padded:
        require_parts(operation, ("rows", "columns")[dim], sizes[dim], count, tile)
    rows, columns = sizes
    part = (rows // count, columns) if dim == 0 else (rows, columns // count)
    require_fit(
        operation,
        (tuple(-(-extent // tile) * tile for extent in part), "rows columns"),
        grid,
        (blocks, "rows columns"),
        unit=tile,
        of_grid=_GRID,
    )
    return ChipParts(sizes=part, blocks=blocks, dim=dim, tile=tile)


def _reduced(shards: Any, function: Callable[[Any, Any], Any] = added) -> list[Any]:
    """Return the arrays of the chips of a ring after an all-reduce, in float64."""
    return [reduce(function, [np.asarray(shard, np.float64) for shard in shards])] * len(shards)
