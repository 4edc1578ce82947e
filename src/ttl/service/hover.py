"""The description of the place under the cursor, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.arch import Chip
from ttl.diag.words import counted, listed
from ttl.service import words
from ttl.service.facts import AcquireFact, ValueFact
from ttl.service.language import Member
from ttl.service.subject import Places, PositionSubject
from ttl.service.syntax import is_code_of
from ttl.settings import current_chip
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

# The most values, origins and specialisations that a hover lists.
_MOST = 4


@dataclass(frozen=True, slots=True)
class Hover:
    """A description of ``span``; ``text`` is Markdown."""

    span: Span
    text: str


def hover(analysis: Analysis, line: int, column: int, chip: Chip | None = None) -> Hover | None:
    """Return the description of a position (from 1); None if nothing is known.

    ``chip`` is the chip whose cycles are shown; None means the current one.
    """
    places = Places(analysis)
    if not is_code_of(places.syntax, line, column):
        return None
    subject = places.subject(line, column)
    if subject is None:
        return None
    parts = list(_parts(places, subject, line, chip))
    if not parts:
        return None
    if analysis.stale:
        parts.append("*for the last version of the text that could be read*")
    return Hover(subject.span, "\n\n".join(parts))


def _parts(places: Places, subject: PositionSubject, line: int, chip: Chip | None) -> Iterator[str]:
    values = subject.values
    if subject.member is not None:
        yield from _member(subject.member, chip)
        here = words.several(values) if values else ""
        if here and values[0].kind == "block":
            here = f"block of {_names(values)}, {here}"
        if here:
            yield f"Here: {here}"
        return
    occurrence = subject.occurrence
    if occurrence is not None:
        kind = places.kernel_kind(occurrence.node) or (
            places.kernel_kind(occurrence.symbol.definition.node)
            if occurrence.symbol.definition is not None
            else None
        )
        if kind is not None:
            yield from _function(places, subject, kind)
            return
    if not values:
        return
    first = values[0]
    yield _headline(subject.text, values)
    match first.kind:
        case "dataflow buffer":
            yield from _buffer(places, values)
        case "block":
            yield from _block(places, values, line)
        case "transfer" | "pipe" | "pipe net" | "semaphore" | "transfer group":
            yield from _made(places, values)
        case "operation":
            yield from _operation(places, first)


def _headline(text: str, values: tuple[ValueFact, ...]) -> str:
    first = values[0]
    kinds = list(dict.fromkeys(value.kind for value in values if value.kind != "other"))
    what = " or ".join(kinds[:3]) or "value"
    shown = " ".join(text.split())
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    detail = words.several(values)
    if first.kind in ("transfer", "pipe net", "semaphore", "transfer group", "pipe") or detail == shown:
        detail = ""
    return f"```python\n({what}) {shown}{f': {detail}' if detail else ''}\n```"


def _names(values: tuple[ValueFact, ...]) -> str:
    return listed([f"`{value.name}`" for value in values if value.name] or ["a buffer"])


def _line_of(span: Span, path: str) -> str:
    """The line of a place, such as ``line 12``; with the file's name where it is not the file ``path``."""
    if span.file == path:
        return f"line {span.line}"
    return f"{span.file.rpartition('/')[2]}, line {span.line}"


# --- buffers and blocks ------------------------------------------------------------------------------------------


def _buffer(places: Places, values: tuple[ValueFact, ...]) -> Iterator[str]:
    rows: list[str] = []
    for value in dict.fromkeys(values[:_MOST]):
        if value.block is not None:
            total = value.block.nbytes * value.count
            rows.append(
                f"- {words.size(value.block.nbytes)} × {counted(value.count, 'block')} = {words.size(total)} of L1 on every node"
            )
    yield "\n".join(dict.fromkeys(rows))
    buffer = next((value.made for value in values if value.made is not None), None)
    if buffer is not None:
        yield "\n".join(_ends(places, buffer))


def _ends(places: Places, buffer: Span) -> Iterator[str]:
    """The kernels that produce and that consume the blocks of a buffer."""
    acquires = places.index.acquires_of(buffer)
    for how, what, verb in (("reserve", "Producer", "reserves"), ("wait", "Consumer", "waits")):
        kernels: dict[tuple[str, str], list[AcquireFact]] = {}
        for fact in acquires:
            if fact.acquired == how:
                kernels.setdefault((fact.kind, fact.kernel), []).append(fact)
        if not kernels:
            yield f"- {what}: none"
        for (kind, name), facts in kernels.items():
            lines = listed(list(dict.fromkeys(_line_of(fact.span, places.path) for fact in facts)))
            yield f"- {what}: {kind} kernel `{name}`, which {verb} in {lines}"


