"""The commands that a client may send: run the program of a text in some way, show the compiler's output for it.

The program runs in a process of its own, with the texts as they are in the editor, and only on request; the sanitizer also when a
file is saved, where that was switched on."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import tokenize
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from lsprotocol import types

from ttl.diag import Diagnostic
from ttl.diag import json as diag_json
from ttl.lsp.convert import path_of, range_of
from ttl.lsp.diagnostics import RUN_SOURCE, converted
from ttl.lsp.margins import Margins
from ttl.lsp.progress import TaskProgress
from ttl.lsp.publishing import Publisher
from ttl.lsp.texts import TextServer
from ttl.processes import isolated, why_not
from ttl.processes.tasks import Limits, Task, TaskResult
from ttl.service.analysis import Analysis
from ttl.service.lenses import Lens, lenses
from ttl.session import CHOSEN, SOURCES, FileText, Session, Sources
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.emitted import Emitted

LOG = logging.getLogger(__name__)
# The number of tasks at a time: more would slow each other, and the analyses of typed text, down.
_AT_A_TIME = 2

# The flags of ``ttl run`` for each command.
FLAGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ttl.run": (),
        "ttl.sanitize": ("--sanitize",),
        "ttl.compare": ("--target", "emu", "--compare"),
        "ttl.profile": ("--target", "emu", "--profile"),
        "ttl.openReport": ("--target", "emu"),
    }
)
_OF_LENSES = MappingProxyType(
    {
        "run": "ttl.run",
        "sanitize": "ttl.sanitize",
        "compare": "ttl.compare",
        "profile": "ttl.profile",
        "kernels": "ttl.showKernels",
        "design": "ttl.showDesign",
        "checked": "",
    }
)


@dataclass(slots=True)
class RunningTask:
    """A task of a file."""

    command: str
    task: Task


@dataclass(frozen=True, slots=True)
class ProgressArgument:
    """The token under which the client shows the progress of its request."""

    token: types.ProgressToken


class Commands:
    """The commands. ``server`` has the texts and the client; ``publisher`` shows findings."""

    def __init__(self, server: TextServer, publisher: Publisher) -> None:
        self._server = server
        self._publisher = publisher
        self._pool = ThreadPoolExecutor(_AT_A_TIME, "ttl task")
        self._lock = Lock()
        self._under_way: dict[str, RunningTask] = {}
        self.margins = Margins(server, publisher)
        self._pages: TemporaryDirectory[str] | None = None
        self._page_numbers: dict[str, int] = {}
        self._found: dict[str, FileText | None] = {}
        """For each file that was run, the text that the findings of the run are about."""

    # --- running --------------------------------------------------------------------------------------------------

    async def run(
        self, command: str, uri: str, operation: str | None = None, token: types.ProgressToken | None = None
    ) -> dict[str, Any]:
        """Run the program of a text, and show the result; for a profile, only launches of ``operation``, if it is set.

        A run of the same file that is in progress is cancelled. ``token`` is the client's token for progress, if any.
        """
        path = path_of(uri)
        options = self._server.options
        if not options.trusted:
            return _refused("the workspace is not trusted: its programs are checked, but not run")
        if why := why_not():
            return _refused(why)
        try:
            text = self._text(path)
        except FileNotFoundError:
            return _refused(f"there is no file {path}")
        except (OSError, ValueError, SyntaxError) as problem:
            return _refused(f"the file {path} cannot be read: {problem}")
        texts = self._server.ttl.texts()
        page = self._page_of(path) if command == "ttl.openReport" else None
        task = Task(
            [
                *isolated.command("ttl", flags=("-P",)),
                *("run", "--format", "json", "--stdin-texts"),
                *self._settings(path),
                *FLAGS[command],
                *(() if page is None else ("--report", page)),
                path,
            ],
            text=json.dumps({name: known.text for name, known in {**texts, path: text}.items()}),
            folder=os.path.dirname(path) if os.path.isabs(path) else self._server.root,
            limits=Limits(seconds=options.task_seconds, megabytes=options.task_megabytes),
        )
        with self._lock:
            before = self._under_way.get(path)
            self._under_way[path] = RunningTask(command, task)
        if before is not None:
            before.task.cancel()
        title = f"{command.replace('.', ' ')}: {os.path.basename(path)}"
        progress = await TaskProgress.begin(self._server, title, task.cancel, token)
        loop = asyncio.get_running_loop()

        def told(output: str) -> None:
            loop.call_soon_threadsafe(progress.report, output)

        future = loop.run_in_executor(self._pool, task.run, told)
        try:
            result = await asyncio.shield(future)
        except asyncio.CancelledError:  # the request itself was cancelled
            task.cancel()
            result = await future
        except OSError as problem:
            progress.end("failed")
            return _refused(f"no process can be started: {problem}")
        finally:
            with self._lock:
                if (last := self._under_way.get(path)) is not None and last.task is task:
                    del self._under_way[path]
        progress.end(result.status)
        shown = self._shown(command, uri, path, text, texts, result, operation)
        return shown if page is None else _with_page(shown, page)

    def leave(self) -> None:
        """Remove the pages when the server ends."""
        if self._pages is not None:
            self._pages.cleanup()

    def _page_of(self, path: str) -> str:
        """Return the path of a program's page: in a folder of this server, which is removed when it ends."""
        if self._pages is None:
            self._pages = TemporaryDirectory(prefix="ttl-reports-")
        stem, _ = os.path.splitext(os.path.basename(path))
        # Programs of one name in different folders have pages of their own.
        number = self._page_numbers.setdefault(path, len(self._page_numbers) + 1)
        page = os.path.join(self._pages.name, f"{stem}-{number}.html")
        with suppress(FileNotFoundError):
            os.unlink(page)
        return page

    def _text(self, path: str) -> FileText:
        document = self._server.documents.get(path)
        if document is not None:  # also one that is too long to be analysed
            return self._server.ttl.text(path) or FileText(document.text)
        with tokenize.open(path) as file:
            return FileText(file.read())

    def _settings(self, path: str) -> list[str]:
        """Return the settings with which the text is checked, as flags.

        There are no flags for a file that is not open, as the command line finds the settings itself.
        """
        known = self._server.ttl.known(path)
        if known is None:
            return []
        chosen = known.settings
        flags = ["--arch", chosen.arch, "--strict" if chosen.strict else "--no-strict"]
        if chosen.grid is not None:
            flags += ["--grid", "x".join(map(str, chosen.grid))]
        return flags

    def _shown(
        self,
        command: str,
        uri: str,
        path: str,
        text: FileText,
        texts: Mapping[str, FileText],
        result: TaskResult,
        operation: str | None,
    ) -> dict[str, Any]:
        """Publish the findings of a run, and show its profile; return the result of the command."""
        self._publish(path, text, result)
        profiles = result.of_kind("profile")
        if profiles or (command == "ttl.profile" and result.status == "ok"):
            self.margins.show(path, {**texts, path: text}, result, operation)
        output = result.output
        if result.cut:
            output += f"\n... {result.cut:,} more characters\n"
        return {
            "status": result.status,
            "exitCode": result.exit_code,
            "seconds": round(result.seconds, 3),
            "output": output,
            "diagnostics": result.of_kind("diagnostic", "exception"),
            "reason": result.reason,
            "profiles": profiles,
            "uri": uri,
        }

    # --- findings ---------------------------------------------------------------------------------------------------

    def _publish(self, path: str, text: FileText, result: TaskResult) -> None:
        """Show the findings of a run, unless the text has changed."""
        now = self._server.ttl.text(path)
        by_path: dict[str, list[types.Diagnostic]] = {path: []}
        if now is None or now.text == text.text:
            for where, item in self._diagnostics(path, result):
                by_path.setdefault(where, []).append(item)
        self._found[path] = text
        self._publisher.show_of_run(path, by_path)

    def _diagnostics(self, path: str, result: TaskResult) -> list[tuple[str, types.Diagnostic]]:
        items = []
        for told in result.of_kind("diagnostic"):
            try:
                finding: Diagnostic = diag_json.from_object(told)
            except (KeyError, TypeError, ValueError):
                LOG.warning("a diagnostic of a run cannot be read: %s", told)
                continue
            where = path if finding.primary is None else finding.primary.span.file
            items.append(
                (
                    where,
                    converted(
                        finding,
                        path,
                        self._server.lines,
                        self._server.encoding,
                        self._server.abilities,
                        source=RUN_SOURCE,
                    ),
                )
            )
        for told in result.of_kind("exception"):
            where, line = told.get("file") or path, told.get("line") or 1
            span = Span(file=where, line=line, column=1)
            frames = [frame for frame in told["frames"] if frame["file"] == where and frame["line"] == line]
            if frames and frames[-1]["column"] and frames[-1]["end_column"]:
                last = frames[-1]
                span = Span(
                    file=where,
                    line=line,
                    column=last["column"],
                    end_line=last["end_line"],
                    end_column=last["end_column"],
                )
            notes = "".join(f"\nnote: {note}" for note in told["notes"])
            items.append(
                (
                    where,
                    types.Diagnostic(
                        range=range_of(self._server.lines(where), span, self._server.encoding),
                        severity=types.DiagnosticSeverity.Error,
                        source=RUN_SOURCE,
                        message=f"{told['type']}: {told['message']}{notes}",
                    ),
                )
            )
        return items

    # --- events of the client ----------------------------------------------------------------------------------------

    def edited(self, path: str) -> None:
        """Handle an edit: the findings of a run go, its profile stays beside the lines and is stale."""
        text = self._server.ttl.text(path)
        if path in self._found and (text is None or text is not self._found[path]):
            del self._found[path]
            self._publisher.show_of_run(path, {})
        self.margins.edited(path)

    def closed(self, path: str) -> None:
        """Handle the closing of a file."""
        self.margins.closed(path)
        if self._found.pop(path, None) is not None:
            self._publisher.show_of_run(path, {})
        with self._lock:
            task = self._under_way.get(path)
        if task is not None:
            task.task.cancel()

    def saved(self, uri: str) -> None:
        """Run the sanitizer after a file was saved, if the user has switched that on and it is a TT-Lang program."""
        path = path_of(uri)
        text = self._server.ttl.text(path)
        known = self._server.ttl.latest(path)
        if (
            self._server.options.sanitize_on_save
            and self._server.options.trusted
            and text is not None
            and known is not None
            and known.operations
        ):
            asyncio.get_running_loop().create_task(self.run("ttl.sanitize", uri))

    # --- output of the compiler --------------------------------------------------------------------------------------

    async def kernels(self, uri: str, operation: str | None, *, explicit: bool = False) -> dict[str, Any]:
        """The C++ of the operations of a text; the explicit operations of its tile programs."""
        emitted = await self._emitted(uri, operation, "explicit" if explicit else "kernels")
        kernels = [
            {
                "operation": kernel.operation,
                "name": kernel.name,
                "file": kernel.file,
                "language": "py" if explicit else "cpp",
                "text": kernel.text,
                "lines": [list(link) for link in kernel.lines],
            }
            for kernel in emitted.kernels
        ]
        nothing = "no tile program of this text is called" if explicit else _NOTHING
        return {**_compiled(emitted, bool(kernels), nothing), "kernels": kernels}

    async def ir(self, uri: str, operation: str | None) -> dict[str, Any]:
        """The IR of the operations of a text."""
        emitted = await self._emitted(uri, operation, "ir")
        return {
            **_compiled(emitted, bool(emitted.ir)),
            "text": emitted.ir,
            "lines": [list(link) for link in emitted.lines],
        }

    async def _emitted(
        self, uri: str, operation: str | None, what: Literal["kernels", "ir", "explicit"]
    ) -> Emitted:
        path = path_of(uri)
        workspace = self._server.ttl
        files = workspace.texts()

        def work() -> Emitted:
            from ttl.service import emitted

            emit = {"kernels": emitted.kernels_of, "ir": emitted.ir_of, "explicit": emitted.explicit_of}[what]
            # A session of its own: the compiler's cached results are of no use to the analysis on the other thread.
            with (
                Session().entered(),
                SOURCES.given(Sources(files)),
                CHOSEN.given(workspace.settings_for(path)),
            ):
                return emit(path, operation)

        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    # --- lenses -----------------------------------------------------------------------------------------------------------

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return the lenses above operations."""
        uri = params.text_document.uri
        analysis = await self._server.settled(uri)
        if analysis is None:
            return []
        verdicts = self.margins.lenses(uri, analysis)
        return [*verdicts, *(self._lens(uri, analysis, lens) for lens in lenses(analysis))]

    def _lens(self, uri: str, analysis: Analysis, lens: Lens) -> types.CodeLens:
        command = types.Command(
            title=lens.title,
            command=_OF_LENSES[lens.kind],
            arguments=[{"uri": uri, "operation": lens.operation}],
        )
        return types.CodeLens(
            range=range_of(analysis.text.lines, lens.span, self._server.encoding), command=command
        )


def _with_page(result: dict[str, Any], page: str) -> dict[str, Any]:
    """Return the result of a run that writes a page; if there is no page, the run's findings are the reason."""
    if os.path.isfile(page):
        return result | {"path": page}
    messages = [item["message"] for item in result["diagnostics"] if item.get("message")]
    return result | {
        "status": "failed" if result["status"] == "ok" else result["status"],
        "reason": result["reason"] or "; ".join(messages) or "the program launched no operation",
    }


