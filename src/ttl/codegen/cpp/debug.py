"""Prints and zones of the profiler as C++."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from ttl.codegen.cpp.body import BodyPrinter
from ttl.codegen.cpp.types import declaration
from ttl.dialects.external import ExternCallOp
from ttl.dialects.ttkernel import DPrintOp, ZoneOp
from ttl.rows.row import Generation
from ttl.rules.external import ANSWERED, ASSERTED, TOUCHED

PRINT_HEADER = "api/debug/dprint.h"
EXTERNAL = "ttl_emu::DeclaredEffects"
"""A text that only kernels that call the user's C++ contain."""
ZONE_HEADERS = {"0.69": "tools/profiler/kernel_profiler.hpp", "0.81": "api/debug/kernel_profiler.hpp"}


def print_pieces(
    op: DPrintOp, generation: Generation, thread: str, is_word: Callable[[int], bool]
) -> Iterator[str | int]:
    """The call that prints the texts and values of an operation, as pieces of C++ and positions of values.

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
    """Write a print to the host's terminal. One of the three threads of a compute kernel prints it."""
    body.headers.add(PRINT_HEADER)
    values = [body.arithmetic.printed(value).text for value in op.values]

    def is_word(position: int) -> bool:
        return values[position].isalnum() or values[position].isidentifier()

    pieces = print_pieces(op, body.generation, body.thread, is_word)
    body.write(op, f"{''.join(values[piece] if isinstance(piece, int) else piece for piece in pieces)};")


def literal(text: str) -> str:
    """Return a string literal; characters outside ASCII are written as bytes of UTF-8."""
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
    """Write a zone of the profiler, as a block of statements that it measures."""
    body.headers.add(ZONE_HEADERS[body.generation])
    body.write(op, "{")
    with body.writer.indented():
        body.write(op, f"DeviceZoneScopedN({literal(op.zone_name)});")
    body.scope(op.body.block)
    body.writer.line("}")


def write_extern(body: BodyPrinter, op: ExternCallOp) -> None:
    """Write a call of the user's C++; on an emulated chip, checks of its buffers surround it."""
    body.headers.add(op.header)
    if any("dfb_descriptor<" in piece for piece in op.pieces):
        body.arithmetic.helpers.add("dfb_descriptor")
    values = [body.arithmetic.printed(value).text for value in op.values]
    moved = [pair.split(":") for pair in op.effects.data.split(",") if pair]
    touched: list[str] = []
    for text in reversed([] if op.touched is None else [text for text in op.touched.data.split(",") if text]):
        kind, *shapes = text.split(":")
        extents, sizes = (shape.replace("x", ", ") for shape in shapes)
        rank = shapes[0].count("x") + 1
        accessor, *starts = values[-rank - 1 :]
        del values[-rank - 1 :]
        where = f"{{{extents}}}, {{{', '.join(starts)}}}, {{{sizes}}}"
        touched.insert(0, f"declared.part({accessor}, {str(kind == 'write').lower()}, {where});")
    buffers = values[len(values) - len(moved) :]
    effects = ", ".join(
        f"{{{cb}, {pushed}, {popped}}}" for cb, (pushed, popped) in zip(buffers, moved, strict=True)
    )
    before = ""
    if op.result is not None and (op.condition is not None or body.demand.count(op.result)):
        variable = body.declare(op.result, op.result.name_hint, "result")
        body.write(op, f"{declaration(op.result, variable, body.ranges, constant=False)};")
        before = f"{variable} = "
    body.write(op, "{")
    with body.writer.indented():
        body.writer.line(f"// {op.header}")
        body.writer.line("#ifdef TTL_EMU_API_VERSION")
        asserted = literal(f"{op.callee} {ASSERTED}")
        body.writer.line(f"{EXTERNAL} declared({asserted}, {{{effects}}});")
        if op.touched is not None:
            for line in (*touched, f"declared.no_more({literal(f'{op.callee} {TOUCHED}')});"):
                body.writer.line(line)
        body.writer.line("#endif")
        text = "".join(
            piece
            for pair in zip(op.pieces, [*values[: len(op.pieces) - 1], ""], strict=True)
            for piece in pair
        )
        body.write(op, f"{before}{text};")
        if op.condition is not None:
            asserted = literal(f"{op.callee} {ANSWERED}")
            body.writer.line("#ifdef TTL_EMU_API_VERSION")
            body.writer.line(
                f"ttl_emu_answer({op.condition}, {variable}, {asserted}, ttl_emu::Place::here());"
            )
            body.writer.line("#endif")
    body.writer.line("}")
