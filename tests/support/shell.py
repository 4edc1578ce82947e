"""The RUN lines of ``lit`` files, run in this process: our tools, FileCheck, ``not`` and ``mkdir``, with ``|``, ``&&``, ``>`` and ``2>&1``."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser, pattern_for_opts

# Arguments, standard input, output and errors; the exit code.
Command = Callable[[Sequence[str], TextIO, TextIO, TextIO], int]


@dataclass(frozen=True)
class Result:
    """What a command left."""

    status: int
    output: str
    errors: str


def run_lines(path: Path) -> list[str]:
    """The RUN lines of a file; one that ends in a backslash goes on in the next."""
    text = re.sub(r"\\\n\s*//\s*RUN:", "", path.read_text(encoding="utf-8"))
    return [line.rstrip() for line in re.findall(r"^\s*//\s*RUN:\s?(.*)$", text, re.MULTILINE)]


@dataclass(frozen=True)
class Shell:
    """Runs command lines. ``tools`` are the commands besides FileCheck and those of the system."""

    tools: Mapping[str, Command]

    def run(self, line: str) -> Result:
        """One line, as ``sh`` would run it with ``pipefail``. Raises ``ValueError`` for what it cannot run."""
        result = Result(0, "", "")
        for command in _split(_words(line), "&&"):
            result = self._pipe(command)
            if result.status:
                break
        return result

    def _pipe(self, words: list[str]) -> Result:
        status, text, errors = 0, "", ""
        for stage in _split(words, "|"):
            result = self._redirected(stage, text)
            status, text = status or result.status, result.output
            errors += result.errors
        return Result(status, text, errors)

    def _redirected(self, words: list[str], text: str) -> Result:
        arguments: list[str] = []
        target, both = None, False
        rest = iter(words)
        for word in rest:
            match word:
                case "2>&1":
                    both = True
                case ">":
                    target = next(rest)
                case _:
                    arguments.append(word)
        result = self._command(arguments, text, both)
        if target is None:
            return result
        with open(target, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(result.output)
        return Result(result.status, "", result.errors)

    def _command(self, arguments: list[str], text: str, both: bool) -> Result:
        output, errors = _stream(), _stream()
        status = self._status(arguments, io.StringIO(text), output, output if both else errors)
        return Result(status, _written(output), _written(errors))

    def _status(self, words: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        name, *arguments = words
        match name:
            case "not":
                return int(self._status(arguments, stdin, stdout, stderr) == 0)
            case "FileCheck" | "filecheck":
                return file_check(arguments, stdin.read(), stderr)
            case "mkdir":
                assert arguments[0] == "-p"
                for folder in arguments[1:]:
                    Path(folder).mkdir(parents=True, exist_ok=True)
            case _:
                if name not in self.tools:
                    raise ValueError(f"this runner has no command {name}; it has {', '.join(self.tools)}")
                return self.tools[name](arguments, stdin, stdout, stderr)
        return 0


def _stream() -> io.TextIOWrapper:
    """A stream that takes text and, by its ``buffer``, bytes."""
    return io.TextIOWrapper(
        io.BytesIO(), encoding="utf-8", errors="surrogateescape", newline="", write_through=True
    )


def _written(stream: io.TextIOWrapper) -> str:
    content = stream.buffer
    assert isinstance(content, io.BytesIO)
    return content.getvalue().decode("utf-8", "surrogateescape")


def file_check(arguments: Sequence[str], text: str, complaints: TextIO) -> int:
    """FileCheck, on a text that was piped or on the file that ``--input-file`` names."""
    options = parse_argv_options(["filecheck", *arguments])
    if options.input_file != "-":
        text = Path(options.input_file).read_text(encoding="utf-8")
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        open(options.match_filename, encoding="utf-8") as file,
    ):
        matcher = Matcher(options, FInput("-", text), Parser(options, file, *pattern_for_opts(options)))
        status = int(matcher.run() != 0)
    if status:
        complaints.write(f"{said.getvalue()}\n--- input ---\n{text}")
    return status


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line.replace("2>&1", " \0both "), posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    return ["2>&1" if word == "\0both" else word for word in lexer]


def _split(words: Sequence[str], mark: str) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word == mark:
            yield part
            part = []
        else:
            part.append(word)
    yield part
