"""Spellings of earlier programs: older names of the language; functions with an output block, a scaler, no shape.

Each works, and produces a note with the present form (LANGUAGE.md, "Older spellings").
"""

from __future__ import annotations

import ast
import operator as operators
import sys
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from ttl.diag import Diagnostic, Edit
from ttl.diag.remedies import Callee, PlacedRemedy, Rename
from ttl.diag.remedies.site import SourceSite
from ttl.lang import unshaped
from ttl.lang.apply import apply
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import fail, public
from ttl.lang.deprecated import RewrittenCall, here, note_older, note_program
from ttl.lang.expr import BlockExpr
from ttl.lang.grid import node
from ttl.lang.kernels import KernelFunction
from ttl.lang.making_buffers import make_dataflow_buffer_like
from ttl.lang.names import OPERATORS
from ttl.lang.operation import operation
from ttl.rows.params import flag
from ttl.rows.row import Namespace, Op
from ttl.rows.table import BROADCAST, OPS, REDUCE_MAX, REDUCE_SUM, TRANSPOSE
from ttl.rules.kernel_definitions import not_a_kernel
from ttl.source.parsing import parse_expression
from ttl.source.public_names import known_as

Function = Callable[..., Any]
_TRANSPOSE_RHS = flag(
    "transpose_rhs", "Whether the right operand is (N, K) in place of (K, N).", default=False
)
# The current names for older names of the module ``ttl``; ``older_name`` reports each.
OLDER_NAMES = MappingProxyType(
    {
        "kernel": "operation",
        "ttl_kernel": "operation",
        "pykernel_gen": "operation",
        "core": "node",
        "core_dim": "node",
        "make_circular_buffer_like": "make_dataflow_buffer_like",
        "CircularBuffer": "DataflowBuffer",
    }
)
# A function that makes the present function of a row.
Make = Callable[[Op], Function]

_FUNCTIONS: dict[str, Function] = {
    "+": operators.add, "-": operators.sub, "*": operators.mul, "/": operators.truediv, "@": operators.matmul,
    "%": operators.mod, "//": operators.floordiv,
}  # fmt: skip


def older_name(name: str, make: Make) -> Any:
    """Return the value of an older name of the module ``ttl``, and report it; None for any other name."""
    match name:
        case "kernel" | "ttl_kernel" | "pykernel_gen":
            note_older(f"ttl.{name}", "ttl.operation", "TTL1206", Rename(older=name, current="operation"))
            return operation
        case "core" | "core_dim":
            note_older(f"ttl.{name}", "ttl.node", "TTL1207", Rename(older=name, current="node"))
            return node
        case "make_circular_buffer_like":
            current = "make_dataflow_buffer_like"
            note_older(f"ttl.{name}", f"ttl.{current}", "TTL1208", Rename(older=name, current=current))
            return make_dataflow_buffer_like
        case "CircularBuffer":
            note_older(
                f"ttl.{name}", "ttl.DataflowBuffer", "TTL1208", Rename(older=name, current="DataflowBuffer")
            )
            return DataflowBuffer
        case "Program":
            return OlderProgram
        case "ttl":
            return older_package("ttl")
        case _:
            return free_function(name, make)


def older_package(name: str = "ttlang") -> Any:
    """Return the module ``ttl``, and report it: the value of ``from ttl import ttl`` and ``from ttlang import ttl``."""
    note_older(f"from {name} import ttl", "import ttl", "TTL1215", PlainImport())
    return sys.modules["ttl"]


@known_as("Program")
class OlderProgram:
    """``return ttl.Program(compute, read, write)(a, out)``: has no effect, because decorators start kernels."""

    __slots__ = ()

    def __init__(self, *kernels: Any) -> None:
        note_program()
        for kernel in kernels:
            if not isinstance(kernel, KernelFunction):
                fail(not_a_kernel(kernel))

    def __call__(self, *tensors: Any) -> None:
        """Do nothing: the operation runs its kernels when its body has ended."""


