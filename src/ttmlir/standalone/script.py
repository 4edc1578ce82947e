"""A TTNN module as a Python script: a function becomes a function, an operation a call of ``ttnn``.

The script needs the library only, the real one or the one that stands in for it here, and modules of the operations of TT-Lang
that the model calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from tt_model.operations.operation import TTNNOperation
from tt_model.operations.shared import TTNNTTLangOp
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNDeallocateOp, TTNNEmptyOp, TTNNGetDeviceOp, TTNNToLayoutOp
from tt_model.operations.value_names import identifier
from ttl.ir.refusals import Refused
from ttmlir.standalone.library_functions import (
    NOT_TTNN,
    Argument,
    LibraryCall,
    call_of,
    changes_nothing,
    is_on_host,
    layout_of,
    require_taken,
)
from ttmlir.standalone.programs import (
    ProgramInterface,
    Refusals,
    functions_of,
    interface_of,
    is_program,
)
from ttmlir.standalone.python_text import PythonText, statement, tuple_text
from ttmlir.standalone.script_frame import CLASSES, FRAME, HEAD, NAMES
from ttmlir.standalone.values import Variables, device_of, is_made

# Functions whose result has the type that is passed, whatever the type of the operand.
_CONVERSIONS = ("typecast", "to_dtype")


def ttnn_to_python(module: ModuleOp, source: str = "a module") -> str:
    """The text of the script. Raises ``NotWritten``.

    Args:
        module: functions of TTNN operations, as the pipeline to TTNN writes them.
        source: the description of the module's origin in the script.
    """
    return _Script(module, source).text()


@dataclass(slots=True)
class _Written:
    """A function of the script."""

    name: str
    lines: list[str]
    interface: ProgramInterface | None = None
    calls: int = 0


class _Script:
    """Writes the functions of one module, with their shared imports, names and refusals."""

    def __init__(self, module: ModuleOp, source: str) -> None:
        self._source = source
        self._text = PythonText()
        self._refused = Refusals("Python")
        # Operations of TT-Lang that are imported, by the module and the name in it.
        self._imports: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}
        # Names of the script itself.
        self._taken = Variables(NAMES)
        self._functions = functions_of(module, self._refused)

    def text(self) -> str:
        for function in self._functions:
            wanted = identifier(function.sym_name.data, 60)
            self._names[function.sym_name.data] = self._taken.unique(wanted)
        written = [self._function(function) for function in self._functions]
        self._refused.check()
        programs = [
            one for one, function in zip(written, self._functions, strict=True) if is_program(function)
        ]
        parts = [
            self._docstring(written),
            "\n".join([HEAD.rstrip(), *self._import_lines()]),
            *(["\n".join(self._text.definitions())] if self._text.constants else []),
        ]
        return (
            "\n\n".join(parts)
            + f"\n\n# The rows and columns of chips that the programs run on.\nMESH = {self._mesh()}\n\n\n{CLASSES}\n\n"
            + "".join("\n".join(one.lines) + "\n\n\n" for one in written)
            + "\n".join(_programs(programs or written))
            + f"\n\n\n{FRAME}"
        )

    def _docstring(self, written: Sequence[_Written]) -> str:
        calls = ", ".join(f"{one.name} with {one.calls} calls of ttnn" for one in written)
        needs = ", ".join(dict.fromkeys(module for module, _ in self._imports))
        lines = [
            f'"""{calls}.',
            "",
            f"Written by ttmlir-translate --ttnn-to-python of {self._source}; you may change it.",
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

    def _mesh(self) -> tuple[int, int]:
        """Rows and columns of the largest mesh of chips among the functions' devices."""
        meshes = [(1, 1)]
        for function in self._functions:
            device = device_of(function)
            if device is not None:
                shape, count = device.data.mesh_shape, len(device.data.chip_ids)
                meshes.append((shape[0], shape[1]) if len(shape) == 2 else (1, count))
        return max(meshes, key=prod)

    # Functions.

    def _function(self, function: FuncOp) -> _Written:
        names = Variables([*NAMES, *self._names.values(), *self._text.constants.values()])
        written = _Written(self._names[function.sym_name.data], [])
        block = function.body.blocks[0]
        parameters = ["device", *map(names.argument, block.args)]
        try:
            written.interface = interface_of(function, names)
        except Refused as problem:
            self._refused.add(function, problem)
        body: list[str] = []
        for op in block.ops:
            try:
                body += self._operation(op, names, written)
            except Refused as problem:
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
                return [f"    return {', '.join(map(names.name, op.operands))}".rstrip()]
            case CallOp():
                results = ", ".join(map(names.result, op.results))
                callee = self._names.get(op.callee.root_reference.data)
                if callee is None:
                    raise Refused(
                        f"there is no function {op.callee.root_reference.data} with a body",
                        "what works: calls of functions of the module",
                    )
                return statement(results, [callee, "device", *map(names.name, op.operands)])
            case TTNNOperation():
                return self._library_call(op, names, written)
        raise Refused("it is not an operation of TTNN", NOT_TTNN)

    def _library_call(self, op: TTNNOperation, names: Variables, written: _Written) -> list[str]:
        match op:
            case TTNNGetDeviceOp():
                names.give(op.result, "device")
                return []
            case TTNNTTLangOp():
                written.calls += 1
                return self._tt_lang(op, names)
            case TTNNEmptyOp() if not is_made(op):
                return []
            case TTNNDeallocateOp() if not _is_freed(op.input, names):
                return []
        call = call_of(op)
        require_taken(op, call)
        written.calls += 1
        pieces = self._text.call(call.function, _needed(call), call.positional, names)
        if op.ROW.writes:
            names.same(op.result, op.inits[0])
        if not op.results or op.ROW.writes:
            return statement("", pieces)
        target = names.result(op.result)
        if call.destination is not None:
            names.same(call.destination, op.result)
        if isinstance(op, TTNNToLayoutOp) and changes_nothing(op):
            names.share(op.result, op.input)
        lines = statement(target, pieces)
        if call.shape is not None:
            lines += statement(target, ["ttnn.reshape", target, tuple_text(call.shape)])
        return lines

    def _tt_lang(self, op: TTNNTTLangOp, names: Variables) -> list[str]:
        path = op.kernel_id.partition("::")[0]
        module, _, name = path.rpartition(".")
        if not module or not all(part.isidentifier() for part in path.split(".")):
            raise Refused(
                f"kernel_id '{op.kernel_id}' does not name an operation of a module",
                "what works: a name such as 'package.operation::v1'",
            )
        if (module, name) not in self._imports:
            self._imports[module, name] = self._taken.unique(name)
        for result, init in zip(op.results, op.inits, strict=True):
            names.same(result, init)
        return statement("", [self._imports[module, name], *map(names.name, op.operands)])


