"""Rows made from the table of operations: its functions on registers, and their inits.

A row is named after the function of the older generation. Where an operation fixes template arguments they are part of
the name: ``eq_int_tile<DataFormat::Int32>`` is ``eq_int_tile_int32``. A function that takes any number has a second row,
which ends in ``_by_value``: there the number is a value of the kernel. One that can leave faces of the tile as they are
has one that ends in ``_by_faces``: its last constant says which it computes (``VectorMode``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import zip_longest
from types import MappingProxyType
from typing import get_args

from ttl.kernel_api.function_rows import Applied, Call, CallParameter, Cast, Const, Part, Unit
from ttl.rows.row import Form, Generation, Op, Slot, TileCall, TileFunction
from ttl.rows.table import OPS

_FACES = "faces"
_GENERATIONS: tuple[Generation, ...] = get_args(Generation)
_REGISTERS: Mapping[Form, tuple[str, ...]] = MappingProxyType(
    {
        "unary": ("d",),
        "scalar": ("d",),
        "fill": ("d",),
        "dst": ("d0", "d1", "d"),
        "ternary": ("d0", "d1", "d2", "d"),
    }
)
# Headers that a header needs before it when the mathematics processor's unit is compiled: `using namespace sfpi`, which another
# one has. The other one comes first in the order of the includes, too.
_BEFORE: Mapping[tuple[Generation, str], tuple[str, ...]] = MappingProxyType(
    {("0.69", "api/compute/binary_comp.h"): ("api/compute/binary_bitwise_sfpu.h",)}
)
# An argument that functions did not have on 2024-11-21: whether an approximation is enough.
_LATER = "approx"
# Slots of numbers that are 32 bits: of a float32, or an integer.
_NUMBERS = ("bits", "int")


@dataclass(frozen=True, slots=True)
class Use:
    """A function of the table of operations as an application of a row.

    ``sources`` has, for each constant of the row, its source in the operation.
    """

    call: Call
    sources: tuple[Slot, ...]


def use_of(tile: TileCall) -> Use:
    """Return a function of registers as an application of a row. Raises ``KeyError`` for one that reads circular buffers."""
    return _used(tile.function, _REGISTERS[tile.form])


def init_of(tile: TileCall) -> Use | None:
    """Return the init of a function as an application of a row; None where it needs no init."""
    return None if tile.init is None else _used(tile.init, ())


def use_by_value(tile: TileCall) -> tuple[Use, Slot]:
    """Return the function for a number that is known only when the kernel runs, and that number.

    The number is the last operand: 32 bits, those of a float32 or an integer as the slot says. Raises ``KeyError`` for a function
    that takes no number, or not every number.
    """
    rows, uses = _built()
    name, (*sources, number) = uses[tile.function, _BY_VALUE]
    return Use(rows[name], tuple(sources)), number


def use_by_faces(tile: TileCall) -> Use:
    """The function that takes the faces of the tile to compute. Raises KeyError for a function that does not."""
    rows, uses = _built()
    name, sources = uses[tile.function, _BY_FACES]
    return Use(rows[name], sources)


# Stand for the registers of a function whose number is a value, and of a function that takes the faces.
_BY_VALUE = ("value",)
_BY_FACES = ("faces",)
_Key = tuple[TileFunction, tuple[str, ...]]


def _used(function: TileFunction, registers: tuple[str, ...]) -> Use:
    rows, uses = _built()
    name, sources = uses[function, registers]
    return Use(rows[name], sources)


def _open(function: TileFunction) -> tuple[Slot, ...]:
    """The slots that a call fills."""
    return tuple(slot for slot in (*function.template, *function.arguments) if slot.kind != "word")


def _argument(slot: Slot) -> CallParameter:
    """Return a constant, named after its role in the row it comes from."""
    if slot.kind in ("format", "format_number"):
        return CallParameter(f"{slot.name}_format", "format")
    kinds: dict[str, Const] = {"bits": "bits", "int": "int", "float": "float", "bool": "bool"}
    return CallParameter(slot.name, kinds[slot.kind])


def _name(function: TileFunction) -> str:
    """The function, and the template arguments that are fixed, without their enumeration."""
    fixed = [slot.name.rpartition("::")[2].lower() for slot in function.template if slot.kind == "word"]
    return "_".join([function.name, *(re.sub(r"\W+", "_", text) for text in fixed)])


def _applied(
    function: TileFunction, registers: tuple[str, ...], constants: Sequence[CallParameter]
) -> Applied:
    """The function, applied to the arguments of a row."""
    names = {slot: constant.name for slot, constant in zip(_open(function), constants, strict=True)}

    def part(slot: Slot) -> Part:
        if slot.kind == "word":
            return slot.name
        return Cast("uint32_t", names[slot]) if slot.kind == "format_number" else names[slot]

    template = tuple(map(part, function.template))
    return Applied(function.name, (*registers, *map(part, function.arguments)), template)


@dataclass(slots=True)
class _Draft:
    """A row under construction."""

    arguments: tuple[CallParameter, ...]
    unit: Unit | None
    # Whether it is a function, and begins from nothing; whether it writes the whole tile.
    fills: bool = False
    whole: bool = True
    doc: str = ""
    spelling: dict[Generation, tuple[Applied]] = field(default_factory=dict)
    headers: dict[Generation, tuple[str, ...]] = field(default_factory=dict)
    # The functions that an init is called before.
    followers: dict[str, None] = field(default_factory=dict)


class _Builder:
    """The rows so far, by name, and the uses of the functions that they come from."""

    def __init__(self) -> None:
        self.drafts: dict[str, _Draft] = {}
        self.uses: dict[_Key, tuple[str, tuple[Slot, ...]]] = {}

    def add(self, row: Op, old: TileCall | None, new: TileCall | None) -> None:
        """A function of both generations, or of one, with its init."""
        calls = [
            (generation, call)
            for generation, call in zip(_GENERATIONS, (old, new), strict=True)
            if call is not None and call.reads_registers
        ]
        if not calls:
            return
        first = calls[0][1]
        inits = [(generation, call.header, call.init) for generation, call in calls if call.init is not None]
        init = self._add(inits, (), "sfpu") if inits else None
        functions = [(generation, call.header, call.function) for generation, call in calls]
        names = [self._add(functions, _REGISTERS[first.form], None)]
        if _takes_any_number(first):
            names.append(self._add_by_value(names[0], [call for _, call in calls]))
        if first.by_faces:
            names.append(self._add_by_faces(names[0], [call for _, call in calls]))
        for name in names:
            draft = self.drafts[name]
            draft.fills = first.form == "fill"
            if not draft.doc or row.name in name:
                draft.doc = row.summary
            if init is not None:
                self.drafts[init].followers[name] = None

    def rows(self) -> dict[str, Call]:
        """The rows, by name."""
        return {
            name: Call(
                name=name,
                thread="tensix",
                arguments=draft.arguments,
                spelling=draft.spelling,
                headers=draft.headers,
                of_2024=_of_2024(draft),
                configures=draft.unit,
                vector_reads=_read_by(draft),
                writes=("d",) if draft.whole and not draft.unit else (),
                doc=f"Before {', '.join(draft.followers)}." if draft.followers else draft.doc,
            )
            for name, draft in self.drafts.items()
        }

    def _add(
        self,
        functions: Sequence[tuple[Generation, str, TileFunction]],
        registers: tuple[str, ...],
        unit: Unit | None,
    ) -> str:
        """The name of the row. Both generations get the same where they take the same."""
        first = functions[0][2]
        same = all(_kinds(function) == _kinds(first) for _, _, function in functions)
        names = [
            self._put(generation, header, first if same else function, function, registers, unit)
            for generation, header, function in functions
        ]
        return names[0]

    def _put(
        self,
        generation: Generation,
        header: str,
        named: TileFunction,
        function: TileFunction,
        registers: tuple[str, ...],
        unit: Unit | None,
    ) -> str:
        name = _name(named)
        draft = self.drafts.get(name)
        if draft is None:
            arguments = (
                *(CallParameter(register, "index") for register in registers),
                *map(_argument, _open(named)),
            )
            draft = self.drafts[name] = _Draft(arguments, unit)
        # The same function in another row may call its constants otherwise.
        constants = [argument for argument in draft.arguments if not argument.is_operand]
        spelling = (_applied(function, registers, constants),)
        assert draft.spelling.setdefault(generation, spelling) == spelling, f"{name} is two functions"
        draft.headers[generation] = (*_BEFORE.get((generation, header), ()), header)
        self.uses[function, registers] = (name, _open(function))
        return name

    def _add_by_value(self, name: str, calls: Sequence[TileCall]) -> str:
        """The row of a function whose number is a value: the last operand."""
        draft = self.drafts[name]
        for call in calls:
            sources = _open(call.function)
            (at,) = (at for at, slot in enumerate(sources) if slot.kind in _NUMBERS)
            operands = [argument for argument in draft.arguments if argument.is_operand]
            constants = [argument for argument in draft.arguments if not argument.is_operand]
            number = constants.pop(at)
            self.drafts.setdefault(
                f"{name}_by_value",
                _Draft(
                    (*operands, CallParameter(number.name, "index"), *constants),
                    None,
                    spelling=draft.spelling,
                    headers=draft.headers,
                ),
            )
            rest = (*sources[:at], *sources[at + 1 :], sources[at])
            self.uses[call.function, _BY_VALUE] = (f"{name}_by_value", rest)
        return f"{name}_by_value"

    def _add_by_faces(self, name: str, calls: Sequence[TileCall]) -> str:
        """The row of a function that takes the faces: a number in the older generation, in the newer an enumerator."""
        draft = self.drafts[name]
        spelling: dict[Generation, tuple[Applied]] = {}
        for generation, (applied,) in draft.spelling.items():
            part: Part = Cast("int", _FACES) if generation == "0.69" else _FACES
            spelling[generation] = (replace(applied, arguments=(*applied.arguments, part)),)
        self.drafts[f"{name}_by_faces"] = _Draft(
            (*draft.arguments, CallParameter(_FACES, "word")),
            None,
            whole=False,
            spelling=spelling,
            headers=draft.headers,
        )
        for call in calls:
            key = (call.function, _BY_FACES)
            self.uses[key] = (f"{name}_by_faces", (*_open(call.function), Slot("faces", _FACES)))
        return f"{name}_by_faces"


def _of_2024(draft: _Draft) -> tuple[Applied] | None:
    if not draft.whole or _LATER not in {argument.name for argument in draft.arguments}:
        return None
    (first,) = draft.spelling[_GENERATIONS[0]]
    return (replace(first, template=tuple(part for part in first.template if part != _LATER)),)


def _read_by(draft: _Draft) -> tuple[str, ...]:
    """The registers that a function reads: its operands, or the one that it changes."""
    known = {register for registers in _REGISTERS.values() for register in registers}
    registers = [argument.name for argument in draft.arguments if argument.name in known]
    return () if draft.unit or draft.fills else tuple(registers[:-1] or registers)


def _takes_any_number(call: TileCall) -> bool:
    """Whether a function takes a number, whatever it is, as 32 bits."""
    if call.form == "scalar":
        return call.numbers is None
    return call.form == "fill" and call.serves is None


def _kinds(function: TileFunction) -> tuple[str, ...]:
    return tuple(_argument(slot).kind for slot in _open(function))


@cache
def _built() -> tuple[Mapping[str, Call], Mapping[_Key, tuple[str, tuple[Slot, ...]]]]:
    builder = _Builder()
    for row in OPS:
        # Calls of one place do the same in both generations.
        for old, new in zip_longest(*(row.hardware.get(generation, ()) for generation in _GENERATIONS)):
            builder.add(row, old, new)
    return builder.rows(), builder.uses


ROWS: tuple[Call, ...] = tuple(_built()[0].values())
