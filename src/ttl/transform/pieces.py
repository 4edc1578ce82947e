"""The pieces of the text of a step: each parses itself into a draft, and prints itself from a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, IntegerAttr, StringAttr, UnitAttr
from xdsl.dialects.transform import AnyOpType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from ttl.ir.syntax import i64_array, ints_of

DYNAMIC = -(2**63)
"""Represents a size that is the value of a parameter."""


@dataclass(slots=True)
class Draft:
    """The parts of a step that were parsed."""

    operands: list[UnresolvedOperand] = field(default_factory=list)
    inputs: list[Attribute] = field(default_factory=list)
    outputs: list[Attribute] = field(default_factory=list)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)


class TextPiece:
    """One piece. ``SHOWS`` are the attributes that it prints."""

    SHOWS: ClassVar[tuple[str, ...]] = ()

    def shows(self) -> tuple[str, ...]:
        """The attributes that this piece prints, so that the attribute dictionary omits them."""
        return self.SHOWS

    def read(self, parser: Parser, draft: Draft) -> None:
        """Parse the piece."""
        raise NotImplementedError

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        """Print the piece; ``left`` are the operands that are not printed yet."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class WordPiece(TextPiece):
    """A keyword; with ``flag``, it is optional, and represents an attribute."""

    word: str
    flag: bool = False

    def shows(self) -> tuple[str, ...]:
        return (self.word,) if self.flag else ()

    def read(self, parser: Parser, draft: Draft) -> None:
        if not self.flag:
            parser.parse_keyword(self.word)
        elif parser.parse_optional_keyword(self.word):
            draft.attributes[self.word] = UnitAttr()

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        if not self.flag or self.word in step.attributes:
            printer.print_string(f" {self.word}")


@dataclass(frozen=True, slots=True)
class OperandsPiece(TextPiece):
    """Operands: any number, or at most ``most``."""

    most: int = 99
    parens: bool = False

    def read(self, parser: Parser, draft: Draft) -> None:
        if self.parens:
            parser.parse_punctuation("(")
        for _ in range(self.most):
            name = parser.parse_optional_unresolved_operand()
            if name is not None:
                draft.operands.append(name)
            if name is None or self.most == 1 or not parser.parse_optional_punctuation(","):
                break
        if self.parens:
            parser.parse_punctuation(")")

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        shown, left[:] = left[: self.most], left[self.most :]
        if shown or self.parens:
            printer.print_string(" (" if self.parens else " ")
            printer.print_list(shown, printer.print_ssa_value)
            printer.print_string(")" if self.parens else "")


@dataclass(frozen=True, slots=True)
class StringPiece(TextPiece):
    """A string attribute in quotes, after a comma if ``comma``; or a name with ``@`` if ``symbol``."""

    name: str
    comma: bool = False
    symbol: bool = False

    def shows(self) -> tuple[str, ...]:
        return (self.name,)

    def read(self, parser: Parser, draft: Draft) -> None:
        if self.comma:
            parser.parse_optional_punctuation(",")
        draft.attributes[self.name] = (
            parser.parse_symbol_name() if self.symbol else StringAttr(parser.parse_str_literal())
        )

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        printer.print_string(", " if self.comma else " ")
        text = step.attributes[self.name]
        assert isinstance(text, StringAttr)
        printer.print_string(f"@{text.data}") if self.symbol else printer.print_string_literal(text.data)


class ModePiece(TextPiece):
    """``failures(propagate)`` or ``failures(suppress)``."""

    SHOWS = ("failures",)

    def read(self, parser: Parser, draft: Draft) -> None:
        parser.parse_keyword("failures")
        with parser.in_parens():
            draft.attributes["failures"] = StringAttr(parser.parse_keyword_in(["propagate", "suppress"]))

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        mode = step.attributes["failures"]
        printer.print_string(f" failures({mode.data if isinstance(mode, StringAttr) else ''})")


