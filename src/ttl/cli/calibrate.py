"""``ttl calibrate``: fits the costs of a user's own card to the measurements of its profiler."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ttl.arch.costs_file import written
from ttl.calibrate.measurements import calibrated
from ttl.calibrate.plan import FREE, KERNELS, SCRIPT
from ttl.check.file import require_parts
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import unwritable
from ttl.cli.status import Status
from ttl.diag import ProgramError
from ttl.diag.report import write

if TYPE_CHECKING:
    from ttl.calibrate.measurements import Calibration
    from ttl.settings import Settings

_COSTS_FILE = "ttl.costs.toml"


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code: 1 if the fitted costs predict kernels that were left out no better.

    Raises ``UsageError`` TTL0147 (a file that cannot be read), TTL0153 (too few measurements) and TTL0117 (a path that
    cannot be written), and ``ProgramError`` TTL0116 (not installed).
    """
    parser = Parser(
        "calibrate",
        "Fit the costs of the emulated chip to your card: write the kernels to measure, or fit costs to the measurements.",
        "--plan | --from FOLDER",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="write the kernels to run on the card, and say what each of them measures",
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="FOLDER",
        help="fit costs to the profiler's files in a folder, NAME.csv for each kernel",
    )
    parser.add_argument("--only", metavar="COST,COST", help="fit these costs only")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help=f"the output: the folder of the plan (calibration), or the file of costs ({_COSTS_FILE})",
    )
    add_settings(parser)
    arguments = parser.parse(argv)
    if arguments.plan == (arguments.source is not None):
        parser.error("one of the arguments --plan, --from is required")
    if arguments.output == "":
        parser.error("argument -o: expected a path")
    with applied(arguments) as chosen:
        as_json = chosen.format == "json"
        if arguments.plan:
            folder = Path(arguments.output or "calibration")
            try:
                return _plan(folder, as_json=as_json)
            except OSError as problem:
                if problem.filename is None:  # an error of standard output
                    raise
                raise UsageError(unwritable(str(problem.filename), problem)) from None
        require_parts("ttl calibrate")
        return _fit(
            arguments.source,
            _costs(parser, arguments.only),
            Path(arguments.output or _COSTS_FILE),
            chosen,
        )


def _costs(parser: Parser, only: str | None) -> list[str]:
    """Return the names of the requested costs, each once; empty if ``--only`` is missing."""
    names = [] if only is None else list(dict.fromkeys(name.strip() for name in only.split(",")))
    for name in names:
        if name not in FREE:
            parser.error(
                f"argument --only: '{name}' is not a cost that can be fitted; there are {', '.join(FREE)}"
            )
    return names


def _plan(folder: Path, *, as_json: bool) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in KERNELS:
        (folder / f"{kernel.name}.py").write_text(kernel.source, encoding="utf-8")
    script = folder / "measure.sh"
    script.write_text(SCRIPT, encoding="utf-8")
    script.chmod(0o755)
    if as_json:
        rows = [
            {"kernel": kernel.name, "what": kernel.what, "tells": list(kernel.tells)} for kernel in KERNELS
        ]
        print(json.dumps({"schema": 1, "kind": "calibration-plan", "folder": str(folder), "kernels": rows}))
        return Status.OK
    lines = [f"{'kernel':<12}  {'what':<48}  tells"]
    lines += [f"{kernel.name:<12}  {kernel.what:<48}  {', '.join(kernel.tells)}" for kernel in KERNELS]
    lines.append(
        f"{len(KERNELS)} programs are in {folder}; on the machine with the card: sh {script}, then ttl calibrate --from {folder}"
    )
    write("\n".join(lines), stream=sys.stdout)
    return Status.OK


def _fit(folder: str, names: list[str], output: Path, chosen: Settings) -> int:
    try:
        calibration = calibrated(folder, chosen, names)
    except ProgramError as raised:
        raise UsageError(*raised.diagnostics) from None
    if calibration.helps:
        before, after = calibration.errors
        remark = (
            f"By 'ttl calibrate' from {calibration.files} kernels: mean error of kernels left out {before * 100:.1f} %, now {after * 100:.1f} %.",
        )
        try:
            output.write_text(written(calibration.chip.name, calibration.after, remark), encoding="utf-8")
        except OSError as problem:
            raise UsageError(unwritable(str(output), problem)) from None
    _show(calibration, output, as_json=chosen.format == "json")
    return Status.OK if calibration.helps else Status.FAILED


def _show(calibration: Calibration, output: Path, *, as_json: bool) -> None:
    before, after = calibration.errors
    if as_json:
        item = {
            "schema": 1, "kind": "calibration", "chip": calibration.chip.name, "before": dict(calibration.before), "after": dict(calibration.after),
            "left_out": [{"kernel": row.kernel, "before": row.before, "after": row.after} for row in calibration.left_out],
            "mean": {"before": before, "after": after}, "file": str(output) if calibration.helps else None,
        }  # fmt: skip
        print(json.dumps(item))
        return
    lines = [f"{'cost':<14}  {'before':>8}  {'after':>8}  on {calibration.chip.title}"]
    lines += [
        f"{name:<14}  {value:>8,}  {calibration.after[name]:>8,}  {FREE[name]}"
        for name, value in calibration.before.items()
    ]
    lines.append(
        f"\n{'left out':<14}  {'before':>8}  {'after':>8}  mean error of its rows, with costs fitted to the other kernels"
    )
    for row in calibration.left_out:
        lines.append(f"{row.kernel:<14}  {row.before * 100:>6.1f} %  {row.after * 100:>6.1f} %")
    lines.append(f"{'all':<14}  {before * 100:>6.1f} %  {after * 100:>6.1f} %")
    lines.append(
        f"\nwritten: {output}; --costs {output} counts with it"
        if calibration.helps
        else "\nnothing is written: kernels that were left out are met no better than with the chip's own costs"
    )
    write("\n".join(lines), stream=sys.stdout)
