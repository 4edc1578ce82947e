"""The cost of operations between chips, on the ethernet links between them.

The rate of a link and the time of a hop are assumed; both are in the chip's table in ``ttl.arch``. Chips pass parts on
to their neighbours in both directions at once, at the full rate of each link. The chips along one axis of the mesh form
a line; all chips of several rows and columns form a ring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tt_model.cost.tensors import CostedTensor
from tt_model.cost.work import bytes_of
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.ttnn import TTNNAllGatherOp, TTNNReduceScatterOp
from ttl.arch import Chip

# Operations between chips.
BETWEEN_CHIPS = (TTNNAllGatherOp, TTNNReduceScatterOp)


def link_rate(chip: Chip) -> str:
    """Return the assumed rate and hop time of a chip's links, in words."""
    link = chip.ethernet
    return f"ethernet {link.bytes_per_second / 10**9} GB/s a link, {link.hop_nanoseconds} ns a hop, assumed"


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkWork:
    """``bytes`` over the busiest link in one direction, in ``hops`` successive hops, on ``links`` parallel links."""

    bytes: int
    hops: int
    links: int

    def cycles(self, chip: Chip) -> float:
        """The cycles of a chip that the transfer takes."""
        link = chip.ethernet
        seconds = self.bytes / (self.links * link.bytes_per_second) + self.hops * link.hop_nanoseconds / 1e9
        return seconds * chip.clock_hz


def link_work(
    kind: type[TTNNOperation],
    fields: Mapping[str, Any],
    inputs: Sequence[CostedTensor],
    outputs: Sequence[CostedTensor],
    mesh: tuple[int, int],
) -> LinkWork | None:
    """Return the bytes that an operation sends over links and its hops; None if it is not between chips.

    ``mesh`` is the number of rows and columns of chips.
    """
    if kind not in BETWEEN_CHIPS or not inputs or not outputs:
        return None
    sizes = sorted((bytes_of(inputs[0]), bytes_of(outputs[0])))
    axis = fields.get("cluster_axis")
    chips = mesh[0] * mesh[1] if axis is None else mesh[int(axis)]
    is_ring = axis is None and min(mesh) > 1
    hops = chips // 2 if is_ring else chips - 1
    # Each hop passes on the part of one chip.
    return LinkWork(bytes=hops * sizes[0], hops=hops, links=max(1, int(fields.get("num_links", 1))))
