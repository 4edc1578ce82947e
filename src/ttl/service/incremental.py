"""Results of reading and checking operations, kept from one text to the next.

The key of a result is everything that its operation can see (``frontend/host/specialise.py``), by text: code counts by
the chunk of its file that it is in, not by line numbers. While the key is the same, the earlier result is used, and its
places are moved with their chunks. A result that cannot be moved is computed again. So results are always those of a
fresh check, with which ``tests/service/test_replay.py`` compares them.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ttl.check.known import CheckedLowering
from ttl.check.module import check_operation
from ttl.check.watching import WATCHER
from ttl.diag import Diagnostic
from ttl.diag.internal import internal_error
from ttl.diag.model import Edit, Fix, Label
from ttl.frontend.classes import UserClass
from ttl.frontend.host.modules import ReadModule
from ttl.frontend.host.specialise import Identity, fingerprint, names_in
from ttl.frontend.host.statements import HostStatements
from ttl.frontend.lowered import Lowered, OperationRead, Specialisation
from ttl.frontend.lowering import Lowering, ReadRequest
from ttl.frontend.observing import OBSERVER
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import TileProgram, UserFunction
from ttl.service.placed import PlacedFacts
from ttl.service.recording import Recorder
from ttl.session import go_on
from ttl.session.patience import Unavailable
from ttl.settings import Settings
from ttl.source.scopes import reads
from ttl.source.spans import Span
from ttl.source.trees import ChunkKey, SourceFile, source_file

# The number of texts after which an unused result is forgotten: until then, a user may take back an edit.
_KEPT_FOR = 4
# Functions whose names are remembered; all are forgotten when there are more.
_MOST_FUNCTIONS = 4096
# Matches a text that may contain line numbers, be it in a table.
_SAYS_A_LINE = re.compile(r"\blines?\b|:\d+")

CodeKey = tuple[ChunkKey, int, int]


# --- identity of values in two texts ----------------------------------------------------------------------------------


class NamesKept(Identity):
    """The identity of objects of one text; the names in functions are kept from text to text."""

    def __init__(self, kept: dict[CodeKey, tuple[frozenset[str], tuple[str, ...]]]) -> None:
        self._kept = kept
        self.chunks: set[ChunkKey] = set()
        """The chunks that contain the code that was read."""

    def names(self, function: UserFunction) -> frozenset[str]:
        return self._of(function)[0]

    def reads(self, function: UserFunction) -> Iterable[str]:
        return self._of(function)[1]

    def _of(self, function: UserFunction) -> tuple[frozenset[str], tuple[str, ...]]:
        key = self.place(function)
        if key is None:
            return names_in(function.node), tuple(reads(function.node))
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) > _MOST_FUNCTIONS:
                self._kept.clear()
            known = self._kept[key] = names_in(function.node), tuple(reads(function.node))
        return known

    def place(self, function: UserFunction) -> CodeKey | None:
        """The place of a function's code within its chunk, whatever is above the chunk; None outside of chunks."""
        node = function.node
        chunk = function.file.chunk_at(node.lineno)
        if chunk is None:
            return None
        self.chunks.add(chunk.key)
        return chunk.key, node.lineno - chunk.first, node.col_offset


class SameText(NamesKept):
    """The identity of values in two texts. Raises ``Unavailable`` for values that cannot be compared."""

    def of(self, value: Any) -> Any:
        match value:
            case ReadModule():
                return ("module", value.__dict__.get("__file__"))
            case ModuleType():
                return ("library", value.__name__)
            case type() | FunctionType() | BuiltinFunctionType() | enum.Enum():
                return value  # objects of the user have other types: this one is of Python or this package
        kind = type(value)
        parameters: Any = getattr(kind, "__dataclass_params__", None)
        if dataclasses.is_dataclass(kind) and parameters.frozen and parameters.eq and _is_ours(kind):
            return (kind, value)
        raise Unavailable

    def code(self, function: UserFunction) -> Any:
        place = self.place(function)
        if place is None:
            raise Unavailable
        return place

    def of_class(self, value: UserClass) -> Any:
        fields = value.ttl_fields
        defaults = () if fields is None else tuple(fields.items())
        if any(not isinstance(default, int | float | str | bytes | None) for _, default in defaults):
            raise Unavailable
        shown = None if fields is None else repr(defaults)
        return (value.ttl_name, tuple(value.ttl_names), shown, value.ttl_as_tuple)

    def unknown(self, value: Any) -> Any:
        return ("unknown", value.source if type(value) is Unknown else type(value))


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "ttl"


