"""``ttl tune PROGRAM``: find the fastest configuration of each operation with tunable parameters, and record it."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from ttl import settings
from ttl.check.file import require_package, require_parts
from ttl.cli.options import Parser, UsageError, add_settings, applied, positive
from ttl.cli.program import check_writable, load, no_program, split, unwritable
from ttl.cli.status import Status
from ttl.cli.tune_table import TuneTable, coloured
from ttl.cli.workers import add_workers, pool_of
from ttl.diag import Diagnostic, ProgramError, error, report, warning
from ttl.diag.fixes import replace_whole
from ttl.diag.words import counted, listed
from ttl.emu import runtime
from ttl.emu.claim import CLAIM
from ttl.report.assembly import require_page
from ttl.report.text import is_data
from ttl.report.text import write as write_report
from ttl.session import SOURCES
from ttl.session.patience import Unavailable
from ttl.session.switches import setting
from ttl.sweeps.pool import SweepPool
from ttl.sweeps.work import SweepLimits, SweepWork
from ttl.tuner import outcome
from ttl.tuner.coordinator import Coordinator, TunedCall
from ttl.tuner.heat import plain
from ttl.tuner.journal import Journal, name_of
from ttl.tuner.search import Search, search_for
from ttl.tuner.shapes import undecided
from ttl.tuner.trial import Screening, TunerTrial
from ttl.tuning.space import Configuration
from ttl.tuning.write import entered

_BUDGET = 200
_SECONDS = 60.0
_MEGABYTES = 4096
WORKER = "ttl.cli.tune_worker"
_ARCHES = "--arch takes several chips here, with commas between them: configurations are tuned for each, and the best of each is tried on the others."


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code: 0 tuned, 1 the program failed, 2 wrong usage.

    Raises ``UsageError`` TTL0102, TTL0110, TTL0116 (a package is missing), TTL0117 (cannot be written) and TTL0120
    (nothing to tune).
    """
    parser = Parser(
        "tune",
        "Try the configurations of operations with tunable parameters on the emulated chip, and write down the fastest right one.",
        "PROGRAM [-- ARGS]",
    )
    parser.add_argument(
        "program", metavar="PROGRAM", nargs="?", help="the Python file to run; behind --: its own arguments"
    )
    parser.add_argument(
        "--budget",
        type=positive,
        default=_BUDGET,
        metavar="N",
        help=f"try at most N configurations of a call; default: {_BUDGET}",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="the seed that selects configurations if not all are tried; default: 0",
    )
    add_workers(parser)
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=_SECONDS,
        metavar="S",
        help=f"the time that one configuration may take; default: {_SECONDS:g}",
    )
    parser.add_argument(
        "--memory",
        type=positive,
        default=_MEGABYTES,
        metavar="MB",
        help=f"the memory that one process and its children may use; default: {_MEGABYTES}",
    )
    parser.add_argument(
        "--exhaustive",
        action="store_true",
        help="try every configuration without a budget, and run each to its end, even if it cannot be the best",
    )
    parser.add_argument(
        "--compile-choices",
        action="store_true",
        help="with the best configuration, also try other choices of the compiler; see --compile-option",
    )
    parser.add_argument(
        "--schedules",
        action="store_true",
        dest="search_schedules",
        help="with the best configuration, also try schedules whose steps suit the operation; see 'ttl compile --schedule'",
    )
    parser.add_argument(
        "--shape",
        type=_shape,
        action="append",
        default=[],
        dest="shapes",
        metavar="NAME=32x512,...",
        help="also tune calls with tensors of these shapes, and find the best configuration for all; may be repeated",
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    add_settings(parser)
    parser.epilog = f"{_ARCHES}\n\n{parser.epilog}"
    own, given = split(argv)
    own, several = _several_chips(own)
    arguments = parser.parse_mixed(own)
    if arguments.program is None:
        raise no_program("tune", "write 'ttl tune PROGRAM'")
    with applied(arguments, arguments.program) as chosen:
        require_parts("ttl tune")
        runtime.require()
        require_package("ttl tune", "tomlkit", "tune")
        if sys.stderr.isatty() and chosen.format != "json":
            require_package("ttl tune, on a terminal,", "rich", "tune")
        tuner = _Tuner(arguments, given, chosen)
        page = vars(arguments).get("report")
        if page is not None:
            check_writable(page)
            if not is_data(page):
                _require_page()
        calls = {chip: tuner.tuned(chip) for chip in several or [chosen.arch]}
        tuner.show(calls)
        if page is not None:
            tuner.write_page(page, calls)
        return Status.OK


class _Tuner:
    """A run of ``ttl tune``."""

    def __init__(
        self, arguments: argparse.Namespace, given: Sequence[str], chosen: settings.Settings
    ) -> None:
        self._arguments = arguments
        self._given = list(given)
        self._chosen = chosen
        load(arguments.program)
        self._written: dict[str, None] = {}
        self._json = chosen.format == "json"
        self._table = None if self._json or not sys.stderr.isatty() else TuneTable()
        # The reasons why trials cannot be kept for the next call.
        self._unkept: list[str] = []

    def tuned(self, chip: str) -> list[TunedCall]:
        """Tune for a chip and write the results, also if it is interrupted."""
        program = self._arguments.program
        limits = SweepLimits(seconds=self._arguments.seconds, megabytes=self._arguments.memory)
        work = SweepWork(
            module=WORKER,
            task={
                "program": program,
                "folder": os.getcwd(),
                "arguments": self._given,
                "settings": settings.to_json(_of_processes(self._chosen, chip)),
                "shapes": self._arguments.shapes,
            },
            limits=limits,
            files=(os.path.abspath(program),),
        )
        coordinator: Coordinator | None = None
        try:
            with self._table or nullcontext():
                with pool_of(self._arguments, work) as pool:
                    coordinator = self._coordinator(pool)
                    coordinator.run()
                wanted = undecided(coordinator.calls)
                if wanted:
                    # The program runs again: processes cannot return to an earlier call.
                    with pool_of(self._arguments, work) as pool:
                        calls, texts = coordinator.calls, coordinator.texts
                        coordinator = self._coordinator(pool, quiet=True)
                        coordinator.complete(calls, wanted, texts)
        except Unavailable as failed:
            assert coordinator is not None
            if not coordinator.calls:
                print(failed, end="", file=sys.stderr)
                raise UsageError(did_not_get_there(program)) from None
            report.emit(did_not_end(program, str(failed)))
        finally:
            if coordinator is not None:
                self._write(coordinator)
        if not coordinator.calls:
            raise UsageError(nothing_to_tune(self._arguments.program))
        for number, shape in enumerate(self._arguments.shapes):
            if not any(call.about.get("shape") == number for call in coordinator.calls):
                report.emit(shape_of_nothing(program, shape))
        return coordinator.calls

    def _coordinator(self, pool: SweepPool, *, quiet: bool = False) -> Coordinator:
        return Coordinator(
            pool,
            search=self._search,
            journal=self._opened if quiet else self._journal,
            read=_read,
            entered=_entered,
            shown=self._progress,
            stops=not self._arguments.exhaustive,
            compiles=self._arguments.compile_choices,
            schedules=self._arguments.search_schedules,
        )

    def _search(
        self, configurations: Mapping[int, Configuration], screenings: Mapping[int, Screening]
    ) -> Search:
        if self._arguments.exhaustive:
            return search_for(configurations, screenings, len(configurations), 0)
        if len(configurations) > self._arguments.budget:
            require_package("ttl tune, with more configurations than its budget,", "optuna", "tune")
        return search_for(configurations, screenings, self._arguments.budget, self._arguments.seed)

    def _journal(self, about: Mapping[str, Any]) -> Journal:
        if self._table is None and not self._json:
            what = f"{about['operation']}({', '.join(about['key'])}) on {about['chip']}"
            print(f"tuning {what}: {counted(len(about['configurations']), 'configuration')}", file=sys.stderr)
        return self._opened(about)

    def _opened(self, about: Mapping[str, Any]) -> Journal:
        folder = settings.cache_folder(self._chosen)
        if folder is None:
            return Journal(None)
        with open(about["file"], encoding="utf-8", errors="replace") as file:
            source = file.read()
        of_call = [about[name] for name in ("operation", "key", "chip", "grid", "configurations")]
        name = name_of(
            json.dumps(of_call),
            source,
            settings.to_json(_of_processes(self._chosen, about["chip"])),
            *([] if self._chosen.costs is None else [settings.current_chip(self._chosen).costs]),
            self._given,
        )
        return Journal(os.path.join(folder, "tune", name))

    def _write(self, coordinator: Coordinator) -> None:
        self._unkept += [str(item.problem) for item in coordinator.journals if item.problem is not None]
        texts = dict(coordinator.texts)
        for call in coordinator.calls[-1:]:  # the last call may not be tuned to its end
            if call.ranking:
                path = call.about["table"]
                texts[path] = _entered(coordinator.text_of(path), call)
        if self._arguments.dry_run:
            return
        for path, written in texts.items():
            self._written[path] = None
            try:
                if written != _read(path):
                    replace_whole(path, written.encode(), 0o644)
            except OSError as problem:
                raise UsageError(unwritable(path, problem)) from None

    def show(self, calls: Mapping[str, Sequence[TunedCall]]) -> None:
        """Print the results."""
        if self._json:
            print(json.dumps(outcome.to_object(calls)))
            return
        lines = outcome.render(calls, coloured if sys.stdout.isatty() else plain)
        lines += [f"the trials are not kept for the next call: {why}" for why in self._unkept[:1]]
        lines += [f"written to {os.path.relpath(path)}" for path in self._written]
        print("\n".join([*lines, CLAIM]))

    def write_page(self, path: str, calls: Mapping[str, Sequence[TunedCall]]) -> None:
        """Write the page of the results; only its data if the name ends in ``.json``."""
        try:
            write_report(path, outcome.as_page(calls, os.path.basename(self._arguments.program)))
        except OSError as problem:
            raise UsageError(unwritable(path, problem)) from None

    def _progress(self, call: TunedCall, trial: TunerTrial) -> None:
        if self._table is not None:
            self._table.show(call)


def _require_page() -> None:
    try:
        require_page()
    except ProgramError as raised:
        raise UsageError(*raised.diagnostics) from None


def _read(path: str) -> str:
    """The text of a file; empty if the file does not exist."""
    sources = SOURCES.get()
    return sources.of(path).text if sources.is_file(path) else ""


def _entered(before: str, call: TunedCall) -> str:
    about, best, compiled, scheduled = call.about, call.ranking[0], call.best_compiled, call.best_scheduled
    return entered(
        before,
        operation=about["operation"],
        chip=about["chip"],
        grid=about["grid"],
        key=about["key"],
        config=call.configurations[best.number],
        cycles=(scheduled or compiled or best).cycles,
        compile_option=None if compiled is None else compiled.compile_option,
        schedule=None if scheduled is None else scheduled.schedule,
    )


def _of_processes(chosen: settings.Settings, chip: str) -> settings.Settings:
    """Return the settings of processes that run candidates: the user's, but on the emulated chip and without output."""
    tuned = None if chosen.tuned is None else os.path.abspath(chosen.tuned)
    own: dict[str, Any] = {"target": "emu", "format": "text", "arch": chip, "progress": "off", "tuned": tuned}
    own |= {
        "check": "auto",
        "profile": False,
        "trace": None,
        "perf_csv": None,
        "stats": False,
        "report": None,
    }
    return replace(chosen, **own, origins={**chosen.origins, **dict.fromkeys(own, "ttl tune")})


def _several_chips(argv: list[str]) -> tuple[list[str], list[str]]:
    """Replace several chips of ``--arch`` in a command line by the first one; return it, and the names of all chips.

    The names are empty if the command line does not name several chips.
    """
    for at, argument in enumerate(argv):
        flag, equals, text_ = argument.partition("=")
        if flag != "--arch":
            continue
        value = text_ if equals else next(iter(argv[at + 1 : at + 2]), "")
        names = list(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
        for name in names if "," in value else ():
            settings.parsed(setting("arch"), name, "--arch")
        if len(names) > 1:
            rest = argv[at + 1 :] if equals else argv[at + 2 :]
            return [*argv[:at], f"--arch={names[0]}", *rest], names
    return argv, []


def _shape(text_: str) -> dict[str, list[int]]:
    """Parse a value of ``--shape``, such as ``x=32x512,y=32x512``: the extents of tensors by their names."""
    result = {}
    for part in text_.split(","):
        name, equals, extents = part.strip().partition("=")
        numbers = extents.split("x")
        if (
            not name.isidentifier()
            or not equals
            or not all(re.fullmatch("[1-9][0-9]{0,8}", n) for n in numbers)
        ):
            raise argparse.ArgumentTypeError(
                f"'{part.strip()}': write NAME=32x512, one for each tensor, with commas"
            )
        result[name] = [int(number) for number in numbers]
    return result


def _seconds(text_: str) -> float:
    value = float(text_)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("a number of seconds")
    return value


# --- diagnostics ----------------------------------------------------------------------------------------------


def nothing_to_tune(program: str) -> Diagnostic:
    """The error for a program that calls no operation without its tunable parameters (TTL0120)."""
    return error(
        "TTL0120",
        f"{program} calls no operation that leaves tunable parameters out",
        help=(
            "declare the tunable parameters with @ttl.tunable(...), and leave them out of the call",
            "to tune only the schedule, write @ttl.tunable() above the operation, and ttl tune --schedules",
        ),
    )


def shape_of_nothing(program: str, shape: Mapping[str, Sequence[int]]) -> Diagnostic:
    """The warning for a ``--shape`` that no tuned operation has tensors for, or that a call already has (TTL0120)."""
    names = listed(shape)
    return warning(
        "TTL0120",
        f"--shape had no effect: {program} calls no operation with tunable parameters and tensors {names} of other shapes",
        help="name parameters of the operation, as in --shape x=64x512,y=64x512",
    )


def did_not_get_there(program: str) -> Diagnostic:
    """The error for a program that fails before a call that could be tuned (TTL0120)."""
    return error(
        "TTL0120",
        f"{program} fails before it calls an operation that leaves tunable parameters out",
        help=f"make 'ttl run --target emu {program}' work first",
    )


def did_not_end(program: str, told: str) -> Diagnostic:
    """The warning for a program that fails after calls that were tuned (TTL0121)."""
    last = told.strip().splitlines()[-1:] or ["it said nothing"]
    return warning(
        "TTL0121",
        f"{program} failed after the calls that were tuned; later calls were not tuned",
        notes=(last[0].strip(),),
        help=f"the results so far are kept; 'ttl run --target emu {program}' shows the failure",
    )
