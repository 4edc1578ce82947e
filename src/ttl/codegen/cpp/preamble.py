"""What a kernel declares before it begins: circular buffers, accessors of tensors, semaphores."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ttl.codegen.cpp.demand import Demand
from ttl.codegen.cpp.names import Names
from ttl.codegen.cpp.types import POINTER
from ttl.dialects.ttkernel import AccessorOp, CallOp, GetCBOp, GetSemaphoreOp, KernelOp, ProgramOp

_ACCESSOR_HEADER = "api/tensor/tensor_accessor.h"


class Preamble:
    """The declarations of one kernel: of everything that it mentions, and of nothing else.

    ``lines`` is C++; ``resources`` has the name of each buffer, accessor and semaphore, ``addresses`` that of each
    semaphore's address, ``buffers`` the declared names of the buffers.
    """

    def __init__(self, program: ProgramOp, kernel: KernelOp, names: Names, demand: Demand) -> None:
        self._program = program
        self._kernel = kernel
        self._names = names
        self._demand = demand
        self.lines: list[str] = []
        self.headers: set[str] = set()
        self.resources: dict[SSAValue, str] = {}
        self.addresses: dict[SSAValue, str] = {}
        self.buffers = self._names_of(GetCBOp)
        self._declare_buffers()
        self._declare_accessors()
        self._declare_semaphores()

    def _names_of(self, kind: type[GetCBOp | AccessorOp]) -> set[str]:
        return {
            op.declared_name
            for op in self._kernel.body.walk()
            if isinstance(op, kind) and self._demand.count(op.result)
        }

    def _declared(self, kind: type[Operation], name: str) -> list[SSAValue]:
        return [
            op.results[0]
            for op in self._kernel.body.walk()
            if isinstance(op, kind) and op.declared_name == name and self._demand.count(op.results[0])  # type: ignore[attr-defined]
        ]

    def _declare_buffers(self) -> None:
        found = [each for each in self._program.buffers if each.declared_name in self.buffers]
        for buffer in sorted(found, key=lambda each: each.index):
            variable = self._names.fresh(buffer.declared_name, "cb")
            self.lines.append(f"constexpr uint32_t {variable} = {buffer.index};")
            for value in self._declared(GetCBOp, buffer.declared_name):
                self.resources[value] = variable

    def _declare_accessors(self) -> None:
        used = self._names_of(AccessorOp)
        last = max((i for i, name in enumerate(self._kernel.accessors) if name in used), default=-1)
        offset, lines = "0", []
        for name in self._kernel.accessors[: last + 1]:
            arguments = self._names.fresh(f"{name}_args", "args")
            self.lines.append(f"constexpr auto {arguments} = TensorAccessorArgs<{offset}>();")
            offset = f"{arguments}.next_compile_time_args_offset()"
            if name not in used:
                continue
            variable = self._names.fresh(name, "tensor")
            address = f"get_common_arg_val<uint32_t>({self._kernel.common_args.index(f'address({name})')})"
            lines.append(f"const auto {variable} = TensorAccessor({arguments}, {address});")
            for value in self._declared(AccessorOp, name):
                self.resources[value] = variable
            self.headers.add(_ACCESSOR_HEADER)
        self.lines += lines

    def _declare_semaphores(self) -> None:
        for semaphore in self._program.semaphores:
            values = self._declared(GetSemaphoreOp, semaphore.declared_name)
            if not values:
                continue
            users = [use.operation for value in values for use in value.uses]
            reads = [isinstance(user, CallOp) and user.call.name == "get_semaphore_address" for user in users]
            address = f"get_semaphore({semaphore.id})"
            if any(reads):
                variable = self._names.fresh(f"{semaphore.declared_name}_address", "semaphore_address")
                self.lines.append(f"const uint32_t {variable} = {address};")
                address = variable
                self.addresses.update(dict.fromkeys(values, variable))
            variable = self._names.fresh(semaphore.declared_name, "semaphore")
            if not all(reads):
                self.lines.append(f"const auto {variable} = reinterpret_cast<{POINTER}>({address});")
            self.resources.update(dict.fromkeys(values, variable))
