"""Helpers that commands share: logging, the folder for artifacts, finding binaries, result files."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tt_model.flatbuffer import files
from tt_model.flatbuffer.version import MAJOR, MINOR, PATCH
from ttl.diag import Diagnostic, Severity
from ttl.diag.text import render
from ttrt.binary import Binary
from ttrt.common.problems import not_ours, unreadable, unwritable, wrong_option

__all__ = [
    "BINARIES",
    "Artifacts",
    "Logger",
    "binaries_at",
    "result_entry",
    "save_results",
    "version",
    "write_whole",
]

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
# Files with programs. ``.ttb`` is the name of ``.ttm`` on the specification's page on flatbuffers.
BINARIES = (".ttnn", ".ttm", ".ttb")
REPORT_FILE = "ttrt_report.xml"
# The files that a folder of artifacts may have; a folder with other files is not deleted.
_KINDS = frozenset(
    {*BINARIES, ".ttsys", ".pt", ".csv", ".json", ".log", ".txt", ".tracy", ".html", ".xml", ".cpp"}
)
_PARTIAL = ".partial"


def version() -> str:
    """The release whose binaries can be run."""
    return f"{MAJOR}.{MINOR}.{PATCH}"


class _Form(logging.Formatter):
    """The format of log records: findings are rendered already; other records begin with their level."""

    def format(self, record: logging.LogRecord) -> str:
        if getattr(record, "is_finding", False):
            return record.getMessage()
        return super().format(record)


class Logger:
    """Logs to standard error or to a file.

    ``TTRT_LOGGER_LEVEL`` is the lowest level. Without it, a file gets all records, and standard error ``INFO`` and up.
    """

    def __init__(self, file_name: str = "") -> None:
        self.file_name = file_name
        word = os.environ.get("TTRT_LOGGER_LEVEL", "DEBUG" if file_name else "INFO").upper()
        if word not in _LEVELS:
            raise wrong_option(f"TTRT_LOGGER_LEVEL is {word}; expected one of {', '.join(_LEVELS)}")
        self._logging = logging.Logger("ttrt", word)
        handler: logging.Handler
        try:
            handler = (
                logging.FileHandler(file_name, "w", "utf-8")
                if file_name
                else logging.StreamHandler(sys.stderr)
            )
        except OSError as problem:
            raise unwritable(file_name, problem.strerror) from None
        form = "%(asctime)s - %(levelname)s - %(message)s" if file_name else "%(levelname)s: %(message)s"
        handler.setFormatter(_Form(form))
        self._logging.addHandler(handler)

    def report(self, finding: Diagnostic) -> None:
        """Log a finding in the format of all reports."""
        level = logging.WARNING if finding.severity is Severity.WARNING else logging.ERROR
        self._logging.log(level, "%s", render(finding), extra={"is_finding": True})

    def get_logger(self) -> logging.Logger:
        """The underlying logger of Python's ``logging``."""
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
    """The folder for files of runs. Files are written under another name and then renamed."""

    def __init__(
        self, logger: Logger | None = None, artifacts_folder_path: str = "", log_file: str = ""
    ) -> None:
        self.logger = logger
        base = os.environ.get("TT_MLIR_HOME", "")
        self.artifacts_folder_path = artifacts_folder_path or str(Path(base or ".") / "ttrt-artifacts")
        self.log_file = log_file
        # The binary of each folder name.
        self._names: dict[str, Path] = {}

    @property
    def folder(self) -> Path:
        """The folder as a path."""
        return Path(self.artifacts_folder_path)

    def clean_artifacts(self) -> None:
        """Delete the folder. Raises ``ProgramError`` if it has files that are not artifacts, or cannot be deleted."""
        if not self.folder.exists():
            return
        foreign = [path for path in self.folder.rglob("*") if path.is_file() and path.suffix not in _KINDS]
        if not self.folder.is_dir() or foreign:
            raise not_ours(self.folder, foreign[0] if foreign else self.folder)
        try:
            shutil.rmtree(self.folder)
        except OSError as problem:
            raise unwritable(self.folder, problem.strerror) from None

    def create_artifacts(self) -> None:
        """Make the folder. Raises ``ProgramError`` where that is not possible."""
        self.make(self.folder)

    def make(self, folder: Path) -> Path:
        """Make a folder and its parents. Raises ``ProgramError`` where that is not possible."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise unwritable(folder, problem.strerror) from None
        return folder

    def save(self, path: Path, content: bytes) -> None:
        """Write a file in the folder, completely or not at all. Raises ``ProgramError``."""
        self.make(path.parent)
        write_whole(path, content)

    @contextmanager
    def of_binary(self, path: Path, binary: Binary) -> Iterator[Path]:
        """The folder of a binary, with a copy of it.

        It appears when it is complete, or when the run has failed; an interrupted run leaves no folder. Folders of
        binaries with the same name are distinguished by the binaries' own folders. Raises ``ProgramError``.
        """
        target = self.folder / self._name_of(path)
        partial = target.with_name(f".{target.name}.{os.getpid()}{_PARTIAL}")
        try:
            for part in ("run", "perf"):
                self.make(partial / part)
            self.save(partial / path.name, binary.content)
            try:
                yield partial
            except Exception:
                # The artifacts of a failed run are kept, as a user may inspect them.
                self._put(partial, target)
                raise
            self._put(partial, target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def save_binary(self, path: Path, binary: Binary) -> None:
        """Make a folder with only a copy of a binary. Raises ``ProgramError``."""
        with self.of_binary(path, binary):
            pass

    def _name_of(self, path: Path) -> str:
        whole = path.resolve()
        for name in (
            path.name,
            f"{whole.parent.name}-{path.name}",
            str(whole).strip("/\\").replace(os.sep, "-"),
        ):
            if self._names.setdefault(name, whole) == whole:
                return name
        return name

    def _put(self, partial: Path, target: Path) -> None:
        """Move all files of ``partial`` to ``target``, where they replace files of the same names; other files stay."""
        try:
            for file in sorted(partial.rglob("*")):
                if file.is_file():
                    place = target / file.relative_to(partial)
                    self.make(place.parent)
                    file.replace(place)
                else:
                    self.make(target / file.relative_to(partial))
        except OSError as problem:
            raise unwritable(target, problem.strerror) from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, completely or not at all. Raises ``ProgramError``."""
    try:
        files.write_whole(path, content)
    except OSError as problem:
        raise unwritable(path, problem.strerror) from None


