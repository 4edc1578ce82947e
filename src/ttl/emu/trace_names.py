"""The names in a trace: expressions of the user's program, objects of waits, the ends of transfers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cached_property

import numpy as np

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.diag.words import counted
from ttl.emu.launch import ChipRun, TensorPlace, place_of
from ttl.emu.record import KINDS, Line
from ttl.rows.dtypes import Array
from ttl.sim.diaries import NOTHING_NAMED, WAITS, WORKS
from ttl.source.files import line as source_line
from ttl.source.spans import Span

_LONGEST = 56


class TraceNames:
    """The names of one run."""

    def __init__(self, run: ChipRun, chip: Chip, description: ProgramDescription | None) -> None:
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
        """Return ``a_dfb.reserve() :41``; for a kernel that was not written in Python, its file and line."""
        place = self.places[number]
        kernel = self._run.program.kernels[line.kernel]
        span = None
        if self._description is not None and line.file == kernel.file_name:
            span = self._run.program.kernels[line.kernel].lines.get(line.line)
        if span is None:
            return f"{place.file}:{place.line}"
        other = "" if span.file == self._file else f" of {span.file.rpartition('/')[2]}"
        return f"{text_of_span(span)} :{span.line}{other}"

    def slice(self, line: int, reason: int, what: int, by: int) -> str:
        """Return the name of a slice: the expression, or the object of the wait there."""
        name = self.lines[line]
        if reason == WORKS:
            return name
        waits = self.wait(reason, what, by)
        at = name.rpartition(" :")[2] if " :" in name else ""
        return f"{waits} :{at}" if at else waits

    def wait(self, reason: int, what: int, by: int) -> str:
        """Return a processor's wait in words."""
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
        """The end of a transfer at the node that issued it, and the other end."""
        near, far = self.end_numbers
        return self.end_texts[near[number]], self.end_texts[far[number]]

    @cached_property
    def end_numbers(self) -> tuple[Array, Array]:
        """The positions in ``end_texts`` for every transfer: of the end at the node that issued it, and of the other end."""
        return self._ends[0], self._ends[1]

    @cached_property
    def end_texts(self) -> list[str]:
        """The texts of the ends of transfers."""
        return self._ends[2]

    @cached_property
    def _ends(self) -> tuple[Array, Array, list[str]]:
        assert self._run.record is not None
        transfers = self._run.record.transfers
        kind, dram = transfers["kind"].astype(np.int64), transfers["dram"] == 1
        near = self._memories(transfers["here"], np.zeros(len(dram), bool))
        far = self._memories(transfers["there"], dram)
        place = np.where(kind == KINDS.index("read"), transfers["from"], transfers["to"]).astype(np.int64)
        receivers = transfers["receivers"].astype(np.int64)
        multicast = kind == KINDS.index("multicast")
        word = kind > KINDS.index("multicast")
        # One number for all that the text of the other end depends on.
        style = np.select([word, dram, multicast], [0, 1, 2], 3)
        detail = np.select([dram & ~word, multicast], [0, receivers], place)
        key = ((style << 32) + detail << 16) + np.where(word, 0, far)
        keys, which = np.unique(key, return_inverse=True)
        texts: dict[str, int] = {}
        memories = [*(tensor.name for tensor in self._regions), "DRAM", "L1"]
        far_texts = []
        for one in keys.tolist():
            style_, detail_, memory = one >> 48, one >> 16 & 0xFFFFFFFF, memories[one & 0xFFFF]
            match style_:
                case 0:
                    text = self._node(detail_)
                case 1:
                    text = memory
                case 2:
                    text = f"{memory} of {counted(detail_, 'node')}"
                case _:
                    text = f"{memory} of {self._node(detail_)}"
            far_texts.append(texts.setdefault(text, len(texts)))
        near_texts = np.array(
            [texts.setdefault(text, len(texts)) for text in [*memories, "a word"]], np.int64
        )
        return (
            near_texts[np.where(word, len(memories), near)],
            np.array(far_texts, np.int64)[which.reshape(-1)] if len(keys) else near,
            list(texts),
        )

    @cached_property
    def _regions(self) -> list[TensorPlace]:
        """The tensors and buffers that lie in memory, tensors first."""
        tensors = [
            replace(tensor, name=f"{tensor.name}, in {'DRAM' if tensor.dram else 'L1'}")
            for tensor in self._run.tensors
        ]
        buffers = [
            TensorPlace(
                name=buffer.name,
                dram=False,
                begin=buffer.base,
                end=buffer.base + buffer.pages * buffer.page_bytes,
            )
            for buffer in self._run.program.circular_buffers
            if buffer.base is not None
        ]
        return tensors + buffers

    def _memories(self, offsets: Array, dram: Array) -> Array:
        """Return the regions at some offsets, as positions in ``_regions``.

        The next two positions are DRAM and L1 without a name.
        """
        regions = self._regions
        result = np.where(dram, len(regions), len(regions) + 1)
        for number, region in reversed([*enumerate(regions)]):
            result[(dram == region.dram) & (offsets >= region.begin) & (offsets < region.end)] = number
        return result

    def _node(self, packed: int) -> str:
        place = (packed >> 8, packed & 255)
        return f"node {self._nodes.get(place, place)}"


def text_of_span(span: Span) -> str:
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
