"""The command ``ttl``: finds the verb and runs it."""

from __future__ import annotations

import atexit
import difflib
import gc
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module

from ttl.cli.options import SHOWN_WITH, UsageError, nul_character, unknown_flag
from ttl.cli.status import Status, epilog
from ttl.diag import InternalError, TTLError, error, report
from ttl.diag.internal import internal_error, version
from ttl.session import switches
from ttl_start import listen
from ttl_start.kept_code import code_kept

# The number of new objects after which a process of this package collects reference cycles: about 100 MB.
_COLLECT_AFTER = 1_000_000


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the command line. Its module is imported when the verb is used."""

    name: str
    arguments: str
    help: str
    module: str
    function: str = "main"

    def load(self) -> Callable[[Sequence[str]], int]:
        """Return the function that runs the verb: it takes the arguments after the verb and returns the exit code.

        Raises ``ProgramError`` TTL0116 when the compiler is not installed.
        """
        try:
            verb: Callable[[Sequence[str]], int] = getattr(
                import_module(f"ttl.cli.{self.module}"), self.function
            )
        except ModuleNotFoundError as missing:
            if missing.name is None or missing.name.partition(".")[0] != "xdsl":
                raise
            from ttl.check.file import not_installed

            raise not_installed(f"ttl {self.name}", "xdsl") from None
        return verb


VERBS: tuple[Verb, ...] = (
    Verb("run", "PROGRAM [[--] ARGS]", "run a program on the simulated chip", "run"),
    Verb("check", "PROGRAM... [-- ARGS]", "find errors without running the program", "check"),
    Verb(
        "compile",
        "PROGRAM [-- ARGS]",
        "compile the operations a program calls to C++ kernels and descriptions",
        "compile",
    ),
    Verb(
        "tune",
        "PROGRAM [-- ARGS]",
        "find the fastest configurations of operations with tunable parameters",
        "tune",
    ),
    Verb(
        "profile",
        "PROGRAM [[--] ARGS]",
        "show where the cycles of a program go, on the emulated chip, or compare two such runs",
        "profile",
    ),
    Verb(
        "calibrate", "--plan | --from FOLDER", "fit the costs of the emulated chip to your card", "calibrate"
    ),
    Verb("score", "PROGRAM... [-- ARGS]", "score a program: one number, and the next thing to do", "score"),
    Verb(
        "report",
        "RUN... -o FILE",
        "make a page from the data of a run, of two runs side by side, or of several against a baseline",
        "report",
    ),
    Verb("hang", "FOLDER", "explain why a card hangs, from the files of tt-triage and the watcher", "hang"),
    Verb(
        "design",
        "PROGRAM [-- ARGS]",
        "show the design of a program's tile programs: the plan, its reasons, and the explicit operation",
        "design",
    ),
    Verb(
        "why-not",
        "PROGRAM CHOICE... [-- ARGS]",
        "show the cost of another choice for a tile program, or the rule that forbids it",
        "design",
        "why_not",
    ),
    Verb(
        "split", "PROGRAM [-- ARGS]", "write the kernels of operations that are written as one body", "split"
    ),
    Verb(
        "join",
        "PROGRAM [-- ARGS]",
        "write operations that define kernels as one body, where that is possible",
        "split",
        "join",
    ),
    Verb("explain", "[CODE]", "explain an error code; without one, list them", "explain"),
    Verb("lsp", "", "serve an editor: errors, shapes and fixes while one types", "lsp"),
    Verb("mcp", "", "serve an AI agent: check, fix, run, compile, profile", "mcp"),
    Verb("cache", "", "show the cache for later runs, or clear it", "cache"),
    Verb("doctor", "", "show versions, devices and the settings in effect", "doctor"),
)


_COMPLETION = Verb("--completion", "SHELL", "", "completion")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: that of the process) and return its exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if argv is None and arguments[:1] not in (["run"], ["profile"]):
        _be_short()
        # A line of a program may have characters that the output cannot encode: on Windows, pipes encode 256 of them.
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = _dispatch(arguments)
        if argv is None:
            sys.stdout.flush()
        return status
    except SystemExit as leaving:  # argparse after --help
        return int(leaving.code or 0)
    except TTLError as raised:
        if argv is None and isinstance(raised, UsageError) and raised.core:
            _restart(raised.core)
        chosen = vars(raised).get(SHOWN_WITH)
        with nullcontext() if chosen is None else switches.CHOSEN.given(chosen):
            report.show_errors(raised.diagnostics)
        return Status.INTERNAL if isinstance(raised, InternalError) else Status.USAGE
    except BrokenPipeError:  # the reader of a pipe (head, less) has left
        from ttl.cli.program import drop_output

        drop_output()
        return Status.FAILED
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except OSError as raised:
        from ttl.cli.program import drop_output, unwritten_output

        finding = unwritten_output(raised)
        if finding is None:
            report.show_errors(internal_error(raised).diagnostics)
            return Status.INTERNAL
        drop_output()
        report.show_errors((finding,))
        return Status.USAGE
    except Exception as raised:
        report.show_errors(internal_error(raised).diagnostics)
        return Status.INTERNAL


def _dispatch(arguments: list[str]) -> int:
    if any("\0" in argument for argument in arguments):
        raise nul_character()
    match arguments:
        case []:
            print(first_program(), end="")
            return Status.OK
        case ["-h" | "--help" | "help", *_]:
            print(_help())
            return Status.OK
        case ["--help-all"]:
            print(_help())
            for name, text in helps_of_verbs():
                print(f"\n\n===== ttl {name} =====\n\n{text}", end="")
            return Status.OK
        case ["--completion", *rest]:
            return _COMPLETION.load()(rest)
        case ["--version" | "-V", *_]:
            print(f"ttl {version()}")
            return Status.OK
        case [name, *rest]:
            for verb in VERBS:
                if verb.name == name:
                    with code_kept():
                        run = verb.load()
                    listen()
                    return run(rest)
            raise _unknown_verb(name)
        case _:
            raise AssertionError(arguments)


def first_program() -> str:
    """Return the text that ``ttl`` alone prints: a program to try, and above it, as comments, how to run it."""
    with open(os.path.join(os.path.dirname(__file__), "first_program.txt"), encoding="utf-8") as file:
        return file.read()


def _be_short() -> None:
    """Collect reference cycles rarely in a process that runs no user code: it ends before cycles fill the memory.

    Such collections took a quarter of ``ttl check`` of one file, most of them at the end of the process.
    """
    gc.set_threshold(_COLLECT_AFTER, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)


def _restart(core: str) -> None:
    """Run the command line of this process again, on another core. Returns if that is not possible."""
    if not sys.executable or switches.core_at_import() == core:
        return
    sys.stdout.flush()
    sys.stderr.flush()
    command = [sys.executable, *sys.orig_argv[1:]]
    os.execve(sys.executable, command, switches.environment_with("core", core))


def _unknown_verb(name: str) -> UsageError:
    if name.startswith("-"):
        return unknown_flag(
            "ttl", name, ("--help", "--help-all", "--completion", "--version"), "settings go after the verb"
        )
    advice = "see 'ttl --help'"
    near = difflib.get_close_matches(name, [verb.name for verb in VERBS], n=1)
    if near:
        advice = f"did you mean 'ttl {near[0]}'?"
    elif name.endswith(".py"):
        advice = f"to run a program, write 'ttl run {name}'"
    verbs = ", ".join(verb.name for verb in VERBS)
    return UsageError(
        error("TTL0103", f"ttl has no verb '{name}'", notes=(f"there are: {verbs}",), help=advice)
    )


def helps_of_verbs() -> Iterator[tuple[str, str]]:
    """The name of each verb with its help text that shows every flag."""
    for verb in VERBS:
        run = verb.load()
        with redirect_stdout(io.StringIO()) as text, suppress(SystemExit):  # argparse after --help
            try:
                run(["--help-all"])
            except UsageError:  # the help of this verb hides no flags
                run(["--help"])
        yield verb.name, text.getvalue()


def _help() -> str:
    width = max(len(f"{verb.name} {verb.arguments}") for verb in VERBS) + 2
    rows = "\n".join(f"  {f'{verb.name} {verb.arguments}':<{width}}{verb.help}" for verb in VERBS)
    return (
        "usage: ttl VERB ...\n\n"
        "Write, check and simulate Tenstorrent kernels in Python.\n\n"
        f"verbs:\n{rows}\n\n"
        "  'ttl' alone prints a first program to try: 'ttl > first.py'\n"
        "  'ttl VERB --help' shows what matters for one verb, 'ttl VERB --help-all' every flag, 'ttl --help-all' those of all verbs;\n  'ttl --version' the version, 'ttl --completion bash' (zsh, fish) a script for your shell\n\n"
        f"{epilog()}"
    )
