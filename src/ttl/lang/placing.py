"""Where the tensors of a call are: on a device all of them, or none, in a program that has no device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ttl.diag import Diagnostic
from ttl.host.tensor import Tensor
from ttl.rules.launches import match_places, moved_to_the_device
from ttl.source.calls import argument_of_statement
from ttl.source.spans import Span


def misplaced(operation: str, arguments: Mapping[str, Any], call: Span | None) -> Diagnostic | None:
    """The error for a call, at ``call``, with tensors on a device and others on the host (TTL0241), without a place."""
    on_device = {
        name: value.device() is not None for name, value in arguments.items() if isinstance(value, Tensor)
    }
    finding = match_places(operation, on_device)
    if finding is None or call is None:
        return finding
    names = list(arguments)
    first, other = (next(name for name, on in on_device.items() if on is wanted) for wanted in (False, True))
    given, beside = (argument_of_statement(call, names.index(name), name) for name in (first, other))
    if given is None or beside is None:
        return finding
    return moved_to_the_device(finding, call, given, beside)
