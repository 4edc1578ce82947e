"""Conversion of the chain of a Python schedule to steps of a sequence."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.passes import ModulePass

from ttl.source.schedule_steps import ScheduleStep, read_chain
from ttl.transform.sequences import ANY, passes_as_steps

_STEP = f"({ANY}) -> {ANY}"


def options_of_chain(text: str) -> dict[str, str]:
    """Return the compile options that a chain sets, by key. Raises ``ValueError``."""
    return {
        str(step.arguments[0]): str(step.arguments[1]) for step in read_chain(text) if step.name == "choose"
    }


def steps_of_chain(text: str, default: Sequence[ModulePass]) -> list[str]:
    """Return the lines of a sequence: the steps of the chain, then the compiler's passes. Raises ``ValueError``."""
    lines: list[str] = []
    chain = read_chain(text)
    for number, step in enumerate(chain):
        lines += _lines(step, number)
    without = {step.arguments[0] for step in chain if step.name == "without"}
    known = {one.name for one in default}
    for name in without:
        if name not in known:
            raise ValueError(f"the compiler has no pass {name} that could be left out")
    return [*lines, *passes_as_steps([one for one in default if one.name not in without])]


def _lines(step: ScheduleStep, number: int) -> list[str]:
    """The lines for one step of a chain; the names of their handles end in ``number``."""
    match step.name, step.arguments:
        case "double_buffer", (buffer,):
            return _of_buffer(str(buffer), number, "optimize_buffer_factor", "factor = 2")
        case "buffer", (buffer, blocks):
            return _of_buffer(str(buffer), number, "optimize_buffer_factor", f"factor = {blocks}")
        case "prefetch", (buffer, turns):
            return _of_buffer(str(buffer), number, "insert_prefetch", f"distance = {turns}")
        case "split_k", (parts,):
            return [
                *_operation(number),
                f"%k{number} = transform.ttl.split_k %o{number} {{parts = {parts}}} : {_STEP}",
            ]
        case "unroll", (loop, factor):
            return [
                *_loops(str(loop), number),
                f"transform.loop.unroll %l{number} {{factor = {factor}}} : {ANY}",
            ]
        case "tile", (loop, size):
            return [
                *_loops(str(loop), number),
                f"%t{number} = transform.loop.tile %l{number} tile_sizes = [{size}] : {_STEP}",
            ]
        case "reorder", ():
            return [
                *_operation(number),
                f"%r{number} = transform.ttl.reorder_for_locality %o{number} : {_STEP}",
            ]
        case "pipeline", (strategy,):
            attribute = f'strategy = "{strategy}"'
            return [
                *_operation(number),
                f"%s{number} = transform.ttl.schedule_pipeline %o{number} {{{attribute}}} : {_STEP}",
            ]
    return []  # the other steps change the passes after the steps


def _operation(number: int) -> list[str]:
    return [f'%o{number} = transform.structured.match ops{{["ttl.operation"]}} in %root : {_STEP}']


def _loops(name: str, number: int) -> list[str]:
    return [f'%l{number} = transform.ttl.match_named %root, "{name}" {{kind = "loop"}} : {_STEP}']


def _of_buffer(name: str, number: int, step: str, attribute: str) -> list[str]:
    return [
        f'%b{number} = transform.ttl.match_named %root, "{name}" {{kind = "buffer"}} : {_STEP}',
        f"%c{number} = transform.ttl.{step} %b{number} {{{attribute}}} : {_STEP}",
    ]
