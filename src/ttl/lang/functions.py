"""The public functions over block expressions, each made from the row of its operation.

A function is one compiled ``def`` with the row's signature, defaults and documentation, made when it is first needed:
``ttl.math`` and ``ttl.block`` look names up here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from ttl import control
from ttl.diag.model import Diagnostic, error
from ttl.diag.values import kind_of, name_of
from ttl.lang.apply import apply
from ttl.lang.check import fail
from ttl.lang.operators import Operators
from ttl.rows.reference import docstring
from ttl.rows.row import Namespace, Op, Param, Params
from ttl.rows.table import OPS
from ttl.rows.table import op as row_named

Function = Callable[..., Any]


def make(op: Op) -> Function:
    """The public function of a row: ``exp(expr, approx=False, scale=1.0)``, say."""
    names = [operand.name for operand in op.operands]
    scope: dict[str, Any] = {"_apply": apply, "_op": op}
    signature, values = [], []
    for index, param in enumerate(op.parameters):
        scope[f"_check{index}"] = _checked(op, param)
        if param.default is not ...:
            scope[f"_default{index}"] = param.default
        values.append((param, f"_check{index}({param.name})", param.default is ..., index))
    for param, _, required, index in values:
        signature.append(param.name if required else f"{param.name}=_default{index}")
    checked = [f"{text}, " for _, text, _, _ in values]
    arguments, options = "".join(checked[: len(op.params)]), "".join(checked[len(op.params) :])
    operands = "".join(f"{name}, " for name in names)
    applied = f"_apply(_op, ({operands}), ({arguments}))"
    if op.options:
        scope["_optioned"] = _optioned
        applied = f"_optioned(_op, ({operands}), ({arguments}), ({options}))"
    # Calls with options are not cached by their arguments, because ``_params`` does not accept options.
    source = (
        f"def {op.name}({', '.join([*names, *signature])}):\n return {applied}\n"
        f"def _params({', '.join(signature[: len(op.params)])}):\n return ({arguments})\n"
    )
    exec(compile(source, __file__, "exec"), scope)
    function: Function = scope[op.name]
    function.__doc__ = docstring(op)
    function.__module__ = f"ttl.{op.namespace}"
    function.__qualname__ = op.name
    function.__annotations__ = {param.name: param.annotation for param in op.parameters}
    if op.older_forms:
        from ttl.lang.older_functions import tolerant

        function = tolerant(op, function)
    return control.function("operation", function, (op, scope["_params"]))


def _optioned(op: Op, operands: tuple[Any, ...], params: Params, options: Params) -> Any:
    """Return the result of the operation, followed by the operations that its options add."""
    steps = op.optional(params, options)
    if isinstance(steps, Diagnostic):
        fail(steps)
    result = apply(op, operands, params)
    for name, given in steps:
        result = apply(row_named(name), (result,), given)
    return result


def lookup(namespace: Namespace, name: str, rows: Iterable[Op] = OPS) -> Function:
    """Return the function ``ttl.<namespace>.<name>``. Raises TTL0228, an AttributeError, that names similar functions."""
    rows = tuple(rows)
    for row in rows:
        if row.namespace == namespace and row.name == name:
            return make(row)
    from ttl.lang.names import missing
    from ttl.lang.older_functions import older_lookup

    older = older_lookup(namespace, name, rows, make)
    if older is not None:
        return older

    raise missing(name, f"ttl.{namespace}", spellings(rows))


def spellings(rows: Iterable[Op] = OPS) -> dict[str, str]:
    """The spellings ``ttl.math.exp`` and so on, by their last name."""
    return {row.name: f"ttl.{row.namespace}.{row.name}" for row in rows if row.namespace != "operator"}


def names(namespace: Namespace, rows: Iterable[Op] = OPS) -> list[str]:
    """The public names of a namespace."""
    return [row.name for row in rows if row.namespace == namespace]


def number_operand(op: Op, name: str, value: Any) -> int | float | Diagnostic:
    """An operand that is not a block, as a Python number, or TTL0401.

    ``Op.infer`` checks whether numbers are allowed.
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, Integral) else float(value)
    scalar = any(operand.name == name and operand.scalar for operand in op.operands)
    wanted = "a block expression or a number" if scalar else "a block expression"
    what = "a block of another launch" if isinstance(value, Operators) else kind_of(value)
    return error(
        "TTL0401", f"{op.label}: `{name}` must be {wanted}, not {what}", help=_advice_for(value) or ()
    )


def _checked(op: Op, param: Param) -> Callable[[Any], Any]:
    check = param.check

    def checked(value: Any) -> Any:
        result = check(value)
        if isinstance(result, Diagnostic):
            fail(replace(result, message=f"{op.label}: {result.message}"))
        return result

    return checked


def _advice_for(value: Any) -> str:
    """Return advice on a value that is not a block; empty for other values."""
    family = type(value).__module__.split(".")[0]
    name = name_of(value)
    if isinstance(value, bool):
        return "comparisons of blocks give 1 and 0: write the number"
    if value is None:
        return "to ask whether there is a block at all, write `is None` or `is not None`"
    if name == "DataflowBuffer":
        return "acquire a block first: `with dfb.wait() as blk:`, and use `blk`"
    if name in ("Tensor", "Parameter", "ndarray", "TensorSlice"):
        return (
            "a kernel accesses a tensor through a dataflow buffer: copy a slice into a reserved block in a data "
            "movement kernel, and wait for it in the compute kernel"
        )
    if name == "Transfer":
        return "use the block the transfer writes, after `wait()` on the transfer"
    if family == "builtins" and isinstance(value, (list, tuple)):
        return "a constant block is ttl.block.fill(value, shape=...); other constants come from a tensor"
    return ""
