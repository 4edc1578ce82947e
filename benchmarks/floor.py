"""What a whole program costs at least: Python running the user's kernels, with a language that does nothing.

``floor.py PROGRAM PARAMETERS``, the second a JSON object: CPU milliseconds of the operations of one run, in which every
call of the language returns one and the same object at once. No execution that runs the kernels in Python is faster.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER / "programs"), str(_FOLDER.parent / "src")]

from ttl.host.tensor import Tensor

import launching  # with the real language, which it only needs for ttnn

_spent = 0.0


class _Nothing:
    """Stands for every block, slice, transfer and expression, and for every call of one."""

    __slots__ = ("shape",)

    def _same(self, *_: Any, **__: Any) -> Any:
        return self

    reserve = wait = push = pop = store = _same
    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __matmul__ = (
        _same
    )
    __enter__ = __exit__ = __iadd__ = __neg__ = __call__ = _same


_NOTHING = _Nothing()


def _nothing(*_: Any, **__: Any) -> Any:
    return _NOTHING


def _tensor(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    stands = _Nothing()
    stands.shape = tuple(value.shape)
    return stands


class _Language:
    """In place of ``ttl``: an operation runs its kernels one after another, node by node."""

    def __init__(self) -> None:
        self._kernels: list[Any] = []
        self._grid: tuple[int, ...] = (1, 1)
        self._node = 0
        self.make_dataflow_buffer_like = self.copy = _nothing
        self.math = self.block = SimpleNamespace()
        for name in ("exp", "relu", "rsqrt", "reduce_sum", "broadcast"):
            setattr(self.math, name, _nothing)

    def operation(self, *, grid: tuple[int, ...]) -> Any:
        return lambda function: lambda *args: self._launch(function, grid, [_tensor(arg) for arg in args])

    def _launch(self, function: Any, grid: tuple[int, ...], args: list[Any]) -> None:
        global _spent
        self._grid = grid
        began = time.thread_time()
        for self._node in range(grid[0] * grid[1]):
            self._kernels = []
            function(*args)
            for kernel in self._kernels:
                kernel()
        _spent += time.thread_time() - began

    def datamovement(self) -> Any:
        return self._kernels.append

    compute = datamovement

    def node(self, dims: int = 2) -> Any:
        return self._node if dims == 1 else divmod(self._node, self._grid[1])

    def grid_size(self, dims: int = 2) -> Any:
        return self._grid[0] * self._grid[1] if dims == 1 else self._grid


def main() -> None:
    global _spent
    assert launching.VARIABLE
    sys.modules["ttl"] = _Language()  # type: ignore[assignment]
    program = importlib.import_module(sys.argv[1]).prepare(**json.loads(sys.argv[2]))
    program.run()
    times = []
    for _ in range(5):
        _spent = 0.0
        program.run()
        times.append(_spent * 1e3)
    print(f"{sys.argv[1]}: {sorted(times)[2]:.1f} ms")


if __name__ == "__main__":
    main()
