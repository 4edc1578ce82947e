"""The body of a kernel in ``emitc``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ttl.codegen.cpp.debug import PRINT_HEADER, ZONE_HEADERS, literal, print_pieces
from ttl.codegen.cpp.expr import unprintable
from ttl.codegen.cpp.facts import KernelFacts, is_expression
from ttl.codegen.cpp.preamble import SEMAPHORE_ADDRESS
from ttl.codegen.cpp.types import counter_type
from ttl.codegen.emitc.arithmetic import EmitcArithmetic
from ttl.codegen.emitc.values import TYPES, UI32, Values
from ttl.dialects.ttkernel import CommonArgOp, DPrintOp, KernelCallOp, KernelOp, ZoneOp
from ttl.emitc.dialect import operation
from ttl.kernel_api.fabric import helper_of
from ttl.rows.row import Generation


class EmitcBody(Values):
    """Converts a kernel. ``headers`` collects the headers of the kernel API that the text needs."""

    def __init__(self, facts: KernelFacts, generation: Generation) -> None:
        super().__init__(facts)
        self.generation = generation
        self.headers: set[str] = set()
        self._arithmetic = EmitcArithmetic(self)
        self._kernel: KernelOp = facts.kernel

    @property
    def helpers(self) -> set[str]:
        """The helper functions that the file must define."""
        return self._arithmetic.helpers

    @property
    def standard(self) -> set[str]:
        """Headers of the C++ library."""
        return self._arithmetic.standard

    def function(self) -> Block:
        """The body of ``kernel_main``."""
        self.convert_block(self._kernel.body.block)
        lines = [operation("verbatim", value=StringAttr(line)) for line in self.facts.preamble.lines]
        self.add(operation("return"))
        first = self.block.first_op
        assert first is not None
        self.block.insert_ops_before([*lines, *self.start], first)
        return self.block

    def convert(self, op: Operation) -> Sequence[SSAValue] | None:
        if isinstance(op, scf.YieldOp):
            return None
        return self._expression(op) if is_expression(op) else self._statement(op)

    def _expression(self, op: Operation) -> Sequence[SSAValue] | None:
        value = op.results[0]
        if not self.facts.demand.is_held(value) or value in self.facts.preamble.resources:
            return None
        new_value: SSAValue | None
        match op:
            case CommonArgOp():
                index = str(self._kernel.common_args.index(op.entry))
                called = self.call("get_common_arg_val", [index], [UI32], template=["uint32_t"])
                new_value = called.results[0]
            case KernelCallOp() if isinstance(op, SEMAPHORE_ADDRESS):
                new_value = self.addresses[op.operands[0]]
            case KernelCallOp():
                new_value = self._call(op, self.type_of(value))
            case _:
                new_value = self._arithmetic.made(op)
        if new_value is None:
            raise unprintable(op, "it has no counterpart in emitc")
        return [new_value]

    def _statement(self, op: Operation) -> Sequence[SSAValue] | None:
        match op:
            case KernelCallOp():
                result = op.results[0] if op.results else None
                is_used = result is not None and self.facts.demand.is_held(result)
                if result is not None and not is_used and op.call.effect == "read":
                    return None
                value = self._call(op, self.type_of(result) if result is not None and is_used else None)
                return None if result is None or value is None else [value]
            case scf.ForOp():
                self._for(op)
            case scf.IfOp():
                self._if(op)
            case DPrintOp():
                self.headers.add(PRINT_HEADER)
                pieces = print_pieces(op, self.generation, self._kernel.thread, lambda position: False)
                values = self.uses(op.values)
                self.verbatim([values[piece] if isinstance(piece, int) else piece for piece in pieces])
            case ZoneOp():
                self._zone(op)
            case _:
                raise unprintable(op, "it should have been converted before")
        return None

    def _call(self, op: KernelCallOp, result: Attribute | None) -> SSAValue | None:
        try:
            value = self.api_call(op, self.generation, result)
            if op.call.spelling[self.generation]:
                self.headers.update(op.call.headers[self.generation])
            helper = helper_of(op.call)
            if helper is not None:
                self.helpers.add(helper)
        except KeyError as problem:
            raise unprintable(op, f"kernel API {self.generation} has nothing for it ({problem})") from problem
        return value

    def _body(self, source: Block, end: Sequence[SSAValue | None]) -> None:
        """Convert the block of a loop or a branch, with assignments to variables at its end."""
        self.convert_block(source)
        # All are read before any is overwritten.
        last = source.last_op
        result = [
            (variable, self.use(last.operands[position]))
            for position, variable in enumerate(end)
            if variable is not None and last is not None
        ]
        for variable, value in result:
            self.assign(variable, value)
        self.add(operation("yield"))

    def _for(self, op: scf.ForOp) -> None:
        if not self.facts.demand.is_needed(op):
            return
        induction, *carried = op.body.block.args
        held = [self.facts.demand.is_carried(op, position) for position in range(len(carried))]
        variables = [
            self._holding(self.type_of(argument), self.use(value)) if is_held else None
            for value, argument, is_held in zip(op.iter_args, carried, held, strict=True)
        ]
        if not self.facts.ranges.never_runs(op):
            ctype = TYPES[counter_type(op, self.facts.ranges)]
            bounds = [self.cast(self.use(value), ctype) for value in (op.lb, op.ub, op.step)]
            block = Block(arg_types=[ctype])
            self.become([induction], block.args)
            with self.inside(block):
                for argument, variable in zip(carried, variables, strict=True):
                    if variable is not None:
                        self.become([argument], [self.load(variable)])
                self._body(op.body.block, variables)
            self.add(operation("for", *bounds, regions=[block]))
        self._results(op.res, variables)

    def _holding(self, type_: Attribute, value: SSAValue) -> SSAValue:
        variable = self.variable(type_)
        self.assign(variable, value)
        return variable

    def _results(self, results: Sequence[SSAValue], variables: Sequence[SSAValue | None]) -> None:
        for result, variable in zip(results, variables, strict=True):
            if variable is not None and self.facts.demand.is_held(result):
                self.become([result], [self.load(variable)])

    def _if(self, op: scf.IfOp) -> None:
        if not self.facts.demand.is_needed(op):
            return
        variables = [
            self.variable(self.type_of(result)) if self.facts.demand.is_held(result) else None
            for result in op.output
        ]
        decided = self.facts.ranges.of(op.cond).only
        blocks: list[Block | None] = []
        for number, region in enumerate((op.true_region, op.false_region)):
            # A branch that is never taken is left empty: the values that it uses were not converted.
            if not region.blocks or (decided is not None and bool(decided) == bool(number)):
                empty = Block([operation("yield")])
                blocks.append(empty if not number else None)
                continue
            block = Block()
            with self.inside(block):
                self._body(region.block, variables)
            blocks.append(block)
        self.add(operation("if", self.use(op.cond), regions=blocks))
        self._results(op.output, variables)

    def _zone(self, op: ZoneOp) -> None:
        self.headers.add(ZONE_HEADERS[self.generation])
        for text in ("{", f"DeviceZoneScopedN({literal(op.zone_name)});"):
            self.add(operation("verbatim", value=StringAttr(text)))
        self.convert_block(op.body.block)
        self.add(operation("verbatim", value=StringAttr("}")))
