"""Operations and their kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, opt_attr_def, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, NoTerminator, OpTrait, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ttl.arch.microcores import MOVEMENT, Role
from ttl.dialects.attributes import NodeGridAttr
from ttl.dialects.effects import RUNS
from ttl.ir.syntax import (
    NamesValues,
    dimensions_text,
    numbers,
    operation_definition,
    parse_dimensions,
    word_of,
)


@operation_definition
class OperationOp(IRDLOperation, NamesValues):
    """An operation: resources, then kernels that run on every node of a grid.

    The arguments of its region are tensors (with their encoding) and scalars.
    """

    name = "ttl.operation"
    sym_name = prop_def(StringAttr)
    operation_name = word_of("sym_name", "The name of the function.")
    grid = prop_def(NodeGridAttr)
    arg_names = prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), RUNS)

    def __init__(
        self,
        *,
        name: str,
        arg_names: Sequence[str],
        arg_types: Sequence[Attribute],
        grid: Sequence[int],
        body: Region,
    ) -> None:
        if not body.blocks:
            raise ValueError("the body of an operation has one block")
        block = body.block
        if not block.args:
            for type_ in arg_types:
                block.insert_arg(type_, len(block.args))
        for argument, text in zip(block.args, arg_names, strict=True):
            hint_name(argument, text)
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "grid": NodeGridAttr(grid),
                "arg_names": ArrayAttr([StringAttr(text) for text in arg_names]),
            },
            regions=[body],
        )

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The names of the function's parameters."""
        return tuple(name.data for name in self.arg_names)

    @property
    def kernels(self) -> tuple[UserKernelOp, ...]:
        """Its kernels, in the order of the program."""
        return tuple(op for op in self.body.block.ops if isinstance(op, UserKernelOp))

    def given_name(self, value: SSAValue) -> str | None:
        given = self.properties.get("arg_names")
        names = given.data if isinstance(given, ArrayAttr) else ()
        if not isinstance(value, BlockArgument) or value.index >= len(names):
            return None
        name = names[value.index]
        return name.data if isinstance(name, StringAttr) else None

    @classmethod
    def parse(cls, parser: Parser) -> OperationOp:
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_argument(parser))
        parser.parse_keyword("grid")
        with parser.in_angle_brackets():
            grid = parse_dimensions(parser)
        names = [argument.name.text[1:] for argument in arguments]
        if parser.parse_optional_keyword("names"):
            names = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region(arguments)
        op = cls(
            name=name.data,
            arg_names=names,
            arg_types=[argument.type for argument in arguments],
            grid=numbers(grid),
            body=region,
        )
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.operation_name)
        shown: list[str] = []
        printer.print_string("(")
        for index, argument in enumerate(self.body.block.args):
            printer.print_string(", " if index else "")
            shown.append(printer.print_ssa_value(argument))
            printer.print_string(": ")
            printer.print_attribute(argument.type)
            if printer.print_debuginfo:
                printer.print_string(" ")
                printer.print_attribute(argument.location)
        printer.print_string(f") grid <{dimensions_text(self.grid.extents)}>")
        if tuple(shown) != self.argument_names:
            printer.print_string(" names [")
            printer.print_list(self.argument_names, printer.print_string_literal)
            printer.print_string("]")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        if len(self.arg_names) != len(self.body.block.args):
            raise VerifyException(f"{len(self.body.block.args)} arguments have {len(self.arg_names)} names")
        if grid_around(self.parent_op()) is not None:
            raise VerifyException("it stands in another operation, and operations stand in a module")


def _parse_argument(parser: Parser) -> Parser.Argument:
    argument = parser.parse_argument()
    argument.location = parser.parse_optional_location()
    return argument


def grid_around(op: Operation | None) -> tuple[int, ...] | None:
    """The grid of the ``OperationOp`` that contains an operation; None outside of one."""
    around: Operation | None = op
    while around is not None and not isinstance(around, OperationOp):
        around = around.parent_op()
    return None if around is None else around.grid.extents


class Resource(IRDLOperation, NamesValues):
    """A resource that the kernels of an operation share, under the name that the program gives it."""

    def given_name(self, value: SSAValue) -> str | None:
        name = self.properties.get("name")
        return name.data if isinstance(name, StringAttr) else None


def hint_name(value: SSAValue, name: str) -> None:
    """Set the name under which a value is printed, if the name is valid in the text."""
    if value.is_valid_name(name):
        value.name_hint = name


