"""Releases and waits that a program leaves to the language: with ``--strict`` each push, pop and wait that is
inferred is a finding.

Each has a fix: the call, written where it takes effect now. ``ttl.passes.infer_sync`` has marked these operations.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from xdsl.ir import Operation

from ttl.analysis.dominance import walked
from ttl.check.context import CheckContext
from ttl.diag.model import Diagnostic, Fix, warning
from ttl.diag.remedies.site import SourceSite, block_of, insertion, line_after, site_at
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.source.spans import Span

Release = Literal["push", "pop", "wait"]


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Return a finding for each inferred push, pop and wait; none unless the check is strict."""
    if not context.strict:
        return []
    result: dict[tuple[str, Span | Operation], Diagnostic] = {}
    for kernel in operation.kernels:
        for op in walked(kernel):
            match op:
                case dialect.ReleaseOp() if op.how == "inferred":
                    finding = _release(op)
                case dialect.WaitOp() if op.how == "inferred":
                    finding = _wait(op)
                case _:
                    continue
            key = finding.code, span_of(op) or op
            result.setdefault(key, finding.at(span_of(op)).noting(f"in kernel {kernel.kernel_name}"))
    return list(result.values())


def _release(op: dialect.ReleaseOp) -> Diagnostic:
    pushes = isinstance(op, dialect.DfbPushOp)
    call: Release
    code, verb, call = ("TTL0340", "pushed", "push") if pushes else ("TTL0341", "popped", "pop")
    dfb = dialect.dfb_of(op.block)
    new_op = None if dfb is None else dfb.owner
    name = new_op.buffer_name.data if isinstance(new_op, dialect.CreateDfbOp) else "a dataflow buffer"
    finding = warning(
        code,
        f"block of {name} is never {verb} by the program",
        notes=(f"the language has it {verb} after its last use",),
        help=f"write .{call}() after the last use of the block, or acquire it in a with statement",
    )
    return finding.fixed_by(explicit(span_of(op), call))


def _wait(op: dialect.WaitOp) -> Diagnostic:
    finding = warning(
        "TTL0520",
        "transfer is never waited for by the program",
        notes=("the language waits for it before its block is used or released",),
        help="write .wait() on the handle that ttl.copy() returns",
    )
    return finding.fixed_by(explicit(span_of(op), "wait"))


# --- fixes ----------------------------------------------------------------------------------------------------


def explicit(span: Span | None, how: Release) -> Fix | None:
    """Return the fix that adds the inferred call at a place; None if the block or transfer has no name."""
    return _wait_fix(span) if how == "wait" else _release_fix(span, how)


def _release_fix(span: Span | None, call: Release) -> Fix | None:
    site = None if span is None else site_at(span)
    name, statements = _statements(site)
    if site is None or name is None:
        return None
    last, *following = statements
    names = {name}
    for statement in following:
        if _rebinds(statement, name):
            break
        if names & _names(statement):
            last = statement
        names |= set(_names_of_copies(statement, name))
        if isinstance(statement, ast.FunctionDef) and names & _names(statement):
            names.add(statement.name)  # the block is used where the function is
    return _written_after(site, last, f"{name}.{call}()")


def _wait_fix(span: Span | None) -> Fix | None:
    site = None if span is None else site_at(span)
    name, statements = _statements(site)
    if site is None or not statements or not isinstance(site.node, ast.Call):
        return None
    own, *following = statements
    if isinstance(own, ast.Expr) and own.value is site.node:
        end = site.span
        edit = insertion(end.file, end.end_line or end.line, end.end_column, ".wait()")
        return Fix(description="wait for the transfer", edits=(edit,))
    if name is None:
        return None
    blocks = {argument.id for argument in site.node.args if isinstance(argument, ast.Name)}
    used = next((place for place, statement in enumerate(following) if blocks & _names(statement)), 0)
    return _written_after(site, statements[used], f"{name}.wait()")


def _statements(site: SourceSite | None) -> tuple[str | None, list[ast.stmt]]:
    """Return the variable to which a call is assigned, its statement, and the statements after it in its block."""
    statement = None if site is None else site.statement()
    block = None if site is None or statement is None else block_of(statement, site.parents)
    if (
        site is None
        or statement is None
        or block is None
        or hasattr(statement, "body")
        or isinstance(statement, ast.Match)
    ):
        return None, []
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ) if value is site.node:
            return name, block[block.index(statement) :]
    return None, block[block.index(statement) :]


def _written_after(site: SourceSite, statement: ast.stmt, text: str) -> Fix | None:
    edits = line_after(site, statement, text)
    return Fix(description=f"write {text}", edits=edits) if edits else None


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _rebinds(statement: ast.stmt, name: str) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
        and name not in _names(ast.Expr(statement.value))
    )


def _names_of_copies(statement: ast.stmt, name: str) -> Iterator[str]:
    """Yield the names under which copies of a block are waited for: handles, and groups that contain them."""
    for node in ast.walk(statement):
        match node:
            case ast.Assign(targets=[ast.Name(id=handle)], value=ast.Call() as call) if _takes(call, name):
                yield handle
            case ast.Call(func=ast.Attribute(value=ast.Name(id=group), attr="add")) if name in {
                inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)
            }:
                yield group


def _takes(call: ast.Call, name: str) -> bool:
    return any(isinstance(argument, ast.Name) and argument.id == name for argument in call.args)