def _is_freed(value: SSAValue, names: Variables) -> bool:
    """Whether a script frees a tensor: it has a variable, is on the device, and shares memory with no other value."""
    return names.knows(value) and names.release(value) and not is_on_host(value)


def _needed(call: LibraryCall) -> dict[str, Argument]:
    """Return the arguments worth writing: without a ``dtype`` that the result has anyway."""
    tensors = [value for value in call.arguments.values() if isinstance(value, SSAValue)]
    same = all(
        isinstance(value.type, TensorType) and layout_of(value).data_type is call.arguments.get("dtype")
        for value in tensors
    )
    drop = same and tensors and call.function not in _CONVERSIONS
    return {name: value for name, value in call.arguments.items() if not (drop and name == "dtype")}


def _programs(written: Sequence[_Written]) -> list[str]:
    lines = ["PROGRAMS = {"]
    for one in written:
        assert one.interface is not None
        lines += [f'    "{one.interface.name}": Program(', f"        {one.name},", "        ["]
        for tensor in one.interface.inputs:
            page = "TILE_LAYOUT" if tensor.is_tiled else "ROW_MAJOR_LAYOUT"
            more = f", rows={tensor.rows}" if tensor.rows else ""
            more += f", limits={tensor.limits}" if tensor.limits else ""
            more += ", on_device=True" if tensor.is_on_device else ""
            shape = tuple_text(tensor.shape)
            lines.append(f'            Input("{tensor.name}", {shape}, "{tensor.dtype}", ttnn.{page}{more}),')
        outputs = [f'Output({tuple_text(one.shape)}, "{one.dtype}")' for one in one.interface.outputs]
        lines += ["        ],", f"        [{', '.join(outputs)}],", "    ),"]
    return [*lines, "}"]
