"""A module as programs, independent of a language: the functions, their arguments and results, and refusals."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from tt_model.attributes.tt import DeviceType
from tt_model.layouts.enums import BufferType, DataType
from tt_model.operations.constants import limits_of_arguments
from tt_model.operations.tensors import shape_of
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused
from ttl.ir.reports import Report, about
from ttmlir.standalone.library_functions import layout_of
from ttmlir.standalone.python_text import data_type_name
from ttmlir.standalone.values import Variables, rows_looked_up

# The types of users' tensors.
_OF_USERS = (
    DataType.Float32,
    DataType.BFloat16,
    DataType.UInt32,
    DataType.UInt16,
    DataType.UInt8,
)


class Refusals:
    """Operations that cannot be written, and why. Of those with the same alternative the first few are shown."""

    _SHOWN = 3

    def __init__(self, language: str) -> None:
        self._language = language
        self._groups: dict[str, list[tuple[Operation, str]]] = {}

    def add(self, op: Operation, problem: Refusal | Refused) -> None:
        """Add an operation that has no form in the language."""
        self._groups.setdefault(problem.way_out, []).append((op, problem.condition))

    def check(self) -> None:
        """Raise ``NotLegalized`` if there are any."""
        reports: list[Report] = []
        for way_out, group in self._groups.items():
            more = f" (this holds for {len(group)} operations)" if len(group) > 1 else ""
            notes = [Report(severity="note", message=f"{way_out}{more}")]
            for op, condition in group[: self._SHOWN]:
                message = f"'{op.name}' op cannot be written as {self._language}: {condition}"
                reports.append(about(op, message, *notes))
                notes = []
        if reports:
            raise NotLegalized(reports)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramTensor:
    """A tensor that a program takes or returns: of the host, or in DRAM where the program writes into it.

    ``rows`` are those of the table that its numbers are looked up in, or 0; ``limits`` the least and greatest number
    that it may have, where not all of its type may be given.
    """

    name: str
    shape: tuple[int, ...]
    data_type: DataType
    is_tiled: bool = False
    is_on_device: bool = False
    rows: int = 0
    limits: tuple[int, int] | None = None

    @property
    def dtype(self) -> str:
        """The name of the type in the library and in torch."""
        return data_type_name(self.data_type)


@dataclass(frozen=True, slots=True)
class ProgramInterface:
    """The arguments and results of a function."""

    name: str
    inputs: tuple[ProgramTensor, ...]
    outputs: tuple[ProgramTensor, ...]


def functions_of(module: ModuleOp, refused: Refusals) -> list[FuncOp]:
    """The functions of a module that have a body. Raises ``NotLegalized`` if no function has a body."""
    functions = []
    for op in module.body.block.ops:
        if not isinstance(op, FuncOp):
            refused.add(op, Refused("it is not a function", "what works: functions of TTNN operations"))
        elif op.body.blocks:
            functions.append(op)
            if len(op.body.blocks) > 1:
                condition = f"it has {len(op.body.blocks)} blocks"
                refused.add(op, Refused(condition, "what works: a function without branches"))
    if not functions:
        raise NotLegalized([about(module, "the module has no function with a body")])
    return functions


def is_program(function: FuncOp) -> bool:
    """Whether a function is an entry point for users, not only called by other functions."""
    return function.sym_visibility is None or function.sym_visibility.data != "private"


def interface_of(function: FuncOp, names: Variables | None = None) -> ProgramInterface:
    """Return the arguments and results of a function; ``names`` has the names of its arguments. Raises ``Refused``."""
    known = Variables(()) if names is None else names
    block = function.body.blocks[0]
    for argument in block.args:
        if not known.knows(argument):
            known.argument(argument)
    returned = next((op for op in block.ops if isinstance(op, ReturnOp)), None)
    outputs = () if returned is None else returned.operands
    limits = limits_of_arguments(function)
    return ProgramInterface(
        function.sym_name.data,
        tuple(
            _input(argument, known.name(argument), limits.get(index))
            for index, argument in enumerate(block.args)
        ),
        tuple(
            ProgramTensor(
                name="",
                shape=shape_of(value),
                data_type=_of_users(value, f"its result {index}"),
                is_on_device=layout_of(value).buffer_type is BufferType.DRAM,
            )
            for index, value in enumerate(outputs)
        ),
    )


def _input(argument: SSAValue, name: str, limits: tuple[int, int] | None) -> ProgramTensor:
    if isinstance(argument.type, DeviceType):
        raise Refused(
            f"its argument {name} is a device",
            "what works: a function that gets its device by ttnn.get_device",
        )
    layout = layout_of(argument)
    is_on_device = layout.buffer_type is BufferType.DRAM and not layout.memory_layout.is_sharded
    if layout.buffer_type is not BufferType.SystemMemory and not is_on_device:
        raise Refused(
            f"its argument {name} lies in {layout.buffer_type.keyword}",
            "what works: arguments on the host, or interleaved in DRAM, as ttnn-layout makes them",
        )
    return ProgramTensor(
        name=name,
        shape=shape_of(argument),
        data_type=_of_users(argument, f"its argument {name}"),
        is_tiled=layout.is_tiled,
        is_on_device=is_on_device,
        rows=rows_looked_up(argument) or 0,
        limits=limits,
    )


def _of_users(value: SSAValue, what: str) -> DataType:
    data_type = layout_of(value).data_type
    if data_type not in _OF_USERS:
        raise Refused(
            f"{what} is {data_type.keyword}, and users cannot create tensors of that type",
            f"what works: {', '.join(one.keyword for one in _OF_USERS)}, and a typecast in the function",
        )
    return data_type
