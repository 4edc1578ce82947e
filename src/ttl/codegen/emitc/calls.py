"""Calls of the kernel API in ``emitc``, as the table of the API says for whatever API it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, SSAValue

from ttl.dialects.ttkernel import CallOp
from ttl.emitc.conversion import EmitcConversion
from ttl.kernel_api.model import Applied, KernelApi, Statement

# What stands in the place of an argument of a row: a constant as C++, or a value.
Given = Mapping[str, str | SSAValue]


class CallConversion(EmitcConversion):
    """Converts the operations of a kernel to ``emitc``."""

    def api_call(
        self, op: CallOp, api: KernelApi, result: Attribute | None, *, lists_arguments: bool = False
    ) -> SSAValue | None:
        """What a call becomes, and its result. Raises KeyError where the API has nothing of the kind."""
        statements = op.call.statements(api)
        given: dict[str, str | SSAValue] = dict(op.call.texts(op.constants))
        given |= zip((argument.name for argument in op.call.operands), self.uses(op.operands), strict=True)
        if not statements:
            return None
        first = statements[0]
        if len(statements) == 1 and isinstance(first, Applied) and first.is_plain:
            return self.applied(first, given, result, lists_arguments=lists_arguments)
        return self._written(statements, given, result)

    def applied(
        self, function: Applied, given: Given, result: Attribute | None, *, lists_arguments: bool = False
    ) -> SSAValue | None:
        """A function by name, applied; its result."""
        arguments = [
            given.get(part, part) if isinstance(part, str) else str(part) for part in function.arguments
        ]
        template = [str(given.get(part, part)) for part in function.template if isinstance(part, str)]
        results = [] if result is None else [result]
        called = self.call(
            function.named(given), arguments, results, template=template, lists_arguments=lists_arguments
        )
        return called.results[0] if called.results else None

    def _written(
        self, statements: Sequence[Statement], given: Given, result: Attribute | None
    ) -> SSAValue | None:
        """C++ as it is, and a variable for its result."""
        pieces = [piece for statement in statements for piece in ("; ", *statement.pieces(given))][1:]
        if result is None:
            self.verbatim(pieces)
            return None
        variable = self.variable(result)
        self.verbatim([variable, " = ", *pieces])
        return self.load(variable)
