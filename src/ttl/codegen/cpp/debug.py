"""Prints and zones of the profiler as C++."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from ttl.codegen.cpp.body import BodyPrinter
from ttl.dialects.ttkernel import DPrintOp, ZoneOp
from ttl.rows.row import Generation

PRINT_HEADER = "api/debug/dprint.h"
ZONE_HEADERS = {"0.69": "tools/profiler/kernel_profiler.hpp", "0.81": "api/debug/kernel_profiler.hpp"}


def print_pieces(
    op: DPrintOp, generation: Generation, thread: str, is_word: Callable[[int], bool]
) -> Iterator[str | int]:
    """The call that prints the texts of an operation around its values: C++, and the positions of values in it.

    ``is_word`` says whether the C++ of a value is a name or a number.
    """
    on_processor = f"_{op.processor.upper()}" if thread == "tensix" else ""
    texts = list(op.pieces)
    if generation == "0.69":
        yield f"DPRINT{on_processor}(" if on_processor else ""
        yield from _streamed([*texts[:-1], texts[-1].removesuffix("\n")], is_word)
        yield ")" if on_processor else ""
        return
    braced = [text.replace("{", "{{").replace("}", "}}") for text in texts]
    yield f"DPRINT{on_processor}({literal('{}'.join(braced).removesuffix(chr(10)) + chr(10))}"
    for position in range(len(op.values)):
        yield ", "
        yield position
    yield ")"


def _streamed(texts: list[str], is_word: Callable[[int], bool]) -> Iterator[str | int]:
    yield "DPRINT"
    for position, text in enumerate(texts):
        if position:
            value = position - 1
            yield " << " if is_word(value) else " << ("
            yield value
            yield "" if is_word(value) else ")"
        if text:
            yield f" << {literal(text)}"
    yield " << ENDL()"


def write_print(body: BodyPrinter, op: DPrintOp) -> None:
    """A line on the host's terminal. Of the three threads of a compute kernel one prints it."""
    body.headers.add(PRINT_HEADER)
    values = [body.arithmetic.printed(value).text for value in op.values]

    def is_word(position: int) -> bool:
        return values[position].isalnum() or values[position].isidentifier()

    pieces = print_pieces(op, body.generation, body.thread, is_word)
    body.write(op, f"{''.join(values[piece] if isinstance(piece, int) else piece for piece in pieces)};")


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


def write_zone(body: BodyPrinter, op: ZoneOp) -> None:
    """What the profiler measures: from here to the closing brace."""
    body.headers.add(ZONE_HEADERS[body.generation])
    body.write(op, "{")
    with body.writer.indented():
        body.write(op, f"DeviceZoneScopedN({literal(op.zone_name)});")
    body.scope(op.body.block)
    body.writer.line("}")
