"""The resources that the kernels of a program share: tensors, circular buffers and semaphores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import RUNS
from ttl.dialects.elements import check_element
from ttl.dialects.kernel.types import CBType
from ttl.dialects.layouts import EncodingAttr
from ttl.ir.syntax import Keyword, number_of, word_of

PROGRAM = "ttkernel.program"
MadeBy = Literal["user", "compiler"]


@irdl_custom_directive
class Symbol(CustomDirective):
    """``custom<Symbol>($name)``: a string property, printed as ``@name``."""

    word: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.word.set(state, parser.parse_symbol_name())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        attribute = self.word.get(op)
        assert isinstance(attribute, StringAttr)
        printer.print_symbol_name(attribute.data)


def strings(values: Iterable[str]) -> ArrayAttr[StringAttr]:
    """A list of texts as an attribute."""
    return ArrayAttr([StringAttr(value) for value in values])


class InProgram(OpTrait):
    """Trait of an operation in a program.

    ``HasParent`` needs the class of programs, which itself needs these operations.
    """

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and parent.name != PROGRAM:
            raise VerifyException(f"'{op.name}' expects parent op '{PROGRAM}'")


@irdl_op_definition
class TensorArgOp(IRDLOperation):
    """A tensor of a launch. ``index`` is its place among the operation's tensor arguments."""

    name = "ttkernel.tensor_arg"
    name_attr = prop_def(StringAttr, prop_name="name")
    declared_name = word_of("name", "The name of the parameter.")
    index_attr = prop_def(IntegerAttr[I64], prop_name="index")
    index = number_of("index", "Its place among the operation's tensor arguments.")
    type_attr = prop_def(TensorType, prop_name="type")
    assembly_format = "custom<Symbol>($name) `index` $index `:` $type attr-dict"
    custom_directives = (Symbol,)
    traits = traits_def(InProgram(), RUNS)

    def __init__(self, name: str, index: int, type: TensorType[Attribute]) -> None:
        super().__init__(
            properties={"name": StringAttr(name), "index": IntegerAttr(index, i64), "type": type}
        )

    @property
    def type(self) -> TensorType[Attribute]:
        """Logical shape in elements, element type and encoding."""
        return self.type_attr

    def verify_(self) -> None:
        if not isinstance(self.type.encoding, EncodingAttr):
            raise VerifyException(f"a tensor of a launch has a #ttl.encoding, not {self.type.encoding}")


