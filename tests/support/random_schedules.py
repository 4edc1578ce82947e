"""Random schedules: the compiler's own passes with some left out, moved, repeated, and steps of all kinds between them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ttl.passes.pipeline import pipeline
from ttl.source.schedule_steps import STEPS
from ttl.transform.chains import steps_of_chain
from ttl.transform.sequences import ANY, module_of

BUFFERS = ("a", "b", "x", "y", "z")
LOOPS = ("n", "m", "k", "row")
_STEP = f"({ANY}) -> {ANY}"


def random_chain(random_: random.Random, names: Sequence[str], loops: Sequence[str]) -> str:
    """One to four steps of a chain, with names that some kernels have."""
    steps = []
    for _ in range(random_.randint(1, 4)):
        name = random_.choice([step for step in STEPS if step not in ("choose", "without")])
        values = []
        for parameter, kind, _default in STEPS[name]:
            if kind is int:
                values.append(str(random_.choice((1, 2, 3, 4))))
                continue
            strategies = ("conservative", "auto", "aggressive")
            of = {"buffer": names, "loop": loops, "strategy": strategies}[parameter]
            values.append(f'"{random_.choice(of)}"')
        steps.append(f"{name}({', '.join(values)})")
    return ".".join(steps)


def random_sequence(random_: random.Random, names: Sequence[str], loops: Sequence[str]) -> str:
    """A sequence that may be legal or not."""
    passes = list(pipeline())
    for _ in range(random_.choice((0, 0, 1, 1, 2))):
        at = random_.randrange(len(passes))
        match random_.choice(("leave out", "move", "repeat")):
            case "leave out":
                del passes[at]
            case "move":
                one = passes.pop(at)
                passes.insert(max(0, at + random_.choice((-3, -2, -1, 1, 2, 3))), one)
            case "repeat":
                passes.insert(random_.randrange(at, len(passes)), passes[at])
    lines: list[str] = []
    if random_.random() < 0.7:
        lines += steps_of_chain(random_chain(random_, names, loops), [])
    lines += steps_of_chain("pipeline()", passes)[2:]
    if random_.random() < 0.5:
        lines = _with_step(lines, random_)
    return module_of({"__transform_main": lines})


def _with_step(lines: Sequence[str], random_: random.Random) -> list[str]:
    """Some step on what a pass gave, somewhere between two."""
    at = random_.randrange(len(lines) + 1)
    before = [line.partition(" ")[0] for line in lines[:at] if line.startswith("%p")]
    root = before[-1] if before else "%root"
    match_ops = random_.choice(
        ("affine.for", "scf.for", "ttl.compute_region", "ttl.create_dfb", "ttl.copy", "ttkernel.program")
    )
    step = random_.choice(
        (
            f"transform.loop.unroll %h {{factor = 2}} : {ANY}",
            f"%g = transform.loop.tile %h tile_sizes = [2] : {_STEP}",
            f"%g = transform.ttl.allocate_dst_registers %h : {_STEP}",
            f"%g = transform.ttl.coalesce_dma %h : {_STEP}",
            f"%g = transform.ttl.schedule_pipeline %h : {_STEP}",
            f"%g = transform.ttl.optimize_buffer_factor %h : {_STEP}",
            f"%g = transform.ttl.insert_prefetch %h : {_STEP}",
            f"%g = transform.ttl.reorder_for_locality %h : {_STEP}",
            f"transform.apply_cse to {root} : {ANY}",
            f"transform.apply_dce to {root} : {ANY}",
            f"transform.affine.simplify_bounded_affine_ops {root} : {ANY}",
            f"%g, %g2 = transform.structured.tile_using_for %h tile_sizes [1, 2] : ({ANY}) -> ({ANY}, {ANY})",
        )
    )
    matched = f'%h = transform.structured.match ops{{["{match_ops}"]}} in {root} : {_STEP}'
    return [*lines[:at], matched, step, *lines[at:]]
