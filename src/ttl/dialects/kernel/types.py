"""Types of the ``ttkernel`` dialect: what a kernel holds beside numbers."""

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


@irdl_attr_definition
class CircularBufferType(Strippable, TypeAttribute):
    """A circular buffer: how many pages it holds, and what a page is: ``!ttkernel.cb<16, !ttl.tile<32x32, bf16>>``."""

    name = "ttkernel.cb"
    count: IntAttr
    element_type: Attribute

    def __init__(self, pages: int, element_type: Attribute) -> None:
        super().__init__(IntAttr(pages), element_type)

    @property
    def pages(self) -> int:
        """How many pages it holds."""
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
class NocAddressType(ParametrizedAttribute, TypeAttribute):
    """An address on the network on chip: a node or a bank, or several nodes, and a place in its memory."""

    name = "ttkernel.noc_addr"


@irdl_attr_definition
class L1WordsType(ParametrizedAttribute, TypeAttribute):
    """32-bit words of this node's memory that can be read and written; addresses as such are of type ``index``."""

    name = "ttkernel.l1_addr"


@irdl_attr_definition
class TensorAccessorType(ParametrizedAttribute, TypeAttribute):
    """Where the pages of a tensor are."""

    name = "ttkernel.tensor_accessor"


@irdl_attr_definition
class KernelSemaphoreType(ParametrizedAttribute, TypeAttribute):
    """A semaphore of this node: a word of its memory."""

    name = "ttkernel.semaphore"
