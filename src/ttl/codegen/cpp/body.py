"""The body of a kernel: its operations as statements and expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.arithmetic import integer_of, is_bool
from ttl.codegen.cpp.arithmetic import ArithmeticPrinter
from ttl.codegen.cpp.comments import Comments
from ttl.codegen.cpp.demand import inputs_of
from ttl.codegen.cpp.expr import CppExpr, element, name, unprintable
from ttl.codegen.cpp.facts import KernelFacts, is_expression
from ttl.codegen.cpp.preamble import SEMAPHORE_ADDRESS
from ttl.codegen.cpp.types import declaration, element_type, type_of
from ttl.codegen.cpp.writer import CppWriter
from ttl.codegen.entries import Address, read_entry
from ttl.dialects.ttkernel import (
    CommonArgOp,
    KernelCallOp,
    TableOp,
    class_of,
)
from ttl.ir.locations import span_of
from ttl.kernel_api.fabric import helper_of
from ttl.kernel_api.function_rows import CppSnippet
from ttl.rows.row import Generation

# An expression that is longer than this is assigned to a variable.
_LONGEST_EXPRESSION = 72
# In a call that is longer than this, calls among the arguments are assigned to variables.
_LONGEST_CALL = 100
_ENDS = frozenset({scf.YieldOp, scf.ConditionOp})
# The largest number of operators of a sum that a loop may compute in each iteration.
_CHEAP = 2
# The largest number of operations of an expression in the head of a loop or branch.
_FEW = 3


class BodyPrinter:
    """Prints one kernel's operations. ``headers`` collects the headers of the kernel API that the text needs.

    ``writers`` are the functions for statements with inner blocks, and for prints.
    """

    def __init__(
        self,
        facts: KernelFacts,
        generation: Generation,
        *,
        writer: CppWriter,
        comments: Comments,
        writers: Mapping[type[Operation], Callable[[BodyPrinter, Any], None]],
    ) -> None:
        self._writers = writers
        self.generation = generation
        self.writer = writer
        self.comments = comments
        self.names = facts.names
        self.ranges = facts.ranges
        self.demand = facts.demand
        self.thread = facts.kernel.thread
        self.arithmetic = ArithmeticPrinter(facts.ranges, self.use)
        self.headers: set[str] = set()
        self.variables: dict[SSAValue, str] = {}
        self._only_printed = facts.only_printed
        self._common_args = facts.kernel.common_args
        self._addresses = facts.preamble.addresses
        self._tables = facts.preamble.tables
        self._known = {value: name(text) for value, text in facts.preamble.resources.items()}
        self._constants = {
            value: name(text, type_of(value, facts.ranges))
            for value, text in facts.preamble.constants.items()
        }
        self._inlines_all = False

    def use(self, value: SSAValue) -> CppExpr:
        """The expression of a value where it is used."""
        known = self._constants.get(value) or self.arithmetic.known(value) or self._known.get(value)
        if known is None:
            owner = value.owner
            raise AssertionError(
                f"{value} of {owner.name if isinstance(owner, Operation) else 'a block'} is used before it is printed"
            )
        return known

    def held(self, value: SSAValue, by: SSAValue) -> CppExpr:
        """The expression of a value that is assigned to ``by``, which may have another type."""
        return self.arithmetic.held(value, type_of(by, self.ranges))

    def block(self, block: Block) -> None:
        """Print all statements of a block except its terminator."""
        for op in block.ops:
            if is_expression(op):
                self._expression(op)
            elif type(op) not in _ENDS:
                self._statement(op)

    def inlined(self, block: Block, *, beside: Operation | None = None) -> None:
        """Bind the results of a block for which ``is_inline`` holds to their expressions, without variables."""
        before, self._inlines_all = self._inlines_all, True
        for op in block.ops:
            if op is not beside and is_expression(op):
                self._expression(op)
        self._inlines_all = before

    def is_inline(self, block: Block, *, beside: Operation | None = None) -> bool:
        """Whether a block has only a few expressions, each used once, and no statement except ``beside``."""
        needed = [op for op in block.ops if is_expression(op) and self._is_written(op.results[0])]
        return (
            len(needed) <= _FEW
            and all(self.demand.is_used_beside(op.results[0]) for op in needed)
            and not any(op is not beside and self._is_statement(op) for op in block.ops)
        )

    def _is_statement(self, op: Operation) -> bool:
        if is_expression(op) or isinstance(op, scf.YieldOp | scf.ConditionOp):
            return False
        return not isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp) or self.demand.is_needed(op)

    def _is_written(self, value: SSAValue) -> bool:
        is_number = self.arithmetic.known(value) is not None
        return value not in self._known and not is_number and self.demand.count(value) > 0

    def scope(self, block: Block, then: Callable[[], None] = lambda: None) -> None:
        """Print a block indented by one level; ``then`` prints its end."""
        self.names.enter()
        self.comments.enter()
        with self.writer.indented():
            self.block(block)
            then()
        self.comments.leave()
        self.names.leave()

    def write(self, op: Operation, text: str) -> None:
        """Write a line for an operation, below a comment with the user's line that it comes from."""
        for line in self.comments.above(op):
            self.writer.line(line)
        self.writer.line(text, span_of(op))

    def declare(self, value: SSAValue, hint: str | None, fallback: str) -> str:
        """Choose a variable for a value, and return its name."""
        chosen = self.names.fresh(hint, fallback)
        self.bind(value, chosen)
        return chosen

    def bind(self, value: SSAValue, variable: str) -> None:
        """Set the variable that holds a value from now on."""
        self._known[value] = name(variable, type_of(value, self.ranges))

    def inline(self, value: SSAValue, expr: CppExpr) -> None:
        """Set the expression that replaces a value from now on."""
        self._known[value] = expr

    def spelled(self, op: KernelCallOp) -> list[str]:
        """The statements of a call in C++; empty if this generation of the API does not need the call."""
        operands = [self.use(value).text for value in op.operands]
        try:
            return op.call.spell(self.generation, operands, op.constants)
        except KeyError as problem:
            raise unprintable(op, f"kernel API {self.generation} has nothing for it ({problem})") from problem

    def _expression(self, op: Operation) -> None:
        value = op.results[0]
        if not self._is_written(value):
            return
        expr = self._expression_of(op)
        if expr.is_simple or self._inlines_all or self._fits(value, expr):
            self._known[value] = expr
            return
        self._name(op, value, expr)

    def _name(self, op: Operation, value: SSAValue, expr: CppExpr) -> None:
        """Assign an expression to a new variable."""
        variable = self.declare(value, value.name_hint, self._called(op))
        declared = self._declared(value, variable, constant=True)
        self.write(op, f"{declared} = {expr.text};")

    def _declared(self, value: SSAValue, variable: str, *, constant: bool) -> str:
        """The declaration of a variable; ``[[maybe_unused]]`` if only prints use it, which may be compiled out."""
        declared = declaration(value, variable, self.ranges, constant=constant)
        return f"[[maybe_unused]] {declared}" if value in self._only_printed else declared

    def _fits(self, value: SSAValue, expr: CppExpr) -> bool:
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            return True
        if isinstance(owner, arith.CmpiOp | arith.SIToFPOp) and all(map(self._is_lasting, inputs_of(owner))):
            return True
        if self.demand.only_user(value) is None or len(expr.text) > _LONGEST_EXPRESSION:
            return False
        return self.demand.is_used_beside(value) or self._is_cheap(expr)

    def _is_cheap(self, expr: CppExpr) -> bool:
        """Whether an expression may be written in a loop on which it does not depend: a sum that compilers hoist."""
        few = len(expr.signs) <= _CHEAP and set(expr.signs) <= {"+", "-", "*"}
        return few and expr.is_flat and expr.names.isdisjoint(self.variables.values())

    def _is_lasting(self, value: SSAValue) -> bool:
        """Whether a number is a literal or a variable without assignments, so that it can be compared again later."""
        expr = self.use(value)
        return expr.is_simple and expr.text not in self.variables.values() and not is_bool(value)

    def _expression_of(self, op: Operation) -> CppExpr:
        match op:
            case CommonArgOp():
                return name(f"get_common_arg_val<uint32_t>({self._common_args.index(op.entry)})")
            case TableOp():
                table = self._tables[op.members]
                # C++ promotes elements of a narrower array to int.
                wide = element_type(op.members).endswith("int32_t")
                ctype = type_of(op.result, self.ranges) if wide else "int32_t"
                return element(table, self.use(op.index), ctype)
            case KernelCallOp():
                if isinstance(op, SEMAPHORE_ADDRESS) and op.operands[0] in self._addresses:
                    return name(self._addresses[op.operands[0]])
                (text,) = self.spelled(op)
                if len(text) > _LONGEST_EXPRESSION:
                    self._name_operands(op)
                    (text,) = self.spelled(op)
                self.headers.update(op.call.headers[self.generation])
                return self._result(op, text)
        expr = self.arithmetic.expression(op)
        if expr is None:
            raise unprintable(op, "it has no counterpart in C++")
        return expr

    def _result(self, op: KernelCallOp, text: str) -> CppExpr:
        """Return the result of a call as an expression."""
        ctype = {"noc": "uint64_t", "pointer": "pointer", "semaphore": "pointer"}.get(
            op.call.result or "", "uint32_t"
        )
        # An 8-bit number, which C++ promotes to an int.
        if op.call.name.startswith("get_absolute_logical"):
            ctype = "int32_t"
        operands = [self.use(value) for value in op.operands]
        (statement,) = op.call.spelling[self.generation]
        return CppExpr(
            text,
            ctype,
            "unary" if text.startswith(("*", "(")) else "",
            names=frozenset().union(*(operand.names for operand in operands)),
            signs=tuple(sign for operand in operands for sign in operand.signs),
            is_flat=isinstance(statement, CppSnippet)
            and "(" not in statement.text
            and all(operand.is_flat for operand in operands),
        )

    def _called(self, op: Operation) -> str:
        given = inputs_of(op)
        first = self.use(given[0]).text if given else ""
        return fallback(op, first, self._common_args)

    def _statement(self, op: Operation) -> None:
        match op:
            case KernelCallOp():
                self._call(op)
            case _ if (write := self._writers.get(type(op))) is not None:
                write(self, op)
            case _:
                raise unprintable(op, "it should have been converted before")

    def _name_operands(self, op: KernelCallOp) -> None:
        """Assign calls among the operands to variables if the line would be too long."""
        for operand in op.operands:
            known = self._known.get(operand)
            owner = operand.owner
            if known is not None and not known.is_flat and isinstance(owner, Operation):
                self._name(owner, operand, known)

    def _call(self, op: KernelCallOp) -> None:
        row = op.call
        result = op.results[0] if op.results else None
        if result is not None and not self.demand.count(result) and row.effect == "read":
            return
        statements = self.spelled(op)
        if len("; ".join(statements)) > _LONGEST_CALL:
            self._name_operands(op)
            statements = self.spelled(op)
        if not statements:
            return
        self.headers.update(row.headers[self.generation])
        helper = helper_of(row)
        if helper is not None:
            self.arithmetic.helpers.add(helper)
        if result is not None and self.demand.count(result):
            variable = self.declare(result, result.name_hint, self._called(op))
            goes_on = self._goes_on_in_loop(result)
            if goes_on:
                self.variables[result] = variable
            declared = self._declared(result, variable, constant=not goes_on)
            statements = [f"{declared} = {statement}" for statement in statements]
        for statement in statements:
            self.write(op, f"{statement};")

    def _goes_on_in_loop(self, value: SSAValue) -> bool:
        """Whether the only user of a value is a loop in the same block that carries it through its iterations."""
        user = self.demand.only_user(value)
        if user is None or not self.demand.is_used_beside(value):
            return False
        match user:
            case scf.ForOp():
                return value in user.iter_args
            case scf.WhileOp():
                return value in user.arguments
        return False


