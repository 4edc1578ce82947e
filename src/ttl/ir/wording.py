"""Messages of xDSL about text and about MLIR's own operations, in MLIR's words, which tests and tools expect."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

# Patterns of xDSL's messages, with MLIR's messages. ``{at}`` is the text at the place of the error.
_OF_TEXT = (
    (
        r"operand is used with type (.+), but has been previously used or defined with type (.+)",
        r"use of value '{at}' expects different type than prior uses: '\1' vs '\2'",
    ),
    (r"SSA value (%\S+) is already defined", r"redefinition of SSA value '\1'"),
    (r"undefined symbol alias '[#!](\S+)'", r"undefined symbol alias id '\1'"),
    (
        r"operation has (\d+) results?, but was given (\d+) to bind",
        r"operation defines \1 results but was provided \2 to bind",
    ),
    (
        r"shape mismatch in dense literal\. Expected (\[.*\]) shape from the type, but got (\[.*\]) shape",
        r"inferred shape of elements literal (\2) does not match type (\1)",
    ),
    (r"'(.+)' expected(.*)", r"expected '\1'\2"),
    (r"expected shape type", "expected non-function type"),
    (r"in block definition", "expected operation name in quotes, or '}' at the end of the block"),
)
_PATTERNS = tuple((re.compile(pattern), words) for pattern, words in _OF_TEXT)


def of_text(message: str, at: str) -> str:
    """Return a message about text in MLIR's words. ``at`` is the text at the place of the error."""
    for pattern, words in _PATTERNS:
        match = pattern.fullmatch(message)
        if match is not None:
            return match.expand(words.replace("{at}", at.replace("\\", r"\\")))
    return message


def unregistered_operation(name: str, is_complete: bool, quoted: bool) -> str:
    """Return the message about an operation that no dialect defines. ``quoted``: it is in the generic form."""
    dialect = name.partition(".")[0]
    if is_complete:
        return f"unregistered operation '{name}' found in dialect ('{dialect}') that does not allow unknown operations"
    if quoted:
        return (
            f"operation being parsed with an unregistered dialect ('{name}'). If this is intended, please use "
            "-allow-unregistered-dialect with the MLIR tool used"
        )
    return f"custom op '{name}' is unknown"


def of_operation(op: Operation) -> str | None:
    """Return MLIR's error in one of its own operations that xDSL words differently; None if there is no error."""
    check = _CHECKS.get(op.name)
    return None if check is None else check(op)


def _return(op: Operation) -> str | None:
    function: Any = op.parent_op()
    if not isinstance(function, FuncOp):
        return None
    if not isinstance(function.function_type, FunctionType):
        return f"'func.return' op enclosing function (@{function.sym_name.data}) has no type of a function"
    types = function.function_type.outputs.data
    if len(op.operands) != len(types):
        return (
            f"'func.return' op has {len(op.operands)} operands, but enclosing function "
            f"(@{function.sym_name.data}) returns {len(types)}"
        )
    for index, (operand, type) in enumerate(zip(op.operands, types, strict=True)):
        if operand.type != type:
            return (
                f"type of return operand {index} ('{operand.type}') doesn't match function result type ('{type}') "
                f"in function @{function.sym_name.data}"
            )
    return None


def _call(op: Any) -> str | None:
    function: Any = SymbolTable.lookup_symbol(op, op.callee)
    if not isinstance(function, FuncOp):
        return f"'func.call' op '{op.callee.root_reference.data}' does not reference a valid function"
    wanted = function.function_type
    if not isinstance(wanted, FunctionType):
        return f"'func.call' op '{op.callee.root_reference.data}' has no type of a function"
    for what, given, types in (
        ("operand", [operand.type for operand in op.operands], wanted.inputs.data),
        ("result", [result.type for result in op.results], wanted.outputs.data),
    ):
        if len(given) != len(types):
            return f"'func.call' op incorrect number of {what}s for callee"
        for index, (own, type) in enumerate(zip(given, types, strict=True)):
            if own != type and what == "operand":
                return (
                    f"'func.call' op operand type mismatch: expected operand type '{type}', but provided '{own}' for "
                    f"operand number {index}"
                )
            if own != type:
                return f"'func.call' op result type mismatch at index {index}"
    return None


def _module(op: Operation) -> str | None:
    for name in sorted(op.attributes):
        if "." not in name and name not in ("sym_name", "sym_visibility"):
            return f"'builtin.module' op can only contain attributes with dialect-prefixed names, found: '{name}'"
    return None


def _function(op: Any) -> str | None:
    if not isinstance(op.properties.get("function_type"), FunctionType | None):
        return "'func.func' op attribute 'function_type' failed to satisfy constraint: type attribute of function type"
    if any(block.is_empty for block in op.body.blocks):
        return "empty block: expect at least a terminator"
    return None


def _empty(op: Any) -> str | None:
    wanted = sum(extent < 0 for extent in op.tensor.type.get_shape())
    if len(op.dynamic_sizes) == wanted:
        return None
    return (
        f"'tensor.empty' op incorrect number of dynamic sizes, has {len(op.dynamic_sizes)}, expected {wanted}"
    )


def repeated_symbols(op: Operation) -> list[tuple[Operation, Operation, str]]:
    """Return the symbols that a module defines again: the later operation, the first one, and the name."""
    if not isinstance(op, ModuleOp):
        return []
    first: dict[str, Operation] = {}
    repeated = []
    for inner in (inner for block in op.body.blocks for inner in block.ops):
        name = inner.properties.get("sym_name") or inner.attributes.get("sym_name")
        if not isinstance(name, StringAttr):
            continue
        if name.data in first:
            repeated.append((inner, first[name.data], name.data))
        first.setdefault(name.data, inner)
    return repeated


# By names, not by classes: verifying a module does not load dialects that do not occur in it.
_CHECKS: dict[str, Callable[[Any], str | None]] = {
    "builtin.module": _module,
    "func.call": _call,
    "func.func": _function,
    "func.return": _return,
    "tensor.empty": _empty,
}
