"""The files of programs that a command line names: finding, reading and compiling them."""

from __future__ import annotations

import difflib
import errno
import os
import re
import stat
import sys
import warnings
from collections.abc import Iterator, Sequence
from types import CodeType

from ttl.check.source import not_python
from ttl.cli.options import UsageError
from ttl.diag import Diagnostic, error, fixes
from ttl.session import SOURCES, Sources
from ttl.source.files import check_finite

_MENTIONS = re.compile(rb"\bttl\b")
# The name of standard input as a file, in reports and for Python.
STANDARD_INPUT = "<stdin>"
_STANDARD_OUTPUT = 1
_NOT_SOURCES = ("__pycache__", "node_modules", "site-packages")


def no_program(verb: str, advice: str) -> UsageError:
    """Error TTL0102: the command line names no program."""
    return UsageError(error("TTL0102", f"ttl {verb} needs a program", help=advice))


def split(argv: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Split a command line into the arguments of the verb and those of the program, at the first ``--``."""
    given = list(argv)
    if "--" not in given:
        return given, ()
    at = given.index("--")
    return given[:at], tuple(given[at + 1 :])


def path_of(program: str) -> str:
    """The absolute path of a program; for ``-``, standard input is read, and ``<stdin>`` is returned.

    A text that an editor has not saved as a file is named in angle brackets.
    """
    return _place_of(program)[0]


def _place_of(program: str) -> tuple[str, Sources]:
    """Return the absolute path of a program, or its name if it is an unsaved text, and the texts of the session."""
    sources = SOURCES.get()
    if program.startswith("<") and sources.is_unsaved(program):
        return program, sources
    if program != "-":
        return os.path.abspath(program), sources
    if not sources.is_file(STANDARD_INPUT):
        sources.show(STANDARD_INPUT, sys.stdin.read())
    return STANDARD_INPUT, sources


def named_input(name: str) -> str:
    """Read the unsaved text of the file ``name`` from standard input; return the absolute path of the file."""
    path = os.path.abspath(name)
    SOURCES.get().show(path, sys.stdin.read())
    return path


def load(program: str) -> CodeType:
    """The compiled program. Raises ``UsageError`` TTL0110 or TTL0111."""
    path, sources = _place_of(program)
    source: str | bytes
    if sources.is_unsaved(path):
        source = sources.of(path).text
        return _compiled(source, program, path)
    try:
        check_finite(path)
        with open(path, "rb") as file:
            source = file.read()
    except OSError as problem:
        raise UsageError(unreadable(program, problem)) from None
    return _compiled(source, program, path)


def readable(program: str) -> bool:
    """Whether the program is an unsaved text or a regular file that can be read."""
    path, sources = _place_of(program)
    return sources.is_unsaved(path) or (os.path.isfile(path) and os.access(path, os.R_OK))


def _compiled(source: str | bytes, program: str, path: str) -> CodeType:
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as problem:
        raise UsageError(not_python(program, path, problem)) from None


def finding_in(program: str) -> Diagnostic | None:
    """Return TTL0110 or TTL0111 with the reason why a file is not a program; None for a program."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about the user's code are shown when it runs
            load(program)
        if program != "-":
            fixes.read(program)  # Python overlooks some bytes that are not text, in comments
    except UsageError as raised:
        return raised.diagnostic
    except (SyntaxError, ValueError) as problem:
        return not_python(program, os.path.abspath(program), problem)
    return None


def programs(names: Sequence[str]) -> list[str]:
    """The programs that ``names`` stand for, each once: files themselves, and the programs in folders.

    The programs in a folder are the Python files at any depth that mention ``ttl``, without hidden folders, virtual
    environments and installed packages. Raises ``UsageError`` TTL0110 for a name that is neither a file nor a folder.
    """
    result: dict[str, str] = {}
    for name in names:
        if name == "-":
            result.setdefault(name, name)
            continue
        if not os.path.isdir(name):
            try:
                check_finite(name)
                with open(name, "rb"):
                    pass
            except OSError as problem:
                raise UsageError(unreadable(name, problem)) from None
            result.setdefault(os.path.realpath(name), name)
            continue
        for path in _below(name):
            result.setdefault(os.path.realpath(path), path)
    return list(result.values())


def _below(folder: str) -> Iterator[str]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _NOT_SOURCES
            and not os.path.isfile(os.path.join(where, name, "pyvenv.cfg"))
        )
        for name in sorted(files):
            path = os.path.join(where, name)
            if name.endswith(".py") and _mentions_ttl(path):
                yield path


def _mentions_ttl(path: str) -> bool:
    """Whether a file mentions ``ttl``; a file that cannot be read counts, so that it is reported later."""
    try:
        with open(path, "rb") as file:
            return _MENTIONS.search(file.read()) is not None
    except OSError:
        return True


def unreadable(program: str, problem: OSError) -> Diagnostic:
    """Finding TTL0110: a program cannot be read."""
    folder, name = os.path.split(program)
    advice = "give the path of a Python file"
    if isinstance(problem, FileNotFoundError):
        try:
            there = os.listdir(folder or ".")
        except OSError:
            there = []
        near = difflib.get_close_matches(name, there, n=1)
        if near:
            advice = f"did you mean '{os.path.join(folder, near[0])}'?"
    reason = (problem.strerror or str(problem)).lower()
    return error("TTL0110", f"cannot read the program '{program}': {reason}", help=advice)


def write_file(path: str, text: str, *advice: str) -> None:
    """Write one file. Raises ``UsageError`` TTL0117."""
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as problem:
        raise UsageError(unwritable(path, problem, *advice)) from None


def unwritable(name: str, problem: OSError, *help: str) -> Diagnostic:
    """Finding TTL0117: a file cannot be written."""
    reason = (problem.strerror or str(problem)).lower()
    return error("TTL0117", f"cannot write '{name}': {reason}", help=help)


def no_path(*help: str) -> Diagnostic:
    """Finding TTL0117 for an empty path, such as the value of a shell variable that is not set."""
    return unwritable("", FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)), *help)


def unwritten_output(problem: OSError) -> Diagnostic | None:
    """Finding TTL0117 if standard output could not be written because a disk is full; None for any other problem."""
    disk = problem.errno in (errno.ENOSPC, errno.EDQUOT)
    if problem.filename is not None or not disk or not is_full(_STANDARD_OUTPUT):
        return None
    return unwritable("standard output", problem)


def drop_output() -> None:
    """Discard all further and buffered output, so that Python does not report the problem again at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STANDARD_OUTPUT)
    os.close(nowhere)


def is_full(descriptor: int) -> bool:
    """Whether the disk that a descriptor writes to is full, as far as that can be determined."""
    try:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            return os.fstatvfs(descriptor).f_bavail == 0
        return os.path.exists("/dev/full") and status.st_rdev == os.stat("/dev/full").st_rdev
    except (OSError, AttributeError):
        return False


def make_folder(path: str) -> None:
    """Create a folder for files if it is missing. Raises ``UsageError`` TTL0117 if it cannot be created or written."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as problem:
        raise UsageError(unwritable(path, problem)) from None
    if not os.access(path, os.W_OK):
        raise UsageError(unwritable(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES))))


def check_writable(path: str) -> None:
    """Raise ``UsageError`` TTL0117 if a file cannot be written.

    A program may run for long before its trace is written, so this is checked first.
    """
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise UsageError(unwritable(path, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))))
    if not os.path.isdir(folder):
        raise UsageError(unwritable(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise UsageError(unwritable(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES))))
