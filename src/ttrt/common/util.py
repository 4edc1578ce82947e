"""What commands share: logging, the folder for artifacts, finding binaries, result files."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ttmlir.flatbuffer import files
from ttmlir.flatbuffer.version import MAJOR, MINOR, PATCH
from ttrt.binary import Binary

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
REPORT_FILE = "ttrt_report.xml"


class CommandError(Exception):
    """The command line, a file or a folder is wrong. The text says what to do."""


def version() -> str:
    """The release whose binaries are run."""
    return f"{MAJOR}.{MINOR}.{PATCH}"


class Logger:
    """Says what happens, on standard error or in a file. ``TTRT_LOGGER_LEVEL`` says from which level on (``INFO``)."""

    def __init__(self, file_name: str = "") -> None:
        self.file_name = file_name
        word = os.environ.get("TTRT_LOGGER_LEVEL", "INFO").upper()
        if word not in _LEVELS:
            raise CommandError(f"TTRT_LOGGER_LEVEL is {word}; it is one of {', '.join(_LEVELS)}")
        self._logging = logging.Logger("ttrt", word)
        handler: logging.Handler
        try:
            handler = (
                logging.FileHandler(file_name, "w", "utf-8")
                if file_name
                else logging.StreamHandler(sys.stderr)
            )
        except OSError as problem:
            raise CommandError(f"cannot write the log to {file_name}: {problem.strerror}") from None
        form = "%(asctime)s - %(levelname)s - %(message)s" if file_name else "%(levelname)s: %(message)s"
        handler.setFormatter(logging.Formatter(form))
        self._logging.addHandler(handler)

    def get_logger(self) -> logging.Logger:
        """The logger of Python's library."""
        return self._logging

    def debug(self, text: str) -> None:
        self._logging.debug(text)

    def info(self, text: str) -> None:
        self._logging.info(text)

    def warning(self, text: str) -> None:
        self._logging.warning(text)

    def error(self, text: str) -> None:
        self._logging.error(text)


class Artifacts:
    """The folder that files of runs are kept in. Files are written under another name and then renamed."""

    def __init__(
        self, logger: Logger | None = None, artifacts_folder_path: str = "", log_file: str = ""
    ) -> None:
        self.logger = logger
        base = os.environ.get("TT_MLIR_HOME", "")
        self.artifacts_folder_path = artifacts_folder_path or str(Path(base or ".") / "ttrt-artifacts")
        self.log_file = log_file

    @property
    def folder(self) -> Path:
        """The folder as a path."""
        return Path(self.artifacts_folder_path)

    def clean_artifacts(self) -> None:
        """Delete the folder, if it is one of ours: nothing is deleted that has other files."""
        if not self.folder.exists():
            return
        kinds = {".ttnn", ".ttm", ".ttsys", ".pt", ".csv", ".json", ".log", ".txt", ".tracy"}
        foreign = [path for path in self.folder.rglob("*") if path.is_file() and path.suffix not in kinds]
        if foreign:
            raise CommandError(
                f"{self.folder} is not cleaned: it has files that are no artifacts, such as {foreign[0]}"
            )
        shutil.rmtree(self.folder)

    def create_artifacts(self) -> None:
        """Make the folder. Raises ``CommandError`` where that is not possible."""
        self.make(self.folder)

    def make(self, folder: Path) -> Path:
        """Make a folder in it. Raises ``CommandError`` where that is not possible."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise CommandError(f"cannot make the folder {folder}: {problem.strerror}") from None
        return folder

    def save(self, path: Path, content: bytes) -> None:
        """Write a file in it, whole or not at all."""
        self.make(path.parent)
        write_whole(path, content)

    def save_binary(self, path: Path, binary: Binary) -> Path:
        """Copy a binary to a folder of its own, and return that folder."""
        folder = self.folder / path.name
        for part in ("run", "perf"):
            self.make(folder / part)
        self.save(folder / path.name, binary.content)
        return folder


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all. Raises ``CommandError``."""
    try:
        files.write_whole(path, content)
    except OSError as problem:
        raise CommandError(f"cannot write {path}: {problem.strerror}") from None


def binaries_at(path: str, suffixes: Sequence[str]) -> list[Path]:
    """A file, or all files of these kinds in a folder and what is in it. Raises ``CommandError`` where there are none."""
    if not path:
        raise CommandError("name a binary, or a folder with binaries")
    given = Path(path)
    if not given.exists():
        raise CommandError(f"there is no file or folder {path}")
    if given.is_file():
        if given.suffix not in suffixes:
            raise CommandError(f"{path} is none of {', '.join(suffixes)}")
        return [given]
    inside = sorted(file for file in given.rglob("*") if file.is_file() and file.suffix in suffixes)
    if not inside:
        raise CommandError(f"the folder {path} has none of {', '.join(suffixes)}")
    return inside


def result_entry(path: Path | None, result: str, exception: str, **more: Any) -> dict[str, Any]:
    """One entry of a result file."""
    entry: dict[str, Any] = {} if path is None else {"file_path": str(path)}
    return entry | {"result": result, "exception": exception} | more


def save_results(results: Sequence[dict[str, Any]], file: str, *, report: bool = True) -> None:
    """Write the result file, and the report for the CI beside it."""
    write_whole(Path(file), (json.dumps(list(results), indent=2) + "\n").encode())
    if report:
        write_whole(Path(REPORT_FILE), _report(results))


def _report(results: Sequence[dict[str, Any]]) -> bytes:
    failures = sum(entry["result"] == "error" for entry in results)
    skipped = sum(entry["result"] == "skip" for entry in results)
    suites = ElementTree.Element("testsuites")
    counts = {"tests": str(len(results)), "failures": str(failures), "skipped": str(skipped)}
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "TTRT", **counts})
    for entry in results:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {name: str(value) for name, value in entry.items() if not isinstance(value, dict | list)},
        )
        case.set("name", Path(str(entry.get("file_path", "system"))).name)
        if entry["result"] != "pass":
            kind = "skipped" if entry["result"] == "skip" else "failure"
            ElementTree.SubElement(case, kind, {"message": str(entry["exception"])})
    return bytes(ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True))
