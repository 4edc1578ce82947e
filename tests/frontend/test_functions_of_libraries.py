"""Functions of Python, NumPy and torch that kernels call with what they do not take: an author's error, never about our classes."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ttnn

import ttl
from ttl.diag import Diagnostic
from ttl.frontend.file import lower_file
from ttl.frontend.host import torch_modules, torch_shapes
from ttl.frontend.library import HANDLERS
from ttl.frontend.live import lower_call
from ttl.frontend.unknown import Unknown

assert ttl

_HEAD = """import fractions, functools, itertools, json, math, operator, statistics
import numpy as np
import torch
import ttl, ttnn
def called(function):
    return function()
@ttl.operation(grid=(2, 2))
def op(a):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    @ttl.compute()
    def compute():
        n, m = ttl.node(dims=2)
        f, r, c = n * 0.5, n / (m + 1), n > m
        with dfb.wait() as x:
"""
_TAIL = """
    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()
"""
_CALL = "\nop(ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))\n"
_FIRST = _HEAD.count("\n") + 1
# How many calls a program has: reading one takes no more than some number of steps.
_MOST = 500
_GIVEN = ("", "n", "f, 1", "2, c", "[r, 1]", "x, 2", "(n, 32), dim=m")
# A name of each function that stands for one or more of theirs.
_STAND_INS = torch_shapes.METHODS | torch_modules._CREATION | torch_modules._FUNCTIONS
_OF_ARRAYS = sorted({*{function: name for name, function in _STAND_INS.items()}.values(), "tanh", "float32"})
_OURS = re.compile(
    r"Node(Integer|Float|Ratio|Condition)|Selected|PrintedText|UserFunction|Unknown|Applying|ttl\._|Element\(|'(of|along|library|shape|dtype)'"
)


def _programs(calls: list[str], folder: Path) -> Iterator[tuple[list[str], str, Path]]:
    for start in range(0, len(calls), _MOST):
        part = calls[start : start + _MOST]
        lines = "".join(f"            called(lambda: {call})\n" for call in part)
        path = folder / f"program{start}.py"
        text = _HEAD + lines + _TAIL
        path.write_text(text + _CALL)
        yield part, text, path


def _by_call(calls: list[str], findings: tuple[Diagnostic, ...]) -> dict[str, tuple[str, str]]:
    said = {}
    for finding in findings:
        assert finding.primary is not None, finding
        said[calls[finding.primary.span.line - _FIRST]] = finding.code, finding.message
    return said


def _read(calls: list[str], folder: Path) -> dict[str, tuple[str, str]]:
    """What is said of each call where the program is read, and nothing of it is imported."""
    said = {}
    for part, _, path in _programs(calls, folder):
        said.update(_by_call(part, tuple(lower_file(str(path)).diagnostics)))
    return said


def _compiled(calls: list[str], folder: Path) -> dict[str, tuple[str, str]]:
    """What is said of each call where the program runs, with the libraries themselves."""
    said = {}
    for part, text, path in _programs(calls, folder):
        scope: dict[str, Any] = {"__name__": "program"}
        exec(compile(text.replace("import torch\n", "\n"), str(path), "exec"), scope)
        tensor = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
        said.update(_by_call(part, tuple(lower_call(scope["op"], (tensor,), {}).diagnostics)))
    return said


@pytest.mark.parametrize("library", ["torch", "np"])
def test_functions_of_arrays_that_are_read(library: str, tmp_path: Path) -> None:
    calls = [f"{library}.{name}({given})" for name in _OF_ARRAYS for given in _GIVEN]
    said = _read(calls, tmp_path)
    assert {call: text for call, text in said.items() if _OURS.search(text[1])} == {}
    names = "|".join(re.escape(name) for name in vars(torch_shapes) | vars(torch_modules))
    assert {call: text for call, text in said.items() if re.match(rf"ttl\.({names})\b", text[1])} == {}
    assert said[f"{library}.tanh(n)"] == (
        "TTL1302",
        f"a call of {'torch' if library == 'torch' else 'numpy'}.tanh cannot be compiled",
    )


def test_functions_of_numpy_itself(tmp_path: Path) -> None:
    calls = [f"np.{name}({given})" for name in ("exp", "tanh", "add", "prod", "ceil", "max", "gcd", "cumsum", "zeros", "tile", "float32") for given in _GIVEN]  # fmt: skip
    said = _compiled([*calls, "np.max(3, 2)"], tmp_path)
    assert {call: text for call, text in said.items() if _OURS.search(text[1])} == {}
    assert said["np.exp(n)"] == ("TTL1302", "a call of np.exp cannot be compiled")
    assert said["np.max(3, 2)"][0] == "TTL1304"


def test_functions_of_python(tmp_path: Path) -> None:
    names = [
        *(f"math.{name}" for name in dir(math) if not name.startswith("_") and callable(getattr(math, name))),
        *(f"operator.{name}" for name in dir(operator) if not name.startswith("_")),
        *(function.__name__ for function in HANDLERS if getattr(function, "__module__", None) == "builtins" and function is not breakpoint),
        "getattr", "hash", "ord", "chr", "vars", "dir", "callable", "bytes", "complex", "frozenset", "object",
    ]  # fmt: skip
    calls = [f"{name}({given})" for name in dict.fromkeys(names) for given in (*_GIVEN, "1, 2, 3, 4")]
    said = _read(calls, tmp_path)
    assert {call: text for call, text in said.items() if _OURS.search(text[1])} == {}
    assert {call for call, (code, _) in said.items() if code.startswith("TTL9")} == set()


def test_what_a_library_raises_is_a_finding(tmp_path: Path) -> None:
    calls = {
        "fractions.Fraction(1, 0)": "ZeroDivisionError: Fraction(1, 0)",
        "operator.attrgetter(3)": "TypeError: attribute name must be a string",
        "itertools.combinations([1], -1)": "ValueError: r must be non-negative",
        "[*itertools.accumulate(['a', 1])]": 'TypeError: can only concatenate str (not "int") to str',
        "enumerate()": "TypeError: enumerate() missing required argument 'iterable'",
        "enumerate([1], first=2)": "TypeError: 'first' is an invalid keyword argument for enumerate()",
        "map(abs)": "TypeError: map() must have at least two arguments",
        "filter(abs)": "TypeError: filter expected 2 arguments, got 1",
        "any()": "TypeError: any() takes exactly one argument (0 given)",
        "math.prod()": "TypeError: prod() takes exactly 1 positional argument (0 given)",
        "sorted([1], by=2)": "TypeError: 'by' is an invalid keyword argument for sort()",
        "getattr(3)": "TypeError: getattr expected at least 2 arguments, got 1",
    }
    said = _read([*calls], tmp_path)
    assert said == {call: ("TTL1304", f"this raises {text}") for call, text in calls.items()}


def test_functions_of_the_language_are_named_as_they_are_called(tmp_path: Path) -> None:
    calls = {
        "ttl.signpost()": ("TTL0223", "ttl.signpost(): missing 1 argument: 'name'"),
        "ttl.signpost('a', 2)": ("TTL0223", "ttl.signpost(): too many arguments, it takes 1"),
        "ttnn.get_num_devices(n)": ("TTL0223", "ttnn.get_num_devices(): too many arguments, it takes none"),
        "ttl.load_ipython_extension(f)": (
            "TTL1305",
            "a number is needed while the operation is compiled, but is known only on the node",
        ),
    }
    assert _read([*calls], tmp_path) == calls


_ARGUMENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    *((given, {}) for given in ((), (0,), (1,), (-1,), (2,), (2, 1), (1, 0), (0, 1), (1, 0, 2), (2, 0), ((2, 3),), (24,), (4, 6), (-1, 4), (2, 2, 2))),
    ((), {"axis": 0}), ((), {"dim": 0}), ((), {"axis": 1}), ((), {"axis": (0, 1)}), ((), {"dim": 1, "keepdim": True}),
    ((), {"axis": 1, "keepdims": True}), ((3,), {"axis": 0}), ((3,), {"dim": 1}), ((2,), {"dim": 1}),
)  # fmt: skip


def _shape(value: Any) -> Any:
    if hasattr(value, "shape"):
        return tuple(value.shape)
    return tuple(map(_shape, value)) if isinstance(value, tuple | list) else value


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 4, 1), (6,)], ids=repr)
def test_shapes_are_those_of_the_library(library: str, shape: tuple[int, ...]) -> None:
    """What a method makes of a shape, where it is known and the library takes the call."""
    numpy, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    real = (numpy if library == "numpy" else torch).ones(shape)
    judged, wrong = 0, []
    for method in torch_shapes.METHODS:
        for arguments, keywords in _ARGUMENTS:
            try:
                wanted = _shape(getattr(real, method)(*arguments, **keywords))
            except Exception:  # the program ends there, by whatever the library raises
                continue
            function = getattr(torch_shapes.Array(shape, None, library), method)
            result = function if isinstance(function, Unknown) else function(*arguments, **keywords)
            if not isinstance(result, Unknown):
                judged += 1
                if _shape(result) != wanted:
                    wrong.append((method, arguments, keywords, wanted, _shape(result)))
    assert wrong == []
    assert judged > 50
