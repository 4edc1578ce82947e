"""The threads of a node, each bound to a microcore by its role (002, "Microcore Model")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, ParametrizedAttribute, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, NoTerminator
from xdsl.utils.exceptions import VerifyException

from ttl.arch.microcores import COMPUTE, MOVEMENT, ROLES
from ttl.dialects.effects import RUNS
from ttl.dialects.structure import OperationOp, UserKernelOp, with_block
from ttl.ir.syntax import operation_definition


@irdl_attr_definition
class MicrocoresAttr(ParametrizedAttribute):
    """The microcores of a node: ``#ttl.microcores<NOC0, NOC1, UNPACK, MATH, PACK>``.

    A network that two of them share is listed twice.
    """

    name = "ttl.microcores"
    names: ArrayAttr[StringAttr]

    def __init__(self, roles: Sequence[str]) -> None:
        super().__init__(ArrayAttr([StringAttr(role) for role in roles]))

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the microcores."""
        return tuple(name.data for name in self.names)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        roles = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_identifier)
        return (ArrayAttr([StringAttr(role) for role in roles]),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{', '.join(self.roles)}>")

    def verify(self) -> None:
        unknown = [role for role in self.roles if role not in ROLES]
        if unknown:
            raise VerifyException(f"a microcore is one of {', '.join(ROLES)}, not {unknown[0]}")
        for role in COMPUTE:
            if self.roles.count(role) > 1:
                raise VerifyException(f"a node has one {role}, not {self.roles.count(role)}")
        movers = sum(role in MOVEMENT for role in self.roles)
        if movers > len(MOVEMENT):
            raise VerifyException(f"a node has two microcores that move data, not {movers}")


@operation_definition
class TileProcOp(IRDLOperation):
    """The microcores of a node and their threads: a wrapper around the kernels of an operation."""

    name = "ttl.tile_proc"
    microcores = prop_def(MicrocoresAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), HasParent(OperationOp), RUNS)

    def __init__(self, roles: Sequence[str], body: Region) -> None:
        super().__init__(properties={"microcores": MicrocoresAttr(roles)}, regions=[with_block(body)])

    @property
    def threads(self) -> tuple[ThreadOp, ...]:
        """Its threads, in order."""
        return tuple(op for op in self.body.block.ops if isinstance(op, ThreadOp))

    @classmethod
    def parse(cls, parser: Parser) -> TileProcOp:
        parser.parse_keyword("microcores")
        (names,) = MicrocoresAttr.parse_parameters(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        assert isinstance(names, ArrayAttr)
        op = cls([name.data for name in names], parser.parse_region())
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" microcores ")
        self.microcores.print_parameters(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)

    def verify_(self) -> None:
        if self.body.block.args:
            raise VerifyException(
                "the region of a node has no arguments: it uses the values of the operation's body"
            )
        declared = Counter(self.microcores.roles)
        for role, count in Counter(role for thread in self.threads for role in thread.roles).items():
            if not declared[role]:
                raise VerifyException(
                    f"a thread is for @{role}, and the microcores are {', '.join(self.microcores.roles)}"
                )
            if count > declared[role]:
                raise VerifyException(
                    f"{count} threads are for @{role}, but only {declared[role]} is declared"
                )


@operation_definition
class ThreadOp(UserKernelOp):
    """The code of one microcore, or of the three microcores that compute: ``ttl.thread(@NOC0) @read``.

    ``inferred`` says that the compiler chose the network; a thread without it keeps its network.
    """

    name = "ttl.thread"
    role_names = prop_def(ArrayAttr[SymbolRefAttr], prop_name="roles")
    inferred = opt_prop_def(UnitAttr)
    traits = traits_def(NoTerminator(), HasParent(TileProcOp), RUNS)

    def __init__(self, *, name: str, roles: Sequence[str], body: Region, inferred: bool = False) -> None:
        super().__init__(name=name, body=body)
        self.role_names = ArrayAttr([SymbolRefAttr(role) for role in roles])
        self.inferred = UnitAttr() if inferred else None

    @property
    def roles(self) -> tuple[str, ...]:
        """The microcores that run the thread."""
        return tuple(name.root_reference.data for name in self.role_names)

    @property
    def kind(self) -> Literal["compute", "data movement"]:
        """The kind of kernel that its roles allow."""
        return "data movement" if self.roles[0] in MOVEMENT else "compute"

    @classmethod
    def parse(cls, parser: Parser) -> ThreadOp:
        roles = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_symbol_name)
        name = parser.parse_symbol_name()
        inferred = parser.parse_optional_keyword("inferred") is not None
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = with_block(parser.parse_region())
        op = cls(name=name.data, roles=[role.data for role in roles], body=body, inferred=inferred)
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.roles, printer.print_symbol_name)
        printer.print_string(") ")
        printer.print_symbol_name(self.kernel_name)
        printer.print_string(" inferred" if self.inferred else "")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)

    def verify_(self) -> None:
        if self.body.block.args:
            raise VerifyException("a thread has no arguments: it sees the values of the operation's body")
        if self.roles != COMPUTE and not (len(self.roles) == 1 and self.roles[0] in MOVEMENT):
            every = ", ".join(f"@{role}" for role in COMPUTE)
            raise VerifyException(
                f"a thread is for @NOC0 or @NOC1, or for {every} together, which run one program; "
                f"not for {', '.join(f'@{role}' for role in self.roles) or 'none'}"
            )
        if self.microcore_hint not in (None, "MATH" if self.kind == "compute" else self.roles[0]):
            raise VerifyException(f"the hint {self.microcore_hint} is not what the thread is for")
        if self.inferred and self.kind == "compute":
            raise VerifyException("there is nothing to infer of a thread that computes")
