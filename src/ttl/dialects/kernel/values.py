"""The values that a kernel gets from its program: buffers, accessors, semaphores, arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod

from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.kernel.declarations import Symbol
from ttl.dialects.kernel.kernel import KernelOp, kernel_of
from ttl.dialects.kernel.program import program_of
from ttl.dialects.kernel.types import CBType, KernelSemaphoreType, TensorAccessorType
from ttl.dialects.lookup import LookupOp
from ttl.dialects.structure import hint_name
from ttl.ir.syntax import word_of


class FromProgramOp(IRDLOperation, ABC):
    """A part of the program, or of its kernel, as a value."""

    traits = traits_def(Pure())

    @abstractmethod
    def mistake(self, kernel: KernelOp) -> str | None:
        """Return the reason why a kernel cannot get this value; None if it can."""

    def verify_(self) -> None:
        kernel = kernel_of(self)
        mistake = None if kernel is None else self.mistake(kernel)
        if mistake is not None:
            raise VerifyException(mistake)


class DeclaredOp(FromProgramOp):
    """A resource that is declared under a name."""

    name_attr = prop_def(StringAttr, prop_name="name")
    declared_name = word_of("name", "The name it is declared under.")
    assembly_format = "custom<Symbol>($name) attr-dict"
    custom_directives = (Symbol,)

    def __init__(self, name: str, type: Attribute) -> None:
        super().__init__(properties={"name": StringAttr(name)}, result_types=[type])
        hint_name(self.results[0], name)


@irdl_op_definition
class GetCBOp(DeclaredOp):
    """A circular buffer of the program."""

    name = "ttkernel.get_cb"
    result = result_def(CBType)
    assembly_format = "custom<Symbol>($name) `:` type($result) attr-dict"

    def __init__(self, name: str, type: CBType) -> None:
        super().__init__(name, type)

    def mistake(self, kernel: KernelOp) -> str | None:
        program, name = program_of(kernel), self.declared_name
        if program is None:
            return None
        types = {buffer.declared_name: buffer.type for buffer in program.buffers}
        if name not in types:
            return f"there is no circular buffer @{name}"
        return (
            None
            if self.result.type == types[name]
            else f"@{name} is a {types[name]}, not a {self.result.type}"
        )


@irdl_op_definition
class AccessorOp(DeclaredOp):
    """An accessor of a tensor of the program."""

    name = "ttkernel.accessor"
    result = result_def(TensorAccessorType)

    def __init__(self, name: str) -> None:
        super().__init__(name, TensorAccessorType())

    def mistake(self, kernel: KernelOp) -> str | None:
        known = self.declared_name in kernel.accessors
        return None if known else f"the kernel has no accessor of @{self.declared_name}"


@irdl_op_definition
class GetSemaphoreOp(DeclaredOp):
    """A semaphore of the program, on this node."""

    name = "ttkernel.get_semaphore"
    result = result_def(KernelSemaphoreType)

    def __init__(self, name: str) -> None:
        super().__init__(name, KernelSemaphoreType())

    def mistake(self, kernel: KernelOp) -> str | None:
        program = program_of(kernel)
        if program is None or self.declared_name in [
            semaphore.declared_name for semaphore in program.semaphores
        ]:
            return None
        return f"there is no semaphore @{self.declared_name}"


@irdl_op_definition
class CommonArgOp(FromProgramOp):
    """An argument that all nodes share, by its entry in the kernel's ``common_args``."""

    name = "ttkernel.common_arg"
    entry_attr = prop_def(StringAttr, prop_name="entry")
    entry = word_of("entry", "``address(a)``, ``noc_x(3)``, ``noc_y(0)``.")
    result = result_def(IndexType)
    assembly_format = "$entry attr-dict"

    def __init__(self, entry: str) -> None:
        super().__init__(properties={"entry": StringAttr(entry)}, result_types=[IndexType()])

    def mistake(self, kernel: KernelOp) -> str | None:
        return None if self.entry in kernel.common_args else f"the kernel has no argument {self.entry}"


@irdl_op_definition
class TableOp(LookupOp):
    """The member of a constant list at an index: an array in the source of the kernel."""

    name = "ttkernel.lookup"
