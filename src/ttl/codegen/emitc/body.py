"""The body of a kernel in ``emitc``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ttl.codegen.cpp.debug import PRINT_HEADER, ZONE_HEADERS, literal, print_pieces
from ttl.codegen.cpp.facts import KernelFacts, is_expression
from ttl.codegen.cpp.failure import unprintable
from ttl.codegen.cpp.types import counter_type
from ttl.codegen.emitc.arithmetic import EmitcArithmetic
from ttl.codegen.emitc.values import INDEX, TYPES, UI32, Values
from ttl.dialects.ttkernel import CallOp, CommonArgOp, DPrintOp, KernelOp, ZoneOp
from ttl.emitc.dialect import opaque, operation
from ttl.kernel_api.model import Applied
from ttl.ops.row import Generation


class EmitcBody:
    """Converts one kernel. ``headers`` collects what the text needs of the kernel API."""

    def __init__(self, facts: KernelFacts, generation: Generation) -> None:
        self.facts = facts
        self.generation = generation
        self.values = Values(facts)
        self.headers: set[str] = set()
        self._arithmetic = EmitcArithmetic(self.values)
        self._kernel: KernelOp = facts.kernel

    @property
    def helpers(self) -> set[str]:
        """Functions that the file has to define."""
        return self._arithmetic.helpers

    @property
    def standard(self) -> set[str]:
        """Headers of the C++ library."""
        return self._arithmetic.standard

    def function(self) -> Block:
        """The body of ``kernel_main``."""
        self._block(self._kernel.body.block)
        lines = [operation("verbatim", value=StringAttr(line)) for line in self.facts.preamble.lines]
        self.values.add(operation("return"))
        main = self.values.block
        first = main.first_op
        assert first is not None
        main.insert_ops_before([*lines, *self.values.start], first)
        return main

    def _block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                continue
            before = self.values.block.last_op
            if is_expression(op):
                self._expression(op)
            else:
                self._statement(op)
            last_op = self.values.block.last_op
            while last_op is not None and last_op is not before:
                last_op.location = op.location
                last_op = last_op.prev_op

    def _expression(self, op: Operation) -> None:
        value = op.results[0]
        if not self.facts.demand.is_held(value) or value in self.facts.preamble.resources:
            return
        match op:
            case CommonArgOp():
                index = str(self._kernel.common_args.index(op.entry))
                new_value = self._applied(Applied("get_common_arg_val", (index,), ("uint32_t",)), {}, UI32)
            case CallOp() if op.call.name == "get_semaphore_address":
                new_value = self.values.addresses[op.operands[0]]
            case CallOp():
                new_value = self._call(op, self.values.type_of(value))
            case _:
                new_value = self._arithmetic.made(op)
        if new_value is None:
            raise unprintable(op, "it has no counterpart in emitc")
        self.values.bind(value, new_value)

    def _statement(self, op: Operation) -> None:
        match op:
            case CallOp():
                result = op.results[0] if op.results else None
                is_used = result is not None and self.facts.demand.is_held(result)
                if result is not None and not is_used and op.call.effect == "read":
                    return
                value = self._call(
                    op, self.values.type_of(result) if result is not None and is_used else None
                )
                if result is not None and value is not None:
                    self.values.bind(result, value)
            case scf.ForOp():
                self._for(op)
            case scf.IfOp():
                self._if(op)
            case DPrintOp():
                self.headers.add(PRINT_HEADER)
                pieces = print_pieces(op, self.generation, self._kernel.thread, lambda position: False)
                values = [self.values.use(item) for item in op.values]
                self._verbatim([values[piece] if isinstance(piece, int) else piece for piece in pieces])
            case ZoneOp():
                self._zone(op)
            case _:
                raise unprintable(op, "it should have been converted before")

    def _call(self, op: CallOp, result: Attribute | None) -> SSAValue | None:
        try:
            statements = op.call.spelling[self.generation]
            texts = op.call.texts(op.constants)
        except KeyError as problem:
            raise unprintable(op, f"kernel API {self.generation} has nothing for it ({problem})") from problem
        if not statements:
            return None
        self.headers.update(op.call.headers[self.generation])
        operands = [self.values.use(value) for value in op.operands]
        given: dict[str, str | SSAValue] = dict(texts)
        given |= {argument.name: value for argument, value in zip(op.call.operands, operands, strict=True)}
        first = statements[0]
        if len(statements) == 1 and isinstance(first, Applied) and first.is_plain:
            return self._applied(first, given, result)
        pieces = [piece for statement in statements for piece in ("; ", *statement.pieces(given))][1:]
        if result is None:
            self._verbatim(pieces)
            return None
        variable = self.values.variable(result)
        self._verbatim([variable, " = ", *pieces])
        return self.values.load(variable)

    def _applied(
        self, function: Applied, given: Mapping[str, str | SSAValue], result: Attribute | None
    ) -> SSAValue | None:
        operands: list[SSAValue] = []
        arguments: list[Attribute] = []
        for part in function.arguments:
            argument = given.get(part, part) if isinstance(part, str) else part
            if isinstance(argument, SSAValue):
                arguments.append(IntegerAttr(len(operands), INDEX))
                operands.append(argument)
            else:
                arguments.append(opaque(str(argument)))
        template = [opaque(str(given.get(part, part))) for part in function.template if isinstance(part, str)]
        is_plain = len(operands) == len(arguments)
        return self.values.add(
            operation(
                "call_opaque",
                *operands,
                results=[] if result is None else [result],
                callee=StringAttr(function.named(given)),
                args=None if is_plain else ArrayAttr(arguments),
                template_args=ArrayAttr(template) if template else None,
            )
        )

    def _verbatim(self, pieces: Sequence[str | SSAValue]) -> None:
        """C++ as it is. Where values are put in, they are braces, and a brace is written twice."""
        values = [piece for piece in pieces if isinstance(piece, SSAValue)]
        texts = (piece if isinstance(piece, str) else None for piece in pieces)
        text = "".join(
            "{}" if item is None else item.replace("{", "{{") if values else item for item in texts
        )
        self.values.add(operation("verbatim", *values, value=StringAttr(f"{text};")))

    def _inside(self, block: Block, source: Block, end: Sequence[SSAValue | None] = ()) -> None:
        """Convert a block into another one, with assignments to variables at its end."""
        outer, self.values.block = self.values.block, block
        self._block(source)
        # All are read before any is overwritten.
        last = source.last_op
        result = [
            (variable, self.values.use(last.operands[position]))
            for position, variable in enumerate(end)
            if variable is not None and last is not None
        ]
        for variable, value in result:
            self.values.assign(variable, value)
        self.values.add(operation("yield"))
        self.values.block = outer

    def _for(self, op: scf.ForOp) -> None:
        if not self.facts.demand.is_needed(op):
            return
        induction, *carried = op.body.block.args
        held = [self.facts.demand.is_carried(op, position) for position in range(len(carried))]
        variables = [
            self.values.variable(self.values.type_of(argument), self.values.use(value)) if is_held else None
            for value, argument, is_held in zip(op.iter_args, carried, held, strict=True)
        ]
        if not self.facts.ranges.never_runs(op):
            ctype = TYPES[counter_type(op, self.facts.ranges)]
            bounds = [self.values.cast(self.values.use(value), ctype) for value in (op.lb, op.ub, op.step)]
            block = Block(arg_types=[ctype])
            self.values.bind(induction, block.args[0])
            outer, self.values.block = self.values.block, block
            for argument, variable in zip(carried, variables, strict=True):
                if variable is not None:
                    self.values.bind(argument, self.values.load(variable))
            self.values.block = outer
            self._inside(block, op.body.block, variables)
            self.values.add(operation("for", *bounds, regions=[block]))
        self._results(op.res, variables)

    def _results(self, results: Sequence[SSAValue], variables: Sequence[SSAValue | None]) -> None:
        for result, variable in zip(results, variables, strict=True):
            if variable is not None and self.facts.demand.is_held(result):
                self.values.bind(result, self.values.load(variable))

    def _if(self, op: scf.IfOp) -> None:
        if not self.facts.demand.is_needed(op):
            return
        variables = [
            self.values.variable(self.values.type_of(result)) if self.facts.demand.is_held(result) else None
            for result in op.output
        ]
        decided = self.facts.ranges.of(op.cond).only
        blocks: list[Block | None] = []
        for number, region in enumerate((op.true_region, op.false_region)):
            # A branch that is never taken is empty: what it would need is not there.
            if not region.blocks or (decided is not None and bool(decided) == bool(number)):
                empty = Block([operation("yield")])
                blocks.append(empty if not number else None)
                continue
            block = Block()
            self._inside(block, region.block, variables)
            blocks.append(block)
        self.values.add(operation("if", self.values.use(op.cond), regions=blocks))
        self._results(op.output, variables)

    def _zone(self, op: ZoneOp) -> None:
        self.headers.add(ZONE_HEADERS[self.generation])
        for text in ("{", f"DeviceZoneScopedN({literal(op.zone_name)});"):
            self.values.add(operation("verbatim", value=StringAttr(text)))
        self._block(op.body.block)
        self.values.add(operation("verbatim", value=StringAttr("}")))
