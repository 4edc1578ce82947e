"""``ttl score PROGRAM``: judge how far a program is, as one number or a JSON object, with the next thing to do."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ttl.check.file import require_parts
from ttl.cli.options import Parser, UsageError, add_settings, applied, positive
from ttl.cli.program import no_program, programs, split, unreadable, unwritable
from ttl.cli.status import Status
from ttl.cli.workers import add_workers, pool_of
from ttl.diag import Diagnostic, error
from ttl.diag.fixes import replace_whole
from ttl.emu import runtime
from ttl.score import corpus, text
from ttl.score.best import read_best
from ttl.score.processes import Isolation, ended_afterwards, probe
from ttl.score.references import given_reference
from ttl.score.stages import WORTH
from ttl.settings import Settings
from ttl.sweeps.pool import answers
from ttl.sweeps.work import SweepLimits, SweepWork

_SECONDS, _MEGABYTES, _ORDERS = 60, 4096, 10
# The number of processes that score a program, one after the other; and the seconds between two checks for changes.
_PROCESSES, _LOOK = 10, 0.3


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code.

    For one program, it is that of the first stage that failed (10 and on); for several, 1 if any program failed.

    Raises ``UsageError`` TTL0102, TTL0110, TTL0117, TTL0128 (programs cannot be isolated), ``ProgramError`` TTL0116,
    TTL0129 (a reference or a file of the best cycles that is wrong) and TTL1505 (no emulated chip).
    """
    arguments, given = _parsed(argv)
    if not arguments.programs:
        raise no_program("score", "write 'ttl score PROGRAM'")
    one = len(arguments.programs) == 1 and not os.path.isdir(arguments.programs[0])
    with applied(arguments, arguments.programs[0] if one else None) as chosen, ended_afterwards():
        require_parts("ttl score")
        runtime.require()
        isolation = probe()
        if "open" in (isolation.network, isolation.files) and not arguments.allow_open:
            raise UsageError(_not_isolated(isolation))
        best = arguments.best or arguments.keep_best
        options = corpus.ScoreOptions(
            arguments=given,
            reference=None if arguments.reference is None else _absolute(arguments.reference),
            best=None if best is None else os.path.abspath(best),
            seconds=arguments.seconds,
            megabytes=arguments.megabytes,
            orders=arguments.orders,
            tolerance=arguments.tolerance,
            seed=arguments.seed,
            until=arguments.until,
        )
        _check(options, arguments.keep_best)
        paths = [os.path.abspath(path) for path in _programs(arguments.programs)]
        if arguments.watch:
            return _watch(arguments.programs, options, isolation, chosen, arguments.keep_best)
        scores = _scores(arguments, paths, options, isolation, chosen)
        if arguments.keep_best is not None:
            _keep(arguments.keep_best, scores, chosen)
        _show(scores, chosen, one=one)
        if one:
            return int(scores[0]["status"])
        return Status.FAILED if any(score["status"] for score in scores) else Status.OK


def _parsed(argv: Sequence[str]) -> tuple[argparse.Namespace, tuple[str, ...]]:
    parser = Parser(
        "score",
        "Score a program: parsed, checked, ran, right, schedules, sanitized, compiled, emulated, speed. It runs without network, "
        "cannot change files, and is judged from outside.",
        "PROGRAM... [-- ARGS]",
    )
    parser.add_argument(
        "programs",
        metavar="PROGRAM",
        nargs="*",
        help="Python files, or folders to look for programs in; behind --: the programs' own arguments",
    )
    parser.add_argument(
        "--reference",
        metavar="FILE[:FUNCTION]",
        help="the reference: a NumPy function of the operation's tensors; a folder has one file for each program, under its name. "
        "Default: the program's own",
    )
    parser.add_argument(
        "--best", metavar="FILE", help="the best cycles known (TOML): speed is measured against them"
    )
    parser.add_argument("--keep-best", metavar="FILE", help="the same, and write better ones to it")
    parser.add_argument(
        "--orders", type=positive, default=_ORDERS, metavar="N", help=f"orders of kernels and transfers to try; default: {_ORDERS}"
    )  # fmt: skip
    parser.add_argument(
        "--tolerance", type=_tolerance, metavar="X", help="the largest error of an element, relative to itself and to the usual size of elements; default: by type, 0.02 for bfloat16"
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=positive, metavar="N", help="the seed for inputs that the program has not seen; default: a new one each time"
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=positive, default=_SECONDS, metavar="N", help=f"the time that one process may take; default: {_SECONDS}"
    )  # fmt: skip
    parser.add_argument(
        "--megabytes", type=positive, default=_MEGABYTES, metavar="N", help=f"memory that one process may use; default: {_MEGABYTES}"
    )  # fmt: skip
    parser.add_argument(
        "--until",
        choices=list(WORTH),
        default="speed",
        metavar="STAGE",
        help="the last stage to score; default: speed",
    )
    parser.add_argument(
        "--watch", action="store_true", help="score again when a program changes, until Ctrl-C"
    )
    parser.add_argument(
        "--allow-open",
        action="store_true",
        help="also score programs where their access to the network and files cannot be restricted",
    )
    add_workers(parser)
    add_settings(parser)
    own, given = split(argv)
    return parser.parse_mixed(own), given


