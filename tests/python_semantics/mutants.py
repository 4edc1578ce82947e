"""Mutants of the reader: one comparison, condition or statement of it changed, in a function that kernels are read with.

A mutant is named by its module, its function, and the text before and after; ``mutants.txt`` has those that are kept, with the program that
kills each. ``python scripts/mutate_reader.py --keep`` looks for them anew.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from python_semantics.judge import judged
from support.random_programs.python.programs import Program

FILE = Path(__file__).with_name("mutants.txt")
MODULES = (
    "assignments", "definitions", "effects", "evaluator", "expressions", "flow", "function_calls", "liveness", "matching", "scopes", "operators",
    "kernel.applying", "kernel.arithmetic", "kernel.bits", "kernel.branches", "kernel.calling", "kernel.carrying", "kernel.comparing",
    "kernel.domain", "kernel.iterators", "kernel.loop_facts", "kernel.loops", "kernel.merging", "kernel.parting", "kernel.reductions",
    "kernel.regions", "kernel.repetition", "kernel.selected", "kernel.selecting",
)  # fmt: skip
_OPPOSITE: dict[type[ast.AST], type[Any]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


@dataclass(frozen=True, order=True)
class Mutant:
    """A change of one function. ``killer`` is the program that shows it, where one is known."""

    module: str
    function: str
    before: str
    after: str
    killer: str = ""

    def __str__(self) -> str:
        return f"{self.module}.{self.function}: {self.before} -> {self.after}"


class Gone(Exception):
    """The function, or the text in it, is not there any more."""


def kept() -> list[Mutant]:
    """Those of the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    return [Mutant(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def _module(name: str) -> Any:
    """A module of the reader, by its name in ``ttl.frontend``; that of scopes stands where the sources are read."""
    return importlib.import_module("ttl.source.scopes" if name == "scopes" else f"ttl.frontend.{name}")


def all_mutants() -> list[Mutant]:
    """Every mutant there is, in the order of the sources."""
    found: dict[Mutant, None] = {}
    for name in MODULES:
        for qualified, node in _functions(ast.parse(inspect.getsource(_module(name)))):
            for before, after in _changes(node):
                found[Mutant(name, qualified, before, after)] = None
    return list(found)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from (
                (f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef)
            )


def _changes(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """One line of text before and after each change; the whole statement where one goes."""
    for node in ast.walk(function):
        if not isinstance(node, ast.stmt | ast.expr) or isinstance(node, ast.Name | ast.Attribute):
            continue
        changed = copy.copy(node)
        if _change(changed):
            before, after = ast.unparse(node), ast.unparse(changed)
            if "\n" not in before + after and before != after:
                yield before, after


def _change(node: ast.AST) -> bool:
    """Change a node in place, where there is something to change."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in _OPPOSITE:
            node.ops = [_OPPOSITE[type(op)]()]
        case ast.BoolOp(op=op) | ast.BinOp(op=ast.Add() | ast.Sub() as op):
            node.op = _OPPOSITE[type(op)]()
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.Expr(value=ast.Call(func=function)):
            node.value = ast.Tuple([function], ast.Load())
        case ast.IfExp(body=body, orelse=orelse):
            node.body, node.orelse = orelse, body
        case ast.Call(func=ast.Name(id="reversed")):
            node.func = ast.Name("list", ast.Load())
        case ast.Return(value=ast.Tuple(elts=[first, second])):
            node.value = ast.Tuple([second, first], ast.Load())
        case _:
            return False
    return True


def is_shown(mutant: Mutant, program: Program) -> bool:
    """Whether a program shows the mutant. It is judged in a process of its own: what a mutant leaves in caches stays there.

    Raises ``Gone``.
    """
    sys.stdout.flush()
    # Another text, since what was read of a text before is kept.
    program = replace(program, functions=f"{program.functions}\n# {mutant}\n")
    process = os.fork()
    if process == 0:
        status = 2
        try:
            with applied(mutant):
                status = int(judged(program, checked=False, seconds=2.0).verdict == "right")
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status == 2:
        raise Gone(mutant.before)
    return status != 1


@contextlib.contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """The reader has the mutant's code. Raises ``Gone``."""
    try:
        module = _module(mutant.module)
        function = _function(module, mutant.function)
    except (ModuleNotFoundError, AttributeError) as raised:
        raise Gone(mutant.function) from raised
    tree = ast.parse(inspect.getsource(module))
    node = dict(_functions(tree)).get(mutant.function)
    place = None if node is None else _place(node, mutant)
    if place is None:
        raise Gone(mutant.before)
    _change(place)
    code = _code(compile(ast.fix_missing_locations(tree), inspect.getfile(module), "exec"), mutant.function)
    before = function.__code__
    function.__code__ = code
    try:
        yield
    finally:
        function.__code__ = before


def _place(function: ast.FunctionDef, mutant: Mutant) -> ast.AST | None:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt | ast.expr) and ast.unparse(node) == mutant.before:
            changed = copy.copy(node)
            if _change(changed) and ast.unparse(changed) == mutant.after:
                return node
    return None


def _function(module: Any, name: str) -> FunctionType:
    owner = module
    for part in name.split("."):
        owner = inspect.getattr_static(owner, part)
    found = getattr(owner, "fget", None) or getattr(owner, "__func__", owner)
    found = inspect.unwrap(found)
    if not isinstance(found, FunctionType):
        raise AttributeError(name)
    return found


def _code(code: CodeType, name: str) -> CodeType:
    for part in name.split("."):
        code = next(each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == part)
    return code
