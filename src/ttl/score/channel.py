"""The channel on which a process of ``ttl score`` answers: a pipe that only this process can write to, in sealed lines.

Each line is a JSON object with ``seal``, a word that the scorer passed to this process on its standard input, and with
either ``cheat``, the reason why the program is disqualified, or ``answer``, which is in the last line. Text that was
written to a pipe cannot be taken back: so a cheat is reported before it happens. A line without the seal is a cheat.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any, NoReturn

from ttl.processes import CHANNEL

FORGED = "it writes to the channel on which its process answers to the scorer"
CHANGED = "it changes the arrays that its process leaves for the scorer"


class AnswerChannel:
    """The end of the channel in the process, created before any code of a program runs."""

    __slots__ = ("_seal", "cheat")

    def __init__(self) -> None:
        seal = self._seal = sys.stdin.readline().strip()
        # Standard input is a file, which could be read again from its beginning.
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        # A program may replace functions of modules, but not these local ones.
        write, quoted = os.write, encode_basestring_ascii

        def cheat(why: str) -> None:
            write(CHANNEL, f'{{"seal": {quoted(seal)}, "cheat": {quoted(why)}}}\n'.encode())

        self.cheat: Callable[[str], None] = cheat
        """Reports a cheat of the program. Raises ``OSError`` if the channel was closed, which prevents the act."""

    def answer(self, data: Mapping[str, Any], arrays: str) -> None:
        """Send the answer; it is valid only with the present contents of the file ``arrays``, if the file exists."""
        line = {"seal": self._seal, "answer": data, "arrays": digest_of(arrays)}
        rest = json.dumps(line).encode() + b"\n"
        while rest:
            rest = rest[os.write(CHANNEL, rest) :]

    def leave(self) -> NoReturn:
        """End this process at once, so that no code that a program has left in it runs."""
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # the program may have replaced the stream
                continue
        os._exit(0)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerRead:
    """The answer that was read from a channel, with the cheats that were found."""

    data: Mapping[str, Any] | None
    """The answer; None if there is no answer, or a cheat was found."""
    cheats: tuple[str, ...]


def read_answer(sent: bytes, seal: str, arrays: str) -> AnswerRead:
    """Read the answer of a process with the seal ``seal``; ``arrays`` is the file of arrays that it may have left."""
    data: Mapping[str, Any] | None = None
    cheats: list[str] = []
    # The last line may have been cut when the process was ended.
    for line in sent.split(b"\n")[:-1]:
        item = _object(line)
        if item is None or item.get("seal") != seal or data is not None:
            cheats.append(FORGED)
            break
        if "cheat" in item:
            cheats.append(str(item["cheat"]))
        else:
            data = item["answer"]
            if item["arrays"] != digest_of(arrays):
                cheats.append(CHANGED)
    return AnswerRead(data=None if cheats else data, cheats=tuple(cheats))


def digest_of(path: str) -> str | None:
    """Return the digest of a file's contents; None if the file cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


def task_of_command_line() -> dict[str, Any]:
    """Return the task of this process: the object in the file that its command line names."""
    task: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return task
