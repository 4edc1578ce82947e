"""``ttl run PROGRAM [ARGS]``: run a program as ``python PROGRAM`` does, but ``ttnn`` can be imported, and errors are
reported instead of tracebacks."""

from __future__ import annotations

import bdb
import builtins
import difflib
import json
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from ttl import control, native, settings
from ttl.check import file as checks
from ttl.cli import unsaved
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import (
    check_writable,
    drop_output,
    load,
    make_folder,
    named_input,
    no_program,
    readable,
    unwritable,
    unwritten_output,
)
from ttl.cli.status import Status
from ttl.cli.workers import add_workers, workers_asked_for
from ttl.diag import (
    InternalError,
    KernelInterrupted,
    ProgramError,
    TTLError,
    error,
    report,
    warning,
)
from ttl.diag.errors import show_uncaught
from ttl.diag.internal import internal_error, is_internal
from ttl.processes import isolated
from ttl.session import SOURCES, switches
from ttl.session.counterparts import INSTEAD, PREFIX
from ttl.source.spans import is_our_file

if TYPE_CHECKING:
    from ttl.cli.reporting import CommandReport
    from ttl.emu.measured import MeasuredRuns

# Words that occur in programs that read their arguments.
_READS_ARGUMENTS = re.compile(r"argv|argparse|getopt|optparse|click|typer|\bfire\b|absl|docopt|tyro|hydra")
_PREFIX = "TTL_"
_CYCLES = ("profile", "trace", "perf_csv")
# Settings that only affect runs on the emulated chip.
_CHIP = ("compare", "emu_seed", "emu_hostile", "emu_clear")


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code.

    Raises ``UsageError`` TTL0102 (no program given), TTL0110 (cannot be read), TTL0111 (not Python), TTL0114 (the
    native core is missing), TTL0115 (another core is needed), TTL0117 (a file cannot be written) and TTL0119 (a setting
    needs the emulated chip, which does not run the program).
    """
    parser = Parser(
        "run",
        "Run a program on the simulated chip. It finds 'ttnn' even where TT-NN is not installed.",
        "PROGRAM [[--] ARGS]",
    )
    parser.add_program()
    parser.add_argument("--stdin-filename", metavar="PATH", help="- is the unsaved text of this file")
    parser.add_argument(
        "--stdin-texts",
        action="store_true",
        help="standard input is a JSON object of unsaved texts by path: PROGRAM and what it imports are read from there first",
    )
    add_workers(parser, jobs=1)
    add_settings(parser)
    arguments = parser.parse(argv)
    program: str | None = arguments.program
    if program is None:
        raise no_program("run", "write 'ttl run PROGRAM [ARGS]', the flags of ttl before PROGRAM")
    texts: dict[str, str] = {}
    if arguments.stdin_filename:
        if program != "-" or arguments.stdin_texts:
            parser.error("argument --stdin-filename: it is for a program on standard input: -")
        program = named_input(arguments.stdin_filename)
    elif arguments.stdin_texts:
        try:
            texts = unsaved.texts_of(sys.stdin.read())
        except ValueError as problem:
            parser.error(
                f"argument --stdin-texts: standard input is not a JSON object of texts by path: {problem}"
            )
        unsaved.show_all(texts)
    with applied(arguments, program) as chosen, unsaved.imported(texts):
        _warn_of_flags_behind(program, arguments.args, parser.flags())
        if workers_asked_for(arguments):
            from ttl.cli.exploring import run_shared

            return run_shared(chosen, program, behind_dashes(arguments.args), arguments, run_program)
        return run_program(chosen, program, behind_dashes(arguments.args))


def run_program(
    chosen: settings.Settings,
    program: str,
    args: Sequence[str],
    profiles: str | None = None,
    measured: MeasuredRuns | None = None,
) -> int:
    """Run a program with these settings and return the exit code.

    The profiles of its launches are written to the file ``profiles``. ``measured`` are the same launches on a card, for
    comparison. Raises the errors of ``main``.
    """
    _check_core(chosen)
    _warn_of_unknown_variables()
    # A file that is not a regular file is read only once; a missing file is an error before the report is begun.
    code = None if readable(program) else load(program)
    _check_emulated(chosen)
    try:
        with _reported(chosen, program, args) as run_report:
            code = code or load(program)
            status = None
            try:
                with _checked_first(chosen), _recorded(chosen, profiles, measured):
                    status = execute(code, program, args, chosen)
            except ProgramError:
                if run_report is not None and status is not None:  # the measurements are of another run
                    run_report.ended(status)
                raise
            if chosen.compare and status == Status.OK:
                _tell_agreement(chosen)
        if run_report is not None:
            run_report.ended(status, measured)
        return status
    finally:
        report.emit_kept()


def _tell_agreement(chosen: settings.Settings) -> None:
    """Report the result of ``--compare``."""
    from ttl.emu import agreement

    agreed = agreement.AGREED.get()
    if not agreed.launches:
        report.write("compared with the simulator: nothing, since the program calls no operation")
    elif chosen.format == "json":
        report.write(json.dumps(agreement.to_object(agreed), ensure_ascii=False))
    else:
        report.write(agreement.render(agreed))


def behind_dashes(given: Sequence[str]) -> Sequence[str]:
    """Return the program's own arguments, without the ``--`` that may mark their beginning."""
    return given[1:] if given[:1] == ["--"] else given