def binaries_at(path: str, suffixes: Sequence[str]) -> list[Path]:
    """Return a file, or all files with these suffixes below a folder.

    Raises ``ProgramError`` if there are no such files.
    """
    if not path:
        raise unreadable("no binary is named", help="name a binary, or a folder with binaries")
    given = Path(path)
    known = ", ".join(suffixes)
    if not given.exists():
        raise unreadable(f"there is no file or folder {path}")
    if not given.is_dir():
        if given.suffix not in suffixes:
            raise unreadable(
                f"{path} is not one of {known}", help="the end of the name has to say the kind of file"
            )
        return [given]
    inside = sorted(
        file
        # A folder that disappears meanwhile, such as a temporary folder of another process, is skipped.
        for folder, _, names in os.walk(given)
        for file in (Path(folder, name) for name in names)
        if file.is_file() and file.suffix in suffixes and _PARTIAL not in str(file.relative_to(given))
    )
    if not inside:
        raise unreadable(f"the folder {path} has no files that end in {known}")
    return inside


def result_entry(
    path: Path | None, result: str, exception: str, *, code: str = "", **more: Any
) -> dict[str, Any]:
    """One entry of a result file. ``code`` is that of the finding, if the file failed or was skipped."""
    entry: dict[str, Any] = {} if path is None else {"file_path": str(path)}
    return entry | {"result": result, "exception": exception, "code": code} | more


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