def _programs(names: Sequence[str]) -> list[str]:
    for name in names:
        if name == "-":
            raise UsageError(unreadable(name, FileNotFoundError(2, "programs are scored from files")))
    return programs(names)


def _absolute(reference: str) -> str:
    file, colon, function = reference.rpartition(":")
    return (
        f"{os.path.abspath(file)}:{function}"
        if colon and function.isidentifier()
        else os.path.abspath(reference)
    )


def _check(options: corpus.ScoreOptions, keep: str | None) -> None:
    """Read the references and the files of best cycles, so that errors in them are raised before any program runs.

    The file ``keep`` is created if it is missing.
    """
    if options.reference is not None and not os.path.isdir(options.reference):
        given_reference(options.reference)
    if keep is not None:
        table = read_best(keep, may_be_missing=True)
        if not os.path.exists(keep):
            _write(keep, table.text())
    if options.best is not None:
        read_best(options.best)


def _scores(
    arguments: argparse.Namespace,
    paths: Sequence[str],
    options: corpus.ScoreOptions,
    isolation: Isolation,
    chosen: Settings,
) -> list[dict[str, Any]]:
    task = corpus.task_of(options, isolation, chosen)
    if len(paths) == 1 and arguments.cluster is None:
        return [corpus.scored(task, paths[0])]
    limits = SweepLimits(seconds=options.seconds * _PROCESSES, megabytes=options.megabytes + 1024)
    references = {corpus.reference_for(options.reference, path) for path in paths} - {None}
    read = [str(reference).rpartition(":")[0] or str(reference) for reference in references]
    files = (*paths, *sorted({file for file in read if os.path.isfile(file)}), *filter(None, [options.best]))
    work = SweepWork(function=corpus.FUNCTION, task=task, limits=limits, files=files)
    scores: dict[int, dict[str, Any]] = {}
    with pool_of(arguments, work) as pool:
        for answer in answers(pool, paths):
            value = answer.value if answer.loss == "" else corpus.lost(paths[answer.number], answer.why)
            scores[answer.number] = value
    return [scores[number] for number in range(len(paths))]


def _watch(
    names: Sequence[str],
    options: corpus.ScoreOptions,
    isolation: Isolation,
    chosen: Settings,
    keep: str | None,
) -> int:
    """Score files whenever they change, and keep better cycles in the file ``keep``, until ``KeyboardInterrupt``."""
    task = corpus.task_of(options, isolation, chosen)
    known: dict[str, tuple[float, float]] = {}
    while True:
        for path in _there(names):
            now = (_changed(path), _changed(corpus.reference_for(options.reference, path)))
            if known.get(path) != now:
                known[path] = now
                if os.path.isfile(path):
                    score = corpus.scored(task, path)
                    if keep is not None:
                        _keep(keep, [score], chosen)
                    _show([score], chosen, one=True)
        time.sleep(_LOOK)


def _there(names: Sequence[str]) -> list[str]:
    """The absolute paths of the programs that exist at present: programs in folders may come and go."""
    with contextlib.suppress(UsageError):
        return [os.path.abspath(path) for path in _programs(names)]
    return []


def _changed(path: str | None) -> float:
    try:
        return 0.0 if path is None else os.stat(path).st_mtime
    except OSError:
        return 0.0


def _keep(path: str, scores: Sequence[dict[str, Any]], chosen: Settings) -> None:
    """Enter the cycles of programs that pass all stages into the file ``path``, where they are the best."""
    table = read_best(path)
    better = [
        table.enter(call["operation"], chosen.arch, call["arguments"], call["cycles"])
        for score in scores
        if score["status"] == 0
        for call in score["calls"]
    ]
    if any(better):
        _write(path, table.text())


def _write(path: str, content: str) -> None:
    try:
        if os.path.exists(path):
            replace_whole(path, content.encode(), 0o644)
        else:
            Path(path).write_text(content, encoding="utf-8")
    except OSError as problem:
        raise UsageError(unwritable(path, problem)) from None


def _show(scores: Sequence[dict[str, Any]], chosen: Settings, *, one: bool) -> None:
    if chosen.format == "json":
        print(json.dumps(scores[0] if one else corpus.together(scores), ensure_ascii=False), flush=True)
    else:
        print(text.render(scores[0]) if one else text.render_all(scores), flush=True)


def _tolerance(text_: str) -> float:
    value = float(text_)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"takes a number from 0 to below 1, not '{text_}'")
    return value


def _not_isolated(isolation: Isolation) -> Diagnostic:
    """The error when programs cannot be isolated on this machine (TTL0128)."""
    what = {"network": isolation.network, "files": isolation.files}
    open_ = [name for name, how in what.items() if how == "open"]
    return error(
        "TTL0128",
        f"programs cannot be kept from {' and '.join('the network' if name == 'network' else 'changing files' for name in open_)} on this machine",
        notes=("this needs Linux 6.2 or newer with Landlock, and network namespaces or seccomp",),
        help="score on such a machine, or give --allow-open where the program is trusted",
    )