@contextmanager
def _recorded(
    chosen: settings.Settings, profiles: str | None, measured: MeasuredRuns | None
) -> Iterator[None]:
    """Collect launches on the emulated chip, and write the requested profile, trace and table at the end."""
    if not (chosen.profile or chosen.trace or chosen.perf_csv):
        yield
        return
    for path in (chosen.trace, chosen.perf_csv, profiles):
        if path is not None:
            check_writable(path)
    from ttl.emu import runtime
    from ttl.emu.recorder import LaunchRecorder, collecting

    runtime.require()
    recorder = LaunchRecorder(chosen, profiles, measured)
    try:
        with collecting(recorder):
            yield
    finally:
        try:
            recorder.finish()
        except OSError as problem:
            raise UsageError(unwritable(str(problem.filename), problem)) from None


def _check_emulated(chosen: settings.Settings) -> None:
    """Raise ``UsageError`` TTL0119 for settings that need the emulated chip if something else runs the program."""
    if chosen.target != "sim" and (folder := switches.folder_of_dumps(chosen.dump)) is not None:
        make_folder(folder)
    if chosen.target == "emu":
        return
    cycles = [name for name in _CYCLES if getattr(chosen, name)]
    if cycles:
        runs = {"sim": "the simulator counts none", "device": "a card counts its own"}
        text = f"{chosen.origin(cycles[0])} needs cycles of the emulated chip, but {runs[chosen.target]}"
    elif chosen.report is not None and chosen.target == "device":
        text = (
            f"{chosen.origin('report')} needs the simulator or the emulated chip, but a card runs the program"
        )
    elif chip := [
        name for name in _CHIP if not (getattr(chosen, name) is None or getattr(chosen, name) is False)
    ]:
        runs = {"sim": "the simulator", "device": "a card"}
        text = f"{chosen.origin(chip[0])} needs the emulated chip, but {runs[chosen.target]} runs the program"
    elif chosen.target == "sim" and switches.folder_of_dumps(chosen.dump) is not None:
        text = f"{chosen.origin('dump')} needs the state of a chip, but the simulator runs the program"
    else:
        return
    raise UsageError(error("TTL0119", text, help="add --target emu"))


@contextmanager
def _checked_first(chosen: settings.Settings) -> Iterator[None]:
    """A context in which ``check`` is ``on`` instead of ``auto``, if the checker is installed."""
    if chosen.check != "auto" or checks.missing_parts() is not None:
        yield
        return
    with settings.override(origin="ttl run", check="on"):
        yield


def _check_core(chosen: settings.Settings) -> None:
    native.require(chosen)
    finding = control.another_asked_for(chosen)
    if finding is not None:
        raised = UsageError(finding)
        raised.core = chosen.core
        raise raised


def execute(code: CodeType, program: str, args: Sequence[str], chosen: settings.Settings) -> int:
    """Run ``code`` as ``__main__`` and return the exit code."""
    sources = SOURCES.get()
    if sources.is_unsaved(code.co_filename):
        unsaved.show_to_python(code.co_filename, sources.of(code.co_filename).text)
    from ttl.host import importer

    importer.install()
    module = ModuleType("__main__")
    module.__file__ = code.co_filename
    module.__loader__ = SourceFileLoader("__main__", code.co_filename)
    module.__dict__["__builtins__"] = builtins
    with _as_main(module, program, args):
        try:
            exec(code, module.__dict__)
        except SystemExit as leaving:
            return _own_exit(leaving)
        except BaseException as raised:
            return _failed(raised, chosen)
    return Status.OK


def _reported(
    chosen: settings.Settings, program: str, args: Sequence[str]
) -> AbstractContextManager[CommandReport | None]:
    """Return the context of the report that the settings ask for; without a report, its modules are not imported."""
    if chosen.report is None:
        return nullcontext()
    from ttl.cli.reporting import reported

    return reported(chosen.report, chosen.target, program, args)


def _tell_report(raised: BaseException, said: BaseException, chosen: settings.Settings) -> None:
    """Add the program's exception, and the error that is shown for it, to the report, if there is a report."""
    if chosen.report is None:
        return
    from ttl.cli.reporting import failed

    failed(raised, said)


