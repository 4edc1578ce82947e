"""What a trace calls things: expressions of the user's program, waits by what they wait for, the ends of transfers."""

from __future__ import annotations

import re
from collections import Counter

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.diag.words import counted
from ttl.emu.launch import Run, place_of
from ttl.emu.record import KINDS, NOTHING_NAMED, WAITS, Line
from ttl.source.files import line as source_line
from ttl.source.spans import Span

_LONGEST = 56


class TraceNames:
    """Of one run."""

    def __init__(self, run: Run, chip: Chip, description: ProgramDescription | None) -> None:
        assert run.record is not None, "the run was not recorded"
        self._run, self._description = run, description
        self.places = [place_of(line, run, description) for line in run.record.lines]
        files = Counter(place.file for place in self.places if not place.file.endswith(".cpp"))
        self._file = files.most_common(1)[0][0] if files else ""
        self.lines = [self._line(line, number) for number, line in enumerate(run.record.lines)]
        self._buffers = {buffer.index: buffer.name for buffer in run.program.circular_buffers}
        self._semaphores = {semaphore.id: semaphore.name for semaphore in run.program.semaphores}
        plan, (columns, rows) = chip.floorplan, chip.max_grid
        self._nodes = {plan.node(x, y): (x, y) for x in range(columns) for y in range(rows)}

    def _line(self, line: Line, number: int) -> str:
        """``a_dfb.reserve() :41``; of a kernel that nobody wrote in Python its file and line."""
        place = self.places[number]
        kernel = self._run.program.kernels[line.kernel]
        span = None
        if self._description is not None and line.file == kernel.file_name:
            span = self._description.kernels[line.kernel].lines.get(line.line)
        if span is None:
            return f"{place.file}:{place.line}"
        other = "" if span.file == self._file else f" of {span.file.rpartition('/')[2]}"
        return f"{_text(span)} :{span.line}{other}"

    def wait(self, reason: int, what: int, by: int) -> str:
        """What a processor waits for."""
        kind = WAITS.get(reason, "something")
        match kind:
            case "pages":
                return f"waits for data in {self._buffers.get(what, 'a buffer')}"
            case "space":
                return f"waits for room in {self._buffers.get(what, 'a buffer')}"
            case "semaphore":
                return f"waits for semaphore {self._semaphores.get(what) or what if what != NOTHING_NAMED else ''}".rstrip()
            case "reads" | "writes" if by >= 0:
                near, far = self.ends(by)
                return f"waits for {far}" if kind == "reads" else f"waits until {near} is sent to {far}"
            case _:
                return f"waits for {kind}"

    def ends(self, number: int) -> tuple[str, str]:
        """Of a transfer the end at the node that issued it, and the other one."""
        assert self._run.record is not None
        transfer = self._run.record.transfers[number]
        kind = KINDS[int(transfer["kind"])]
        near = self._memory(int(transfer["here"]), dram=False)
        if kind in ("word", "increment"):
            return "a word", self._node(int(transfer["to"]))
        far = self._memory(int(transfer["there"]), dram=bool(transfer["dram"]))
        if transfer["dram"]:
            return near, far
        if kind == "multicast":
            return near, f"{far} of {counted(int(transfer['receivers']), 'node')}"
        return near, f"{far} of {self._node(int(transfer['from' if kind == 'read' else 'to']))}"

    def _memory(self, offset: int, *, dram: bool) -> str:
        for tensor in self._run.tensors:
            if tensor.dram == dram and tensor.begin <= offset < tensor.end:
                return f"{tensor.name}, in {'DRAM' if dram else 'L1'}"
        if not dram:
            for buffer in self._run.program.circular_buffers:
                base = buffer.base
                if base is not None and base <= offset < base + buffer.pages * buffer.page_bytes:
                    return buffer.name
        return "DRAM" if dram else "L1"

    def _node(self, packed: int) -> str:
        place = (packed >> 8, packed & 255)
        return f"node {self._nodes.get(place, place)}"


def _text(span: Span) -> str:
    """An expression of the program on one line, its middle left out where it is long."""
    text = (source_line(span.file, span.line) or "").rstrip()
    end = span.end_column - 1 if span.end_line == span.line else len(text)
    text = re.sub(r"\s+", " ", text[span.column - 1 : end]).strip()
    more = " ..." if span.end_line > span.line else ""
    return (
        text
        if len(text) <= _LONGEST
        else f"{text[: _LONGEST - 12]} ... {text[-6:]}"
        if not more
        else text[:_LONGEST] + more
    )
