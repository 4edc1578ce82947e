"""``func``: functions, calls and returns."""

from __future__ import annotations

from typing import Any

from ttmlir.bindings.functions import WRITTEN, CallOp, FuncOp, ReturnOp

func = FuncOp.from_py_func


def return_(operands_: Any, *, loc: Any = None, ip: Any = None) -> ReturnOp:
    """Return values."""
    return ReturnOp(operands_, loc=loc, ip=ip)


def call(result: Any, callee: Any, operands_: Any, *, loc: Any = None, ip: Any = None) -> Any:
    """Call a function by its name; its result or results."""
    operation = CallOp(result, callee, operands_, loc=loc, ip=ip)
    return operation.results[0] if len(operation.results) == 1 else operation.results


__all__ = ["WRITTEN", "CallOp", "FuncOp", "ReturnOp", "call", "func", "return_"]