@irdl_op_definition
class CircularBufferOp(IRDLOperation):
    """A circular buffer of every node: its number, its pages, their bytes and their element type."""

    name = "ttkernel.circular_buffer"
    name_attr = prop_def(StringAttr, prop_name="name")
    declared_name = word_of("name", "The name of the buffer.")
    index_attr = prop_def(IntegerAttr[I64], prop_name="index")
    index = number_of("index", "The number of the buffer on the chip.")
    pages_attr = prop_def(IntegerAttr[I64], prop_name="pages")
    pages = number_of("pages", "How many pages it holds.")
    page_bytes_attr = prop_def(IntegerAttr[I64], prop_name="page_bytes")
    page_bytes = number_of("page_bytes", "Bytes of a page.")
    element_type = prop_def(Attribute)
    made_by_attr = prop_def(StringAttr, prop_name="made_by")
    made_by = word_of("made_by", "``user`` or ``compiler``.")
    initial_attr = opt_prop_def(StringAttr, prop_name="initial")
    memory_attr = opt_prop_def(StringAttr, prop_name="memory")
    byte_offset_attr = opt_prop_def(IntegerAttr[I64], prop_name="byte_offset")
    assembly_format = (
        "custom<Symbol>($name) `index` $index `pages` $pages `of` $page_bytes `bytes` `:` $element_type "
        "`by` custom<Keyword>($made_by) (`initial` $initial^)? (`in` $memory^ `at` $byte_offset)? attr-dict"
    )
    custom_directives = (Symbol, Keyword)
    traits = traits_def(InProgram(), RUNS)

    def __init__(
        self,
        name: str,
        index: int,
        pages: int,
        page_bytes: int,
        element_type: Attribute,
        *,
        made_by: MadeBy = "user",
        initial: str | None = None,
        memory: str | None = None,
        byte_offset: int = 0,
    ) -> None:
        super().__init__(
            properties={
                "name": StringAttr(name),
                "index": IntegerAttr(index, i64),
                "pages": IntegerAttr(pages, i64),
                "page_bytes": IntegerAttr(page_bytes, i64),
                "element_type": element_type,
                "made_by": StringAttr(made_by),
                "initial": None if initial is None else StringAttr(initial),
                "memory": None if memory is None else StringAttr(memory),
                "byte_offset": None if memory is None else IntegerAttr(byte_offset, i64),
            }
        )

    @property
    def initial(self) -> str | None:
        """Its contents before kernels start, for buffers of constants."""
        return None if self.initial_attr is None else self.initial_attr.data

    @property
    def memory(self) -> str | None:
        """The tensor whose memory the buffer uses, from ``byte_offset`` on; None for memory of its own."""
        return None if self.memory_attr is None else self.memory_attr.data

    @property
    def byte_offset(self) -> int:
        """The offset of its memory in a shard, in bytes."""
        return 0 if self.byte_offset_attr is None else self.byte_offset_attr.value.data

    @property
    def type(self) -> CBType:
        """The type of the buffer in a kernel."""
        return CBType(self.pages, self.element_type)

    def verify_(self) -> None:
        check_element(self.element_type)
        if self.made_by not in ("user", "compiler"):
            raise VerifyException(f"a buffer is made by user or compiler, not {self.made_by}")
        if self.index < 0 or self.pages < 1 or self.page_bytes < 1:
            raise VerifyException(
                f"a buffer has a number and at least one page of at least one byte, not {self.index}, "
                f"{self.pages} and {self.page_bytes}"
            )


@irdl_op_definition
class GlobalSemaphoreOp(IRDLOperation):
    """A semaphore of the host, at one address on every node of every chip, and its value before the first launch."""

    name = "ttkernel.global_semaphore"
    name_attr = prop_def(StringAttr, prop_name="name")
    declared_name = word_of("name", "The name of the semaphore.")
    initial_attr = prop_def(IntegerAttr[I64], prop_name="initial")
    initial = number_of("initial", "Its value before the first launch.")
    assembly_format = "custom<Symbol>($name) `=` $initial attr-dict"
    custom_directives = (Symbol,)
    traits = traits_def(InProgram(), RUNS)

    def __init__(self, name: str, initial: int = 0) -> None:
        super().__init__(properties={"name": StringAttr(name), "initial": IntegerAttr(initial, i64)})

    def verify_(self) -> None:
        if self.initial < 0:
            raise VerifyException(f"the value of a semaphore is not negative: {self.initial}")


@irdl_op_definition
class SemaphoreOp(IRDLOperation):
    """A semaphore of every node: its number and its value when kernels start."""

    name = "ttkernel.declare_semaphore"
    name_attr = prop_def(StringAttr, prop_name="name")
    declared_name = word_of("name", "The name of the semaphore.")
    id_attr = prop_def(IntegerAttr[I64], prop_name="id")
    id = number_of("id", "Its number on the chip.")
    initial_attr = prop_def(IntegerAttr[I64], prop_name="initial")
    initial = number_of("initial", "Its value when kernels start.")
    assembly_format = "custom<Symbol>($name) `id` $id `=` $initial attr-dict"
    custom_directives = (Symbol,)
    traits = traits_def(InProgram(), RUNS)

    def __init__(self, name: str, id: int, initial: int = 0) -> None:
        super().__init__(
            properties={
                "name": StringAttr(name),
                "id": IntegerAttr(id, i64),
                "initial": IntegerAttr(initial, i64),
            }
        )

    def verify_(self) -> None:
        if self.id < 0 or self.initial < 0:
            raise VerifyException(
                f"the number and the value of a semaphore are not negative: {self.id}, {self.initial}"
            )
