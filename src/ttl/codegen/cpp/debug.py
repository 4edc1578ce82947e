"""Prints and zones of the profiler as C++."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ttl.dialects.ttkernel import DPrintOp, ZoneOp
from ttl.ops.row import Generation

if TYPE_CHECKING:
    from ttl.codegen.cpp.body import Body

PRINT_HEADER = "api/debug/dprint.h"
ZONE_HEADERS = {"0.69": "tools/profiler/kernel_profiler.hpp", "0.81": "api/debug/kernel_profiler.hpp"}


def print_statement(op: DPrintOp, values: list[str], generation: Generation, thread: str) -> str:
    """The call that prints the texts of an operation around values, each given as C++, without a semicolon."""
    pieces = list(op.pieces)
    if generation == "0.69":
        text = _streamed(pieces, values)
        return f"DPRINT_{op.processor.upper()}({text})" if thread == "tensix" else text
    braced = [piece.replace("{", "{{").replace("}", "}}") for piece in pieces]
    arguments = ", ".join([literal("{}".join(braced).removesuffix("\n") + "\n"), *values])
    return f"DPRINT{f'_{op.processor.upper()}' if thread == 'tensix' else ''}({arguments})"


def write_print(body: Body, op: DPrintOp) -> None:
    """A line on the host's terminal. Of the three threads of a compute kernel one prints it."""
    body.headers.add(PRINT_HEADER)
    values = [body.use(value).text for value in op.values]
    body.write(op, f"{print_statement(op, values, body.generation, body.thread)};")


def _streamed(pieces: list[str], values: list[str]) -> str:
    pieces = [*pieces[:-1], pieces[-1].removesuffix("\n")]
    shown = ["DPRINT"]
    for position, piece in enumerate(pieces):
        if position:
            value = values[position - 1]
            shown.append(value if value.isalnum() or value.isidentifier() else f"({value})")
        if piece:
            shown.append(literal(piece))
    return " << ".join([*shown, "ENDL()"])


def literal(text: str) -> str:
    """A string literal. What is not ASCII is written as its bytes in UTF-8."""
    shown = []
    for char in text:
        if char.isascii() and char.isprintable():
            shown.append(json.dumps(char)[1:-1])
        elif char == "\n":
            shown.append("\\n")
        else:
            shown.extend(f"\\{byte:03o}" for byte in char.encode())
    return f'"{"".join(shown)}"'


def write_zone(body: Body, op: ZoneOp) -> None:
    """What the profiler measures: from here to the closing brace."""
    body.headers.add(ZONE_HEADERS[body.generation])
    body.write(op, "{")
    with body.writer.indented():
        body.write(op, f"DeviceZoneScopedN({literal(op.zone_name)});")
    body.scope(op.body.block)
    body.writer.line("}")
