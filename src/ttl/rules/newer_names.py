"""Names of the newer language that other tools have and TT-Lang does not: the reason, and the replacement."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ttl.diag import Diagnostic, error


class NewerName(NamedTuple):
    """The reason why a name is missing, and its replacement."""

    why: str
    instead: str


_FORMATS = NewerName(
    "it changes formats and sizes of buffer indices in the middle of a launch, between two of its phases",
    "make a buffer for each format: buffers that are never in use at the same time share memory automatically, or as members of "
    "ttl.make_dfb_allocation_group()",
)
_RESOURCES = NewerName(
    "the semaphores, arguments and defines that it adds to a program are computed by the compiler here, from what kernels do",
    "make semaphores with ttl.Semaphore in the body, and give your own C++ its numbers with func_args of ttl.call_extern_func",
)
NAMES: Mapping[str, NewerName] = MappingProxyType(
    {
        **dict.fromkeys(("DFBReconfiguration", "reconfigure_dfbs"), _FORMATS),
        **dict.fromkeys(
            ("ProgramRuntimeResources", "KernelRuntimeResources", "CoreRuntimeArgs", "KernelDefine"),
            _RESOURCES,
        ),
        "DFBAddressScope": NewerName(
            "the place of buffers on the nodes is named by a string",
            'write address_scope="local" or address_scope="remote_uniform"',
        ),
    }
)
"""The missing names of the module ``ttl``."""
ARGUMENTS: Mapping[str, NewerName] = MappingProxyType(
    {
        "runtime_resource_factory": _RESOURCES,
        "kernel": NewerName(
            "calls in a kernel belong to that kernel",
            "leave kernel= out; kernels, external functions, and push and pop in one body have it",
        ),
    }
)
"""The missing parameters of functions and classes that exist here."""


def not_here(spelled: str, name: str, table: Mapping[str, NewerName] = NAMES) -> Diagnostic | None:
    """The error for a name of the newer language that does not exist here (TTL0247); None for any other name."""
    known = table.get(name)
    if known is None:
        return None
    return error("TTL0247", f"{spelled} is not in TT-Lang", notes=(known.why,), help=known.instead)
