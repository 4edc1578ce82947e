"""Whether what an operation makes on a node fits the chip: asked when its body has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttl.diag import ResourceError
from ttl.rules.resources import Buffer, check_buffers
from ttl.source.spans import span_of_site

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Node


def check(engine: Engine, node: Node) -> None:
    """Raise a ``ResourceError`` when the node's buffers are too many or too large for the chip."""
    buffers, chip = node.buffers, engine.chip
    few = len(buffers) <= chip.dataflow_buffers
    if few and sum(buffer.nbytes for buffer in buffers) <= chip.l1_available_bytes:
        return
    found = check_buffers(
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
    )
    assert found is not None
    raise ResourceError(engine.located(found.diagnostic, buffers[found.index].site, found.label))
