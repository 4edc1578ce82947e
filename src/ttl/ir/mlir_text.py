"""Modules and operations as the text that MLIR's tools print."""

from __future__ import annotations

from dataclasses import replace

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove

from ttl.ir.aliases import Aliases
from ttl.ir.assembly import AssemblyPrinter, Style
from ttl.ir.literals import keyword
from ttl.ir.numbering import Numbering
from ttl.ir.upstream_text import FORMS


def print_as_mlir(op: Operation, style: Style, context: Context | None = None) -> str:
    """An operation, mostly a module, as MLIR's tools print it: aliases before and after it, and resources.

    ``context`` is the one in which the text with the resources was parsed.
    """
    numbering = Numbering(op, unique=style.generic)
    aliases = Aliases(op, style, numbering, FORMS) if not style.local_scope else None
    printer = AssemblyPrinter(style, numbering, aliases.names if aliases else {}, FORMS)
    printer.print_op(op)
    body = printer.take()
    before = after = ""
    if aliases is not None:
        definitions = [
            (alias, f"{alias.name} = {printer.spelled(alias.attribute)}\n") for alias in aliases.all
        ]
        before = "".join(line for alias, line in definitions if not alias.deferred)
        after = "".join(line for alias, line in definitions if alias.deferred)
    resources = "" if style.local_scope else _resources(printer, context)
    return f"{before}{body}\n{after}{resources}"


def print_operation(op: Operation, style: Style) -> str:
    """Return one operation without aliases: every layout and location is spelled out, values have the names that they have in
    their function.

    In the generic form values are numbered through all of the printed text, otherwise as in the text of the module.
    """
    if op.parent is None:
        return print_as_mlir(op, style).rstrip("\n")
    local = replace(style, local_scope=True)
    printer = AssemblyPrinter(local, Numbering(_scope_of(op), unique=style.generic), {}, FORMS)
    printer.print_op(op)
    return printer.take()


def print_alone(op: Operation, style: Style) -> str:
    """Return one operation in the generic form, as errors show it."""
    return print_operation(op, replace(style, generic=True, local_scope=True))


def _scope_of(op: Operation) -> Operation:
    """Return the operation whose values are numbered together with those in this one."""
    top = op
    while not top.has_trait(IsolatedFromAbove, value_if_unregistered=False):
        above = top.parent_op()
        if above is None:
            break
        top = above
    return top


def _resources(printer: AssemblyPrinter, context: Context | None) -> str:
    texts: list[str] = []
    for dialect, keys in sorted(printer.resources.items()):
        known = None if context is None else context.get_optional_dialect(dialect)
        interface = None if known is None else known.get_interface(OpAsmDialectInterface)
        values = {} if interface is None else interface.build_resources(sorted(keys))
        if values:
            entries = ",\n".join(f'      {keyword(key)}: "{values[key]}"' for key in sorted(values))
            texts.append(f"    {dialect}: {{\n{entries}\n    }}")
    if not texts:
        return ""
    return "\n{-#\n  dialect_resources: {\n" + ",\n".join(texts) + "\n  }\n#-}\n"
