"""The adapter's commands: each takes a path and settings, and returns a reply that JSON can hold.

``convert``, ``initialize`` and ``execute`` are those of tt-explorer of 2024-11-21 and of its documentation; ``choices``
lists the legal layouts, ``compare`` the effect of a policy and overrides.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tt_adapter import models
from tt_adapter.graphs import GRAPH_ID, Graph, graph_of, node_ids
from tt_adapter.models import DEFAULT_POLICY, POLICIES, CompiledSource, ModelSource
from tt_model.flatbuffer.system_desc import write_system_desc
from tt_model.layouts.known_systems import system, system_names
from tt_model.layouts.values import LayoutError
from ttl.diag.errors import WrongRequest
from ttrt.common.perf import Perf

Settings = Mapping[str, Any]
Reply = dict[str, Any]
SYSTEM_DESC = "system_desc.ttsys"
# The settings of commands, with their types; Model Explorer's own page sends others, which have no meaning here.
_KINDS: Mapping[str, type] = MappingProxyType(
    {
        "optimizationPolicy": str,
        "overrides": dict,
        "ttir_to_ttnn_options": list,
        "artifact_dir": str,
        "system_desc_path": str,
        "compiled": bool,
        "golden": bool,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSettings:
    """The parsed settings of a command. Overrides are layouts by the names of locations."""

    policy: str | None
    overrides: Mapping[str, str]
    options: tuple[str, ...]
    artifacts: str
    system: str
    compiled: bool
    golden: bool

    @staticmethod
    def of(settings: Settings) -> CommandSettings:
        """Parse settings. Raises ``WrongRequest`` for a setting of another type."""
        for name, kind in _KINDS.items():
            value = settings.get(name)
            if value is not None and not isinstance(value, kind):
                raise WrongRequest(
                    f"the setting {name} is {_word(kind)}, not {json.dumps(value, default=str)}"
                )
        overrides = settings.get("overrides") or {}
        for name, layout in overrides.items():
            if not isinstance(layout, str):
                raise WrongRequest(
                    f"the override of {name} is a text such as 2x2:l1:block_sharded:tile:bf16, not {json.dumps(layout, default=str)}"
                )
        options = settings.get("ttir_to_ttnn_options") or []
        for option in options:
            if not isinstance(option, str):
                raise WrongRequest(
                    f"an option of the pipeline is a text such as mesh-shape=1,2, not {option!r}"
                )
        return CommandSettings(
            policy=settings.get("optimizationPolicy"),
            overrides=overrides,
            options=tuple(options),
            artifacts=settings.get("artifact_dir") or "",
            system=settings.get("system_desc_path") or "",
            compiled=bool(settings.get("compiled")),
            golden=settings.get("golden") is not False,
        )

    def compile(self, source: ModelSource) -> CompiledSource:
        """Compile a module with these settings. Raises ``WrongRequest``."""
        return models.compiled(
            source,
            policy=DEFAULT_POLICY if self.policy is None else self.policy,
            overrides=self.overrides,
            options=self.options,
            system_desc_path=self.system,
        )


def _word(kind: type) -> str:
    return {str: "a text", dict: "an object", list: "a list", bool: "true or false"}[kind]


def convert(model_path: str, settings: Settings) -> Reply:
    """The graph of a file, with estimates for a binary; with the setting ``compiled``, that of the measured TTNN."""
    source, wanted = models.read(model_path), CommandSettings.of(settings)
    if source.binary is not None:
        return {
            "graphs": [_measured_graph(CompiledSource(source.module, source.binary, ""), golden=False)[0]]
        }
    if wanted.compiled and source.dialect == "ttir":
        return {"graphs": [_measured_graph(wanted.compile(source), wanted.golden)[0]]}
    return {"graphs": [graph_of(source.module)]}


def initialize(model_path: str, settings: Settings) -> Reply:
    """The description of the simulated system, as a file for the compiler."""
    name = settings.get("sim") or "n150"
    if name not in system_names():
        raise WrongRequest(f"no system is called {name}; there are {', '.join(system_names())}")
    path = Path(tempfile.mkdtemp(prefix="tt-explorer-")) / SYSTEM_DESC
    try:
        write_system_desc(str(path), system(name))
    except (OSError, LayoutError) as problem:
        raise WrongRequest(f"the description of the system cannot be written: {problem}") from None
    return {"system_desc_path": str(path)}


def execute(model_path: str, settings: Settings) -> Reply:
    """Compile a file of TTIR with a policy and overrides, and estimate it as ``ttrt perf`` does.

    Every setting has a default; that of the policy is to choose no layouts. The reply has the text of the command, its log and its table, and the measured graph. ``artifact_dir`` keeps the files.
    """
    source, wanted = models.read(model_path), CommandSettings.of(settings)
    compiled = wanted.compile(source)
    graph, _ = _measured_graph(compiled, wanted.golden)
    if wanted.artifacts:
        return _perf(source, compiled, Path(wanted.artifacts)) | {"graph": graph}
    with tempfile.TemporaryDirectory(prefix="tt-explorer-") as folder:
        return _perf(source, compiled, Path(folder)) | {"graph": graph}


def _perf(source: ModelSource, compiled: CompiledSource, folder: Path) -> Reply:
    """``ttrt perf`` of a binary, in a folder."""
    name = f"{source.path.stem}.ttnn"
    said, log = io.StringIO(), folder / "ttrt.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(compiled.binary.content)
    except OSError as problem:
        raise WrongRequest(f"nothing can be written to {folder}: {problem.strerror or problem}") from None
    options = {
        "binary": str(folder / name),
        "artifact-dir": str(folder / "ttrt-artifacts"),
        "save-artifacts": True,
        "result-file": str(folder / "perf_results.json"),
        "log-file": str(log),
    }
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code, _ = Perf(
            {f"--{key}": value for key, value in options.items()} | {"binary": options["binary"]}
        )()
    tables = sorted((folder / "ttrt-artifacts").rglob("ops_perf_results.csv"))
    reply = {"stdout": said.getvalue(), "log_file": log.read_text() if log.exists() else ""}
    if code or not tables:
        raise WrongRequest(f"ttrt perf failed: {said.getvalue().strip()}")
    return reply | {"perf_trace": tables[0].read_text(encoding="utf-8")}


def choices(model_path: str, settings: Settings) -> Reply:
    """The legal layouts of each result that can be placed, the chosen layout, and the reason.

    Only TTIR is compiled; results of other dialects have the layouts of the file, without a choice. ``dialect`` names
    the dialect.
    """
    source, wanted = models.read(model_path), CommandSettings.of(settings)
    found = models.choices(
        source,
        policy=wanted.policy or "Optimizer Disabled",
        overrides=wanted.overrides,
        options=wanted.options,
        system_desc_path=wanted.system,
    )
    return {
        "choices": [one.as_dict() for one in found],
        "policies": list(POLICIES),
        "dialect": source.dialect,
    }


def compare(model_path: str, settings: Settings) -> Reply:
    """Return the measured graph under a policy and overrides, and each operation's costs without and with them.

    ``before`` in the settings is an object of settings of the same kind to compare with; by default it is the policy without
    overrides. Raises ``WrongRequest`` where ``before`` is no object.
    """
    source, wanted = models.read(model_path), CommandSettings.of(settings)
    base = settings.get("before")
    if base is not None and not isinstance(base, dict):
        raise WrongRequest(
            f"the setting before is an object of settings, not {json.dumps(base, default=str)}"
        )
    before = CommandSettings.of(
        {**{key: settings.get(key) for key in _KINDS}, "overrides": {}, **(base or {})}
    )
    old = _rows(before.compile(source), golden=False)
    compiled = wanted.compile(source)
    graph, rows = _measured_graph(compiled, wanted.golden)
    new = _by_place(rows)
    places = dict.fromkeys([*old["rows"], *new])
    return {
        "graph": graph,
        "overlays": overlays(rows),
        "options": compiled.options,
        "warnings": compiled.warnings,
        "before_ns": old["total"],
        "after_ns": compiled.nanoseconds,
        "operations": [
            {"place": place, "before": old["rows"].get(place), "after": new.get(place)} for place in places
        ],
    }


def _rows(compiled: CompiledSource, *, golden: bool) -> Reply:
    ids = node_ids(compiled.module)
    rows = [_row(op, one, ids[op]) for op, one in compiled.measured(golden=golden).items()]
    return {"rows": _by_place(rows), "total": compiled.nanoseconds}


def _by_place(rows: list[Reply]) -> dict[str, Reply]:
    """Return rows by location and kind; later rows with the same ones get a number."""
    found: dict[str, Reply] = {}
    for row in rows:
        place = f"{row['location']} {row['operation']}"
        number, key = 1, place
        while key in found:
            number += 1
            key = f"{place} {number}"
        found[key] = row
    return found


def _row(op: Any, one: models.MeasuredResult, node: str) -> Reply:
    return {
        "node": node,
        "location": one.location,
        "operation": one.operation,
        "layout": models.layout_text(op),
        "ns": one.nanoseconds,
        "bound": one.bound,
        "pcc": one.pcc,
        "agrees": one.agrees,
    }


def _measured_graph(compiled: CompiledSource, golden: bool) -> tuple[Graph, list[Reply]]:
    """Return the graph with times, layouts and PCC on its nodes, and the same as data for overlays."""
    measured = compiled.measured(golden=golden)
    graph = graph_of(compiled.module, facts={op: one.facts() for op, one in measured.items()})
    ids = node_ids(compiled.module)
    return graph, [_row(op, one, ids[op]) for op, one in measured.items()]


COMMANDS: Mapping[str, Callable[[str, Settings], Reply]] = MappingProxyType(
    {
        "convert": convert,
        "initialize": initialize,
        "execute": execute,
        "choices": choices,
        "compare": compare,
    }
)


_MEMORIES: Mapping[str, str] = MappingProxyType(
    {"dram": "#c9daf8", "l1": "#b6d7a8", "system_memory": "#eeeeee", "": "#eeeeee"}
)
_SLOW = ({"stop": 0, "bgColor": "#ffffff"}, {"stop": 1, "bgColor": "#e06666"})
# The colours of results by memory layout.
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
    times = {row["node"]: {"value": row["ns"] / 1000} for row in rows}
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
        "estimated time [µs]": {graph_id: {"results": times, "gradient": list(_SLOW)}},
        "PCC": {graph_id: {"results": correlations}},
        "memory": {graph_id: {"results": memories}},
        "layout": {graph_id: {"results": layouts}},
    }
