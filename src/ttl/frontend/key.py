"""What a specialisation depends on, as one string: equal keys mean equal modules and equal findings.

It is made of all that the operation can see, by value: nothing of it is an address, so another process makes the same
key. A change of the source on disk is caught by the hashes of files that go with a stored result.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from ttl.lang.captured import words
from ttl.lang.operation import Operation
from ttl.lang.visible import CannotSeeError, visible
from ttl.settings import current_chip


@dataclass(frozen=True, slots=True)
class CallKeys:
    """``exact``: all that a call depends on. ``form``: the same but for the values of floating point numbers."""

    exact: str
    form: str


def specialisation_key(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The key of a call; None where something it depends on has no value that could be compared later."""
    keys = call_keys(operation, args, kwargs)
    return None if keys is None else keys.exact


def call_keys(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallKeys | None:
    """The keys of a call; None as of ``specialisation_key``."""
    names = sorted(kwargs)
    given = (*args, names, *(kwargs[name] for name in names))
    start = f"{current_chip().name} {len(args)}".encode()
    exact, form = hashlib.sha256(start), hashlib.sha256(start)
    try:
        for sight in visible((operation, *given)):
            is_float = type(sight.value) is float
            for number, text in enumerate(words(sight)):
                line = text.encode(errors="surrogatepass") + b"\0"
                exact.update(line)
                form.update(b"float\0" if is_float and number else line)
    except CannotSeeError:
        return None
    return CallKeys(exact.hexdigest(), form.hexdigest())
