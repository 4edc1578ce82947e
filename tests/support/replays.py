"""Replay without a core that records: launches are prepared, "run" by a function of the test, and given a tape."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from ttl import settings
from ttl.settings import current_chip
from ttl.sim.placement import Launch, launches
from ttl.sim.replay import Trace, prepare
from ttl.source.files import display_name


@dataclass
class FakeTape:
    """A tape that notes with which arrays it was run."""

    tensors: tuple[int, ...] = ()
    written: tuple[bool, ...] = ()
    nbytes: int = 1
    what: str = "tasks"
    runs: list[list[npt.NDArray[Any]]] = field(default_factory=list)

    def run(self, arrays: Sequence[npt.NDArray[Any]], threads: int) -> None:
        self.runs.append(list(arrays))

    def numbers(self) -> dict[int, bool]:
        return {}

    def set_numbers(self, values: Any) -> None:
        assert not values

    def difference(self, other: Any) -> str | None:
        return None if self.what == other.what else f"{other.what} became {self.what}"


def nothing() -> None:
    """What a launch does in a test that is not about that."""


def launched(operation: Any, *args: Any, **kwargs: Any) -> Launch:
    """The launch a call of an operation makes, with the settings of now."""
    (launch,) = launches(operation, args, kwargs, current_chip(), settings.current())
    return launch


def call(
    operation: Any,
    *args: Any,
    tape: Any = None,
    run: Callable[[], None] = nothing,
    **kwargs: Any,
) -> str:
    """Call an operation as a core that records would; the story of the call.

    ``run`` stands for the kernels. ``tape`` is what recording gives: by default one without any tensor.
    """
    outcome = prepare(launched(operation, *args, **kwargs))
    assert outcome is not None
    if isinstance(outcome, Trace):
        run()
        if outcome.tensors is not None:
            outcome.recorded(FakeTape() if tape is None else tape)
    return outcome.story


def replays(operation: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether a call is replayed."""
    return call(operation, *args, **kwargs) == "replayed"


def place(marker: str) -> str:
    """File and line of the calling test file that ends in a comment ``# <marker>``."""
    frame = inspect.stack()[1]
    lines = Path(frame.filename).read_text(encoding="utf-8").splitlines()
    (number,) = (index for index, text in enumerate(lines, 1) if text.endswith(f"# {marker}"))
    return f"{display_name(frame.filename)}:{number}"