Program = OlderProgram


class PlainImport(PlacedRemedy):
    """Write ``import ttl`` for ``from ttl import ttl``; no edits if it imports more names, or is an attribute."""

    def edits(self, site: SourceSite) -> tuple[Edit, ...]:
        """One replacement of a statement."""
        match site.statement():
            case ast.ImportFrom(names=[ast.alias(name="ttl", asname=known)]) as statement:
                text = "import ttl" if known in (None, "ttl") else f"import ttl as {known}"
                return (Edit(span=site.span_of(statement), replacement=text),)
        return ()


# --- functions by older names ----------------------------------------------------------------------------------------


def free_function(name: str, make: Make) -> Function | None:
    """The older ``ttl.exp(...)`` or ``ttl.add(...)``, or None."""
    for row in OPS:
        if row.name == name and row.namespace != "operator":
            return renamed(row, f"ttl.{name}", make)
    return arithmetic(name, f"ttl.{name}")


def older_lookup(namespace: Namespace, name: str, rows: tuple[Op, ...], make: Make) -> Function | None:
    """The function of an older ``ttl.<namespace>.<name>``, or None."""
    spelling = f"ttl.{namespace}.{name}"
    for row in rows:
        if spelling in row.deprecated_spellings:
            return renamed(row, spelling, make)
    return arithmetic(name, spelling)


def renamed(row: Op, spelling: str, make: Make) -> Function:
    """A function under an older spelling: reports the present one, and accepts an output block after its operands.

    ``ttl.math.broadcast(a, out, dims=[0])`` takes the shape from ``out``, as programs of that time expect.
    """
    function = public(make(row))
    wants_shape = any(param.name == "shape" for param in row.params)
    first = len(row.operands)

    def older_function(*arguments: Any, **keywords: Any) -> Any:
        shaped_like = len(arguments) > first and _is_output(arguments[first]) and row not in _REDUCTIONS
        if not shaped_like:
            note_older(spelling, row.label, "TTL1210", Callee(function=row.label))
            return function(*arguments, **keywords)
        like = arguments[first]
        shape = like.shape if wants_shape and "shape" not in keywords else None

        def rewritten(call: ast.Call) -> str | None:
            return _without_output(call, row, first, shape)

        note_older(spelling, row.label, "TTL1210", RewrittenCall(rewrite=rewritten))
        if shape is not None:
            keywords["shape"] = shape
        return function(*arguments[:first], *arguments[first + 1 :], **keywords)

    older_function.__name__ = older_function.__qualname__ = row.name
    older_function.__doc__ = f"Older spelling of ``{row.label}``.\n\n{function.__doc__}"
    return older_function


def _is_output(value: Any) -> bool:
    """Return whether an argument is a block that receives the result, or whose shape the result has."""
    return isinstance(value, BlockExpr) or hasattr(value, "store")


def arithmetic(name: str, spelling: str) -> Function | None:
    """The function of an operator, ``ttl.add(a, b)``; None if there is no such operator."""
    symbol = OPERATORS.get(name)
    if symbol is None:
        return None

    def plain_function(a: Any, b: Any) -> Any:
        remedy = RewrittenCall(rewrite=lambda call: _as_operator(call, symbol))
        note_older(f"{spelling}(a, b)", f"a {symbol} b", "TTL1217", remedy)
        return _FUNCTIONS[symbol](a, b)

    def product(a: Any, b: Any, transpose_rhs: bool = False) -> Any:
        is_transposed = _TRANSPOSE_RHS.check(transpose_rhs)
        if isinstance(is_transposed, Diagnostic):
            fail(is_transposed)
        if not is_transposed:
            return plain_function(a, b)
        note_older(f"{spelling}(a, b, transpose_rhs=True)", f"a @ {TRANSPOSE.label}(b)", "TTL1217",
                   RewrittenCall(rewrite=_as_transposed_product))  # fmt: skip
        return a @ apply(TRANSPOSE, (b,), ())

    older_function: Function = product if symbol == "@" else plain_function

    older_function.__name__ = older_function.__qualname__ = name
    older_function.__module__ = spelling.rpartition(".")[0]
    older_function.__doc__ = f"Older spelling of ``a {symbol} b``."
    return public(older_function)


