"""The declarations at the start of a kernel: circular buffers, accessors of tensors, semaphores."""

from __future__ import annotations

import re

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of, is_bool
from ttl.analysis.dominance import inside
from ttl.analysis.ranges import Ranges
from ttl.codegen.cpp.demand import Demand
from ttl.codegen.cpp.expr import literal
from ttl.codegen.cpp.names import Names
from ttl.codegen.cpp.types import POINTER, element_type, type_of
from ttl.codegen.entries import Address
from ttl.dialects.ttkernel import (
    AccessorOp,
    GetCBOp,
    GetSemaphoreOp,
    KernelOp,
    ProgramOp,
    TableOp,
    class_of,
)

# The call that returns the address of a semaphore.
SEMAPHORE_ADDRESS = class_of("get_semaphore_address")
_ACCESSOR_HEADER = "api/tensor/tensor_accessor.h"

# Names of constants that only repeat the number.
_OF_A_NUMBER = re.compile(r"(c|cst|m|t|v)?_?-?\d+(_\w+)?|cst(_\d+)?")
# A number with at least this many uses is declared as a constant, if it has a name.
_OFTEN = 2
_RESOURCES = frozenset({GetCBOp, AccessorOp, GetSemaphoreOp})


class Preamble:
    """The declarations of one kernel for exactly the resources that it mentions.

    ``lines`` is C++. The other fields have names: ``resources`` those of buffers, accessors and semaphores,
    ``addresses`` those of semaphores' addresses, ``constants`` those of named numbers, ``tables`` those of lists, and
    ``buffers`` those of buffers by their declared names.
    """

    def __init__(
        self, program: ProgramOp, kernel: KernelOp, names: Names, demand: Demand, ranges: Ranges
    ) -> None:
        self._program = program
        self._kernel = kernel
        self._names = names
        self._demand = demand
        self._ranges = ranges
        self.lines: list[str] = []
        self.headers: set[str] = set()
        self.resources: dict[SSAValue, str] = {}
        self.addresses: dict[SSAValue, str] = {}
        self.constants: dict[SSAValue, str] = {}
        self._declared = self._mentioned()
        self.buffers: dict[str, str] = {}
        self._declare_buffers()
        self._declare_accessors()
        self._declare_semaphores()
        self._declare_constants()
        self.tables: dict[tuple[int, ...], str] = {}
        self._declare_tables()

    def _mentioned(self) -> dict[tuple[type[Operation], str], list[SSAValue]]:
        """The values that represent each buffer, accessor and semaphore."""
        mentioned: dict[tuple[type[Operation], str], list[SSAValue]] = {}
        for op in inside(self._kernel):
            kind = type(op)
            if kind in _RESOURCES and self._demand.count(op.results[0]):
                assert isinstance(op, GetCBOp | AccessorOp | GetSemaphoreOp)
                mentioned.setdefault((kind, op.declared_name), []).append(op.results[0])
        return mentioned

    def _declare_buffers(self) -> None:
        mentioned = {name for kind, name in self._declared if kind is GetCBOp}
        ops = [op for op in self._program.buffers if op.declared_name in mentioned]
        for buffer in sorted(ops, key=lambda op: op.index):
            variable = self._names.fresh(buffer.declared_name, "cb")
            self.buffers[buffer.declared_name] = variable
            self.lines.append(f"constexpr uint32_t {variable} = {buffer.index};")
            for value in self._declared[GetCBOp, buffer.declared_name]:
                self.resources[value] = variable

    def _declare_accessors(self) -> None:
        used = {name for kind, name in self._declared if kind is AccessorOp}
        last = max((i for i, name in enumerate(self._kernel.accessors) if name in used), default=-1)
        offset, lines = "0", []
        for name in self._kernel.accessors[: last + 1]:
            arguments = self._names.fresh(f"{name}_args", "args")
            self.lines.append(f"constexpr auto {arguments} = TensorAccessorArgs<{offset}>();")
            offset = f"{arguments}.next_compile_time_args_offset()"
            if name not in used:
                continue
            variable = self._names.fresh(name, "tensor")
            address = (
                f"get_common_arg_val<uint32_t>({self._kernel.common_args.index(str(Address(tensor=name)))})"
            )
            lines.append(f"const auto {variable} = TensorAccessor({arguments}, {address});")
            for value in self._declared[AccessorOp, name]:
                self.resources[value] = variable
            self.headers.add(_ACCESSOR_HEADER)
        self.lines += lines

    def _declare_semaphores(self) -> None:
        for semaphore in self._program.semaphores:
            values = self._declared.get((GetSemaphoreOp, semaphore.declared_name), [])
            if not values:
                continue
            users = [use.operation for value in values for use in value.uses]
            reads = [isinstance(user, SEMAPHORE_ADDRESS) for user in users]
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

    def _declare_constants(self) -> None:
        """Declare numbers that have a name and are mentioned more than once."""
        for op in inside(self._kernel):
            if type(op) is not arith.ConstantOp or self._demand.count(op.results[0]) < _OFTEN:
                continue
            value, hint = op.results[0], op.results[0].name_hint
            number = integer_of(value)
            if number is None or is_bool(value) or hint is None or _OF_A_NUMBER.fullmatch(hint):
                continue
            variable = self._names.fresh(hint, "constant")
            self.lines.append(
                f"constexpr {type_of(value, self._ranges)} {variable} = {literal(number).text};"
            )
            self.constants[value] = variable

    def _declare_tables(self) -> None:
        """Declare each list of a lookup once, in the smallest type that can hold its members."""
        for op in inside(self._kernel):
            if (
                not isinstance(op, TableOp)
                or op.members in self.tables
                or not self._demand.is_held(op.result)
            ):
                continue
            variable = self._names.fresh(op.list_name, "table")
            members = ", ".join(map(str, op.members))
            ctype = element_type(op.members)
            self.lines.append(f"static constexpr {ctype} {variable}[{len(op.members)}] = {{{members}}};")
            self.tables[op.members] = variable