# --- results ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shift:
    """The lines of a file when a result was found, and the distance by which they have moved since."""

    file: str
    first: int
    last: int
    by: int


@dataclass(frozen=True, slots=True)
class ChunkMover:
    """Moves places with the chunks that they are in.

    ``call`` is the earlier and the present place of a call, which moves by itself.
    """

    shifts: tuple[Shift, ...]
    call: tuple[Span, Span] | None = None

    def __call__(self, span: Span) -> Span | None:
        if self.call is not None and span == self.call[0]:
            return self.call[1]
        for shift in self.shifts:
            if shift.file == span.file and shift.first <= span.line <= shift.last:
                by = shift.by
                if not by:
                    return span
                end = span.end_line + by if span.end_line else 0
                return Span(
                    file=span.file,
                    line=span.line + by,
                    column=span.column,
                    end_line=end,
                    end_column=span.end_column,
                )
        return None

    def earlier(self, file: str, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Ranges (first, last) of earlier lines that contain all places that begin on these lines now."""
        for shift in self.shifts:
            begin, end = max(shift.first, first - shift.by), min(shift.last, last - shift.by)
            if shift.file == file and begin <= end:
                yield begin, end
        if self.call is not None and self.call[1].file == file and first <= self.call[1].line <= last:
            yield self.call[0].line, self.call[0].line


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationChecked:
    """The result of reading and checking an operation in one text."""

    read: OperationRead
    """The read operation, without its IR."""
    findings: tuple[Diagnostic, ...]
    not_followed: tuple[str, ...]
    facts: PlacedFacts


@dataclass(slots=True)
class _CachedResult:
    """A result, with the lines of its chunks at the time."""

    path: str
    result: OperationChecked
    chunks: tuple[tuple[ChunkKey, int, int], ...]
    """The chunks, with their first and last lines."""
    place: Span | None
    layouts: dict[str, tuple[int, ...]] | None
    """The first lines of all chunks of its files; None unless texts name lines or places are outside of chunks."""
    used: int


class Results:
    """The results that are kept from several texts of several files. Not thread-safe."""

    def __init__(self) -> None:
        self._operations: dict[object, _CachedResult] = {}
        self._fits: dict[object, tuple[tuple[bool, int], str, int]] = {}
        self.names: dict[CodeKey, tuple[frozenset[str], tuple[str, ...]]] = {}
        self.texts = 0
        """The number of texts that were analysed."""
        self._statements: dict[str, HostStatements] = {}

    def begin(self) -> None:
        """Begin the analysis of another text."""
        self.texts += 1

    def end(self, path: str) -> None:
        """End the analysis of a text of a file: forget the results that several of its texts did not use."""
        oldest = self.texts - _KEPT_FOR
        self._operations = {
            key: kept for key, kept in self._operations.items() if kept.path != path or kept.used > oldest
        }
        self._fits = {key: kept for key, kept in self._fits.items() if kept[1] != path or kept[2] > oldest}

    def forget(self, path: str | None = None) -> None:
        """Forget all results of a file; without a path, of all files."""
        self._statements = {name: kept for name, kept in self._statements.items() if path not in (None, name)}
        self._operations = {
            key: kept for key, kept in self._operations.items() if path is not None and kept.path != path
        }
        self._fits = {key: kept for key, kept in self._fits.items() if path is not None and kept[1] != path}

    def __len__(self) -> int:
        return len(self._operations)

    def statements(self, path: str) -> HostStatements:
        """Return the known effects of a program's statements; empty for a program that was not analysed yet."""
        return self._statements.setdefault(path, HostStatements())

    # --- one result --------------------------------------------------------------------------------------------------

    def find(self, key: object, place: Span | None) -> OperationChecked | None:
        """The result for a key, with its present places; None if there is no result, or a place cannot be moved."""
        kept = self._operations.get(key)
        if kept is None or (kept.place is None) != (place is None):
            return None
        if kept.layouts is not None and (
            place != kept.place or any(_layout(path) != known for path, known in kept.layouts.items())
        ):
            return None
        shifts = []
        for chunk, first, last in kept.chunks:
            file = source_file(chunk[0])
            now = None if file is None else file.chunk_of.get(chunk)
            if now is None:
                return None
            shifts.append(Shift(chunk[0], first, last, now.first - first))
        kept.used = self.texts
        call = None if place is None or kept.place is None else (kept.place, place)
        if not any(shift.by for shift in shifts) and (call is None or call[0] == call[1]):
            return kept.result
        return _moved(kept.result, ChunkMover(tuple(shifts), call))

    def keep(
        self, key: object, path: str, place: Span | None, chunks: set[ChunkKey], result: OperationChecked
    ) -> None:
        """Keep a result for a key. ``chunks`` contain the code that was read, ``place`` is the place of the call."""
        places = set(_spans_of(result)) - {place}
        outside = False
        for span in places:
            file = source_file(span.file)
            chunk = None if file is None else file.chunk_at(span.line)
            if chunk is None or max(span.end_line, span.line) > chunk.last:
                outside = True
            else:
                chunks = {*chunks, chunk.key}
        where = []
        for one in sorted(chunks):
            file = source_file(one[0])
            now = None if file is None else file.chunk_of.get(one)
            if now is None:
                return
            where.append((one, now.first, now.last))
        layouts = None
        if outside or any(map(_SAYS_A_LINE.search, _texts_of(result))):
            files = {path, *(span.file for span in places), *(one[0] for one in chunks)}
            layouts = {file: _layout(file) for file in files}
        self._operations[key] = _CachedResult(path, result, tuple(where), place, layouts, self.texts)

    def fits(self, key: object, path: str, compute: Callable[[], tuple[bool, int]]) -> tuple[bool, int]:
        """Return whether an operation fits on a node, and the number of expressions evaluated to find out.

        ``compute`` is called if no such outcome is kept for the key.
        """
        known = self._fits.get(key)
        outcome = compute() if known is None else known[0]
        self._fits[key] = outcome, path, self.texts
        return outcome


def _layout(path: str) -> tuple[int, ...]:
    """Return the lines on which the chunks of a file begin."""
    file = source_file(path)
    return () if file is None else tuple(chunk.first for chunk in file.chunks)


def _moved(result: OperationChecked, move: ChunkMover) -> OperationChecked:
    read = result.read
    return OperationChecked(
        read=replace(read, findings=tuple(_at(finding, move) for finding in read.findings)),
        findings=tuple(_at(finding, move) for finding in result.findings),
        not_followed=result.not_followed,
        facts=result.facts.moved(move),
    )


def _at(finding: Diagnostic, move: ChunkMover) -> Diagnostic:
    """A finding with all its places moved."""

    def there(span: Span) -> Span:
        now = move(span)
        assert now is not None, span  # ``keep`` has the chunk of every place
        return now

    def label(one: Label) -> Label:
        return Label(span=there(one.span), text=one.text)

    fix = finding.fix
    if fix is not None:
        edits = tuple(Edit(span=there(edit.span), replacement=edit.replacement) for edit in fix.edits)
        fix = Fix(description=fix.description, edits=edits, shown=fix.shown)
    return replace(
        finding,
        primary=None if finding.primary is None else label(finding.primary),
        secondary=tuple(map(label, finding.secondary)),
        about=tuple(map(there, finding.about)),
        fix=fix,
    )


def _all(result: OperationChecked) -> tuple[Diagnostic, ...]:
    return (*result.read.findings, *result.findings)


def _spans_of(result: OperationChecked) -> Iterator[Span]:
    for finding in _all(result):
        if finding.primary is not None:
            yield finding.primary.span
        yield from (label.span for label in finding.secondary)
        yield from finding.about
        if finding.fix is not None:
            yield from (edit.span for edit in finding.fix.edits)


def _texts_of(result: OperationChecked) -> Iterator[str]:
    yield from result.not_followed
    for finding in _all(result):
        yield finding.message
        yield from finding.notes
        yield from finding.help
        yield from (label.text for label in finding.secondary)
        if finding.primary is not None:
            yield finding.primary.text
        if finding.fix is not None:
            yield finding.fix.description


# --- reading with kept results ----------------------------------------------------------------------------------------


class IncrementalLowering(CheckedLowering):
    """Reads and checks the operations of one text of a file, and uses ``results`` of earlier texts where they hold."""

    def __init__(self, path: str, results: Results, settings: Settings) -> None:
        super().__init__()
        self.statements = results.statements(path)
        self._path = path
        self._results = results
        self._settings = settings
        self._taken: set[str] = set()
        self._names: dict[int, str] = {}
        self._checked: dict[int, tuple[OperationRead, OperationChecked]] = {}
        self.facts: list[PlacedFacts] = []
        self.computed = 0
        """The number of operations that were read because no result was kept."""

    @property
    def identity(self) -> Identity:
        """The identity of objects, for this text."""
        return NamesKept(self._results.names)

    def read(self, wanted: ReadRequest) -> OperationRead:
        """Return the result of reading and checking an operation: a kept one, or a new one."""
        go_on()
        name = self._name(wanted.function.name)
        key, chunks = self._key(wanted, name)
        checked = None if key is None else self._results.find(key, wanted.place)
        if checked is None:
            checked = self._computed(wanted, name)
            if key is not None:
                self._results.keep(key, self._path, wanted.place, chunks, checked)
        self.facts.append(checked.facts)
        read = replace(checked.read, files={path: _text(path) for path in checked.read.files})
        self._checked[id(read)] = read, checked
        return read

    def keep(self, read: OperationRead) -> None:
        """Add an operation that was read to the specialisations of the program, with its findings."""
        _, checked = self._checked[id(read)]
        if read.call.complete:
            self._taken.add(self._name(read.call.operation))
            self.findings += checked.findings
            self.not_followed += checked.not_followed

    def judge(self, wanted: ReadRequest, fits: Callable[[Lowered], bool]) -> tuple[bool, int]:
        """Whether an operation with the arguments of the request fits (``CheckedLowering.judge``)."""
        key, _ = self._key(wanted, "")

        def compute() -> tuple[bool, int]:
            with OBSERVER.given(None):
                return super(IncrementalLowering, self).judge(wanted, fits)

        return compute() if key is None else self._results.fits(key, self._path, compute)

    def _computed(self, wanted: ReadRequest, name: str) -> OperationChecked:
        self.computed += 1
        recorder = Recorder()
        findings: list[Diagnostic] = []
        not_followed: list[str] = []
        with recorder.recording():
            read = Lowering.read(self, wanted)
            operation = read.operation
            if operation is not None:
                operation.sym_name = type(operation.sym_name)(name)
                try:
                    # Blocks and waits of an explicit operation that was designed are not the author's.
                    with nullcontext() if read.design is None else WATCHER.given(None):
                        findings, not_followed = check_operation(
                            operation, settings=self._settings, strict=self._settings.strict
                        )
                except Exception as raised:  # a defect of this package
                    findings = [internal_error(raised).diagnostic]
            if isinstance(wanted.function, TileProgram):
                recorder.designed(wanted, read.design)
        return OperationChecked(
            # The names of its files; their texts are read when the result is used.
            read=replace(
                read,
                operation=None,
                design=None,
                call=_without_tensors(read.call),
                files=dict.fromkeys(read.files, ""),
            ),
            findings=tuple(findings),
            not_followed=tuple(not_followed),
            facts=PlacedFacts(recorder.facts()),
        )

    def _name(self, name: str) -> str:
        """The name that the next specialisation of an operation gets in a module."""
        number, free = 1, name
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        return free

    def _key(self, wanted: ReadRequest, name: str) -> tuple[object, set[ChunkKey]]:
        """Return the key of all that the operation can see, and the chunks with its code.

        The key is None if a value cannot be compared between texts.
        """
        identity = SameText(self._results.names)
        try:
            seen = fingerprint((dict(wanted.arguments), wanted.function), wanted.unknown, identity)
        except Unavailable:
            return None, set()
        settings = self._settings
        key = (
            self._path, name, seen, wanted.grid, tuple(sorted(wanted.options.items())), wanted.place is None,
            settings.arch, settings.grid, settings.strict,
        )  # fmt: skip
        try:
            hash(key)
        except TypeError:  # a default that cannot be hashed, for example
            return None, set()
        return key, identity.chunks


def _without_tensors(call: Specialisation) -> Specialisation:
    """The call without its tensors, which belong to one text."""
    return replace(call, tensors=())


def _text(path: str) -> str:
    file: SourceFile | None = source_file(path)
    return "" if file is None else file.text
