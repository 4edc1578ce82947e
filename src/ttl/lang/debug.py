"""Profiling signposts (specification, "Performance and debugging")."""

from __future__ import annotations

from types import TracebackType

from ttl.lang.check import fail
from ttl.lang.context import current
from ttl.rules.debugging import no_signpost, signpost_alone
from ttl.source.calls import stands_alone
from ttl.source.spans import READING, user_site


class signpost:
    """Name a region of a kernel for profiling tools. Only as ``with ttl.signpost("name"):``."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            fail(no_signpost(name))
        current("ttl.signpost()")
        # A reader of the program finds the statement itself.
        site = user_site() if READING.get() is None else None
        if site is not None and stands_alone(site):
            fail(signpost_alone(name))
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
