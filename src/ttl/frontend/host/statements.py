"""The effects of the statements at a program's top level, kept for the next text of the program.

A statement that is the same object in the next text (``service/parsing.py`` keeps unchanged statements) and reads the
same values has the same effects: it is not evaluated again. The values that it reads are compared by identity, scalars
and tuples by value. A value that another statement changes later, in place, is not kept: the statement that made it is
evaluated again and makes a new value, and so is every statement that reads it, in this text from the change on.
Statements whose effects cannot be followed are evaluated again: effects on the host library, findings, objects of kinds
that are not listed in ``reach.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import MOST_STATEMENTS
from ttl.frontend.host.courses import PathStates, StatementWatcher
from ttl.frontend.host.modules import ReadModule
from ttl.frontend.host.operations import ReadLaunch
from ttl.frontend.host.reach import ReachableValues
from ttl.frontend.host.specialise import fingerprint
from ttl.frontend.host.torch_modules import Library
from ttl.frontend.values import UNBOUND
from ttl.session import go_on
from ttl.source.trees import SourceFile, source_file

if TYPE_CHECKING:
    from ttl.frontend.classes import UserClass
    from ttl.frontend.evaluator import Evaluator
    from ttl.frontend.host.modules import Modules

# Words of code that changes names of a module or of an enclosing function; these changes are not tracked.
FAR = ("global ", "nonlocal ")


@dataclass(slots=True)
class _LaunchCall:
    """A call of an operation, and the node and file of the call."""

    launch: ReadLaunch
    place: ast.AST
    file: SourceFile
    seen: Any
    """The fingerprint of the values that the operation saw."""


@dataclass(slots=True)
class StatementEffects:
    """The effects of one statement, and the names that it read."""

    reads: dict[str, Any] = field(default_factory=dict)
    """The global names that the statement read, with their values before it."""
    binds: list[tuple[str, Any]] = field(default_factory=list)
    launches: list[_LaunchCall] = field(default_factory=list)
    births: list[tuple[Any, int]] = field(default_factory=list)
    blurred: list[Any] = field(default_factory=list)
    operations: list[Any] = field(default_factory=list)
    orphans: list[Any] = field(default_factory=list)
    parameters: dict[int, list[tuple[Any, Any]]] = field(default_factory=dict)
    functions: set[int] = field(default_factory=set)
    """The definitions of the functions that the statement called."""
    kinds: list[tuple[int, UserClass]] = field(default_factory=list)
    files: tuple[str, ...] = ()
    absent: list[tuple[str, int, ReadModule]] = field(default_factory=list)
    """Modules that were looked up and not found: name, level, importing module."""
    expressions: int = 0
    steps: int = 0
    places: list[tuple[ast.stmt, int]] = field(default_factory=list)
    """The statements that contain locations kept by its objects, and the line on which each began."""
    repeatable: bool = True
    """Whether the effects may be repeated without evaluating the statement."""


class ProgramBeingRead(Protocol):
    """The program to which the statements belong, as far as this module uses it."""

    evaluator: Evaluator
    courses: PathStates
    modules: Modules
    domain: Any


class HostStatements(StatementWatcher):
    """The effects of the statements of one program, from text to text. Not for several threads at once.

    ``observed`` is called after each evaluated statement and returns an observation; ``observations`` are those of the
    current text.
    """

    def __init__(self, observed: Callable[[], Any] = lambda: None) -> None:
        self.observed = observed
        self.observations: list[Any] = []
        self.evaluated = 0
        """The number of statements of the current text that were evaluated."""
        self.body: list[ast.stmt] | None = None
        """The statements of the current text."""
        self.names: dict[str, Any] = {}
        """The names of the text's module."""
        self.libraries: dict[str, Any] = {}
        """Stand-ins for modules, by name."""
        self._effects: dict[ast.stmt, StatementEffects] = {}
        self._observed: dict[ast.stmt, Any] = {}
        self._settings: Any = None
        self._module: ReadModule | None = None
        self._used: set[ast.stmt] = set()
        # For each object that may change, the statements that pass it on.
        self._holders: dict[int, tuple[Any, list[StatementEffects]]] = {}
        # Names whose values were, or may have been, changed in place since.
        self._changed: set[str] = set()
        self._current: StatementEffects | None = None
        # Whether other values that statements can see may have changed.
        self._lost = False

    # --- a text -----------------------------------------------------------------------------------------------------

    def module_again(self, module: ReadModule) -> ReadModule:
        """The main module of the text.

        It is the module object of the earlier text, because kept functions see its names.
        """
        if self._module is None:
            self._module = module
        else:
            names = self._module.__dict__
            names.clear()
            names.update(module.__dict__)
        return self._module

    def begin(
        self, program: ProgramBeingRead, file: SourceFile, names: dict[str, Any], settings: Any
    ) -> None:
        """Prepare for the statements of a text; ``names`` are those of its module."""
        if settings != self._settings:
            self._effects, self._settings = {}, settings
        self._program, self.names = program, names
        self.body = file.tree.body
        self._lost = any(word in file.text for word in FAR)
        self._holders, self._changed, self._used, self.observations, self.evaluated = {}, set(), set(), [], 0
        self._current = None
        program.courses.watcher = self

    def end(self) -> None:
        """Finish a text: forget the statements that it no longer has."""
        self.observations.append(self.observed())
        self.libraries = {
            name: module
            for name, module in self._program.modules.known.items()
            if isinstance(module, Library)
        }
        self._effects = {
            statement: effects
            for statement, effects in self._effects.items()
            if statement in self._used and effects.repeatable
        }
        self._observed = {statement: self._observed[statement] for statement in self._effects}
        self._holders, self._used, self.body = {}, set(), None
        del self._program

    # --- effects while a statement is evaluated (``StatementWatcher``) ----------------------------------------------

    def touched(self, value: Any) -> None:
        known = self._holders.get(id(value))
        if known is not None:
            for effects in known[1]:
                effects.repeatable = False
                self._changed.update(name for name, _ in effects.binds)

    def born(self, container: Any, depth: int) -> None:
        if self._current is not None:
            self._current.births.append((container, depth))

    def instance(self, node: int, kind: UserClass) -> None:
        if self._current is not None:
            self._current.kinds.append((node, kind))

    def launch(self, launch: ReadLaunch, place: ast.AST, file: SourceFile) -> None:
        if self._current is not None:
            self._current.launches.append(_LaunchCall(launch, place, file, self._seen(launch)))

    def unrepeatable(self) -> None:
        if self._current is not None:
            self._current.repeatable = False

    def absent(self, name: str, level: int, importer: ReadModule) -> None:
        if self._current is not None:
            self._current.absent.append((name, level, importer))

    def lost(self) -> None:
        self._lost = True
        self.unrepeatable()

    # --- a statement ------------------------------------------------------------------------------------------------

    def one(self, statement: ast.stmt, evaluate: Callable[[], Signals]) -> Signals:
        """Evaluate a statement, or repeat its effects."""
        if self._current is not None:
            return evaluate()  # the program is read again, as a module that one of its modules imports
        known = None if self._lost else self._effects.get(statement)
        if known is not None and self._holds(known):
            go_on()
            self._again(known)
            self._hold(known, self._reach(known))
            self._used.add(statement)
            self.observations.append(self._observed[statement])
            return {}
        self._effects.pop(statement, None)
        return self._noted(statement, evaluate)

    def _holds(self, known: StatementEffects) -> bool:
        program, names = self._program, self.names
        return (
            known.repeatable
            and self._changed.isdisjoint(known.reads)
            and all(same_value(names.get(name, UNBOUND), value) for name, value in known.reads.items())
            and program.domain.budget >= known.expressions
            and program.evaluator.steps + known.steps <= MOST_STATEMENTS
            and all(place.lineno == line for place, line in known.places)
            and all(program.modules.file_of(*module) is None for module in known.absent)
        )

    def _again(self, known: StatementEffects) -> None:
        """Repeat the effects of a statement without evaluating it."""
        program = self._program
        courses, calling, operations = program.courses, program.domain.calling, program.domain.operations
        for container, depth in known.births:
            courses.births[id(container)] = container, depth
        for value in known.blurred:
            courses.blurred[id(value)] = value
        operations.made += known.operations
        operations.orphans += known.orphans
        operations.parameters.update(known.parameters)
        calling.read_functions |= known.functions
        calling.kinds.update(known.kinds)
        for path in known.files:
            file = source_file(path)
            if file is not None:
                program.evaluator.files.setdefault(path, file.text)
        program.domain.budget -= known.expressions
        program.evaluator.steps += known.steps
        for met in known.launches:  # none of which sees the names that the statement binds
            operations.launch_again(met.launch, met.place, met.file)
        self.names.update(known.binds)

    def _noted(self, statement: ast.stmt, evaluate: Callable[[], Signals]) -> Signals:
        """Evaluate a statement, and note its effects."""
        self.evaluated += 1
        program, names = self._program, self.names
        reader, courses, calling = program.evaluator, program.courses, program.domain.calling
        operations = program.domain.operations
        effects = self._current = StatementEffects()
        before = dict(names)
        blurred = set(courses.blurred)
        counts = len(operations.made), len(operations.orphans), len(reader.diagnostics)
        parameters = {node: len(values) for node, values in operations.parameters.items()}
        functions, files, budget, steps = (
            calling.read_functions,
            reader.files,
            program.domain.budget,
            reader.steps,
        )
        calling.read_functions, reader.files = set(), {}
        program.domain.names_read, program.domain.names_bound, reader.missed = set(), set(), set()
        try:
            signals = evaluate()
        finally:
            self._current = None
            effects.functions, calling.read_functions = calling.read_functions, functions
            functions |= effects.functions
            effects.files = tuple(reader.files)
            for path, text in reader.files.items():
                files.setdefault(path, text)
            reader.files = files
        observed = self.observed()
        self.observations.append(observed)
        effects.expressions, effects.steps = budget - program.domain.budget, reader.steps - steps
        effects.binds = [
            (name, value)
            for name, value in names.items()
            if name in program.domain.names_bound or before.get(name, UNBOUND) is not value
        ]
        wanted = {*program.domain.names_read, *reader.missed, *(name for name, _ in effects.binds)}
        effects.reads = {name: before.get(name, UNBOUND) for name in wanted}
        effects.blurred = [value for number, value in courses.blurred.items() if number not in blurred]
        effects.operations = operations.made[counts[0] :]
        effects.orphans = operations.orphans[counts[1] :]
        effects.parameters = {
            node: values for node, values in operations.parameters.items() if node not in parameters
        }
        reach = self._reach(effects)
        is_late = not self._changed.isdisjoint(effects.reads)
        effects.repeatable = (
            effects.repeatable
            and not is_late
            and not signals
            and not self._lost
            and reach.is_known
            and names.keys() >= before.keys()
            and len(reader.diagnostics) == counts[2]
            and all(len(operations.parameters[node]) == count for node, count in parameters.items())
            and self._sees_nothing_of_it(effects, before)
            and all(met.launch.operation.tunable is None for met in effects.launches)
        )
        for met in effects.launches:
            met.seen = None
        if effects.repeatable:
            effects.places = [
                (chunk.statements[0], chunk.statements[0].lineno)
                for span in reach.places
                if (file := source_file(span.file)) is not None
                and (chunk := file.chunk_at(span.line)) is not None
            ]
            self._effects[statement] = effects
            self._observed[statement] = observed
            self._used.add(statement)
        self._hold(effects, reach, is_late=is_late)
        return signals

    def _sees_nothing_of_it(self, effects: StatementEffects, before: dict[str, Any]) -> bool:
        """Return whether the operations that a statement called would see the same values without its assignments."""
        if not effects.launches:
            return True
        names = self.names
        for name, _ in effects.binds:
            if name in before:
                names[name] = before[name]
            else:
                del names[name]
        result = all(met.seen == self._seen(met.launch) for met in effects.launches)
        names.update(effects.binds)
        return result

    def _reach(self, effects: StatementEffects) -> ReachableValues:
        handed_on: list[Any] = [value for _, value in effects.binds]
        handed_on += effects.operations
        handed_on += effects.orphans
        for met in effects.launches:
            handed_on += (met.launch.operation, *met.launch.arguments.values())
        return ReachableValues(handed_on)

    def _hold(self, effects: StatementEffects, reach: ReachableValues, *, is_late: bool = False) -> None:
        """Note the values that a statement passes on. ``is_late``: it has read a value that was changed in place."""
        self._changed.difference_update(name for name, _ in effects.binds)
        if is_late or not reach.is_known:
            self._changed.update(name for name, value in effects.binds if type(value) not in _SCALARS)
        for value in reach.changing:
            self._holders.setdefault(id(value), (value, []))[1].append(effects)

    def _seen(self, launch: ReadLaunch) -> Any:
        function = launch.operation.function
        return fingerprint((launch.arguments, function), self._program.courses.blurred)


_SCALARS = (int, float, complex, str, bytes, bool, type(None))


def same_value(first: Any, second: Any) -> bool:
    """Return whether two values cannot be distinguished."""
    if first is second:
        return True
    kind = type(first)
    if kind is not type(second):
        return False
    if kind is tuple:
        return len(first) == len(second) and all(map(same_value, first, second))
    return kind in _SCALARS and repr(first) == repr(second)
