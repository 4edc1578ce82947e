"""A process of ``ttl score`` that calls a reference function.

    python -P -m ttl.score.reference_worker TASK

TASK is a JSON file: ``file``, ``whole`` (true for a file of ``--reference``, all of which is executed; of a program,
only imports, constants and plain functions are executed), ``inputs`` (the file with the input arrays of a trial),
``calls`` (each with its ``function``), ``arrays`` (the file for the arrays of the answer), and, to make inputs instead,
``make`` and ``seed``.
"""

from __future__ import annotations

import ast
import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ttl.rows.dtypes import Array
from ttl.score.arrays import load, named, save
from ttl.score.channel import AnswerChannel, task_of_command_line
from ttl.score.watching import CheatWatcher
from ttl.session.patience import Unavailable
from ttl.source.parsing import parse


class CountedArray(np.ndarray[Any, Any]):
    """An array that counts the operations of matrix products with it; arrays computed from it count, too."""

    flops: list[int]

    def __array_finalize__(self, other: Any) -> None:
        self.flops = getattr(other, "flops", None) or [0]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple(_plain(item) for item in out)
        result = getattr(ufunc, method)(*map(_plain, inputs), **kwargs)
        if ufunc is np.matmul and method == "__call__":
            self.flops[0] += 2 * int(np.size(result)) * int(np.shape(inputs[0])[-1])
        return _like(result, self.flops)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        before = self.flops[0]
        result = super().__array_function__(func, types, args, kwargs)
        if func in (np.dot, np.inner, np.tensordot, np.einsum) and self.flops[0] == before:
            self.flops[0] += _of_product(func, args)
        return _like(result, self.flops)


def counted(
    function: Callable[..., Any],
    tensors: Sequence[Mapping[str, Any]],
    inputs: Mapping[str, Array],
    call: Callable[[Any, Sequence[Mapping[str, Any]], Mapping[str, Array]], Any],
) -> int:
    """The operations of one call by ``call``; 0 if the function fails with counted arrays, or uses another library."""
    flops = [0]
    try:
        call(function, tensors, {name: _like(values, flops) for name, values in inputs.items()})
    except Exception:
        return 0
    return flops[0]


def _like(value: Any, flops: list[int]) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    result = value.view(CountedArray)
    result.flops = flops
    return result


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, CountedArray) else value


