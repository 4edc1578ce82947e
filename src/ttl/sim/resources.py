"""The check, at the end of an operation's body, that the resources made on a node fit the chip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl.diag import ResourceError
from ttl.host.access import keeper_of, require_usable
from ttl.host.memory import BufferType
from ttl.host.tensor import Tensor
from ttl.rules.resources import Buffer, Resident, any_group, check_buffers
from ttl.rules.tensor_pages import l1_bytes
from ttl.sim.sharing import UsesWatch
from ttl.source.spans import Site, span_of_site

if TYPE_CHECKING:
    from ttl.arch import Chip
    from ttl.protocol.sharing import BufferUsers
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Node
    from ttl.sim.placement import Launch


def require_memory(launched: Launch) -> None:
    """Raise an error for a tensor of a ``ttl.SRAMStorage`` that does not have memory yet, or no longer has it."""
    for value in (*launched.args, *launched.kwargs.values()):
        if isinstance(value, Tensor) and keeper_of(value) is not None:
            require_usable(value)


def check(engine: Engine, node: Node, launched: Launch) -> None:
    """Schedule a check at the end (``check_shared``) when the node's buffers are too many or too large for the chip.

    Tensors of the launch that lie in L1 reduce the memory that is left for buffers. Raises ``ResourceError`` when one
    buffer is too large.
    """
    buffers, chip = node.buffers, engine.chip
    tensors = _in_l1(launched, chip)
    few = len(buffers) <= chip.dataflow_buffers and not any_group(_groups(engine, node))
    own = [buffer for buffer in buffers if engine.backed is None or not engine.backed.has(buffer)]
    taken = sum(buffer.nbytes for buffer in own) + sum(tensor.nbytes for tensor in tensors)
    if few and taken <= chip.l1_available_bytes:
        return
    room = chip.l1_available_bytes - sum(tensor.nbytes for tensor in tensors)
    if len(buffers) < 2 or max((buffer.nbytes for buffer in own), default=0) > room:
        _check(engine, node, tensors, None)
    if engine.lanes is not None:
        engine.lanes.give_up()
    if engine.uses is None:
        engine.uses = UsesWatch(engine)


def check_shared(engine: Engine, launched: Launch) -> None:
    """Raise ``ResourceError`` when buffers do not fit even if all share memory that can, by the uses of the kernels."""
    if engine.uses is None:
        return
    alike: dict[Any, list[Node]] = {}
    for node in engine.nodes:
        alike.setdefault(tuple((buffer.type, buffer.block_count) for buffer in node.buffers), []).append(node)
    tensors = _in_l1(launched, engine.chip)
    for nodes in alike.values():
        engine.current = nodes[0].body
        _check(engine, nodes[0], tensors, engine.uses.users(nodes))


def _check(engine: Engine, node: Node, tensors: list[Resident], users: BufferUsers | None) -> None:
    placements = engine.placements
    names = {id(value): name for name, value in engine.arguments.items()}
    backings = [placements[buffer].backing if buffer in placements else None for buffer in node.buffers]
    buffers = [
        Buffer(
            buffer.name,
            buffer.type,
            buffer.block_count,
            0 if buffer.site is None else span_of_site(buffer.site).line,
            group,
            None if backing is None else names.get(id(backing.tensor), "a tensor"),
        )
        for buffer, group, backing in zip(node.buffers, _groups(engine, node), backings, strict=True)
    ]
    finding = check_buffers(buffers, engine.chip, tensors, users)
    if finding is None:
        return
    later = node.buffers[finding.index]
    related: tuple[tuple[Site | None, str], ...] = ()
    if finding.other is not None:
        other = node.buffers[finding.other]
        related = (
            (other.site, f"{other.name} is made here"),
            (other.consumer_site, f"{other.name} is waited for here"),
            (later.producer_site, f"{later.name} is reserved here"),
        )
    raise ResourceError(engine.located(finding.diagnostic, later.site, finding.label, related))


def _groups(engine: Engine, node: Node) -> list[object | None]:
    """The allocation group of each buffer."""
    placements = engine.placements
    return [placements[buffer].group if buffer in placements else None for buffer in node.buffers]


def _in_l1(launched: Launch, chip: Chip) -> list[Resident]:
    """The tensors of the call that are in L1, each once."""
    given = [
        arg
        for arg in (*launched.args, *launched.kwargs.values())
        if isinstance(arg, Tensor) and arg.memory_config().buffer_type is BufferType.L1
    ]
    if not given:
        return []
    bound = launched.operation.signature.bind(*launched.args, **launched.kwargs)
    names = {id(value): name for name, value in reversed(bound.arguments.items())}
    distinct = {id(tensor): tensor for tensor in given}
    return [_resident(names.get(key, "a tensor"), tensor, chip) for key, tensor in distinct.items()]


def _resident(name: str, tensor: Tensor, chip: Chip) -> Resident:
    config = tensor.memory_config()
    one = tensor if tensor.shards is None else tensor.shards[0]
    spec, nd = config.shard_spec, config.nd_shard_spec
    shard = spec.shape if spec is not None else nd.shard_shape if nd is not None else None
    cores = spec.grid if spec is not None else nd.grid if nd is not None else None
    holders = 0 if cores is None else cores.num_cores()
    shape = tuple(one.shape)
    size = l1_bytes(shape, tensor.dtype, tensor.layout, shard, holders, chip)
    return Resident(name, shape, tensor.dtype, config.memory_layout.lower(), size)
