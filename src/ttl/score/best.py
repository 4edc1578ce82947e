"""The best cycles known: a TOML file that users keep in version control, and pass with ``--best``.

    [[matmul]]
    chip = "wormhole"
    arguments = ["a: 512x512 bfloat16", "b: 512x512 bfloat16", "y: 512x512 bfloat16"]
    cycles = 21180

It has a table for each operation, by its name, and an entry for each chip and kind of call. It is never looked for
beside the program, where the author of the program could write it.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Sequence
from typing import Any

from ttl.diag import ProgramError
from ttl.score.references import unusable
from ttl.source.files import check_finite

BestKey = tuple[str, str, tuple[str, ...]]
"""Operation, chip, arguments."""


class BestTable:
    """The entries of a file."""

    def __init__(self, entries: dict[BestKey, int]) -> None:
        self._entries = entries

    def find(self, operation: str, chip: str, arguments: Sequence[str]) -> int | None:
        """The best known cycles of a call, or None."""
        return self._entries.get((operation, chip, tuple(arguments)))

    def enter(self, operation: str, chip: str, arguments: Sequence[str], cycles: int) -> bool:
        """Enter the cycles of a call if they are the best; return whether they are."""
        known = self.find(operation, chip, arguments)
        if known is not None and known <= cycles:
            return False
        self._entries[operation, chip, tuple(arguments)] = cycles
        return True

    def text(self) -> str:
        """The table as TOML."""
        parts = []
        for (operation, chip, arguments), cycles in sorted(self._entries.items()):
            listed = ", ".join(json.dumps(item, ensure_ascii=False) for item in arguments)
            parts.append(
                f"[[{json.dumps(operation, ensure_ascii=False) if not operation.isascii() else operation}]]\n"
                f"chip = {json.dumps(chip)}\narguments = [{listed}]\ncycles = {cycles}\n"
            )
        return "\n".join(parts)


def read_best(path: str, *, may_be_missing: bool = False) -> BestTable:
    """Read a file of the best cycles. Raises ``ProgramError`` TTL0129 for a file that cannot be used."""
    if may_be_missing and not os.path.exists(path):
        return BestTable({})
    try:
        check_finite(path)
        with open(path, "rb") as file:
            data = tomllib.load(file)
        entries = {
            _key(operation, item): _cycles(item["cycles"])
            for operation, items in data.items()
            for item in items
        }
    except OSError as problem:
        raise _wrong(path, (problem.strerror or str(problem)).lower()) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise _wrong(path, f"it is not TOML: {problem}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise _wrong(path, f"an entry is not a table with chip, arguments and cycles ({problem})") from None
    return BestTable(entries)


def _key(operation: str, item: Any) -> BestKey:
    return operation, str(item["chip"]), tuple(str(part) for part in item["arguments"])


def _cycles(value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"cycles = {value}")
    return value


def _wrong(path: str, why: str) -> ProgramError:
    return unusable(path, why, "'ttl score --keep-best FILE' writes a file of the best cycles known")
