"""A profile as JSON: one object for one launch, on one line. The schema is in docs/reference/command-line.md.

Keys are only ever added; ``schema`` grows when one changes its meaning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, cast

from ttl.emu.advice.piece import from_object as advice_of
from ttl.emu.claim import CLAIM
from ttl.emu.critical import RESOURCES, Resource
from ttl.emu.fabric_profile import from_object as fabric_of
from ttl.emu.headline import headline
from ttl.emu.profile import LineCost, ProcessorCost, Profile, Roof
from ttl.emu.program import KernelLine
from ttl.emu.signposts import SignpostCost, SignpostKey
from ttl.lang.launches import LaunchName, TensorArgument

SCHEMA = 1
KIND = "profile"


def to_object(profile: Profile) -> dict[str, Any]:
    """Return the profile as an object that ``json.dumps`` accepts."""
    launch = profile.launch
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "name": profile.name,
        **named(launch),
        "chip": profile.chip,
        "clock_hz": profile.clock_hz,
        "grid": list(profile.grid),
        "nodes": profile.nodes,
        "cycles": profile.cycles,
        "nanoseconds": round(profile.nanoseconds, 3),
        "headline": headline(profile),
        "verdict": profile.verdict,
        "bound_by": profile.bound_by,
        "path": dict(profile.path),
        "processors": [_rounded(asdict(processor)) for processor in profile.processors],
        "roof": {**asdict(profile.roof), "share": _share(profile.roof.cycles, profile.cycles)},
        "dram_bytes": profile.dram_bytes,
        "dram_unique_bytes": profile.dram_unique_bytes,
        "busiest_bank": round(profile.busiest_bank, 4),
        "busiest_link": round(profile.busiest_link, 4),
        "kernels": [
            {"name": name, "roles": list(roles), "microcores": list(profile.microcores.get(name, ()))}
            for name, roles in profile.kernels.items()
        ],
        "lines": [_line(place, cost, profile.cycles) for place, cost in profile.lines.items()],
        "signposts": [
            {"name": key.name, "role": key.role, **asdict(key.place), **asdict(cost)}
            for key, cost in profile.signposts.items()
        ],
        "advice": [item.to_object() for item in profile.advice],
        "fabric": None if profile.fabric is None else profile.fabric.to_object(),
        "claim": CLAIM,
    }


def named(launch: LaunchName | None) -> dict[str, Any]:
    """The keys that say which launch an object is about."""
    if launch is None:
        return {"launch": None, "device": None, "arguments": [], "constants": {}}
    return launch.to_object()


def render(profile: Profile) -> str:
    """The profile as one line of JSON."""
    return json.dumps(to_object(profile), ensure_ascii=False)


def from_object(data: Any) -> Profile:
    """Return the profile of an object that ``to_object`` returned.

    Raises ``ValueError``, ``TypeError`` or ``KeyError`` for data that is not a profile, or follows another schema.
    """
    if not isinstance(data, dict) or data["schema"] != SCHEMA or data["kind"] != KIND:
        raise ValueError("not a profile of this schema")
    roof = data["roof"]
    return Profile(
        name=str(data["name"]),
        chip=str(data["chip"]),
        clock_hz=int(data["clock_hz"]),
        grid=cast("tuple[int, int]", tuple(map(int, data["grid"]))),
        nodes=int(data["nodes"]),
        cycles=int(data["cycles"]),
        path={_resource(name): int(cycles) for name, cycles in data["path"].items()},
        processors=tuple(
            ProcessorCost(
                role=str(item["role"]),
                busy=float(item["busy"]),
                most_busy=int(item["most_busy"]),
                waits=float(item["waits"]),
            )
            for item in data["processors"]
        ),
        lines={_place(item): _cost(item) for item in data["lines"]},
        roof=Roof(resource=str(roof["resource"]), cycles=int(roof["cycles"]), because=str(roof["because"])),
        dram_bytes=int(data["dram_bytes"]),
        dram_unique_bytes=int(
            data["dram_unique_bytes"] if "dram_unique_bytes" in data else data["dram_bytes"]
        ),
        busiest_bank=float(data["busiest_bank"]),
        busiest_link=float(data["busiest_link"]),
        signposts=dict(map(_signpost, data["signposts"])),
        kernels={str(item["name"]): tuple(map(str, item["roles"])) for item in data["kernels"]},
        microcores={
            str(item["name"]): tuple(map(str, item["microcores"]))
            for item in data["kernels"]
            if item.get("microcores")
        },
        launch=_launch(data),
        advice=tuple(map(advice_of, data.get("advice", ()))),
        fabric=None if data.get("fabric") is None else fabric_of(data["fabric"]),
    )


def objects_in(text: str) -> Iterator[Any]:
    """The profiles in a text: one document, or lines among others, such as those that a program wrote itself."""
    try:
        whole = json.loads(text)
    except ValueError:
        whole = list(_of_lines(text))
    if isinstance(whole, Mapping) and "launches" in whole:
        whole = whole["launches"]
    for item in whole if isinstance(whole, list) else [whole]:
        if isinstance(item, dict) and item.get("kind") == KIND:
            yield item


def _of_lines(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _line(place: KernelLine, cost: LineCost, cycles: int) -> dict[str, Any]:
    return {
        "file": place.file,
        "line": place.line,
        "kernel": place.kernel,
        "text": cost.text,
        "path": cost.path,
        "share": _share(cost.path, cycles),
        "busy": _rounded(cost.busy),
        "waits": _rounded(cost.waits),
    }


def _share(part: float, whole: float) -> float:
    return round(part / max(whole, 1), 4)


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Round means to a tenth of a cycle."""
    return {name: round(value, 1) if isinstance(value, float) else value for name, value in values.items()}


def _resource(name: Any) -> Resource:
    return RESOURCES[RESOURCES.index(name)]


def _place(data: Any) -> KernelLine:
    return KernelLine(file=str(data["file"]), line=int(data["line"]), kernel=str(data["kernel"]))


def _cost(data: Any) -> LineCost:
    return LineCost(
        path=int(data["path"]),
        busy={str(role): float(cycles) for role, cycles in data["busy"].items()},
        waits={str(role): float(cycles) for role, cycles in data["waits"].items()},
        text=str(data["text"]),
    )


def _signpost(data: Any) -> tuple[SignpostKey, SignpostCost]:
    names = ("times", "cycles", "least", "most", "waits", "longest")
    key = SignpostKey(place=_place(data), role=str(data["role"]), name=str(data["name"]))
    return key, SignpostCost(**{name: int(data[name]) for name in names})


def _launch(data: Any) -> LaunchName | None:
    if data["launch"] is None:
        return None
    return LaunchName(
        operation=str(data["name"]),
        number=int(data["launch"]),
        device=None if data["device"] is None else int(data["device"]),
        arguments=tuple(map(_argument_of, data["arguments"])),
        constants=dict(data["constants"]),
    )


def _argument_of(data: Any) -> TensorArgument:
    texts = ("name", "dtype", "layout", "memory", "memory_layout")
    shard = data["shard_shape"]
    return TensorArgument(
        **{name: str(data[name]) for name in texts},
        shape=tuple(map(int, data["shape"])),
        shard_shape=None if shard is None else tuple(map(int, shard)),
    )