class MatchPiece(TextPiece):
    """The pattern of a match: ``ops{["..."]} interface{...} attributes {...}``."""

    SHOWS = ("ops", "interface", "op_attrs")

    def read(self, parser: Parser, draft: Draft) -> None:
        if parser.parse_optional_keyword("ops"):
            with parser.in_braces():
                draft.attributes["ops"] = parser.parse_attribute()
        if parser.parse_optional_keyword("interface"):
            with parser.in_braces():
                draft.attributes["interface"] = StringAttr(parser.parse_identifier())
        if parser.parse_optional_keyword("attributes"):
            draft.attributes["op_attrs"] = DictionaryAttr(parser.parse_optional_attr_dict())

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        if (names := step.attributes.get("ops")) is not None:
            printer.print_string(" ops{")
            printer.print_attribute(names)
            printer.print_string("}")
        if isinstance(interface := step.attributes.get("interface"), StringAttr):
            printer.print_string(f" interface{{{interface.data}}}")
        if isinstance(wanted := step.attributes.get("op_attrs"), DictionaryAttr):
            printer.print_string(" attributes ")
            printer.print_attr_dict(dict(wanted.data))


@dataclass(frozen=True, slots=True)
class SizesPiece(TextPiece):
    """``tile_sizes [4, %size] interchange = [1, 0]``; the keyword ``tile_sizes`` may be omitted."""

    sign: str = ""

    def shows(self) -> tuple[str, ...]:
        return ("static_sizes", "interchange")

    def read(self, parser: Parser, draft: Draft) -> None:
        if parser.parse_optional_keyword("tile_sizes"):
            parser.parse_optional_punctuation("=")

        def size() -> int:
            name = parser.parse_optional_unresolved_operand()
            if name is None:
                return parser.parse_integer()
            draft.operands.append(name)
            return DYNAMIC

        sizes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, size)
        draft.attributes["static_sizes"] = i64_array(sizes)
        if parser.parse_optional_keyword("interchange"):
            parser.parse_punctuation("=")
            draft.attributes["interchange"] = _numbers_read(parser)

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        printer.print_string(f" tile_sizes {self.sign}[")
        printer.print_list(
            numbers_in(step, "static_sizes"),
            lambda size: (
                printer.print_ssa_value(left.pop(0)) if size == DYNAMIC else printer.print_string(str(size))
            ),
        )
        printer.print_string("]")
        if order := numbers_in(step, "interchange"):
            printer.print_string(f" interchange = [{', '.join(map(str, order))}]")


class PointPiece(TextPiece):
    """A number or a parameter."""

    SHOWS = ("static_split_point",)

    def read(self, parser: Parser, draft: Draft) -> None:
        point = parser.parse_optional_unresolved_operand()
        if point is None:
            draft.attributes["static_split_point"] = IntegerAttr(parser.parse_integer(), 64)
        else:
            draft.operands.append(point)

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        printer.print_string(" ")
        if left:
            printer.print_ssa_value(left.pop(0))
        elif isinstance(number := step.attributes["static_split_point"], IntegerAttr):
            printer.print_string(str(number.value.data))


