"""A program that is only read: its module level, the functions that are called there, and the calls of operations.

No code of the program runs. Values are Python's if the source determines them, tensors have shapes and no data, and
everything else is ``Unknown``, silently.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ttl.frontend.classes import Instance, UserClass
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import block
from ttl.frontend.function_calls import apply
from ttl.frontend.host.courses import ProgramEnded
from ttl.frontend.host.domain import HostDomain
from ttl.frontend.host.modules import Modules, ReadModule, roots_of, unknown_module
from ttl.frontend.host.operations import ReadLaunch
from ttl.frontend.host.statements import FAR, HostStatements
from ttl.frontend.python import HANDLERS
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import Globals, TopScope, UserFunction
from ttl.session.patience import LimitReached
from ttl.settings import current
from ttl.source.trees import SourceFile

# The most combinations of parameters that are read for one test.
_MOST_PARAMETERS = 16


class HostProgram:
    """Reads a program. ``launched`` is called for every call of an operation."""

    def __init__(
        self,
        path: str,
        launched: Callable[[ReadLaunch], None],
        budget: int,
        arguments: tuple[str, ...] = (),
        statements: HostStatements | None = None,
    ) -> None:
        self.path = path
        self.modules = Modules(roots_of(path), [path, *arguments])
        if statements is not None:
            self.modules.known.update(statements.libraries)
        self._statements = statements
        self.evaluator = reader = Evaluator(
            HANDLERS, lambda reader: HostDomain(reader, budget, self._module_of, launched)
        )
        assert isinstance(reader.domain, HostDomain)
        self.domain = reader.domain
        self.courses = self.domain.courses

    # --- modules --------------------------------------------------------------------------------------------------

    def read_program(self, file: SourceFile) -> None:
        """Read a program as the main module."""
        folder = os.path.dirname(file.path)
        package = os.path.basename(folder) if os.path.isfile(os.path.join(folder, "__init__.py")) else ""
        module = ReadModule("__main__", file.path, package)
        if self._statements is not None:
            module = self._statements.module_again(module)
        self.modules.read[file.path] = module
        reader = self.evaluator
        reader.place, reader.file = file.tree, file
        reader.scope = TopScope(None)
        reader.globals = Globals(module.__dict__, "__main__")
        reader.function = file.tree
        if self._statements is not None:
            self.domain.statements = self._statements
            self._statements.begin(self, file, module.__dict__, current())
        try:
            self._read(module, file)
        except ProgramEnded:
            return

    def end(self) -> None:
        """Finish, after the whole program was read."""
        if self._statements is not None:
            self._statements.end()

    def _read(self, module: ReadModule, file: SourceFile) -> None:
        top = TopScope(None)
        top.names = module.__dict__
        self.courses.namespaces.append(top.names)
        with self.evaluator.within(top, file, Globals(module.__dict__, module.__name__), (), file.tree):
            self.evaluator.place = file.tree
            block(self.evaluator, file.tree.body, after=None)
        if file.path != self.path and any(word in file.text for word in FAR):
            self.courses.watcher.lost()
        if len(self.courses.namespaces) > 1 and "global " not in file.text:
            # Code that is read after this cannot change its names.
            self.courses.namespaces = [names for names in self.courses.namespaces if names is not top.names]

    def _module_of(self, name: str, level: int) -> Any:
        """Return an imported module, after reading it if it is the program's; an unknown value if it is not found."""
        if level == 0:
            known = self.modules.ours(name)
            if known is not None:
                return known
        importer = self.modules.read.get(self.evaluator.file.path)
        result = None if importer is None else self.modules.file_of(name, level, importer)
        if result is None:
            if importer is not None:
                self.courses.watcher.absent(name, level, importer)
            return unknown_module(name)
        self.courses.watcher.unrepeatable()  # the objects of the module differ in another text of it
        path, full = result
        parent, _, last = name.rpartition(".")
        above = self._module_of(parent, level) if parent else None
        module = self.modules.read.get(path)
        if module is None:
            started = self.modules.start(path, full)
            if started is None:
                return unknown_module(name)
            module, file = started
            self._read(module, file)
        if isinstance(above, ReadModule):
            above.__dict__[last] = module
        return module

    def read_the_rest(self) -> None:
        """Read functions of the program that it never calls, as if they were called. Tests get their parameters."""
        uncalled: list[tuple[UserFunction, list[Any]]] = [
            (orphan, []) for orphan in self.domain.operations.orphans
        ]
        for names in self.courses.namespaces[:1]:
            for value in list(names.values()):
                if isinstance(value, UserFunction):
                    uncalled.append((value, []))
                elif isinstance(value, UserClass) and value.ttl_name.startswith("Test"):
                    methods = [
                        member for member in value.ttl_names.values() if isinstance(member, UserFunction)
                    ]
                    uncalled += [
                        (method, [Instance(value)]) for method in methods if method.name.startswith("test")
                    ]
        for function, first in uncalled:
            if id(function.node) in self.domain.calling.read_functions:
                continue
            for known in self._parametrised(function):
                self._as_if_called(function, first, known)

    def _as_if_called(self, function: UserFunction, first: list[Any], known: dict[str, Any]) -> None:
        """Read a function with some arguments; a missing argument has its default, or is unknown."""
        given = function.node.args
        positional = [parameter.arg for parameter in (*given.posonlyargs, *given.args)]
        needed = positional[len(first) : len(positional) - len(function.defaults)]
        needed += [
            parameter.arg for parameter in given.kwonlyargs if parameter.arg not in function.keyword_defaults
        ]
        keywords = {name: Unknown(why=f"parameter {name} of {function.name}") for name in needed}
        keywords.update((name, value) for name, value in known.items() if name in (*positional, *keywords))
        for name in [parameter.arg for parameter in given.posonlyargs[len(first) :]]:
            first = [*first, keywords.pop(name, None)]
        with self.courses.maybe():
            try:
                self.evaluator.place = function.node
                apply(self.evaluator, function, list(first), dict(keywords))
            except LimitReached:
                raise
            except Exception:  # as in any expression, the call has no value
                return

    def _parametrised(self, function: UserFunction) -> list[dict[str, Any]]:
        """Return the arguments with which a test is called, as ``pytest.mark.parametrize`` combines them.

        Without that mark, there is one call without arguments.
        """
        parametrised: list[dict[str, Any]] = [{}]
        for names, values in self.domain.operations.parameters.get(id(function.node), ()):
            if type(names) is Unknown or type(values) is Unknown or not isinstance(values, list | tuple):
                continue
            split = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            sets = [value if len(split) > 1 else (value,) for value in values]
            usable = [set_ for set_ in sets if isinstance(set_, list | tuple) and len(set_) == len(split)]
            one = [dict(zip(split, item, strict=True)) for item in usable]
            parametrised = [{**earlier, **item} for earlier in parametrised for item in one][
                :_MOST_PARAMETERS
            ] or parametrised
        return parametrised