class UserKernelOp(IRDLOperation):
    """A kernel of an operation: it can use the values of the operation's body."""

    sym_name = prop_def(StringAttr)
    kernel_name = word_of("sym_name", "The name of the function.")
    hint_word = opt_attr_def(StringAttr, attr_name="microcore_hint")
    body = region_def("single_block")

    KIND: ClassVar[Literal["compute", "data movement"]]
    # The possible hints.
    HINTS: ClassVar[tuple[Role, ...]]

    def __init__(self, *, name: str, body: Region, hint: Role | None = None) -> None:
        super().__init__(
            properties={"sym_name": StringAttr(name)},
            attributes={"microcore_hint": None if hint is None else StringAttr(hint)},
            regions=[body],
        )

    @property
    def microcore_hint(self) -> Role | None:
        """The microcore that the program requests; None where the compiler chooses."""
        return None if self.hint_word is None else cast("Role", self.hint_word.data)

    def verify_(self) -> None:
        if self.body.block.args:
            raise VerifyException("a kernel has no arguments: it sees the values of the operation's body")
        if self.microcore_hint not in (None, *self.HINTS):
            hint = self.microcore_hint
            raise VerifyException(
                f"a {self.kind} kernel runs on {' or '.join(self.HINTS)}, and not on {hint}"
            )

    @property
    def kind(self) -> Literal["compute", "data movement"]:
        """The kind of kernel."""
        return self.KIND

    @classmethod
    def parse(cls, parser: Parser) -> UserKernelOp:
        name = parser.parse_symbol_name()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(name=name.data, body=with_block(parser.parse_region()))
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.kernel_name)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)


@dataclass(frozen=True)
class InKernel(OpTrait):
    """Trait of an operation that is allowed in kernels, and not directly in the body of an ``OperationOp``.

    ``kind`` is the only kind of kernel in which it is allowed; None for both kinds. ``ttl-check`` refuses it in the
    other kind, with the code of the rule. Outside of an ``OperationOp`` it is always allowed.
    """

    kind: Literal["compute", "data movement"] | None = None

    def verify(self, op: Operation) -> None:
        """Raise ``VerifyException`` where the operation is directly in the body of an ``OperationOp``."""
        around = op.parent_op()
        while around is not None and not isinstance(around, UserKernelOp):
            if isinstance(around, OperationOp):
                raise VerifyException("it stands in a kernel, not in the body of the operation")
            around = around.parent_op()


COMPUTING, MOVING, RUNNING = InKernel("compute"), InKernel("data movement"), InKernel()


class InBody(OpTrait):
    """Trait of an operation that runs before kernels start: it is in the body of an ``OperationOp``, in no kernel."""

    def verify(self, op: Operation) -> None:
        """Raise ``VerifyException`` where the operation is in a kernel."""
        kernel = enclosing_kernel(op)
        if kernel is not None:
            raise VerifyException(
                f"it stands in the body of an operation, not in kernel {kernel.kernel_name}: "
                "kernels share what is there before they start"
            )


def with_block(region: Region) -> Region:
    """Add an empty block to a region that was written ``{}``, and return the region."""
    if not region.blocks:
        region.add_block(Block())
    return region


@operation_definition
class ComputeKernelOp(UserKernelOp):
    """A compute kernel: it computes on blocks, and moves no data."""

    name = "ttl.compute_kernel"
    KIND: ClassVar[Literal["compute", "data movement"]] = "compute"
    HINTS: ClassVar[tuple[Role, ...]] = ("MATH",)
    traits = traits_def(NoTerminator(), HasParent(OperationOp), RUNS)


@operation_definition
class DataMovementKernelOp(UserKernelOp):
    """A data movement kernel: copies between tensors, blocks and pipes."""

    name = "ttl.datamovement_kernel"
    KIND: ClassVar[Literal["compute", "data movement"]] = "data movement"
    HINTS: ClassVar[tuple[Role, ...]] = MOVEMENT
    traits = traits_def(NoTerminator(), HasParent(OperationOp), RUNS)


def enclosing_kernel(op: Operation) -> UserKernelOp | None:
    """The kernel that contains an operation; None in the body of an ``OperationOp``."""
    around: Operation | None = op
    while around is not None and not isinstance(around, UserKernelOp):
        around = around.parent_op()
    return around


def kernel_of(op: Operation) -> UserKernelOp:
    """The kernel that contains an operation, which must be in a kernel."""
    kernel = enclosing_kernel(op)
    assert kernel is not None, f"{op.name} is in no kernel"
    return kernel