class BoundsPiece(TextPiece):
    """``with [%i : !transform.any_op] within [0] and [20]``."""

    SHOWS = ("lower_bounds", "upper_bounds")

    def read(self, parser: Parser, draft: Draft) -> None:
        if not parser.parse_optional_keyword("with"):
            return
        parser.parse_punctuation("[")
        OperandsPiece().read(parser, draft)
        if parser.parse_optional_punctuation(":"):
            types_read(parser)  # all are handles to operations
        parser.parse_punctuation("]")
        for word, name in (("within", "lower_bounds"), ("and", "upper_bounds")):
            parser.parse_keyword(word)
            draft.attributes[name] = _numbers_read(parser)

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        if left:
            printer.print_string(" with [")
            printer.print_list(left, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([value.type for value in left], printer.print_attribute)
            lower, upper = (", ".join(map(str, numbers_in(step, name))) for name in self.SHOWS)
            printer.print_string(f"] within [{lower}] and [{upper}]")
            left.clear()


class ValuePiece(TextPiece):
    """``4 : i64``."""

    SHOWS = ("value",)

    def read(self, parser: Parser, draft: Draft) -> None:
        draft.attributes["value"] = parser.parse_attribute()

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        printer.print_string(" ")
        printer.print_attribute(step.attributes["value"])


@dataclass(frozen=True, slots=True)
class TypesPiece(TextPiece):
    """``: (operands) -> results``. ``form`` "operands": ``: operands``; "arrow": ``: operands -> results``, each part
    only if it is not empty; "results": ``-> results``; "cast": ``: operand to result``.

    ``gives`` is the number of resulting handles if no types are written; with ``alike``, the type of all results is
    written once.
    """

    form: str = "functional"
    gives: int = 0
    alike: bool = False
    each: bool = False
    """Whether the type of each operand is written, even if all are the same."""

    def read(self, parser: Parser, draft: Draft) -> None:
        count = len(draft.operands)
        draft.inputs, draft.outputs = [AnyOpType()] * count, [AnyOpType()] * self.gives
        if self.form != "results" and parser.parse_optional_punctuation(":"):
            if self.form == "functional":
                function = parser.parse_function_type()
                draft.inputs, draft.outputs = list(function.inputs), list(function.outputs)
                if self.alike and len(draft.outputs) == 1:
                    draft.outputs *= self.gives
            else:
                written = types_read(parser)
                draft.inputs = written * count if len(written) == 1 else written
                draft.outputs = written[:1] * self.gives
        if self.form == "cast":
            parser.parse_keyword("to")
            draft.outputs = types_read(parser)
        elif self.form in ("arrow", "results") and parser.parse_optional_punctuation("->"):
            draft.outputs = types_read(parser)

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        inputs, outputs = [value.type for value in step.operands], [value.type for value in step.results]
        if self.form == "functional":
            printer.print_string(" : ")
            once = self.alike and len(set(outputs)) == 1
            printer.print_function_type(inputs, outputs[:1] if once else outputs)
            return
        if inputs and self.form != "results":
            printer.print_string(" : ")
            once = self.form == "operands" and len(set(inputs)) == 1 and not self.each
            printer.print_list(inputs[:1] if once else inputs, printer.print_attribute)
        if outputs and self.form != "operands":
            printer.print_string(" to " if self.form == "cast" else " -> ")
            printer.print_list(outputs, printer.print_attribute)


@dataclass(frozen=True, slots=True)
class AttributesPiece(TextPiece):
    """The dictionary of the attributes that no other piece prints, after the word ``attributes`` if ``keyword``."""

    keyword: bool = False

    def read(self, parser: Parser, draft: Draft) -> None:
        if self.keyword:
            written = parser.parse_optional_attr_dict_with_keyword()
            draft.attributes |= {} if written is None else written.data
        else:
            draft.attributes |= parser.parse_optional_attr_dict()

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        text: Sequence[TextPiece] = getattr(step, "PIECES", ())
        hidden = {name for piece in text for name in piece.shows()}
        shown = {name: value for name, value in step.attributes.items() if name not in hidden}
        if shown and self.keyword:
            printer.print_op_attributes(shown, print_keyword=True)
        elif shown:
            printer.print_string(" ")
            printer.print_attr_dict(shown)


class RegionsPiece(TextPiece):
    """One region, or several with commas between them; each ends with a yield."""

    def read(self, parser: Parser, draft: Draft) -> None:
        draft.regions.append(parser.parse_region())
        while parser.parse_optional_punctuation(","):
            draft.regions.append(parser.parse_region())

    def write(self, printer: Printer, step: Operation, left: list[SSAValue]) -> None:
        printer.print_string(" ")
        printer.print_list(step.regions, printer.print_region)


def types_read(parser: Parser) -> list[Attribute]:
    """Parse ``!transform.any_op, !transform.any_op``."""
    return list(parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type))


def _numbers_read(parser: Parser) -> DenseArrayBase:
    return i64_array(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


def numbers_in(step: Operation, name: str) -> tuple[int, ...]:
    """The value of an attribute that is a list of integers; empty if there is no such attribute."""
    value = step.attributes.get(name)
    return ints_of(value) if isinstance(value, DenseArrayBase) else ()
