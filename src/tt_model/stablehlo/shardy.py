"""The dialect ``sdy`` (Shardy) as JAX writes it: meshes, shardings of tensors, and computations of one device.

The operations and attributes that state a program's distribution are known. Rules from which Shardy's own passes derive
one are read and dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from xdsl.ir import Attribute, Data, Dialect, Operation, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition, traits_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure

from tt_model.stablehlo.pretty import PRETTY_FORM

_REST = """
all_gather all_reduce all_slice all_to_all collective_permute data_flow_edge named_computation replicated_to_unreduced
reduce_scatter sharded_to_unreduced
"""


@dataclass(frozen=True, slots=True)
class MeshAxes:
    """The axes of a mesh of devices: names and extents. ``devices`` is their order, if it is not 0, 1, 2, ..."""

    axes: tuple[tuple[str, int], ...]
    devices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sharding:
    """The axes that cut each dimension of a tensor, the coarsest first.

    ``mesh`` is the mesh's name, or the mesh itself. ``odd`` describes a part of the sharding that is not supported
    here, such as parts of axes.
    """

    mesh: str | MeshAxes
    dims: tuple[tuple[str, ...], ...]
    odd: str = ""


def _mesh_axes(parser: AttrParser) -> MeshAxes:
    def axis() -> tuple[str, int]:
        name = parser.parse_str_literal()
        parser.parse_punctuation("=")
        return name, parser.parse_integer()

    with parser.in_angle_brackets():
        axes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, axis)
        devices: Sequence[int] = ()
        if parser.parse_optional_punctuation(",") is not None:
            parser.parse_keyword("device_ids")
            parser.parse_punctuation("=")
            devices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    return MeshAxes(tuple(axes), tuple(devices))


def _axis(parser: AttrParser, odd: list[str]) -> str:
    """Parse the name of an axis; a part of an axis, ``"x":(1)2``, is recorded in ``odd``."""
    name = parser.parse_str_literal()
    if parser.parse_optional_punctuation(":") is not None:
        parser.parse_punctuation("(")
        before = parser.parse_integer()
        parser.parse_punctuation(")")
        odd.append(f'a part of an axis, "{name}":({before}){parser.parse_integer()}')
    return name


def _axes(parser: AttrParser, odd: list[str]) -> tuple[str, ...]:
    """Parse ``{"x", "y", ?}p0`` and return the names.

    The marks for further axes and for priorities do not matter once a program's shardings are complete.
    """
    names: list[str] = []

    def one() -> None:
        if parser.parse_optional_punctuation("?") is None:
            names.append(_axis(parser, odd))

    parser.parse_comma_separated_list(parser.Delimiter.BRACES, one)
    parser.parse_optional_identifier()
    return tuple(names)


def _sharding(parser: AttrParser) -> Sharding:
    odd: list[str] = []
    with parser.in_angle_brackets():
        mesh: str | MeshAxes
        symbol = parser.parse_optional_symbol_name()
        if symbol is not None:
            mesh = symbol.data
        else:
            parser.parse_keyword("mesh")
            mesh = _mesh_axes(parser)
        parser.parse_punctuation(",")
        dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _axes(parser, odd))
        while parser.parse_optional_punctuation(",") is not None:
            word = parser.parse_identifier()
            parser.parse_punctuation("=")
            names = _axes(parser, odd)
            if word != "replicated":
                odd.append(f"{word} = {', '.join(names)}")
    return Sharding(mesh, tuple(dims), odd[0] if odd else "")


def _text(sharding: Sharding) -> str:
    mesh = f"@{sharding.mesh}" if isinstance(sharding.mesh, str) else f"mesh{_mesh_text(sharding.mesh)}"
    dims = ", ".join("{" + ", ".join(f'"{name}"' for name in names) + "}" for names in sharding.dims)
    return f"<{mesh}, [{dims}]>"


def _mesh_text(mesh: MeshAxes) -> str:
    axes = ", ".join(f'"{name}"={extent}' for name, extent in mesh.axes)
    devices = f", device_ids=[{', '.join(map(str, mesh.devices))}]" if mesh.devices else ""
    return f"<[{axes}]{devices}>"


@irdl_attr_definition
class MeshAttr(Data[MeshAxes]):
    """``#sdy.mesh<["x"=2, "y"=4]>``"""

    name = "sdy.mesh"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> MeshAxes:
        return _mesh_axes(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(_mesh_text(self.data))


@irdl_attr_definition
class ShardingAttr(Data[Sharding]):
    """``#sdy.sharding<@mesh, [{"x"}, {}]>``"""

    name = "sdy.sharding"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Sharding:
        return _sharding(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(_text(self.data))


@irdl_attr_definition
class ShardingsAttr(Data[tuple[Sharding, ...]]):
    """``#sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>``"""

    name = "sdy.sharding_per_value"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Sharding, ...]:
        with parser.in_angle_brackets():
            return tuple(
                parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _sharding(parser))
            )

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<[{', '.join(map(_text, self.data))}]>")


class _NamesAttr(Data[tuple[str, ...]], SpacedOpaqueSyntaxAttribute):
    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[str, ...]:
        return _axes(parser, [])

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string("{" + ", ".join(f'"{name}"' for name in self.data) + "}")


@irdl_attr_definition
class ManualAxesAttr(_NamesAttr):
    """``#sdy<manual_axes{"x", "y"}>``"""

    name = "sdy.manual_axes"


@irdl_attr_definition
class AxesAttr(_NamesAttr):
    """``#sdy<axis_ref_list{"x"}>``"""

    name = "sdy.axis_ref_list"


_MARKS = "propagation_barrier reshard sharding_constraint"


class SdyOperation(Operation):
    """An operation of Shardy, in the generic form."""

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> NoReturn:
        """Report an error, since only the generic form can be read."""
        parser.raise_error(f"'{cls.name}': {PRETTY_FORM}")


class SdyMesh(SdyOperation):
    """The mesh of a module, by its name."""

    name = "sdy.mesh"
    traits = traits_def()


class SdyManualComputation(SdyOperation):
    """The computation of one device on its parts of tensors."""

    name = "sdy.manual_computation"


class SdyReturn(SdyOperation):
    """Ends a region."""

    name = "sdy.return"
    traits = traits_def(Pure(), IsTerminator())


class SdyConstant(SdyOperation):
    """A constant that is not shared."""

    name = "sdy.constant"


class SdyShardingGroup(SdyOperation):
    """States that tensors are cut in the same way."""

    name = "sdy.sharding_group"


class SdyMark(SdyOperation):
    """States something about its operand, and returns it unchanged."""


@cache
def shardy() -> Dialect:
    """The dialect ``sdy``."""
    others = [
        type(f"Sdy{name.title().replace('_', '')}Op", (base,), {"name": f"sdy.{name}"})
        for base, names in ((SdyOperation, _REST), (SdyMark, _MARKS))
        for name in names.split()
    ]
    attributes: list[type[Attribute]] = [MeshAttr, ShardingAttr, ShardingsAttr, ManualAxesAttr, AxesAttr]
    return Dialect(
        "sdy", [SdyMesh, SdyManualComputation, SdyReturn, SdyConstant, SdyShardingGroup, *others], attributes
    )
