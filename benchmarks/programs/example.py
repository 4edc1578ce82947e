"""Benchmarks that are examples: the file is run once, which also checks it, then its operation is timed."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from typing import Any

import ttl  # noqa: F401  (lets "import ttnn" find the host library)
import ttnn

from harness import ROOT, Prepared

FOLDER = ROOT / "examples"


def load(name: str) -> dict[str, Any]:
    """The names an example defines. Raises ``SystemExit`` when its own check fails."""
    sys.path.insert(0, str(FOLDER))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            path = FOLDER / f"{name}.py"
            names: dict[str, Any] = {"__name__": name, "__file__": str(path)}
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
            return names
    finally:
        sys.path.remove(str(FOLDER))


def prepared(
    name: str, operation: str, tensors: Sequence[str], inputs: Sequence[str], torch: Callable[..., object]
) -> Prepared:
    """``operation`` of an example on new tensors like those torch tensors it calls ``inputs``; the last of ``tensors``
    is the result. ``torch`` computes the same from the inputs."""
    found = load(name)
    given = {
        each: ttnn.from_torch(found[each], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for each in inputs
    }
    arguments = [given[each] if each in given else _result(found[each]) for each in tensors]
    run = found[operation]
    return Prepared(
        run=lambda: run(*arguments),
        torch=lambda: torch(*(found[each] for each in inputs)),
        check=lambda: None,
    )


def _result(tensor: Any) -> Any:
    return ttnn.zeros(tensor.shape, dtype=tensor.dtype, layout=ttnn.TILE_LAYOUT)
