"""The output of tt-triage: the tables of call stacks, circular buffers and semaphores, and the results of its checks.

Columns are known by their names (those of the releases of ttnn 0.69 and 0.81), tables by their columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from ttl.emu.dump import BUFFERS, CALLSTACKS, RISCS, WORDS
from ttl.emu.program import Core
from ttl.hang.dump_content import (
    Dump,
    DumpedBuffer,
    DumpedFrame,
    DumpedRisc,
    DumpedSemaphore,
    NocMismatch,
    Place,
)
from ttl.hang.tables import key, plain, tables, whole

# A number of a core, a device, a circular buffer; a count of pages, an address, a value.
_MOST_SMALL, _MOST = 1024, 1 << 32
_MOST_PARTS = 7
_SECTION = re.compile(r"^(?:\w+/)*(\w+)\.py(?: \[[^\]]*\])?:\s*$")
_FRAME = re.compile(
    r"^#\s*(?P<number>\d{1,4})\s+(?:0x[0-9A-Fa-f]+\s+in\s+)?(?P<function>.*?)\s*\([^()]*\)"
    r"(?:\s*at\s+(?P<file>.*?)[ :](?P<line>\d{1,7})(?::\d{1,7})?)?\s*$"
)
_LOCATION = re.compile(r"\(\s*(\d{1,4})\s*,\s*(\d{1,4})\s*\)|^\s*(\d{1,4})\s*,\s*(\d{1,4})\s*$")
_VALUE = re.compile(r"\b([A-Za-z_]\w{0,60})\s*[=:]\s*(0x[0-9A-Fa-f]{1,8}|\d{1,10})\b")
_MISMATCH = re.compile(
    r"^\s*(?P<register>NIU\w{1,60}|\w{0,60}(?:RECEIVED|SENT)\w{0,40})\s+(?P<variable>noc_\w{1,60})\s+(?P<ended>\w{1,12})\s+(?P<begun>\w{1,12})\s*$"
)
_KNOWN = tuple(dict.fromkeys(map(key, (*CALLSTACKS, *BUFFERS, *WORDS))))
_CALLSTACK = frozenset({"loc", "kernelcallstack"})
_BUFFER = frozenset({"loc", "cb", "pushed", "popped"})
_SEMAPHORE = frozenset({"loc", "kind", "address", "value"})
_BROKEN = frozenset({"device", "brokencores"})
_ASSERT = frozenset({"loc", "kernelname", "argumentsandlocals"})


def is_triage(lines: Sequence[str]) -> bool:
    """Whether a text is output of tt-triage: it has a section of one of its scripts, or a table like its tables."""
    return any(map(_SECTION.match, lines)) or any(
        _kind(set(whole(table.columns, _KNOWN))) is not None for table in tables(lines)
    )


def read(text: str, dump: Dump, name: str) -> None:
    """Add the content of a text to a dump, with a note on each part that cannot be read."""
    lines = plain(text)
    bad = 0
    if any("…" in line for line in lines):
        dump.damaged.append(f"what {name} has cut off (…): run tt-triage with COLUMNS=300 or --llm-output")
    for table in tables(lines):
        table.columns = whole(table.columns, _KNOWN)
        add = _kind(set(table.columns))
        if add is None:
            continue
        for record in table.records():
            try:
                add(record, dump)
            except (ValueError, KeyError):
                bad += 1
    if bad:
        dump.damaged.append(f"{bad} row{'' if bad == 1 else 's'} of the tables in {name}")
    _checks(lines, dump)


def _kind(columns: set[str]) -> Callable[[Mapping[str, str], Dump], None] | None:
    for needed, add in (
        (_CALLSTACK, _callstack),
        (_BUFFER, _buffer),
        (_SEMAPHORE, _semaphore),
        (_ASSERT, _assertion),
        (_BROKEN, _broken),
    ):
        if needed <= columns:
            return add
    return None


def number(text: str, most: int = _MOST) -> int:
    """A number that a tool printed, in hexadecimal or not. Raises ``ValueError``."""
    value = int(text, 16) if text[:2].lower() == "0x" else int(text)
    if not 0 <= value < most or not text.isascii():
        raise ValueError(text)
    return value


def core_at(text: str) -> Core:
    """The core of a location: the logical coordinates of ``18-18 (0,0)``. Raises ``ValueError``."""
    match = _LOCATION.search(text)
    if match is None:
        raise ValueError(text)
    x, y = (number(part, _MOST_SMALL) for part in match.groups() if part is not None)
    return x, y


def _place(record: Mapping[str, str]) -> Place:
    device = record.get("dev", "")
    return (number(device, _MOST_SMALL) if device.isdecimal() else 0), core_at(record["loc"])


def _callstack(record: Mapping[str, str], dump: Dump) -> None:
    at = _place(record)
    risc = record.get("riscv") or record.get("proc") or ""
    name = record.get("kernelname", "")
    if "kernelid:name" in record:
        name = record["kernelid:name"].partition(":")[2]
    if risc.lower() not in RISCS:
        return  # of a core that runs no kernels of programs
    dump.merge(
        DumpedRisc(
            at=at,
            role=RISCS.index(risc.lower()),
            kernel="".join(name.split()),
            waypoint=record.get("waypoint", "").strip(),
            frames=frames(record["kernelcallstack"]),
            values=values(record.get("locals", "")),
        )
    )


def frames(text: str) -> tuple[DumpedFrame, ...]:
    """The frames of a call stack. A line that was broken to fit the table is put together again."""
    parts: list[list[str]] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("#"):
            parts.append([line.strip()])
        elif parts:
            parts[-1].append(line.strip())
    match = (frame for part in parts if (frame := _frame(part)) is not None)
    return tuple(match)


def _frame(parts: Sequence[str]) -> DumpedFrame | None:
    """A frame of a line that may have been broken: between two words, or within a path, which has no blank in it."""
    for glue in product((" ", ""), repeat=min(len(parts), _MOST_PARTS) - 1):
        text = parts[0] + "".join(one for pair in zip(glue, parts[1:], strict=False) for one in pair)
        match = _FRAME.match(text)
        if match is not None and " " not in (match["file"] or ""):
            return DumpedFrame(
                function=match["function"].strip(), file=match["file"] or "", line=int(match["line"] or 0)
            )
    return None


def values(text: str) -> dict[str, int]:
    """Return the values of the innermost frame: the text before the next frame."""
    first = text.partition("\n#")[0]
    return {name: number(value) % _MOST for name, value in _VALUE.findall(first) if _is_number(value)}


def _is_number(text: str) -> bool:
    try:
        number(text)
    except ValueError:
        return False
    return True


def _buffer(record: Mapping[str, str], dump: Dump) -> None:
    if not record.get("kind", "local").startswith("local"):
        return
    dump.buffers[_place(record), number(record["cb"], _MOST_SMALL)] = DumpedBuffer(
        pages=number(record.get("size(pages)", "0")),
        pushed=number(record["pushed"]),
        popped=number(record["popped"]),
    )


def _semaphore(record: Mapping[str, str], dump: Dump) -> None:
    own = record.get("id", "")
    address = number(record["address"])
    dump.semaphores[_place(record), address] = DumpedSemaphore(
        number=number(own, _MOST_SMALL) if own.isdecimal() else None,
        address=address,
        value=number(record["value"]),
    )


def _assertion(record: Mapping[str, str], dump: Dump) -> None:
    x, y = core_at(record["loc"])
    dump.alarms.append(f"kernel {record['kernelname']} on core ({x}, {y}) has failed an assertion")


def _broken(record: Mapping[str, str], dump: Dump) -> None:
    """Cores by processor: ``brisc: 18-18 (0,0), 19-18 (1,0)``; a device as a whole has no cores to name."""
    device = re.search(r"\d{1,4}", record["device"])
    number_ = int(device[0]) if device else 0
    said = record["brokencores"]
    named = False
    for line in said.split("\n"):
        risc = line.partition(":")[0].strip().lower()
        for x, y in re.findall(r"\((\d{1,4})\s*,\s*(\d{1,4})\)", line):
            at = number_, (int(x), int(y))
            before = dump.broken.get(at)
            name = risc if risc in RISCS else "the core"
            dump.broken[at] = name if before is None or before == name else f"{before}, {name}"
            named = True
    if not named and said:
        dump.alarms.append(f"device {number_}: {' '.join(said.split())}")


def _checks(lines: Sequence[str], dump: Dump) -> None:
    """Add the results of the check of the NoC's counters."""
    section = where = ""
    for line in lines:
        begun = _SECTION.match(line)
        if begun is not None:
            section = begun[1]
            dump.noc_checked = dump.noc_checked or section == "check_noc_status"
            continue
        if section != "check_noc_status":
            continue
        match = _MISMATCH.match(line)
        if match is None:
            where = " ".join(line.split()).rstrip(":") or where
            continue
        if _is_number(match["ended"]) and _is_number(match["begun"]):
            dump.noc.append(
                NocMismatch(
                    where=where,
                    register=match["register"],
                    variable=match["variable"],
                    ended=number(match["ended"]),
                    begun=number(match["begun"]),
                )
            )