def _block(places: Places, values: tuple[ValueFact, ...], line: int) -> Iterator[str]:
    for value in dict.fromkeys(values[:_MOST]):
        if value.block is None or value.origin is None or value.acquired is None:
            continue
        rows = [
            f"- Of dataflow buffer `{value.name}`: `{value.acquired}()` in kernel `{value.kernel}`, {_line_of(value.origin, places.path)}",
            f"- {words.size(value.block.nbytes)}, one of {counted(value.count, 'block')}",
        ]
        if value.origin.file == places.path:
            rows += _states(places, value, value.origin, line)
        for fact in places.index.inferred(value.origin.file):
            if fact.of == value.origin:
                rows.append(f"- The language infers the {fact.how} behind line {fact.after.end_line}")
        yield "\n".join(rows)
    buffer = next((value.made for value in values if value.made is not None), None)
    if buffer is not None:
        yield "\n".join(_ends(places, buffer))


def _states(places: Places, value: ValueFact, acquired: Span, line: int) -> Iterator[str]:
    known = places.index.states(line, acquired)
    if known is None or value.acquired is None:
        return
    before, after = words.states(known.before), words.states(known.after)
    if known.before == known.after:
        yield f"- State: **{after}**"
    else:
        yield f"- State before this line: **{before}**; after it: **{after}**"
    kind = next((fact.kind for fact in places.index.acquires_at(acquired)), None)
    following = "" if kind is None else words.next_steps(known.after, value.acquired, kind)
    if following:
        yield f"- Next the kernel may {following}"


def _made(places: Places, values: tuple[ValueFact, ...]) -> Iterator[str]:
    origins = [value.origin for value in values if value.origin is not None]
    what = {"pipe": "Of the net made", "transfer": "Started"}.get(values[0].kind, "Made")
    rows = []
    for origin in list(dict.fromkeys(origins))[:_MOST]:
        text = " ".join(places.syntax.written(origin).split()) if origin.file == places.path else ""
        shown = f": `{text}`" if 0 < len(text) <= 100 else ""
        rows.append(f"- {what} in {_line_of(origin, places.path)}{shown}")
        rows += [
            f"- The language infers the wait behind line {fact.after.end_line}"
            for fact in places.index.inferred(origin.file)
            if fact.of == origin
        ]
    yield "\n".join(rows)


# --- functions ---------------------------------------------------------------------------------------------------


def _function(places: Places, subject: PositionSubject, kind: str) -> Iterator[str]:
    """The description of a kernel or an operation."""
    name = subject.text
    if kind == "operation":
        yield f"```python\n(operation) {name}\n```"
        origin = subject.occurrence.symbol.definition if subject.occurrence is not None else None
        value = ValueFact(kind="operation", name=name, origin=origin.span if origin is not None else None)
        yield from _operation(places, value)
        return
    yield f"```python\n({kind} kernel) {name}\n```"
    definition = subject.occurrence.symbol.definition if subject.occurrence is not None else None
    if definition is None:
        return
    first, last = definition.node.lineno, definition.node.end_lineno  # type: ignore[attr-defined]
    rows: dict[str, None] = {}
    for fact in places.index.on_lines(places.path, first, last):
        for value in fact.values:
            if value.kind == "block" and value.origin == fact.span and value.block is not None:
                does = "Produces" if value.acquired == "reserve" else "Consumes"
                rows[f"- {does} blocks of `{value.name}`: {words.block_type(value.block)}"] = None
    if rows:
        yield "\n".join(rows)


def _operation(places: Places, value: ValueFact) -> Iterator[str]:
    for operation in places.analysis.operations:
        if operation.span == value.origin or (value.origin is None and operation.name == value.name):
            rows = [f"- `{', '.join(call.arguments)}`" for call in operation.specialisations[:_MOST]]
            if rows:
                yield "Checked with:\n\n" + "\n".join(rows)
            else:
                yield "Not checked: it is not called with known arguments. Declare some with `ttl.example`."


def _member(member: Member, chip: Chip | None) -> Iterator[str]:
    yield f"```python\n{member.qualified.rpartition('.')[0]}.{member.signature}\n```"
    if member.instead:
        yield f"**Older spelling** of `{member.instead}`."
    if member.doc:
        yield _markdown(member.doc)
    if member.op is not None:
        from ttl.rows.on_hardware import cost, hardware_notes, tile_functions

        rows = [f"- Hardware: {tile_functions(member.op)}"]
        notes = hardware_notes(member.op)
        if notes:
            rows.append(f"- {notes}")
        if chip is None:
            chip = current_chip()
        cycles = cost(member.op, chip)
        if cycles is not None:
            rows.append(f"- Cost: {cycles.value} cycles for a tile of 32x32 on {chip.title} ({cycles.how})")
        yield "\n".join(rows)


def _markdown(doc: str) -> str:
    """A docstring as Markdown: code in single quotes, arguments as a list."""
    lines = []
    for line in doc.replace("``", "`").split("\n"):
        if line.startswith("    ") and ": " in line:
            name, _, text = line.strip().partition(": ")
            lines.append(f"- `{name}`: {text}")
        else:
            lines.append("**Arguments**\n" if line == "Args:" else line)
    return "\n".join(lines)
