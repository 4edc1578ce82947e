"""A second interpreter with other environment variables, which calls functions on request.

What is chosen when the package is imported can't be changed in a process: the other choice runs in a child.
"""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Mapping
from typing import Any, BinaryIO

from support.prompts import without_prompts


class Child:
    """The other process. Functions are named ``module:function``; arguments and results are pickled."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("TTL_")}
        path = os.pathsep.join(each for each in sys.path if each)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**inherited, "PYTHONPATH": path, **environment},
        )

    def call(self, function: str, *args: Any) -> Any:
        """The result of a function over there; its exception as an ``AssertionError`` with the traceback."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        pickle.dump((function, args), requests)
        requests.flush()
        try:
            failed, result = pickle.load(answers)
        except EOFError:
            raise AssertionError(
                f"{function} ended the child process, status {self._process.wait()}"
            ) from None
        assert not failed, f"{function} in the child process:\n{result}"
        return result

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    while True:
        try:
            function, args = pickle.load(requests)
        except EOFError:
            return
        module, _, name = function.partition(":")
        without_prompts()
        try:
            answer = False, getattr(importlib.import_module(module), name)(*args)
        except BaseException:
            answer = True, traceback.format_exc()
        pickle.dump(answer, answers)
        answers.flush()


def _main() -> None:
    """Answers go where standard output went; what programs print goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import ttl  # noqa: F401 - lets ``import ttnn`` find the host library

    _serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