def _refused(why: str) -> dict[str, Any]:
    return {
        "status": "failed",
        "exitCode": None,
        "seconds": 0.0,
        "output": "",
        "diagnostics": [],
        "reason": why,
    }


_NOTHING = "no operation of this text could be compiled"


def _compiled(emitted: Emitted, something: bool, nothing: str = _NOTHING) -> dict[str, Any]:
    return {
        **_refused("" if something else "; ".join(emitted.notes) or nothing),
        "status": "ok" if something else "failed",
        "diagnostics": [diag_json.to_object(finding) for finding in emitted.findings],
        "notes": list(emitted.notes),
    }


def _member(given: object, name: str) -> object:
    """A member of an argument, which is a mapping or an object that the library created from one."""
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def register(server: TextServer, commands: Commands) -> None:
    """Register these commands with a server."""

    def target(arguments: tuple[Any, ...]) -> tuple[str, str | None]:
        given = arguments[0] if arguments else None
        uri, operation = (_member(given, name) for name in ("uri", "operation"))
        if not isinstance(uri, str):
            raise ValueError("the argument of a command is an object with a uri")
        return uri, operation if isinstance(operation, str) else None

    def token_of(arguments: tuple[Any, ...]) -> types.ProgressToken | None:
        return next((item.token for item in arguments if isinstance(item, ProgressArgument)), None)

    def running(command: str) -> Callable[..., Any]:
        async def run(*arguments: Any) -> dict[str, Any]:
            return await commands.run(command, *target(arguments), token_of(arguments))

        return run

    for name in FLAGS:
        server.command(name)(running(name))

    @server.command("ttl.showKernels")
    async def show_kernels(*arguments: Any) -> dict[str, Any]:
        return await commands.kernels(*target(arguments))

    @server.command("ttl.showDesign")
    async def show_design(*arguments: Any) -> dict[str, Any]:
        return await commands.kernels(*target(arguments), explicit=True)

    @server.command("ttl.showIR")
    async def show_ir(*arguments: Any) -> dict[str, Any]:
        return await commands.ir(*target(arguments))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        return await commands.lenses(params)