# --- reductions with a scaler -------------------------------------------------------------------------------------


def scaled(row: Op, plain: Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """``reduce_sum(x, scaler, dims=[0])``: the reduction, multiplied by the scaler."""
    place = here()
    operand, *rest = arguments
    scaler = keywords.pop("scaler", None)
    if scaler is None:
        scaler = rest.pop(0)
    if rest and _is_output(rest[0]):
        rest.pop(0)  # the output block
    reduced = plain(operand, *rest, **keywords)
    shape, rank = reduced.shape, len(reduced.shape)
    factor = scaler
    if isinstance(scaler, BlockExpr) and _is_one_tile(scaler, rank):
        factor = apply(BROADCAST, (scaler,), (tuple(range(rank)), tuple(shape)))

    def rewritten(call: ast.Call) -> str | None:
        return _as_product(call, row, shape if factor is not scaler else None)

    note_older(f"{row.label}(expr, scaler, dims=...)", f"{row.label}(expr, dims=...) * scaler", "TTL1213",
               RewrittenCall(rewrite=rewritten), place=place)  # fmt: skip
    return reduced if type(scaler) in (int, float) and scaler == 1 else reduced * factor


def is_scaled(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether a reduction is called with a scaler: a block, or a number in its place, before the dimensions."""
    if "scaler" in keywords:
        return True
    if len(arguments) < 2:
        return False
    given = arguments[1]
    # An integer before other positional arguments is a dimension, followed by a shape.
    return isinstance(given, BlockExpr | float) or (isinstance(given, int) and "dims" in keywords)


def _is_one_tile(scaler: BlockExpr, rank: int) -> bool:
    return (
        not isinstance(scaler, unshaped.Unshaped) and len(scaler.shape) == rank and set(scaler.shape) == {1}
    )


# --- broadcasts without a shape -----------------------------------------------------------------------------------


def shapeless(row: Op, plain: Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """``broadcast(x, dims=[1])``: the shape is that of the other operand where the result is used."""
    place = here()
    operand, *rest = arguments if arguments else (keywords.get("expr"),)
    given = rest[0] if rest else keywords.get("dims")
    dims = next(param for param in row.params if param.name == "dims").check(given)
    if not isinstance(operand, BlockExpr) or not isinstance(dims, tuple):
        return plain(operand, given, getattr(operand, "shape", (1, 1)))  # which reports the mistake

    def said(shape: tuple[int, ...]) -> None:
        def rewritten(call: ast.Call) -> str | None:
            return _with_shape(call, shape)

        current_form = f"{row.label}(expr, dims=..., shape=...)"
        note_older(
            f"{row.label}(expr, dims=...)",
            current_form,
            "TTL1214",
            RewrittenCall(rewrite=rewritten),
            place=place,
        )

    return unshaped.broadcast(row, operand, dims, said)


def is_shapeless(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether a broadcast is called without a shape, and is correct otherwise."""
    given = len(arguments) + sum(name in keywords for name in ("expr", "dims"))
    return (
        given == 2 and len(arguments) <= 2 and "shape" not in keywords and set(keywords) <= {"expr", "dims"}
    )


# --- both, beside the present form ----------------------------------------------------------------------------------

_REDUCTIONS = (REDUCE_SUM, REDUCE_MAX)


def tolerant(row: Op, plain: Function) -> Function:
    """The function of a row that also accepts the forms of earlier programs."""
    if row in _REDUCTIONS:
        takes, older = is_scaled, scaled
    elif row is BROADCAST:
        takes, older = is_shapeless, shapeless
    else:
        return plain

    def function(*arguments: Any, **keywords: Any) -> Any:
        if takes(arguments, keywords):
            return older(row, plain, arguments, keywords)
        try:
            return plain(*arguments, **keywords)
        except TypeError as mistake:
            if mistake.__traceback__ is None or mistake.__traceback__.tb_next is not None:
                raise
            from ttl.lang.wrong_calls import wrong_call

            fail(wrong_call(plain, str(mistake)))

    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        setattr(function, name, getattr(plain, name))
    function.__wrapped__ = plain  # type: ignore[attr-defined]
    return function


# --- calls in the present form ---------------------------------------------------------------------------------------


def _as_transposed_product(call: ast.Call) -> str | None:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    flag = given.pop("transpose_rhs", None)
    if len(call.args) != 2 or given or not isinstance(flag, ast.Constant):
        return None
    left, right = map(ast.unparse, call.args)
    return (
        f"({left}) @ {TRANSPOSE.label}({right})"
        if not isinstance(call.args[0], ast.Name)
        else f"{left} @ {TRANSPOSE.label}({right})"
    )


def _as_operator(call: ast.Call, symbol: str) -> str | None:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    operands = [*call.args, *(named[name] for name in ("a", "b") if name in named)]
    if (
        len(operands) != 2
        or len(call.args) + len(call.keywords) != 2
        or any(isinstance(expression, ast.Starred) for expression in operands)
    ):
        return None
    pattern = parse_expression(f"a {symbol} b")
    assert isinstance(pattern, ast.BinOp)
    return ast.unparse(ast.BinOp(left=operands[0], op=pattern.op, right=operands[1]))


def _without_output(call: ast.Call, row: Op, first: int, shape: tuple[int, ...] | None) -> str | None:
    if len(call.args) <= first or any(isinstance(expression, ast.Starred) for expression in call.args):
        return None
    output = call.args[first]
    texts = [ast.unparse(expression) for expression in (*call.args[:first], *call.args[first + 1 :])]
    texts += [ast.unparse(keyword) for keyword in call.keywords]
    if shape is not None:
        texts.append(
            f"shape={ast.unparse(output)}.shape" if isinstance(output, ast.Name) else f"shape={shape}"
        )
    return f"{row.label}({', '.join(texts)})"


def _as_product(call: ast.Call, row: Op, shape: tuple[int, ...] | None) -> str | None:
    """The text ``reduce(x, dims=[0]) * scaler``; with ``shape`` the scaler is broadcast to it."""
    if any(isinstance(expression, ast.Starred) for expression in call.args):
        return None
    arguments = list(call.args)
    scaler = next((keyword.value for keyword in call.keywords if keyword.arg == "scaler"), None)
    if scaler is None:
        if len(arguments) < 2:
            return None
        scaler = arguments.pop(1)
    if len(arguments) > 1 and isinstance(arguments[1], ast.Name):
        arguments.pop(1)  # the output block
    texts = [ast.unparse(expression) for expression in arguments]
    texts += [ast.unparse(keyword) for keyword in call.keywords if keyword.arg != "scaler"]
    reduced = f"{row.label}({', '.join(texts)})"
    if isinstance(scaler, ast.Constant) and scaler.value == 1:
        return reduced
    if shape is None:
        factor = ast.unparse(scaler)
        return f"{reduced} * {factor if isinstance(scaler, ast.Name | ast.Call | ast.Constant) else f'({factor})'}"
    return f"{reduced} * ttl.block.broadcast({ast.unparse(scaler)}, dims={list(range(len(shape)))}, shape={shape})"


def _with_shape(call: ast.Call, shape: tuple[int, ...]) -> str | None:
    texts = [ast.unparse(arg) for arg in (*call.args, *call.keywords)]
    return f"{BROADCAST.label}({', '.join([*texts, f'shape={shape}'])})"
