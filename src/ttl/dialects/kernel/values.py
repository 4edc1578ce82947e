"""What a kernel gets from its program: buffers, accessors, semaphores, arguments."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.kernel.declarations import Symbol
from ttl.dialects.kernel.kernel import kernel_of
from ttl.dialects.kernel.program import program_of
from ttl.dialects.kernel.types import CBType, SemaphoreType, TensorAccessorType
from ttl.dialects.structure import hint_name


@irdl_op_definition
class GetCBOp(IRDLOperation):
    """A circular buffer of the program."""

    name = "ttkernel.get_cb"
    name_attr = prop_def(StringAttr, prop_name="name")
    result = result_def(CBType)
    assembly_format = "custom<Symbol>($name) `:` type($result) attr-dict"
    custom_directives = (Symbol,)
    traits = traits_def(Pure())

    def __init__(self, name: str, type: CBType) -> None:
        super().__init__(properties={"name": StringAttr(name)}, result_types=[type])
        hint_name(self.result, name)

    @property
    def declared_name(self) -> str:
        """The name it is declared under."""
        return self.name_attr.data

    def verify_(self) -> None:
        kernel = kernel_of(self)
        program = None if kernel is None else program_of(kernel)
        if program is None:
            return
        types = {buffer.declared_name: buffer.type for buffer in program.buffers}
        if self.declared_name not in types:
            raise VerifyException(f"there is no circular buffer @{self.declared_name}")
        if self.result.type != types[self.declared_name]:
            raise VerifyException(
                f"@{self.declared_name} is a {types[self.declared_name]}, not a {self.result.type}"
            )


@irdl_op_definition
class AccessorOp(IRDLOperation):
    """An accessor of a tensor of the program."""

    name = "ttkernel.accessor"
    name_attr = prop_def(StringAttr, prop_name="name")
    result = result_def(TensorAccessorType)
    assembly_format = "custom<Symbol>($name) attr-dict"
    custom_directives = (Symbol,)
    traits = traits_def(Pure())

    def __init__(self, name: str) -> None:
        super().__init__(properties={"name": StringAttr(name)}, result_types=[TensorAccessorType()])
        hint_name(self.result, name)

    @property
    def declared_name(self) -> str:
        """The name of the tensor."""
        return self.name_attr.data

    def verify_(self) -> None:
        kernel = kernel_of(self)
        if kernel is not None and self.declared_name not in kernel.accessors:
            raise VerifyException(f"the kernel has no accessor of @{self.declared_name}")


@irdl_op_definition
class GetSemaphoreOp(IRDLOperation):
    """A semaphore of the program, on this node."""

    name = "ttkernel.get_semaphore"
    name_attr = prop_def(StringAttr, prop_name="name")
    result = result_def(SemaphoreType)
    assembly_format = "custom<Symbol>($name) attr-dict"
    custom_directives = (Symbol,)
    traits = traits_def(Pure())

    def __init__(self, name: str) -> None:
        super().__init__(properties={"name": StringAttr(name)}, result_types=[SemaphoreType()])
        hint_name(self.result, name)

    @property
    def declared_name(self) -> str:
        """The name it is declared under."""
        return self.name_attr.data

    def verify_(self) -> None:
        kernel = kernel_of(self)
        program = None if kernel is None else program_of(kernel)
        if program is not None and self.declared_name not in [
            each.declared_name for each in program.semaphores
        ]:
            raise VerifyException(f"there is no semaphore @{self.declared_name}")


@irdl_op_definition
class CommonArgOp(IRDLOperation):
    """An argument that all nodes share, by its entry in the kernel's ``common_args``."""

    name = "ttkernel.common_arg"
    entry_attr = prop_def(StringAttr, prop_name="entry")
    result = result_def(IndexType)
    assembly_format = "$entry attr-dict"
    traits = traits_def(Pure())

    def __init__(self, entry: str) -> None:
        super().__init__(properties={"entry": StringAttr(entry)}, result_types=[IndexType()])

    @property
    def entry(self) -> str:
        """``address(a)``, ``noc_x(3)``, ``noc_y(0)``."""
        return self.entry_attr.data

    def verify_(self) -> None:
        kernel = kernel_of(self)
        if kernel is not None and self.entry not in kernel.common_args:
            raise VerifyException(f"the kernel has no argument {self.entry}")
