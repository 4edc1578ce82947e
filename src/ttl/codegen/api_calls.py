"""Calls of the kernel API in ``emitc``, in the spelling that the table has for each generation of the API."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from ttl.dialects.ttkernel import KernelCallOp
from ttl.emitc.conversion import EmitcConversion
from ttl.kernel_api.function_rows import Applied, KernelApi


class CallConversion(EmitcConversion):
    """Converts the operations of a kernel to ``emitc``."""

    def api_call(
        self, op: KernelCallOp, api: KernelApi, result: Attribute | None, *, lists_arguments: bool = False
    ) -> SSAValue | None:
        """Make the operations of a call and return its result. Raises KeyError where the API has no such function."""
        statements = op.call.statements(api)
        # The replacement of each argument of the row: a constant as C++, or a value.
        given: dict[str, str | SSAValue] = dict(op.call.texts(op.constants))
        given |= zip((argument.name for argument in op.call.operands), self.uses(op.operands), strict=True)
        if not statements:
            return None
        first = statements[0]
        if len(statements) == 1 and isinstance(first, Applied) and first.is_plain:
            arguments = [given.get(part, part) for part in map(str, first.arguments)]
            template = [str(given.get(part, part)) for part in map(str, first.template)]
            results = [] if result is None else [result]
            name = first.named(given)
            called = self.call(name, arguments, results, template=template, lists_arguments=lists_arguments)
            return called.results[0] if called.results else None
        # Verbatim C++, and a variable for its result.
        pieces = [piece for statement in statements for piece in ("; ", *statement.pieces(given))][1:]
        if result is None:
            self.verbatim(pieces)
            return None
        variable = self.variable(result)
        self.verbatim([variable, " = ", *pieces])
        return self.load(variable)
