"""The threads of statements and of the blocks that they use, which are joined if they must be on the same thread."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ttl.diag import Diagnostic
from ttl.source.trees import SourceFile

Kind = Literal["compute", "data movement"]
Role = Literal["read", "write", "send", "receive", "semaphore"]


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """The reason why a statement is on a thread: a call or an operator, and its description for the reader."""

    kind: Kind
    node: ast.AST
    file: SourceFile
    what: str


@dataclass(eq=False, slots=True)
class ThreadCell:
    """Statements and values on one thread. ``joined`` is the cell into which this one was merged."""

    place: int
    """The position of the first of them in the text, which determines the order of the threads."""
    joined: ThreadCell | None = None
    anchor: Anchor | None = None
    roles: set[Role] = field(default_factory=set)
    reads: set[object] = field(default_factory=set)
    writes: set[object] = field(default_factory=set)
    nets: set[object] = field(default_factory=set)
    acquired: set[tuple[object, str]] = field(default_factory=set)
    """The buffers whose blocks the thread acquires, and the methods of acquisition."""
    only_sends: bool = False

    @property
    def root(self) -> ThreadCell:
        """The cell that represents all joined cells."""
        cell = self
        while cell.joined is not None:
            if cell.joined.joined is not None:
                cell.joined = cell.joined.joined
            cell = cell.joined
        return cell

    @property
    def kind(self) -> Kind | None:
        """The kind of the thread; None if it is not determined."""
        anchor = self.root.anchor
        return None if anchor is None else anchor.kind


Conflict = Callable[[Anchor, Anchor], Diagnostic]


class Threads:
    """The cells of one body, and the contradictions among them."""

    def __init__(self) -> None:
        self.cells: list[ThreadCell] = []
        self.findings: list[Diagnostic] = []
        self.apart: list[tuple[ThreadCell, ThreadCell, Diagnostic]] = []
        """Cells that must be on two threads of one kind, with the error if that is impossible."""
        self._reported: set[object] = set()

    def new(self, place: int) -> ThreadCell:
        """Return a cell that is on no thread yet."""
        cell = ThreadCell(place)
        self.cells.append(cell)
        return cell

    def anchor(self, cell: ThreadCell, anchor: Anchor, conflict: Conflict) -> None:
        """Put a cell on a thread of a kind; it is an error if it is already on a thread of the other kind."""
        root = cell.root
        if root.anchor is None:
            root.anchor = anchor
        elif root.anchor.kind != anchor.kind:
            self._conflict(root.anchor, anchor, conflict)

    def join(self, first: ThreadCell, second: ThreadCell, conflict: Conflict) -> None:
        """Put two cells on one thread; ``conflict`` makes the error if that is impossible."""
        one, other = first.root, second.root
        if one is other:
            return
        if one.anchor is not None and other.anchor is not None and one.anchor.kind != other.anchor.kind:
            self._conflict(one.anchor, other.anchor, conflict)
            return
        if other.place < one.place:
            one, other = other, one
        other.joined = one
        one.anchor = one.anchor or other.anchor
        one.roles |= other.roles
        one.reads |= other.reads
        one.writes |= other.writes
        one.nets |= other.nets
        one.acquired |= other.acquired

    def report(self, finding: Diagnostic) -> None:
        """Keep a finding, which has its location, without duplicates."""
        place = None if finding.primary is None else finding.primary.span
        if (finding.code, place) not in self._reported:
            self._reported.add((finding.code, place))
            self.findings.append(finding)

    def _conflict(self, first: Anchor, second: Anchor, conflict: Conflict) -> None:
        later, earlier = second, first
        if getattr(later.node, "lineno", 0) < getattr(earlier.node, "lineno", 0):
            later, earlier = earlier, later
        finding = conflict(earlier, later).at(
            later.file.span(later.node), f"{later.what}: on the {later.kind} thread"
        )
        self.report(
            finding.also(earlier.file.span(earlier.node), f"{earlier.what}: on the {earlier.kind} thread")
        )
