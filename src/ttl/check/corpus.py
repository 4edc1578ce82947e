"""Checking a file in another process: the request, and the report that answers it."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

from ttl.check.file import FileReport, check_file
from ttl.session import SOURCES
from ttl.settings import Settings, from_json, to_json

FUNCTION = f"{__name__}:checked"
"""The name of ``checked`` for ``SweepWork``."""


def task_of(chosen: Settings, arguments: Sequence[str]) -> dict[str, Any]:
    """Return the part of a task that all files have in common: settings, and the command line of the programs."""
    return {"settings": to_json(chosen), "arguments": list(arguments)}


def item_of(path: str) -> dict[str, Any]:
    """Return the task for one file (absolute path), with the unsaved texts of files."""
    return {"path": path, "unsaved": SOURCES.get().unsaved()}


def checked(task: Mapping[str, Any], item: Mapping[str, Any]) -> str:
    """The report on a file, as ``report_of`` reads it."""
    sources = SOURCES.get()
    with sources.showing():
        for path, text in item["unsaved"].items():
            sources.show(path, text)
        report = check_file(item["path"], from_json(task["settings"]), tuple(task["arguments"]))
    return base64.b64encode(pickle.dumps(report)).decode()


def report_of(answer: str) -> FileReport:
    """Return the report in an answer. Answers come from this program's own processes, so unpickling is safe."""
    report: FileReport = pickle.loads(base64.b64decode(answer))
    return report
