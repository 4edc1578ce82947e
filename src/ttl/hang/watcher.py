"""The log of the watcher: the place of each processor of a core, as a waypoint, and its kernel. It has no lines and no counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ttl.hang.dump_content import Dump, DumpedRisc

_CORE = re.compile(
    r"Device\s+(\d{1,4})\s+(?:worker|functional_workers|tensix)?\s*core\s*\(\s*x\s*=\s*(\d{1,4})\s*,\s*y\s*=\s*(\d{1,4})\s*\)"
    r"[^:]*:\s*((?:\s*[A-Z0-9]{1,4}\s*,){0,4}\s*[A-Z0-9]{1,4})\s(.*)$"
)
_KERNELS = re.compile(r"k_ids?:((?:\d{1,6}\|){0,8}\d{1,6})")
_NAME = re.compile(r"^\s*k_id\[\s*(\d{1,6})\]:\s*(\S.*)$")
_BEGIN = re.compile(r"Dump #(\d+) at")
_ALARM = re.compile(r"watcher (?:detected|stopped)|tripped|asserted|sanitize|stack overflow", re.IGNORECASE)
_MOST_ALARMS = 8


def is_watcher(lines: Sequence[str]) -> bool:
    """Whether a text is a log of the watcher."""
    return any(_CORE.search(line) or _BEGIN.search(line) for line in lines)


def read(lines: Sequence[str], dump: Dump, name: str) -> None:
    """Add the last dump of a log, and the watcher's complaints of the whole log."""
    alarms = list(dict.fromkeys(" ".join(line.split()) for line in lines if _ALARM.search(line)))
    dump.alarms += alarms[:_MOST_ALARMS]
    begins = [number for number, line in enumerate(lines) if _BEGIN.search(line)]
    # A dump that was cut off at its beginning has less than the dump before it.
    ends = [*begins[1:], len(lines)]
    parts = [lines[begin:end] for begin, end in zip(begins, ends, strict=False)]
    last = next((part for part in reversed(parts) if any(map(_CORE.search, part))), lines)
    names = {int(match[1]): match[2].strip() for line in lines if (match := _NAME.match(line))}
    bad = 0
    for line in last:
        match = _CORE.search(line)
        if match is None:
            bad += "core(" in line
            continue
        device, x, y = (int(match[group]) for group in (1, 2, 3))
        waypoints = [part.strip() for part in match[4].split(",")]
        kernels = _KERNELS.search(match[5])
        numbers = [int(part) for part in kernels[1].split("|")] if kernels else []
        for role, waypoint in enumerate(waypoints):
            # Three numbers: the last is that of all compute processors.
            at = min(role, 2) if len(numbers) == 3 else role
            kernel = numbers[at] if at < len(numbers) else 0
            if kernels is not None and kernel == 0:
                continue
            dump.merge(
                DumpedRisc(at=(device, (x, y)), role=role, kernel=names.get(kernel, ""), waypoint=waypoint)
            )
    if bad:
        dump.damaged.append(f"{bad} line{'' if bad == 1 else 's'} of {name}")