def _failed(raised: BaseException, chosen: settings.Settings) -> int:
    """Report an exception that the program did not catch; return the exit code."""
    from ttl.lang import mistakes

    with suppress(OSError):
        sys.stdout.flush()
    if sys.excepthook not in (sys.__excepthook__, show_uncaught):
        # The program has a hook of its own.
        _tell_report(raised, raised, chosen)
        sys.excepthook(type(raised), raised, raised.__traceback__)
        return Status.INTERRUPTED if isinstance(raised, KeyboardInterrupt) else Status.FAILED
    original = raised
    if isinstance(raised, OSError) and (unwritten := unwritten_output(raised)) is not None:
        drop_output()
        report.show_errors((unwritten,))
        return Status.USAGE
    finding = mistakes.explained(raised)
    if finding is not None:
        raised = ProgramError(finding).with_traceback(raised.__traceback__)
    if is_internal(raised):
        raised = internal_error(raised).with_traceback(raised.__traceback__)
    _tell_report(original, raised, chosen)
    as_json = chosen.format == "json"
    match raised:
        case TTLError():
            if chosen.traceback:
                report.write(users_traceback(raised, whole=True))
            report.show_errors(raised.diagnostics)
            return Status.INTERNAL if isinstance(raised, InternalError) else Status.FAILED
        case KernelInterrupted():
            report.write(_as_json(raised, raised.report) if as_json else raised.report)
            return Status.INTERRUPTED
        case bdb.BdbQuit():
            return Status.FAILED
        case _:
            text = (
                _as_json(raised)
                if as_json
                else users_traceback(raised, whole=chosen.traceback).removesuffix("\n")
            )
            report.write(text)
            return Status.INTERRUPTED if isinstance(raised, KeyboardInterrupt) else Status.FAILED


def _as_json(raised: BaseException, *notes: str) -> str:
    from ttl.diag import raised as raised_json

    return raised_json.render(raised, notes)


def _own_exit(leaving: SystemExit) -> int:
    """The exit code of ``sys.exit(x)``, as in Python; a text is printed to standard error."""
    match leaving.code:
        case None:
            return Status.OK
        case int(code):
            return code
        case text:
            print(text, file=sys.stderr)
            return Status.FAILED


@contextmanager
def _as_main(module: ModuleType, program: str, args: Sequence[str]) -> Iterator[None]:
    """A context with ``module`` as ``__main__``, and ``sys.argv`` and ``sys.path[0]`` as Python sets them for it."""
    before = sys.argv, sys.path[:], sys.modules.get("__main__")
    sys.argv = [program, *args]
    folder = os.path.dirname(os.path.realpath(program))
    if isolated.is_this_process():
        sys.path.insert(0, folder)
    elif not sys.flags.safe_path:
        sys.path[:1] = [folder]
    sys.modules["__main__"] = module
    try:
        yield
    finally:
        sys.argv, sys.path[:], main_module = before
        if main_module is not None:
            sys.modules["__main__"] = main_module


def _warn_of_flags_behind(program: str, args: Sequence[str], flags: Sequence[str]) -> None:
    """Warn of flags of ``ttl`` after a program that does not read its arguments: they have no effect there."""
    ours = [
        argument for argument in args if argument.partition("=")[0] in flags and argument.startswith("--")
    ]
    if not ours or args[0] == "--" or not os.path.isfile(program):
        return
    with open(program, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if _READS_ARGUMENTS.search(text):
        return
    report.emit(
        warning(
            "TTL0132",
            f"{ours[0]} stands behind {os.path.basename(program)} and is given to the program, which reads no arguments",
            help=f"flags of ttl go before the program: {shlex.join(['ttl', 'run', *args, program])}",
        )
    )


def _warn_of_unknown_variables() -> None:
    for name in switches.unknown_variables():
        if name.startswith(PREFIX):
            way_out = INSTEAD.get(name, "'ttl doctor' lists the settings, 'ttl --help' the commands")
            report.emit(
                warning(
                    "TTL0112",
                    f"the environment variable {name} is of another tool and has no effect",
                    help=way_out,
                )
            )
            continue
        # Names are compared without their common prefix, which would make any two of them similar.
        known = {row.env.removeprefix(_PREFIX): row.env for row in settings.SETTINGS}
        near = [known[word] for word in difflib.get_close_matches(name.removeprefix(_PREFIX), known, n=1)]
        report.emit(
            warning(
                "TTL0112",
                f"the environment variable {name} is not a setting and has no effect",
                help=f"did you mean {near[0]}?" if near else "'ttl doctor' lists the settings",
            )
        )


def users_traceback(raised: BaseException, *, whole: bool = False) -> str:
    """The traceback of ``raised`` and all its causes as Python prints it; ``whole`` keeps frames of this package."""
    summary = traceback.TracebackException.from_exception(raised)
    if not whole:
        _without_ours(summary)
    return "".join(summary.format())


def _without_ours(summary: traceback.TracebackException) -> None:
    """Remove the frames of this package from ``summary``, and from exceptions that it is chained to or groups."""
    waiting: list[traceback.TracebackException | None] = [summary]
    while waiting:
        part = waiting.pop()
        if part is None:
            continue
        kept = [frame for frame in part.stack if not is_our_file(frame.filename)]
        part.stack = traceback.StackSummary.from_list(kept)
        waiting.extend((part.__cause__, part.__context__, *(part.exceptions or ())))