_BY_KIND: Mapping[str, str] = {"noc": "noc_addr", "semaphore": "semaphore", "l1": "address"}
# The number of operands at the start of a loop that are its bounds.
_BOUNDS = 2
# Names of results without a name in the program, by the call; ``{0}`` is its first operand.
_COMMON_ARGUMENT = class_of("get_common_arg_val")
_CALLED: Mapping[str, str] = {
    "get_write_ptr": "{0}_l1",
    "get_read_ptr": "{0}_l1",
    "get_tile_size": "{0}_tile_bytes",
    "get_absolute_logical_x": "node_x",
    "get_absolute_logical_y": "node_y",
    "get_noc_multicast_addr": "multicast_addr",
    "reinterpret_l1": "words",
    "load_from_l1": "word",
    "load_semaphore": "{0}_value",
}


def fallback(op: Operation, first: str, common_args: Sequence[str]) -> str:
    """A name for the result of an operation; ``first`` is its first operand in C++."""
    match op:
        case CommonArgOp():
            entry = read_entry(op.entry)
            return (
                f"{entry.tensor}_address"
                if isinstance(entry, Address)
                else str(entry).strip(")").replace("(", "_")
            )
        case KernelCallOp() if isinstance(op, _COMMON_ARGUMENT):
            return _argument(op.operands[0], common_args)
        case KernelCallOp() if pattern := _CALLED.get(op.call.name):
            return pattern.format(first) if first.isidentifier() else pattern.replace("{0}_", "")
        case KernelCallOp():
            return _BY_KIND.get(op.call.result or "", "value")
        case arith.CmpiOp():
            return "holds"
        case arith.BitcastOp() | arith.IndexCastOp():
            return "bits"
    return _bound(op.results[0]) or "t"


def _bound(value: SSAValue) -> str | None:
    """Return a name for the bound of a loop, after its counter; None for a value that is no bound."""
    for use in value.uses:
        if isinstance(use.operation, scf.ForOp) and use.index < _BOUNDS:
            counter = (use.operation.body.block.args[0].name_hint or "").strip("_")
            word = "end" if use.index else "first"
            return f"{word}_{counter}" if len(counter) > 1 else word
    return None


def _argument(index: SSAValue, common_args: Sequence[str]) -> str:
    """Return the name of an argument whose number is computed: the name of the first argument of its group."""
    owner = index.owner
    operands = owner.operands if isinstance(owner, arith.AddiOp) else (index,)
    for number in map(integer_of, operands):
        if number is not None and 0 <= number < len(common_args):
            return common_args[number].partition("(")[0]
    return "argument"
