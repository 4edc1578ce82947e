"""Types of the ``ttkernel`` dialect: the values of a kernel that are not numbers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.elements import check_element
from ttl.ir.syntax import Strippable


class CircularBufferType(TypeAttribute):
    """A circular buffer, in any of its textual forms."""


@irdl_attr_definition
class CBType(Strippable, CircularBufferType):
    """A circular buffer, with the number and the type of its pages: ``!ttkernel.cb<16, !ttl.tile<32x32, bf16>>``."""

    name = "ttkernel.cb"
    count: IntAttr
    element_type: Attribute

    def __init__(self, pages: int, element_type: Attribute) -> None:
        super().__init__(IntAttr(pages), element_type)

    @property
    def pages(self) -> int:
        """The number of pages."""
        return self.count.data

    @classmethod
    def parse_body(cls, parser: AttrParser) -> Sequence[Attribute]:
        """The parameters, without the brackets."""
        pages = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        return (IntAttr(pages), parser.parse_type())

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.pages}, ")
        printer.print_attribute(self.element_type)
        printer.print_string(">")

    def verify(self) -> None:
        if self.pages < 1:
            raise VerifyException(f"a circular buffer holds at least one page, not {self.pages}")
        check_element(self.element_type)


@irdl_attr_definition
class NocAddrType(ParametrizedAttribute, TypeAttribute):
    """An address on the network on chip: a node, several nodes or a bank, and an address in its memory."""

    name = "ttkernel.noc_addr"


@irdl_attr_definition
class L1AddrPtrType(ParametrizedAttribute, TypeAttribute):
    """A pointer to 32-bit words of this node's memory, to read and write; mere addresses are of type ``index``."""

    name = "ttkernel.l1_addr_ptr"


@irdl_attr_definition
class TensorAccessorType(ParametrizedAttribute, TypeAttribute):
    """The addresses of a tensor's pages."""

    name = "ttkernel.tensor_accessor"


@irdl_attr_definition
class KernelSemaphoreType(ParametrizedAttribute, TypeAttribute):
    """A semaphore of this node: a word of its memory."""

    name = "ttkernel.semaphore"
