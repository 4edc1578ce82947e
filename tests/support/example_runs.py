"""Runs an example and records what every call of its operations leaves in their tensors."""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ttl import settings
from ttl.diag import report
from ttl.host import importer
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.lang.launches import NUMBERS, LaunchNumbers
from ttl.lang.operation import Operation

Array = Any
# One list of arrays per call; arrays as they are stored.
Calls = list[list[Array]]
Call = Callable[[], None]


@contextlib.contextmanager
def recorded(around: Callable[[Call, list[Tensor]], None] | None = None) -> Iterator[Calls]:
    """Collect what the tensors of each call hold after it. ``around(call, tensors)`` makes the call."""
    found: Calls = []
    original = Operation.__call__

    def replacement(self: Operation, *args: Any, **kwargs: Any) -> None:
        tensors = _tensors(self, args, kwargs)

        def call() -> None:
            original(self, *args, **kwargs)

        if around is None:
            call()
        else:
            around(call, tensors)
        found.append([array_of(tensor).copy() for tensor in tensors])

    Operation.__call__ = replacement  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Operation.__call__ = original  # type: ignore[method-assign]


def call_three_times(call: Call, tensors: list[Tensor]) -> None:
    """With replay: on the contents there are, again, and on others; each as without. Leaves what the first left."""
    before = [array_of(tensor).copy() for tensor in tensors]
    others = [np.roll(array.reshape(-1), 1).reshape(array.shape) for array in before]
    with settings.override(replay="off"):
        call()
        first = [array_of(tensor).copy() for tensor in tensors]
        _put(tensors, others)
        call()
        second = [array_of(tensor).copy() for tensor in tensors]
    for contents, expected in ((before, first), (before, first), (others, second), (before, first)):
        _put(tensors, contents)
        call()
        for tensor, wanted in zip(tensors, expected, strict=True):
            np.testing.assert_array_equal(array_of(tensor), wanted)


def same(found: Calls, expected: Calls) -> None:
    """Assert that two runs left the same, to the bit."""
    assert len(found) == len(expected)
    for arrays, wanted in zip(found, expected, strict=True):
        for array, other in zip(arrays, wanted, strict=True):
            assert array.dtype == other.dtype
            np.testing.assert_array_equal(array, other)


def _put(tensors: list[Tensor], contents: list[Array]) -> None:
    for tensor, array in zip(tensors, contents, strict=True):
        np.copyto(writable_array(tensor), array)


def _tensors(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor]:
    """Arguments and captured ones, those on a mesh by their shards, each once."""
    cells = [cell.cell_contents for cell in operation.function.__closure__ or ()]
    given = [each for each in (*args, *kwargs.values(), *cells) if isinstance(each, Tensor)]
    spread = [shard for tensor in given for shard in (tensor.shards or (tensor,))]
    return list({id(tensor): tensor for tensor in spread}.values())


def run_example(path: str, overrides: Mapping[str, Any], *, thrice: bool = False) -> tuple[Calls, str, str]:
    """What the calls left, and what was printed and said. ``thrice``: each operation is called several times."""
    importer.install()
    report.SAID.get().keys.clear()
    import torch

    torch.manual_seed(0)
    folder, arguments = str(Path(path).parent), sys.argv
    stdout, stderr = io.StringIO(), io.StringIO()
    sys.modules.pop("checking", None)
    sys.path.insert(0, folder)
    sys.argv = [path]
    try:
        with (
            settings.override(**overrides),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            contextlib.suppress(SystemExit),
            NUMBERS.given(LaunchNumbers()),
            recorded(call_three_times if thrice else None) as calls,
        ):
            runpy.run_path(path, run_name="__main__")
    finally:
        sys.argv = arguments
        sys.path.remove(folder)
    return calls, stdout.getvalue(), stderr.getvalue()
