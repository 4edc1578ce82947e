"""Profiling signposts (specification, "Performance and debugging")."""

from __future__ import annotations

from types import TracebackType

from ttl.diag import error
from ttl.lang.check import describe, fail
from ttl.lang.context import current


class signpost:
    """Name a region of a kernel for profiling tools. Only as ``with ttl.signpost("name"):``."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            fail(
                error(
                    "TTL0214",
                    f"a signpost is named by a string, not {describe(name)}",
                    help='write with ttl.signpost("read a"):',
                )
            )
        current("ttl.signpost()")
        self._name = name

    def __enter__(self) -> None:
        current("ttl.signpost()").signpost(self._name, True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            current("ttl.signpost()").signpost(self._name, False)
