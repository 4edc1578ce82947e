"""A TTNN module as a script of Python: each function a function, each operation a call of ``ttnn``.

The script needs the library only, the real one or the one that stands in for it here, and modules of the operations of TT-Lang
that the model calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from ttl.ir.reports import Report, about
from ttmlir.attributes.tt import DeviceType
from ttmlir.layouts.enums import BufferType
from ttmlir.operations.operation import RowOperation
from ttmlir.operations.value_names import identifier
from ttmlir.standalone.calls import (
    NOT_TTNN,
    Argument,
    Call,
    CannotCall,
    call_of,
    changes_nothing,
    is_on_host,
    layout_of,
    shape_of,
)
from ttmlir.standalone.python_text import PythonText, data_type_name, statement, tuple_text
from ttmlir.standalone.script_frame import CLASSES, FRAME, HEAD, NAMES
from ttmlir.standalone.values import Variables, device_of, is_made, rows_looked_up

# What users have tensors of.
_OF_USERS = ("float32", "bfloat16", "uint32", "uint16", "uint8")

# Functions whose result has no type of its own but the one that they are given.
_CONVERSIONS = ("typecast", "to_dtype")


class NotWritten(Exception):
    """A module cannot be written as a program: ``reports`` says why, at every operation that is in the way."""

    def __init__(self, reports: Sequence[Report]) -> None:
        super().__init__("; ".join(report.message for report in reports))
        self.reports = tuple(reports)


class Refusals:
    """Operations that cannot be written, and why. Of those with the same way out the first few are shown."""

    _SHOWN = 3

    def __init__(self, language: str) -> None:
        self._language = language
        self._groups: dict[str, list[tuple[Operation, str]]] = {}

    def add(self, op: Operation, problem: CannotCall) -> None:
        """An operation that has no form in the language."""
        self._groups.setdefault(problem.way_out, []).append((op, problem.condition))

    def check(self) -> None:
        """Raises ``NotWritten`` where there are any."""
        reports: list[Report] = []
        for way_out, group in self._groups.items():
            more = f" (this holds for {len(group)} operations)" if len(group) > 1 else ""
            notes = [Report(severity="note", message=f"{way_out}{more}")]
            for op, condition in group[: self._SHOWN]:
                message = f"'{op.name}' op cannot be written as {self._language}: {condition}"
                reports.append(about(op, message, *notes))
                notes = []
        if reports:
            raise NotWritten(reports)


def ttnn_to_python(module: ModuleOp, source: str = "a module") -> str:
    """The text of the script. Raises ``NotWritten``.

    Args:
        module: functions of TTNN operations, as the pipeline to TTNN writes them.
        source: what the script says that it was written of.
    """
    return _Script(module, source).text()


@dataclass(slots=True)
class _Written:
    """A function of the script."""

    name: str
    lines: list[str]
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    calls: int = 0


class _Script:
    """Functions of one module, and what they share."""

    def __init__(self, module: ModuleOp, source: str) -> None:
        self._module = module
        self._source = source
        self._text = PythonText()
        self._refused = Refusals("Python")
        # Operations of TT-Lang that are imported, by the module and the name in it.
        self._imports: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}
        # Names of the script itself.
        self._taken = Variables(NAMES)
        self._functions = [op for op in module.body.block.ops if isinstance(op, FuncOp) and op.body.blocks]

    def text(self) -> str:
        for function in self._functions:
            wanted = identifier(function.sym_name.data, 60)
            self._names[function.sym_name.data] = self._taken.unique(wanted)
        self._refuse_the_rest()
        written = [self._function(function) for function in self._functions]
        self._refused.check()
        if not written:
            raise NotWritten([about(self._module, "the module has no function with a body")])
        programs = [
            one
            for one, function in zip(written, self._functions, strict=True)
            if function.sym_visibility is None or function.sym_visibility.data != "private"
        ]
        parts = [
            self._docstring(written),
            "\n".join([HEAD.rstrip(), *self._import_lines()]),
            *(["\n".join(self._text.definitions())] if self._text.constants else []),
        ]
        return (
            "\n\n".join(parts)
            + f"\n\n# How many chips the programs run on.\nCHIPS = {self._chips()}\n\n\n{CLASSES}\n\n"
            + "".join("\n".join(one.lines) + "\n\n\n" for one in written)
            + "\n".join(_programs(programs or written))
            + f"\n\n\n{FRAME}"
        )

    def _refuse_the_rest(self) -> None:
        for op in self._module.body.block.ops:
            if not isinstance(op, FuncOp):
                problem = CannotCall("it is no function", "what works: functions of TTNN operations")
                self._refused.add(op, problem)
            elif len(op.body.blocks) > 1:
                problem = CannotCall(
                    f"it has {len(op.body.blocks)} blocks", "what works: a function without branches"
                )
                self._refused.add(op, problem)

    def _docstring(self, written: Sequence[_Written]) -> str:
        calls = ", ".join(f"{one.name} with {one.calls} calls of ttnn" for one in written)
        needs = ", ".join(dict.fromkeys(module for module, _ in self._imports))
        lines = [
            f'"""{calls}.',
            "",
            f"Written by ttmlir-translate --ttnn-to-python of {self._source}; it is yours to change.",
            "",
            "    python SCRIPT                  with the real ttnn; on the simulated library: ttl run SCRIPT",
            "    ... --seed 1                   other random inputs, those of ttrt run --seed 1",
            "    ... --save FOLDER              keep inputs and results",
            "    ... --inputs FOLDER            inputs that were kept, here or by ttrt run --save-artifacts",
            "    ... --expect FOLDER            compare with results that were kept; the exit code is 1 where they differ",
        ]
        if needs:
            lines += ["", f"It imports {needs}: PYTHONPATH names the folder."]
        return "\n".join([*lines, '"""'])

    def _import_lines(self) -> list[str]:
        if not self._imports:
            return []
        lines = [
            f"from {module} import {name}" + ("" if name == alias else f" as {alias}")
            for (module, name), alias in self._imports.items()
        ]
        return ["", *lines]

    def _chips(self) -> int:
        devices = [device for function in self._functions if (device := device_of(function)) is not None]
        return max((len(device.data.chip_ids) for device in devices), default=1)

    # Functions.

    def _function(self, function: FuncOp) -> _Written:
        names = Variables([*NAMES, *self._names.values(), *self._text.constants.values()])
        written = _Written(self._names[function.sym_name.data], [])
        block = function.body.blocks[0]
        parameters = ["device", *map(names.argument, block.args)]
        for argument, name in zip(block.args, parameters[1:], strict=True):
            try:
                written.inputs.append(_input(argument, name))
            except CannotCall as problem:
                self._refused.add(function, problem)
                break
        body: list[str] = []
        for op in block.ops:
            try:
                body += self._operation(op, names, written)
            except CannotCall as problem:
                self._refused.add(op, problem)
                for value in op.results:
                    names.result(value)
        shapes = ", ".join(
            f"{name}: {'x'.join(map(str, shape_of(argument)))}"
            for argument, name in zip(block.args, parameters[1:], strict=True)
        )
        doc = [f'    """{shapes}."""'] if shapes and len(shapes) < 88 else []
        head = statement("", [f"def {written.name}", *parameters], indent=0)
        head[-1] += ":"
        written.lines = [*head, *doc, *(body or ["    pass"])]
        return written

    def _operation(self, op: Operation, names: Variables, written: _Written) -> list[str]:
        match op:
            case ReturnOp():
                written.outputs = [data_type_name(layout_of(value).data_type) for value in op.operands]
                return [f"    return {', '.join(map(names.name, op.operands))}".rstrip()]
            case CallOp():
                results = ", ".join(map(names.result, op.results))
                callee = self._names.get(op.callee.root_reference.data)
                if callee is None:
                    raise CannotCall(
                        f"there is no function {op.callee.root_reference.data} with a body",
                        "what works: calls of functions of the module",
                    )
                return statement(results, [callee, "device", *map(names.name, op.operands)])
            case RowOperation() if op.ROW.dialect == "ttnn":
                return self._library_call(op, names, written)
        raise CannotCall("it is no operation of TTNN", NOT_TTNN)

    def _library_call(self, op: RowOperation, names: Variables, written: _Written) -> list[str]:
        mnemonic = op.ROW.mnemonic
        if mnemonic == "get_device":
            names.give(op.result, "device")
            return []
        if mnemonic == "tt_lang_op":
            written.calls += 1
            return self._tt_lang(op, names)
        if mnemonic == "empty" and not is_made(op):
            return []
        if mnemonic == "deallocate" and not _is_freed(op.operand("input"), names):
            return []
        call = call_of(op)
        written.calls += 1
        pieces = self._text.call(call.function, _needed(call), call.positional, names)
        if not op.results:
            return statement("", pieces)
        target = names.result(op.result)
        if call.destination is not None:
            names.same(call.destination, op.result)
        if mnemonic == "to_layout" and changes_nothing(op):
            names.share(op.result, op.operand("input"))
        lines = statement(target, pieces)
        if call.shape is not None:
            lines += statement(target, ["ttnn.reshape", target, tuple_text(call.shape)])
        return lines

    def _tt_lang(self, op: RowOperation, names: Variables) -> list[str]:
        path = str(op.value("kernel_id")).partition("::")[0]
        module, _, name = path.rpartition(".")
        if not module or not all(part.isidentifier() for part in path.split(".")):
            raise CannotCall(
                f"kernel_id '{op.value('kernel_id')}' names no operation of a module",
                "what works: a name such as 'package.operation::v1'",
            )
        if (module, name) not in self._imports:
            self._imports[module, name] = self._taken.unique(name)
        for result, init in zip(op.results, op.inits, strict=True):
            names.same(result, init)
        return statement("", [self._imports[module, name], *map(names.name, op.operands)])


