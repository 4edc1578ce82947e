"""A program: the result of compiling an operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.attributes import NodeGridAttr
from ttl.dialects.effects import RUNS
from ttl.dialects.kernel.declarations import (
    PROGRAM,
    CircularBufferOp,
    GlobalSemaphoreOp,
    SemaphoreOp,
    TensorArgOp,
    strings,
)
from ttl.dialects.kernel.kernel import KernelOp
from ttl.dialects.structure import with_block
from ttl.ir.syntax import dimensions_text, numbers, parse_dimensions, word_of

OperationT = TypeVar("OperationT", bound=Operation)


@irdl_op_definition
class ProgramOp(IRDLOperation):
    """The program of one operation: declarations, then kernels that run on every node of a grid."""

    name = PROGRAM
    sym_name = prop_def(StringAttr)
    program_name = word_of("sym_name", "The name of the operation.")
    grid_attr = prop_def(NodeGridAttr, prop_name="grid")
    mesh_attr = opt_prop_def(NodeGridAttr, prop_name="mesh")
    arg_names_attr = prop_def(ArrayAttr[StringAttr], prop_name="arg_names")
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), RUNS)

    def __init__(
        self,
        name: str,
        grid: Sequence[int],
        body: Region,
        *,
        arg_names: Sequence[str] = (),
        mesh: Sequence[int] = (),
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "grid": NodeGridAttr(grid),
                "mesh": NodeGridAttr(mesh) if mesh else None,
                "arg_names": strings(arg_names),
            },
            regions=[with_block(body)],
        )

    @property
    def grid(self) -> tuple[int, ...]:
        """Nodes of one chip along each dimension."""
        return self.grid_attr.extents

    @property
    def mesh(self) -> tuple[int, ...]:
        """Chips along each dimension of a mesh; empty for one chip."""
        return () if self.mesh_attr is None else self.mesh_attr.extents

    @property
    def arg_names(self) -> tuple[str, ...]:
        """The names of the operation's parameters."""
        return tuple(name.data for name in self.arg_names_attr)

    @property
    def kernels(self) -> tuple[KernelOp, ...]:
        """Its kernels, in the order of the program."""
        return self._of(KernelOp)

    @property
    def tensors(self) -> tuple[TensorArgOp, ...]:
        """The tensors of a launch."""
        return self._of(TensorArgOp)

    @property
    def buffers(self) -> tuple[CircularBufferOp, ...]:
        """Its circular buffers."""
        return self._of(CircularBufferOp)

    @property
    def global_semaphores(self) -> tuple[GlobalSemaphoreOp, ...]:
        """Its semaphores that nodes of other chips may change."""
        return self._of(GlobalSemaphoreOp)

    @property
    def semaphores(self) -> tuple[SemaphoreOp, ...]:
        """Its semaphores."""
        return self._of(SemaphoreOp)

    def _of(self, kind: type[OperationT]) -> tuple[OperationT, ...]:
        return tuple(op for op in self.body.block.ops if isinstance(op, kind))

    @classmethod
    def parse(cls, parser: Parser) -> ProgramOp:
        name = parser.parse_symbol_name()
        names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_str_literal)
        parser.parse_keyword("grid")
        with parser.in_angle_brackets():
            grid = parse_dimensions(parser)
        mesh: Sequence[int] = ()
        if parser.parse_optional_keyword("mesh") is not None:
            with parser.in_angle_brackets():
                mesh = numbers(parse_dimensions(parser))
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(name.data, numbers(grid), parser.parse_region(), arg_names=names, mesh=mesh)
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.program_name)
        printer.print_string("(")
        printer.print_list(self.arg_names, printer.print_string_literal)
        printer.print_string(f") grid <{dimensions_text(self.grid)}>")
        if self.mesh:
            printer.print_string(f" mesh <{dimensions_text(self.mesh)}>")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)

    def verify_(self) -> None:
        declared: tuple[TensorArgOp | CircularBufferOp | SemaphoreOp | GlobalSemaphoreOp | KernelOp, ...]
        declared = (*self.tensors, *self.buffers, *self.semaphores, *self.global_semaphores, *self.kernels)
        for (kind, name), count in Counter((op.name, op.declared_name) for op in declared).items():
            if count > 1:
                raise VerifyException(f"there are {count} {kind} @{name}")


def program_of(kernel: KernelOp) -> ProgramOp | None:
    """The program that contains a kernel; None outside of a program."""
    parent = kernel.parent_op()
    return parent if isinstance(parent, ProgramOp) else None
