"""What tests of the language service ask: a program of one operation, read once, and places in it by their text."""

from __future__ import annotations

from dataclasses import replace

from ttl.check.module import check_module
from ttl.frontend.file import lower_file
from ttl.service.analysis import Analysis
from ttl.service.facts import RecordedFacts
from ttl.service.recording import Recorder
from ttl.service.workspace import Workspace
from ttl.session import SOURCES, FileText, Session
from ttl.session.switches import Settings
from ttl.source.spans import Span

PROGRAM = """\
import ttl
import ttnn


@ttl.example(ttl.TensorSpec((128, 32)), ttl.TensorSpec((128, 32)))
@ttl.operation(grid=(1, 1))
def add_one(a: ttnn.Tensor, y: ttnn.Tensor) -> None:
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(4):
            a_blk = a_dfb.reserve()
            ttl.copy(a[i, 0], a_blk)

    @ttl.compute()
    def compute():
        for i in range(4):
            a_blk = a_dfb.wait()
            y_blk = y_dfb.reserve()
            total = ttl.block.fill(0, shape=(1, 1))
            for k in range(3):
                total += a_blk
            y_blk.store(total)

    @ttl.datamovement()
    def write():
        for i in range(4):
            with y_dfb.wait() as y_blk:
                xf = ttl.copy(y_blk, y[i, 0])
                xf.wait()
"""
PATH = "/nowhere/add_one.py"


def recorded(path: str, text: str | None = None) -> RecordedFacts:
    with Session().entered():
        if text is not None:
            SOURCES.get().show(path, text)
        recorder = Recorder()
        with recorder.recording():
            check_module(lower_file(path).module)
        return recorder.facts()


def span(line: int, text: str) -> Span:
    column = PROGRAM.splitlines()[line - 1].index(text) + 1
    return Span(file=PATH, line=line, column=column, end_line=line, end_column=column + len(text))


def analysed(path: str, text: str) -> tuple[Workspace, Analysis]:
    """A workspace with one open text, and what is known about it."""
    workspace = Workspace(None, Settings())
    workspace.open(path, text, 1)
    return workspace, workspace.analyse(path)


def typed(analysis: Analysis, line: int, written: str) -> Analysis:
    """What is known while a line reads ``written``: the rest was analysed before, and is where it is now."""
    lines = list(analysis.text.lines)
    lines[line - 1] = written
    return replace(analysis.moved_to(FileText("\n".join(lines)), None), stale=True)


def place(text: str, marked: str, at: int = 0) -> tuple[int, int]:
    """Line and column (from 1) of the ``|`` in ``marked``, a piece of one line of the text; of the ``at``-th such piece."""
    before, _, after = marked.partition("|")
    begin = -1
    for _ in range(at + 1):
        begin = text.index(before + after, begin + 1)
    offset = begin + len(before)
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1
