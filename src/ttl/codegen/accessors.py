"""Compile-time arguments of ``TensorAccessorArgs``, computed without a device.

An interleaved tensor has two words: flags and the bytes of a page, rounded up to the alignment of its memory. A sharded
tensor has further words: the number of dimensions, the number of banks, the extents of tensor and shard in pages, and
the coordinates of the banks, two in a word: of nodes in L1, the number of the bank as x in DRAM. Before that,
dimensions are joined where that does not change the place of any page. (Header
``hostdevcommon/tensor_accessor/arg_config.hpp``; ``tests/codegen/test_real_ttnn.py`` compares them with the arguments
of ttnn.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ttl.arch import Chip
from ttl.codegen.description import Rectangle, ShardOrder
from ttl.codegen.entries import Banks, Word, pack
from ttl.rows.dtypes import DType
from ttl.rows.types import Layout
from ttl.rules.tensor_pages import in_pages, page_bytes, shard_holders

_SHARDED, DRAM = 1, 2


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessorPlacement:
    """The placement of a tensor in memory. Shapes are in elements."""

    shape: tuple[int, ...]
    dtype: DType
    layout: Layout
    memory: Literal["dram", "l1"]
    memory_layout: str = "interleaved"
    shard_shape: tuple[int, ...] | None = None
    shard_nodes: tuple[Rectangle, ...] | None = None
    """The holders of shards: nodes in L1, banks in DRAM (the number of a bank is its column)."""
    shard_order: ShardOrder = "row_major"

    @property
    def page_bytes(self) -> int:
        """The bytes of a page: a tile, or a row of the tensor or of its shards."""
        return page_bytes(self.shape, self.dtype, self.layout, self.shard_shape)

    def aligned_page_bytes(self, chip: Chip) -> int:
        """The distance from one page of a bank to the next."""
        alignment = chip.dram_read_alignment if self.memory == "dram" else chip.l1_alignment
        return -(-self.page_bytes // alignment) * alignment


def accessor_words(placement: AccessorPlacement, chip: Chip) -> tuple[Word, ...]:
    """The compile-time arguments of a tensor's accessor; banks of shards in L1 as entries."""
    flags = DRAM if placement.memory == "dram" else 0
    page = placement.aligned_page_bytes(chip)
    if placement.shard_shape is None or placement.shard_nodes is None:
        return (flags, page)
    tensor, shard = _joined(*in_pages(placement.shape, placement.layout, placement.shard_shape))
    banks = _banks(placement)
    pairs = [banks[start : start + 2] for start in range(0, len(banks), 2)]
    if placement.memory == "dram":
        coordinates: list[Word] = [pack(pair) for pair in pairs]
    else:
        coordinates = [Banks(nodes=tuple(pair)) for pair in pairs]
    return (flags | _SHARDED, page, len(tensor), len(banks), *tensor, *shard, *coordinates)


def _joined(tensor: Sequence[int], shard: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Join dimensions where the same pages stay in the same order in the same shards."""
    result = [(tensor[-1], shard[-1])]
    for extent, part in zip(reversed(tensor[:-1]), reversed(shard[:-1]), strict=True):
        inner, inner_part = result[-1]
        if inner == inner_part or (part == 1 and inner % inner_part == 0):
            result[-1] = (extent * inner, part * inner_part)
        else:
            result.append((extent, part))
    result.reverse()
    return tuple(extent for extent, _ in result), tuple(part for _, part in result)


def _banks(placement: AccessorPlacement) -> list[tuple[int, int]]:
    """The nodes that may hold shards, in the order in which they get them."""
    assert placement.shard_shape is not None and placement.shard_nodes is not None
    return shard_holders(
        placement.memory_layout,
        placement.shape,
        placement.shard_shape,
        placement.shard_nodes,
        by_rows=placement.shard_order == "row_major",
    )
