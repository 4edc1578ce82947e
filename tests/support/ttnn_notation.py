"""TTNN in short: one word for each operation, so that a whole compiled program is a line.

``d`` get_device, ``x=e<2x4>.t`` ttnn.empty with its shard and page layout, ``x=L.t(y)`` to_layout to tiles (``.r``: rows), ``D(y)<2x4>``
to_device (``D0(y)`` without a memory configuration), ``F(y)`` from_device, ``M(y)<2x4>`` to_memory_config, ``C(y)`` typecast, ``-x``
deallocate, ``full{3.0}``, ``zero()`` a ttnn.empty on the host, others by their names. ``out(y; e)`` in an expected line is the end of
a function: to the host, to rows, return; ``e`` is what dies when the copy is there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from tt_model.attributes.tt import DeviceType
from tt_model.layouts.enums import PageLayout
from tt_model.operations.operation import RowOperation

_OUT = re.compile(r"out\((\w+); ([^)]*)\)")


def written(function: FuncOp) -> list[str]:
    """The operations of a function in short. Values are ``v0``, ``v1``... in order; arguments first."""
    names: dict[SSAValue, str] = {}
    for argument in function.body.block.args:
        names[argument] = f"v{len(names)}"
    lines: list[str] = []
    for op in function.body.block.ops:
        used = [names[value] for value in op.operands if not isinstance(value.type, DeviceType)]
        if op.name == "ttnn.get_device":
            lines.append("d")
            continue
        for result in op.results:
            names[result] = f"v{len(names)}"
        left = "".join(f"{names[result]}=" for result in op.results)
        lines.append(left + _word(op, used))
    return lines


def _word(op: Operation, used: list[str]) -> str:
    inside = ",".join(used)
    if not isinstance(op, RowOperation):
        return f"return {inside}"
    config = getattr(op, "memory_config", None)
    shard = "" if config is None else f"<{'x'.join(map(str, config.shard_shape))}>"
    page = getattr(op, "layout", None)
    letter = {PageLayout.Tile: ".t", PageLayout.RowMajor: ".r", None: ""}[page]
    short = {
        "ttnn.empty": f"e{shard}{letter}" if op.operands else "zero()",
        "ttnn.to_layout": f"L{letter}({inside})",
        "ttnn.to_device": f"D({inside}){shard}" if shard else f"D0({inside})",
        "ttnn.from_device": f"F({inside})",
        "ttnn.to_memory_config": f"M({inside}){shard}",
        "ttnn.typecast": f"C({inside})",
        "ttnn.deallocate": f"-{inside}",
        "ttnn.full": f"full{{{getattr(op, 'fill_value', '')}}}",
    }
    return short.get(op.name, f"{op.ROW.mnemonic}({inside})")


def same_programs(lines: list[str], expected: str, arguments: str) -> bool:
    """Whether a program is the expected one, whatever its values are called. ``arguments`` are their names in ``expected``."""
    wanted = expand(expected)
    if len(lines) != len(wanted):
        return False
    names = {f"v{index}": name for index, name in enumerate(arguments.split())}
    for line, other in zip(lines, wanted, strict=True):
        left, _, _ = line.rpartition("=")
        other_left, _, _ = other.rpartition("=")
        if bool(left) != bool(other_left):
            return False
        if left:
            names[left] = other_left
        if re.sub(r"\bv\d+\b", lambda match: names[match[0]], line) != other:
            return False
    return True


def expand(expected: str) -> list[str]:
    """The words of an expected program, with ``out`` written out."""

    def end(match: re.Match[str]) -> str:
        freed = " ".join(f"-{name}" for name in match[2].split())
        return f"out1=F({match[1]}) {freed} out2=L.r(out1) -out1 return_out2"

    return [word.replace("return_", "return ") for word in _OUT.sub(end, expected).split()]


def function_of(module: ModuleOp, name: str) -> FuncOp:
    """A function of a module by its name."""
    return next(op for op in module.walk() if isinstance(op, FuncOp) and op.sym_name.data == name)


_TEXT = (Path(__file__).parents[1] / "ttmlir" / "transforms" / "programs.mlir").read_text("utf-8")


@dataclass(frozen=True)
class Program:
    """A model in TTIR, and what it is in TTNN: the final operations in short, by the names of the arguments."""

    name: str
    final: str
    text: str

    @property
    def function(self) -> str:
        """The function that is called."""
        return "main" if "@main(" in self.text else "f"

    @property
    def arguments(self) -> str:
        """The names of the arguments of that function."""
        (given,) = re.findall(rf"@{self.function}\((.*?)\) ->", self.text)[:1]
        return " ".join(re.findall(r"%(\w+):", given))


PROGRAMS = [Program(*each) for each in re.findall(r"^// (\w+): (.*)\n((?:[^/\n].*\n)+)", _TEXT, re.M)]
