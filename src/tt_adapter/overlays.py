"""Overlays of Model Explorer: what nodes are coloured by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tt_adapter.graphs import GRAPH_ID

_MEMORIES: Mapping[str, str] = MappingProxyType(
    {"dram": "#c9daf8", "l1": "#b6d7a8", "system_memory": "#eeeeee", "": "#eeeeee"}
)
_SLOW = ({"stop": 0, "bgColor": "#ffffff"}, {"stop": 1, "bgColor": "#e06666"})
# Shards of results, and what is not in shards.
_LAYOUTS: Mapping[str, str] = MappingProxyType(
    {
        "interleaved": "#fff2cc",
        "height_sharded": "#d9ead3",
        "width_sharded": "#d0e0e3",
        "block_sharded": "#d9d2e9",
    }
)


def overlays(rows: Sequence[Mapping[str, Any]], graph_id: str = GRAPH_ID) -> dict[str, Any]:
    """Node data by names, from the rows of a measured module."""
    times = {row["node"]: {"value": row["ns"]} for row in rows}
    correlations = {
        row["node"]: {"value": round(row["pcc"], 6), "bgColor": "#b6d7a8" if row["agrees"] else "#e06666"}
        for row in rows
        if row["pcc"] is not None
    }
    memories, layouts = {}, {}
    for row in rows:
        parts = [*str(row["layout"]).split(":"), "", "", ""]
        buffer, layout = parts[1], parts[2]
        memories[row["node"]] = {"value": buffer, "bgColor": _MEMORIES.get(buffer, "#ffffff")}
        layouts[row["node"]] = {"value": row["layout"], "bgColor": _LAYOUTS.get(layout, "#ffffff")}
    return {
        "estimated time [ns]": {graph_id: {"results": times, "gradient": list(_SLOW)}},
        "PCC": {graph_id: {"results": correlations}},
        "memory": {graph_id: {"results": memories}},
        "layout": {graph_id: {"results": layouts}},
    }