def _of_product(func: Any, args: Sequence[Any]) -> int:
    """The operations of a product, from the extents: twice the number of multiplications."""
    if func is np.einsum and isinstance(args[0], str):
        extents: dict[str, int] = {}
        subscripts = args[0].split("->")[0].replace(" ", "").split(",")
        for letters, array in zip(subscripts, args[1:], strict=False):
            extents.update(zip(letters, np.shape(array), strict=False))
        return 2 * math.prod(extents.values()) if len(args) > 2 else 0
    if func is np.tensordot:
        return 0
    first, second = np.shape(args[0]), np.shape(args[1])
    shared = first[-1] if first else 1
    return int(2 * math.prod(first) * math.prod(second) // max(shared, 1))


_NOT_IMPORTED = ("ttl", "ttnn")


def namespace_of(file: str, *, whole: bool) -> dict[str, Any]:
    """Execute a reference file, or only its plain statements; return its names. Raises exceptions of a whole file."""
    text = Path(file).read_text(encoding="utf-8")
    sys.path.insert(0, str(Path(file).resolve().parent))
    names: dict[str, Any] = {"__name__": "reference", "__file__": file}
    if whole:
        exec(compile(text, file, "exec", dont_inherit=True), names)
        return names
    for statement in parse(text, file).body:
        if _is_plain(statement):
            try:
                exec(compile(ast.Module([statement], []), file, "exec", dont_inherit=True), names)
            except Exception:
                continue
    return names


def _is_plain(statement: ast.stmt) -> bool:
    match statement:
        case ast.FunctionDef(decorator_list=[]):
            return True
        case ast.Import() | ast.ImportFrom():
            names = [alias.name for alias in statement.names]
            module = getattr(statement, "module", None)
            return not any(name.split(".")[0] in _NOT_IMPORTED for name in ([module] if module else names))
        case ast.Assign() | ast.AnnAssign():
            return not any(isinstance(node, ast.Call | ast.Await) for node in ast.walk(statement))
        case _:
            return False


def expected(
    function: Any, tensors: Sequence[Mapping[str, Any]], inputs: Mapping[str, Array]
) -> dict[str, Array]:
    """Return the outputs that a function computes, by name. Raises ``Unavailable`` if it does not fit the operation."""
    outputs = [tensor["name"] for tensor in tensors if tensor["written"]]
    wanted = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is inspect.Parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    if all(name in inputs for name in wanted):
        given = [inputs[name] for name in wanted]
    else:
        given = [inputs[tensor["name"]] for tensor in tensors if not tensor["written"]]
        if len(given) != len(wanted):
            raise Unavailable(f"it takes {', '.join(wanted)}, and the operation {', '.join(inputs)}")
    with np.errstate(all="ignore"):
        result = function(*(_wide(values) for values in given))
    if isinstance(result, Mapping):
        return {str(name): _array(values) for name, values in result.items()}
    several = list(result) if isinstance(result, tuple | list) else [result]
    if len(several) > len(outputs):
        raise Unavailable(
            f"it gives {len(several)} arrays, and the operation writes {', '.join(outputs) or 'nothing'}"
        )
    # If the operation writes more tensors than the function returns, the first ones may hold intermediate results.
    return dict(zip(outputs[len(outputs) - len(several) :], map(_array, several), strict=True))


def _wide(values: Array) -> Array:
    return values.astype(np.float64) if values.dtype.kind == "f" else values


def _array(values: Any) -> Array:
    if hasattr(values, "detach"):
        values = values.detach().double().numpy()
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise Unavailable(f"it gives {type(values).__name__}, not an array of numbers")
    return array.astype(np.float64)


def _function(names: Mapping[str, Any], name: str, text_of: Any) -> Any:
    function = names.get(name)
    if not callable(function):
        raise Unavailable(f"{text_of} has no function {name} that can be called alone")
    return function


def answer_of(
    task: Mapping[str, Any], stored: Mapping[str, Array]
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The answer and its arrays; ``stored`` are the inputs of a trial."""
    names = namespace_of(task["file"], whole=task["whole"])
    arrays: dict[str, Array] = {}
    if task.get("make"):
        make = names.get("inputs")
        if make is None:
            return {"made": False}, arrays
        for number, call in enumerate(task["calls"]):
            shapes = {tensor["name"]: tuple(tensor["shape"]) for tensor in call["tensors"]}
            values = make(np.random.default_rng([task["seed"], number]), shapes)
            for name, item in values.items():
                arrays[named(number, name, "input")] = _array(item)
        return {"made": True}, arrays
    flops = []
    for number, call in enumerate(task["calls"]):
        function = call.get("function")
        if function is None:
            flops.append(0)
            continue
        inputs = {
            tensor["name"]: stored[named(number, tensor["name"], "input")] for tensor in call["tensors"]
        }
        called = _function(names, function, Path(task["file"]).name)
        for name, values in expected(called, call["tensors"], inputs).items():
            arrays[named(number, name, "expected")] = values
        # For a function of the program, the program itself would decide how much work there is, so it is not counted.
        flops.append(counted(called, call["tensors"], inputs, expected) if task["whole"] else 0)
    return {"flops": flops}, arrays


def main() -> int:
    """Run the task that the command line names."""
    channel, task = AnswerChannel(), task_of_command_line()
    stored = {} if task.get("make") else load(task["inputs"])
    # The functions of a program are watched; a file of ``--reference`` is trusted.
    watcher = None
    if not task["whole"]:
        watcher = CheatWatcher(channel.cheat, private=task["private"], own=task["own"], program=task["file"])
    try:
        answer, arrays = answer_of(task, stored)
    except Unavailable as problem:
        answer, arrays = {"problem": str(problem)}, {}
    except Exception as problem:  # an error of the reference function
        answer, arrays = {"problem": f"{type(problem).__name__}: {problem}"}, {}
    if watcher is not None:
        watcher.finish()
    save(task["arrays"], arrays)
    channel.answer(answer, task["arrays"])
    channel.leave()


if __name__ == "__main__":
    sys.exit(main())
