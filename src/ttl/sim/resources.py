"""Whether what an operation makes on a node fits the chip: asked when its body has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttl.diag import ResourceError
from ttl.host.memory import BufferType
from ttl.host.tensor import Tensor
from ttl.rules.resources import Buffer, Resident, check_buffers
from ttl.rules.tensor_pages import l1_bytes
from ttl.source.spans import span_of_site

if TYPE_CHECKING:
    from ttl.arch import Chip
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Node
    from ttl.sim.placement import Launch


def check(engine: Engine, node: Node, launched: Launch) -> None:
    """Raise a ``ResourceError`` when the node's buffers are too many or too large for the chip.

    What the launch's tensors take that are in L1 themselves, buffers cannot have.
    """
    buffers, chip = node.buffers, engine.chip
    tensors = _in_l1(launched, chip)
    few = len(buffers) <= chip.dataflow_buffers
    taken = sum(buffer.nbytes for buffer in buffers) + sum(tensor.nbytes for tensor in tensors)
    if few and taken <= chip.l1_available_bytes:
        return
    finding = check_buffers(
        [
            Buffer(
                buffer.name,
                buffer.type,
                buffer.block_count,
                0 if buffer.site is None else span_of_site(buffer.site).line,
            )
            for buffer in buffers
        ],
        chip,
        tensors,
    )
    if finding is not None:
        raise ResourceError(engine.located(finding.diagnostic, buffers[finding.index].site, finding.label))


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
