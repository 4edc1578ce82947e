"""A design as text: the plan as a table, the reasons for a line, and the explicit operation as a module to keep."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import prod
from typing import Any

from ttl.arch import Chip
from ttl.design.graph import Compute, Load, Loop, Store, items
from ttl.design.operation import Design
from ttl.design.plan import DesignPlan, PlannedBuffer
from ttl.design.spread import NodeShare
from ttl.diag.words import counted
from ttl.host.tensor import Tensor
from ttl.source.spans import Span


def table(design: Design, arguments: Mapping[str, Any], chip: Chip) -> str:
    """Return the plan as a table."""
    plan = design.plan
    shown = ", ".join(f"{name}: {_shown(value)}" for name, value in arguments.items())
    nodes = prod(plan.grid)
    lines = [
        f"{plan.graph.name}({shown})",
        f"  {counted(nodes, 'node')} of {chip.name} ({plan.grid[0]} x {plan.grid[1]}), about {plan.estimate:,} cycles, most of them {plan.limited_by}",
    ]
    lines += [f"  {_share(share)}" for nest in plan.nests.values() for share in nest.shares if share.loops]
    lines += [f"  {text}" for text in _chosen(plan)]
    rows = [("buffer", "block", "blocks", "bytes", "kernel", "why")]
    rows += [_row(buffer) for buffer in plan.streams]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        cells = [
            row[column].rjust(widths[column]) if column in (2, 3) else row[column].ljust(widths[column])
            for column in range(5)
        ]
        lines.append("  " + "  ".join([*cells, row[5]]).rstrip())
    lines.append(f"  {plan.nbytes:,} bytes of {chip.l1_available_bytes:,} of L1 in buffers of the program")
    return "\n".join(lines) + "\n"


def _chosen(plan: DesignPlan) -> list[str]:
    """Return a line for each knob, with its value and the alternatives."""
    lines = []
    kinds: dict[Span | None, str] = {
        item.span: item.kind for item in items(plan.body) if isinstance(item, Loop)
    }
    for knob in plan.graph.knobs:
        value = plan.graph.choices[knob.key]
        others = ", ".join(map(str, knob.values)) if len(knob.values) <= 8 else f"{len(knob.values)} divisors"
        if knob.what == "step":
            whole = (
                " (all of it: no loop is left)"
                if value == knob.values[-1] and knob.span not in kinds
                else f" (of {others})"
            )
            lines.append(f"{knob.name}: blocks of {counted(value, 'tile')}{whole}")
        elif knob.what == "value":
            lines.append(f"ttl.tunable in {knob.name}: {value} (of {others})")
        elif kinds.get(knob.span) == "temporal":
            lines.append(
                f"{knob.name.removesuffix(' spread')}: every node runs the whole loop; the program does not choose"
            )
    return lines


def _row(buffer: PlannedBuffer) -> tuple[str, str, str, str, str, str]:
    kernel = "write" if buffer.mover else "read"
    return (
        buffer.name, "x".join(map(str, buffer.shape)), str(buffer.block_count), f"{buffer.nbytes:,}", kernel,
        "; ".join(buffer.reasons),
    )  # fmt: skip


def _share(share: NodeShare) -> str:
    names = ", ".join(loop.name for loop in share.loops)
    iterations = counted(share.iterations, "block") if share.even else f"{share.iterations} blocks at most"
    return f"{names} over {share.nodes} {share.where}: {iterations} of {share.total} each{', in turn' if share.in_turn else ''}"


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{'x'.join(map(str, value.shape))} {value.dtype.name}"
    return repr(value)


def explained(plan: DesignPlan, line: int) -> list[str]:
    """Return the reasons for the design of a line of the program."""
    texts: list[str] = []
    for item in items(plan.body):
        if not item.span.line <= line <= item.span.end_line:
            continue
        match item:
            case Load() | Store():
                buffer = plan.buffers[item]
                way = "comes from" if isinstance(item, Load) else "goes to"
                texts.append(
                    f"{way} {item.tensor} through {buffer.name}, {counted(buffer.block_count, 'block')} of "
                    f"{'x'.join(map(str, buffer.shape))} tiles: {'; '.join(buffer.reasons)}"
                )
            case Loop():
                texts += _of_loop(plan, item)
            case Compute() if not item.op.is_view:
                name = item.value.name or item.op.label
                texts.append(
                    f"{name} is computed for {'x'.join(map(str, item.value.type.shape))} tiles at a time"
                )
    return list(dict.fromkeys(texts))


def _of_loop(plan: DesignPlan, loop: Loop) -> list[str]:
    share = plan.share_of(loop)
    if share is not None:
        return [f"{_share(share)}; a block is {counted(loop.step, 'tile')}"]
    text = f"{loop.name}: every node runs {counted(loop.count, 'iteration')}, a block is {counted(loop.step, 'tile')}"
    if loop.carried:
        text += f"; {', '.join(carried.name for carried in loop.carried)} go from one iteration to the next"
    return [text]


def module(design: Design, arguments: Mapping[str, Any], path: str, chip: Chip) -> str:
    """Return the explicit operation as a module, with a test that compares its result with the tile program's."""
    name = design.plan.graph.name
    lines = [
        f'"""``{name}`` of {os.path.basename(path)}, designed for {chip.name} by ``ttl design --keep``; from here on it is yours to change."""',
        "",
        "import importlib.util",
        "import math",
        "import pathlib",
        "",
        "import numpy as np",
        "import ttl",
        "import ttnn",
        "",
        "",
        design.text.rstrip(),
        "",
        "",
        f"def test_{name}_computes_what_the_tile_program_does():",
        f"    path = pathlib.Path(__file__).parent / {os.path.basename(path)!r}",
        '    spec = importlib.util.spec_from_file_location("tile_program", path)',
        "    program = importlib.util.module_from_spec(spec)",
        "    spec.loader.exec_module(program)",
        "    results = []",
        f"    for operation in ({name}, program.{name}):",
        "        random = np.random.default_rng(0)",
    ]
    given = []
    for parameter, value in arguments.items():
        if isinstance(value, Tensor):
            shape = tuple(value.shape)
            lines.append(
                f"        {parameter} = ttnn.from_torch(__import__('torch').from_numpy(random.standard_normal({shape})), "
                f"dtype=ttnn.{value.dtype.name}, layout=ttnn.TILE_LAYOUT)"
            )
            given.append(parameter)
        else:
            given.append(repr(value))
    stored = dict.fromkeys(item.tensor for item in items(design.plan.body) if isinstance(item, Store))
    lines += [
        f"        operation({', '.join(given)})",
        f"        results.append([{', '.join(f'{tensor}.numpy()' for tensor in stored)}])",
        "    for kept, designed in zip(*results):",
        "        assert np.array_equal(kept, designed)",
    ]
    return "\n".join(lines) + "\n"
