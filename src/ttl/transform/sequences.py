"""The text of sequences for the passes of a compilation and for chains of Python schedules, and parsing of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.transform import NamedSequenceOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.dialects.text import DIALECTS
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.pipeline import option_text
from ttl.ir.reports import InvalidIR
from ttl.ir.verifier import verify
from ttl.passes.target import Target
from ttl.session import cached
from ttl.transform import dialect as steps
from ttl.transform.interpreter import MAIN

ANY = "!transform.any_op"
_STEP = f"({ANY}) -> {ANY}"


def module_of(sequences: Mapping[str, Sequence[str]]) -> str:
    """The text of named sequences, by name: each consists of the lines of its steps, which start from ``%root``."""
    lines = ["module attributes {transform.with_named_sequence} {"]
    for name, body in sequences.items():
        lines.append(f"  transform.named_sequence @{name}(%root: {ANY} {{transform.consumed}}) {{")
        lines += [f"    {line}" for line in body]
        lines += ["    transform.yield", "  }"]
    return "\n".join([*lines, "}", ""])


def passes_as_steps(passes: Sequence[ModulePass], root: str = "%root") -> list[str]:
    """The steps that run passes one after the other on the operations of the handle ``root``."""
    lines = []
    for number, one in enumerate(passes):
        options = _options(one)
        given = f' {{options = "{options}"}}' if options else ""
        lines.append(f'%p{number} = transform.apply_registered_pass "{one.name}" to {root}{given} : {_STEP}')
        root = f"%p{number}"
    return lines


def _options(one: ModulePass) -> str:
    """Return the options of a pass that differ from their defaults; the chip is always included."""
    given: list[str] = []
    for option in fields(one):
        value = getattr(one, option.name)
        always = isinstance(one, Target) and option.name == "chip"
        if option.name != "name" and (always or value != option.default):
            given.append(f"{option.name.replace('_', '-')}={option_text(value)}")
    return " ".join(given)


@cached(maxsize=64)
def read(text: str, file: str) -> ModuleOp:
    """Parse the text of sequences. Raises ``InvalidIR`` with its errors."""
    module = parse_text(make_context({**DIALECTS, "transform": steps.dialect}), text, file)
    wrong = [report for report in verify(module) if report.severity == "error"]
    if wrong:
        raise InvalidIR(*wrong)
    return module


def named_in(module: ModuleOp) -> dict[str, NamedSequenceOp]:
    """The named sequences of a module."""
    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, NamedSequenceOp)}


def entries(module: ModuleOp) -> Iterator[Operation]:
    """The sequences at which an interpreter begins: ``@__transform_main``, else every top-level one without a name."""
    main = named_in(module).get(MAIN)
    if main is not None:
        yield main
        return
    yield from (op for op in module.body.block.ops if isinstance(op, steps.SEQUENCE))


def entry_for(module: ModuleOp, *names: str) -> Operation | None:
    """The sequence for an operation: the one with its name, else the one for all; None if there is neither."""
    named = named_in(module)
    own = next((named[name] for name in names if name in named), None)
    return own or next(entries(module), None)
