"""A second interpreter with other environment variables, which calls functions on request.

What is chosen when the package is imported can't be changed in a process: the other choice runs in a child.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any
from unittest import mock


class Child:
    """The other process. Functions are named ``module:function``; arguments and results are pickled."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("TTL_")}
        self._pool = ProcessPoolExecutor(1, get_context("spawn"))
        with mock.patch.dict(os.environ, {**inherited, **environment}, clear=True):
            self.call("os:getpid")

    def call(self, function: str, *args: Any) -> Any:
        """The result of a function over there; its exception as an ``AssertionError`` with the traceback."""
        failed, result = self._pool.submit(_called, function, args).result()
        assert not failed, f"{function} in the child process:\n{result}"
        return result

    def close(self) -> None:
        """End the process."""
        self._pool.shutdown()


def without_prompts() -> None:
    """This process is not interactive (any more): notebooks that tests start set the prompts of a session, in which notes are said at once."""
    for name in ("ps1", "ps2", "ps3"):
        vars(sys).pop(name, None)


def _called(function: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
    import ttl  # noqa: F401 - lets ``import ttnn`` find the host library

    sys.stdout = sys.stderr
    module, _, name = function.partition(":")
    without_prompts()
    try:
        return False, getattr(importlib.import_module(module), name)(*args)
    except BaseException:
        return True, traceback.format_exc()