def _is_freed(value: SSAValue, names: Variables) -> bool:
    """Whether a script frees a tensor: there is one, on the device, and nothing else has its memory."""
    return names.knows(value) and names.release(value) and not is_on_host(value)


def _needed(call: Call) -> dict[str, Argument]:
    """The arguments that a reader wants to see: not a type that the result has anyway."""
    tensors = [value for value in call.arguments.values() if isinstance(value, SSAValue)]
    same = all(
        isinstance(value.type, TensorType) and layout_of(value).data_type is call.arguments.get("dtype")
        for value in tensors
    )
    drop = same and tensors and call.function not in _CONVERSIONS
    return {name: value for name, value in call.arguments.items() if not (drop and name == "dtype")}


def _input(argument: SSAValue, name: str) -> str:
    """An entry of the table of inputs."""
    if isinstance(argument.type, DeviceType):
        raise CannotCall(
            f"its argument {name} is a device",
            "what works: a function that gets its device by ttnn.get_device",
        )
    layout = layout_of(argument)
    dtype = data_type_name(layout.data_type)
    if layout.buffer_type is not BufferType.SystemMemory:
        raise CannotCall(
            f"its argument {name} lies in {layout.buffer_type.keyword}",
            "what works: arguments on the host, as ttnn-layout makes them",
        )
    if dtype not in _OF_USERS:
        raise CannotCall(
            f"its argument {name} is {layout.data_type.keyword}, of which torch has no tensors",
            f"what works: {', '.join(_OF_USERS)}, and a typecast in the function",
        )
    page = "TILE_LAYOUT" if layout.is_tiled else "ROW_MAJOR_LAYOUT"
    rows = rows_looked_up(argument)
    more = "" if rows is None else f", rows={rows}"
    return f'Input("{name}", {tuple_text(shape_of(argument))}, "{dtype}", ttnn.{page}{more})'


def _programs(written: Sequence[_Written]) -> list[str]:
    lines = ["PROGRAMS = {"]
    for one in written:
        outputs = ", ".join(f'"{dtype}"' for dtype in one.outputs)
        lines += [f'    "{one.name}": Program(', f"        {one.name},", "        ["]
        lines += [f"            {entry}," for entry in one.inputs]
        lines += ["        ],", f"        [{outputs}],", "    ),"]
    return [*lines, "}"]
