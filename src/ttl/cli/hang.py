"""``ttl hang FOLDER``: explain why a card hangs, from the files of tt-triage and the watcher."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from ttl.check.file import require_parts
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.status import Status
from ttl.diag import ProgramError, report
from ttl.diag.words import listed
from ttl.hang.explain import explain
from ttl.hang.files import collect


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code: 1 if kernels are stuck, else 0.

    Raises ``UsageError`` TTL0149 (no file can be read) and ``ProgramError`` TTL0116 (not installed).
    """
    parser = Parser(
        "hang",
        "Explain why a card hangs: which kernel waits for which, the likely cause, and what to change. Reads the files of "
        "tt-triage and the watcher, and those that 'ttl run --dump FOLDER' wrote about the program.",
        "FOLDER",
    )
    parser.add_argument("folder", metavar="FOLDER", help="the folder of the dump, or one file of it")
    parser.add_argument(
        "--dump-only",
        action="store_true",
        help="do not run the program again on the emulated chip to compare it",
    )
    add_settings(parser)
    arguments = parser.parse_mixed(argv)
    with applied(arguments) as chosen:
        require_parts("ttl hang")
        return _explain(arguments.folder, again=not arguments.dump_only, as_json=chosen.format == "json")


def _explain(folder: str, *, again: bool, as_json: bool) -> int:
    try:
        collected = collect(folder)
    except ProgramError as raised:
        raise UsageError(*raised.diagnostics) from None
    status = Status.OK
    dump = collected.dump
    told_of: set[int] = set()
    for device in dump.devices:
        if device in told_of:
            continue
        told = explain(dump, device, collected.infos, collected.sources, again=again)
        told_of |= {device, *told.devices}
        one = (
            ""
            if told_of.issuperset(dump.devices) and len(told.devices) == len(dump.devices)
            else f"device {device}: "
        )
        if told.finding is not None:
            status = Status.FAILED
            notes = [f"read: {listed(dump.read)}", *told.basis]
            if told.missing:
                notes.append("\n".join(("the dump does not say:", *(f"  {text}" for text in told.missing))))
            notes += [f"not read: {text}" for text in dump.damaged[:8]]
            report.show_errors((replace(told.finding, message=one + told.finding.message).noting(*notes),))
        elif as_json:
            print(json.dumps({"schema": 1, "kind": "no-hang", "device": device}))
        else:
            report.write(f"{one}no kernel is stuck according to {listed(dump.read)}", stream=sys.stdout)
            for text in (*told.basis, *(f"not read: {text}" for text in dump.damaged[:8])):
                report.write(text, stream=sys.stdout)
    return status
