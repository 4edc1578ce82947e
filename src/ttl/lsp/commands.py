"""What a client may ask to be done: run the program of a text in some way, show what the compiler makes of it.

The program runs in a process of its own, with the texts as they are in the editor, and only when somebody asks; the sanitizer also when
a file is saved, where that was switched on.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ttl.diag import Diagnostic
from ttl.diag import json as diag_json
from ttl.lsp.convert import path_of, position, range_of, uri_of
from ttl.lsp.diagnostics import converted
from ttl.processes.tasks import Limits, Task, TaskResult
from ttl.service.analysis import Analysis
from ttl.service.emitted import Emitted, ir_of, kernels_of
from ttl.service.lenses import Lens, lenses
from ttl.service.profiles import Margin, margin_of
from ttl.session import FileText
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.lsp.server import Server

LOG = logging.getLogger(__name__)
RUN_SOURCE = "ttl run"
PROFILE = "ttl/profile"
# Tasks at a time: more would slow each other down, and what is typed is checked beside them.
_AT_A_TIME = 2
# Between two reports of progress, in characters of output.
_REPORTED = 80

# The flags of ``ttl run`` that a command stands for.
FLAGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ttl.run": (),
        "ttl.sanitize": ("--sanitize",),
        "ttl.compare": ("--target", "emu", "--compare"),
        "ttl.profile": ("--target", "emu", "--profile"),
    }
)
_OF_LENSES = MappingProxyType(
    {
        "run": "ttl.run",
        "sanitize": "ttl.sanitize",
        "compare": "ttl.compare",
        "profile": "ttl.profile",
        "kernels": "ttl.showKernels",
        "checked": "",
    }
)


@dataclass(slots=True)
class RunningTask:
    """A task of a file."""

    command: str
    task: Task


class Commands:
    """The commands. ``server`` knows the texts and the client."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._pool = ThreadPoolExecutor(_AT_A_TIME, "ttl task")
        self._lock = Lock()
        self._under_way: dict[str, RunningTask] = {}
        self._margins: dict[str, Margin] = {}
        self._found: dict[str, FileText | None] = {}
        """Files that were run, and the text that what was found is about."""

    # --- running --------------------------------------------------------------------------------------------------

    async def run(self, command: str, uri: str, operation: str | None = None) -> dict[str, Any]:
        """Run the program of a text, and show what came of it: of a profile, the launches of one operation where one is named.

        A run of the same file that is under way is cancelled.
        """
        path = path_of(uri)
        text = self._text(path)
        if text is None:
            return _refused(f"there is no file {path}")
        options = self._server.options
        task = Task(
            [
                *(sys.executable, "-m", "ttl", "run", "--format", "json"),
                *self._settings(),
                *FLAGS[command],
                *_input(path),
            ],
            text=text.text,
            folder=os.path.dirname(path) if os.path.isabs(path) else self._server.ttl.root,
            limits=Limits(seconds=options.task_seconds, megabytes=options.task_megabytes),
        )
        with self._lock:
            before = self._under_way.get(path)
            self._under_way[path] = RunningTask(command, task)
        if before is not None:
            before.task.cancel()
        title = f"{command.replace('.', ' ')}: {os.path.basename(path)}"
        progress = await _Progress.begin(self._server, title, task.cancel)
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
        return self._shown(command, uri, path, text, result, operation)

    def _text(self, path: str) -> FileText | None:
        unsaved = self._server.ttl.text(path)
        if unsaved is not None:
            return unsaved
        try:
            with open(path, encoding="utf-8") as file:
                return FileText(file.read())
        except (OSError, ValueError):
            return None

    def _settings(self) -> list[str]:
        """Those of the workspace that a run has, too."""
        chosen = self._server.ttl.settings
        flags = ["--arch", chosen.arch]
        if chosen.grid is not None:
            flags += ["--grid", "x".join(map(str, chosen.grid))]
        return flags

    def _shown(
        self,
        command: str,
        uri: str,
        path: str,
        text: FileText,
        result: TaskResult,
        operation: str | None,
    ) -> dict[str, Any]:
        """Publish what a run has found, and show its profile; the result of the command."""
        self._publish(path, text, result)
        profiles = result.of_kind("profile")
        if profiles or (command == "ttl.profile" and result.status == "ok"):
            margin = margin_of(path, text, profiles, operation)
            if result.status != "ok":
                why = result.reason or "the program failed"
                margin = replace(margin, verdict=f"{margin.verdict} (not all of it: {why})")
            self._margins[path] = margin.moved_to(self._server.ttl.text(path) or text)
            self._tell(path)
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

    # --- what was found ---------------------------------------------------------------------------------------------

    def _publish(self, path: str, text: FileText, result: TaskResult) -> None:
        """Show what a run has found, unless the text is another one by now."""
        now = self._server.ttl.text(path)
        by_path: dict[str, list[types.Diagnostic]] = {path: []}
        if now is None or now.text == text.text:
            for where, item in self._diagnostics(path, result):
                by_path.setdefault(where, []).append(item)
        self._found[path] = text
        self._server.show_of_run(path, by_path)

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
                    converted(finding, path, self._server.lines, self._server.encoding, source=RUN_SOURCE),
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

    # --- the margin ---------------------------------------------------------------------------------------------------

    def edited(self, path: str) -> None:
        """The text of a file is another one: what a run has found is gone, its profile stays beside the lines and is stale."""
        text = self._server.ttl.text(path)
        if path in self._found and (text is None or text is not self._found[path]):
            del self._found[path]
            self._server.show_of_run(path, {})
        margin = self._margins.get(path)
        if margin is not None and text is not None and text is not margin.text:
            self._margins[path] = margin.moved_to(text)
            self._tell(path)

    def closed(self, path: str) -> None:
        """The file is shown no more."""
        self._margins.pop(path, None)
        if self._found.pop(path, None) is not None:
            self._server.show_of_run(path, {})
        with self._lock:
            task = self._under_way.get(path)
        if task is not None:
            task.task.cancel()

    def saved(self, uri: str) -> None:
        """A file was saved: the sanitizer runs where the user has switched that on, and the file is a program of ours."""
        path = path_of(uri)
        text = self._server.ttl.text(path)
        known = self._server.ttl.latest(path)
        if (
            self._server.options.sanitize_on_save
            and text is not None
            and known is not None
            and known.operations
        ):
            asyncio.get_running_loop().create_task(self.run("ttl.sanitize", uri))

    def _tell(self, path: str) -> None:
        """Show the profile: to who asked for the notification by it, to others as hints at the ends of lines."""
        margin = self._margins[path]
        if not self._wants_profile():
            capabilities = self._server.client_capabilities.workspace
            hints = capabilities and capabilities.inlay_hint
            if hints and hints.refresh_support:
                self._server.workspace_inlay_hint_refresh(None)
            return
        document = self._server.documents.get(path)
        self._server.protocol.notify(
            PROFILE,
            {
                "uri": uri_of(path) if document is None else document.uri,
                "version": None if document is None else document.version,
                "stale": margin.stale,
                "verdict": margin.verdict,
                "launches": list(margin.launches),
                "lines": [
                    {
                        "line": item.line - 1,
                        "text": item.text,
                        "cycles": item.cycles,
                        "share": item.share,
                        "busy": item.busy,
                        "waits": item.waits,
                        "heat": item.heat,
                    }
                    for item in margin.lines
                ],
            },
        )

    def _wants_profile(self) -> bool:
        experimental: Any = self._server.client_capabilities.experimental
        if isinstance(experimental, dict):
            return bool((experimental.get("ttl") or {}).get("profile"))
        return bool(getattr(getattr(experimental, "ttl", None), "profile", None))

    def hints(self, path: str, first: int, last: int) -> list[types.InlayHint]:
        """The profile at the ends of some lines (from 1), for a client that has no other place for it."""
        margin = self._margins.get(path)
        if margin is None or self._wants_profile():
            return []
        mark = " (stale)" if margin.stale else ""
        items = [
            (item.line, f"{item.text}{mark}", margin.verdict)
            for item in margin.lines
            if first <= item.line <= last
        ]
        if first <= 1:
            items.insert(0, (1, f"{margin.verdict}{mark}", "the verdict of the profile"))
        lines = margin.text.lines
        return [
            types.InlayHint(
                position=position(lines, line, len(lines[line - 1]) + 1, self._server.encoding),
                label=label,
                tooltip=tooltip,
                padding_left=True,
            )
            for line, label, tooltip in items
            if line <= len(lines)
        ]

    # --- what the compiler makes ----------------------------------------------------------------------------------------

    async def kernels(self, uri: str, operation: str | None) -> dict[str, Any]:
        """The C++ of the operations of a text."""
        emitted = await self._emitted(uri, operation, kernels_of)
        kernels = [
            {
                "operation": kernel.operation,
                "name": kernel.name,
                "file": kernel.file,
                "language": "cpp",
                "text": kernel.text,
                "lines": [list(link) for link in kernel.lines],
            }
            for kernel in emitted.kernels
        ]
        return {**_compiled(emitted, bool(kernels)), "kernels": kernels}

    async def ir(self, uri: str, operation: str | None) -> dict[str, Any]:
        """The IR of the operations of a text."""
        emitted = await self._emitted(uri, operation, ir_of)
        return {
            **_compiled(emitted, bool(emitted.ir)),
            "text": emitted.ir,
            "lines": [list(link) for link in emitted.lines],
        }

    async def _emitted(
        self, uri: str, operation: str | None, emit: Callable[[str, str | None], Emitted]
    ) -> Emitted:
        path = path_of(uri)
        files, chosen = self._server.ttl.texts(), self._server.ttl.settings

        def work() -> Emitted:
            from ttl.session import CHOSEN, SOURCES, Session, Sources

            # A session of its own: what the compiler keeps is of no use to who analyses at the same time.
            with Session().entered(), SOURCES.given(Sources(files)), CHOSEN.given(chosen):
                return emit(path, operation)

        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    # --- lenses -----------------------------------------------------------------------------------------------------------

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Above operations."""
        uri = params.text_document.uri
        analysis = await self._server.analysis(uri)
        return [] if analysis is None else [self._lens(uri, analysis, lens) for lens in lenses(analysis)]

    def _lens(self, uri: str, analysis: Analysis, lens: Lens) -> types.CodeLens:
        command = types.Command(
            title=lens.title,
            command=_OF_LENSES[lens.kind],
            arguments=[{"uri": uri, "operation": lens.operation}],
        )
        return types.CodeLens(
            range=range_of(analysis.text.lines, lens.span, self._server.encoding), command=command
        )


class _Progress:
    """What the client shows while a task runs, where it can."""

    def __init__(self, server: Server, token: str | None) -> None:
        self._server = server
        self._token = token
        self._unreported = ""

    @classmethod
    async def begin(cls, server: Server, title: str, cancel: Callable[[], None]) -> _Progress:
        """Show it; ``cancel`` is called when the user has seen enough."""
        window = server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return cls(server, None)
        token = f"ttl-{uuid.uuid4()}"
        progress = server.protocol.progress
        try:
            await progress.create_async(token)
        except Exception:  # the client does not want to, for once
            LOG.warning("the client shows no progress", exc_info=True)
            return cls(server, None)
        progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
        progress.tokens[token].add_done_callback(lambda future: cancel() if future.cancelled() else None)
        return cls(server, token)

    def report(self, output: str) -> None:
        """The program has printed something: its last whole line is shown."""
        self._unreported += output
        *lines, self._unreported = self._unreported.rsplit("\n", 1)
        if self._token is not None and lines:
            message = lines[0].rsplit("\n", 1)[-1][:_REPORTED]
            self._server.protocol.progress.report(
                self._token, types.WorkDoneProgressReport(message=message, cancellable=True)
            )

    def end(self, status: str) -> None:
        """It is over."""
        if self._token is not None:
            self._server.protocol.progress.end(self._token, types.WorkDoneProgressEnd(message=status))
            self._server.protocol.progress.tokens.pop(self._token, None)


def _input(path: str) -> list[str]:
    """The program of a text as the command line names it: it stands on standard input."""
    return ["--stdin-filename", path, "-"] if os.path.isabs(path) else ["-"]


def _refused(why: str) -> dict[str, Any]:
    return {
        "status": "failed",
        "exitCode": None,
        "seconds": 0.0,
        "output": "",
        "diagnostics": [],
        "reason": why,
    }


def _compiled(emitted: Emitted, something: bool) -> dict[str, Any]:
    return {
        **_refused(
            "" if something else "; ".join(emitted.notes) or "no operation of this text could be compiled"
        ),
        "status": "ok" if something else "failed",
        "diagnostics": [diag_json.to_object(finding) for finding in emitted.findings],
        "notes": list(emitted.notes),
    }


def _member(given: object, name: str) -> object:
    """A member of an argument: a mapping, or an object that the library made of one."""
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def register(server: Server) -> None:
    """Let a server do all of this."""
    commands = server.commands

    def target(arguments: tuple[Any, ...]) -> tuple[str, str | None]:
        given = arguments[0] if arguments else None
        uri, operation = (_member(given, name) for name in ("uri", "operation"))
        if not isinstance(uri, str):
            raise ValueError("the argument of a command is an object with a uri")
        return uri, operation if isinstance(operation, str) else None

    def running(command: str) -> Callable[..., Any]:
        async def run(*arguments: Any) -> dict[str, Any]:
            return await commands.run(command, *target(arguments))

        return run

    for name in FLAGS:
        server.command(name)(running(name))

    @server.command("ttl.showKernels")
    async def show_kernels(*arguments: Any) -> dict[str, Any]:
        return await commands.kernels(*target(arguments))

    @server.command("ttl.showIR")
    async def show_ir(*arguments: Any) -> dict[str, Any]:
        return await commands.ir(*target(arguments))

    @server.command("ttl.openReport")
    async def open_report(*arguments: Any) -> dict[str, Any]:
        target(arguments)
        return _refused(
            "this version has no report page: 'ttl profile' and 'ttl run --trace FILE' show a run"
        )

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        return await commands.lenses(params)
