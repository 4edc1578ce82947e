"""The parser: xDSL's, extended by the place of everything in the text.

Every operation gets the place of its name in the text, unless the text gives a location. Ranges, aliases of locations that are
defined further down and metadata of fused locations are understood; an error of a verifier or a constructor has a position. All
uses of xDSL's private interfaces are in this module and in ``dense_parser``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FileLineColLoc,
    FunctionType,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineMap
from xdsl.parser import ParserState, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, PyRDLError, VerifyException
from xdsl.utils.lexer import Input
from xdsl.utils.lexer import Span as TextSpan
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind

from ttl.ir.affine import MapParser
from ttl.ir.context import ToolContext
from ttl.ir.dense_parser import DenseParser
from ttl.ir.locations import (
    NAMED_PLACES,
    CallLoc,
    FileRangeLoc,
    as_location,
    give_name,
    is_location,
    without_range,
)
from ttl.ir.reports import InvalidIR, Report
from ttl.ir.unfolding import Unfolding
from ttl.ir.wording import of_text, unregistered_operation
from ttl.session.patience import LimitReached
from ttl.source.spans import Span

AttributeT = TypeVar("AttributeT", bound=Attribute)
ResultT = TypeVar("ResultT")

_LOCATION_ALIAS = re.compile(r"^(#[\w$.-]+)\s*=\s*loc\(", re.MULTILINE)
_INTEGER_TYPE = re.compile(r"[su]?i(\d+)")
# Longer texts are constants, which occur only once.
_LONGEST_REMEMBERED = 8192
# Descriptions of systems are equal in all texts, and take longer to parse than the rest of a small text.
_LONGEST_DEFINITION = 1 << 16
_MOST_DEFINITIONS = 1000
_DEFINITION = re.compile(r"\s*=\s*#(([A-Za-z_]\w*)\.[\w.]+)<")
# Uses of other aliases, and locations.
_DEPENDS = re.compile(r"[#!][\w$-]+(?![\w$.<-])|\bloc\(")
_BRACKET = re.compile(r"->|[<>\"]|//")
# The exceptions that constructors and verifiers of operations and attributes raise about arguments.
_REFUSALS = (
    VerifyException,
    PyRDLError,
    ValueError,
    TypeError,
    AssertionError,
    IndexError,
    KeyError,
    OverflowError,
    AttributeError,
)


class _Lexer(MLIRLexer):
    """xDSL's lexer, except for unterminated strings, for which xDSL takes time exponential in the text after them."""

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        try:
            return super()._lex_string_literal(start_pos)
        except ParseError as problem:
            raise ParseError(problem.span, "expected '\"' in string literal") from None


class LocationParser(DenseParser):
    """Parses one text. ``name`` is the file in locations and errors. Use ``parse_text``."""

    def __init__(
        self, context: ToolContext, text: str, name: str = "<string>", *, first_line: int = 1
    ) -> None:
        super().__init__(context, "", name)
        self._parser_state = ParserState(_Lexer(Input(text, name)))
        self._context = context
        self._name = name
        self._first_line = first_line
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._operation_starts: list[int] = []
        self._text = text
        # The result for each text that was parsed, and the number of parts that its aliases unfold to.
        self._types: dict[str, tuple[Any, int]] = {}
        self._function_types: dict[str, tuple[FunctionType, int]] = {}
        self._unfolding = Unfolding(len(text))
        # The positions at which undefined names were first used.
        self._first_uses: dict[str, int] = {}
        self._last: Operation | None = None
        # The position after the latest location in the text.
        self._location_end = -1
        # The positions after definitions that were parsed early, at their first use, by the position of the location.
        self._after_definitions: dict[int, int] = {}
        self._location_aliases = {match[1]: match.end() - 4 for match in _LOCATION_ALIAS.finditer(text)}

    def parse(self) -> ModuleOp:
        """Parse the whole text as a module. Raises ``InvalidIR``."""
        NAMED_PLACES.set({})
        try:
            module = self.parse_module()
        except ParseError as problem:
            if (
                self._current_token.kind == MLIRTokenKind.EOF
                and self._last is None
                and not self._operation_starts
            ):
                return self._empty(problem)
            undefined = self.forward_ssa_references and problem.msg.startswith("values used")
            report = self._undefined() if undefined else self._report(problem)
            raise InvalidIR(report) from problem
        except LimitReached as problem:
            raise InvalidIR(Report(message=str(problem), span=self._span(self.pos, self.pos))) from None
        except RecursionError as problem:
            raise InvalidIR(
                Report(message="the text is nested too deeply", span=self._span(self.pos, self.pos))
            ) from problem
        if module is not self._last:  # the module is not in the text
            module.location = self._nowhere()
        return module

    def _report(self, problem: ParseError) -> Report:
        span: Any = problem.span
        at = self.lexer.input.content[span.start : span.end]
        return Report(message=of_text(_message(problem), at), span=self._span(span.start, span.end))

    def _empty(self, problem: ParseError) -> ModuleOp:
        """Return an empty module for a text without operations, as MLIR does. Raises ``InvalidIR`` for other texts."""
        if not problem.msg.startswith("Could not parse entire input"):
            raise InvalidIR(self._report(problem)) from problem
        module = ModuleOp([])
        module.location = self._nowhere()
        return module

    def _undefined(self) -> Report:
        """Report names without a definition, at their first uses."""
        names = sorted(self.forward_ssa_references, key=lambda name: self._first_uses.get(name, 0))
        first, *others = (
            Report(
                message=f"use of undeclared SSA value name %{name}",
                severity="error" if index == 0 else "note",
                span=self._span(start, start + len(name) + 1),
            )
            for index, name in enumerate(names)
            for start in [self._first_uses.get(name, self.pos)]
        )
        return replace(first, notes=tuple(others))

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeT) -> SSAValue[AttributeT]:
        if operand.operand_name not in self.ssa_values:
            self._first_uses.setdefault(operand.operand_name, operand.span.start)
        return super().resolve_operand(operand, type)

    def _span(self, start: int, end: int) -> Span:
        line = bisect_right(self._line_starts, start)
        last = bisect_right(self._line_starts, max(start, end))
        return Span(
            file=self._name,
            line=line + self._first_line - 1,
            column=start - self._line_starts[line - 1] + 1,
            end_line=last + self._first_line - 1,
            end_column=max(start, end) - self._line_starts[last - 1] + 1,
        )

    def _nowhere(self) -> LocationAttr:
        return nowhere_in(self._name)

    def _place(self, position: int) -> LocationAttr:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(StringAttr(self._name), IntAttr(line + self._first_line - 1), IntAttr(column))

    # Positions of operations.

    def _parse_op_result_list(self) -> list[tuple[TextSpan, int]]:
        results = super()._parse_op_result_list()
        self._operation_starts.append(self._current_token.span.start)
        return results

    def parse_operation(self) -> Operation:
        depth = len(self._operation_starts)
        aliases_of_dialect = len(self._parser_state.dialect_stack)
        try:
            op = super().parse_operation()
        except _REFUSALS as problem:
            del self._parser_state.dialect_stack[aliases_of_dialect:]
            start = self._operation_starts[depth] if len(self._operation_starts) > depth else self.pos
            self.raise_error(_text_of(problem), start, start + 1)
        start = self._operation_starts[depth]
        del self._operation_starts[depth:]
        if isinstance(op.location, UnknownLoc) and self._location_end != self._current_token.span.start:
            op.location = self._place(start)
        elif not isinstance(op.location, FileLineColLoc):
            give_name(op.location, self._span(start, start + 1))
        self._last = op
        if isinstance(op, FuncOp) and not op.regions[0].blocks and self._text[start] != '"':
            self._keep_attributes_of_arguments(op, start)
        return op

    def _keep_attributes_of_arguments(self, declaration: Operation, start: int) -> None:
        """Keep the attributes of arguments of a function without a body, which xDSL parses and drops."""
        here, location_end = self._current_token.span.start, self._location_end
        self._resume_from(start)
        self._consume_token()
        self.parse_optional_visibility_keyword()
        self.parse_symbol_name()
        attributes = self.parse_comma_separated_list(self.Delimiter.PAREN, self._attributes_of_argument)
        if any(entries.data for entries in attributes):
            declaration.properties["arg_attrs"] = ArrayAttr(attributes)
        self._resume_from(here)
        self._location_end = location_end

    def _attributes_of_argument(self) -> DictionaryAttr:
        if self.parse_optional_argument() is None:
            self.parse_type()
        attributes = self.parse_optional_dictionary_attr_dict()
        self.parse_optional_location()
        return DictionaryAttr(attributes)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        dialect = name.partition(".")[0]
        operation = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if operation is None or (operation.name != name and dialect in self._context.complete):
            near = get_close_matches(name, self._context.operation_names(), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            start = self._operation_starts[-1]
            quoted = self.lexer.input.content[start : start + 1] == '"'
            words = unregistered_operation(name, dialect in self._context.complete, quoted)
            self.raise_error(f"{words}{hint}", start, start + len(name))
        return operation

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: TextSpan) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            if (
                isinstance(value, BlockArgument)
                and isinstance(value.location, UnknownLoc)
                and self._location_end != self._current_token.span.start
            ):
                value.location = self._place(span.start)

    # Locations.

    def parse_optional_location(self) -> LocationAttr | None:
        location = super().parse_optional_location()
        if location is not None:
            self._location_end = self._current_token.span.start
        return location

    def _parse_location(self) -> LocationAttr:
        token = self._current_token
        if token.kind == MLIRTokenKind.HASH_IDENT:
            self._define_location_alias(token.text)
            alias = self.parse_attribute()
            if not is_location(alias):
                self.raise_error(f"{token.text} is not a location", token.span)
            return as_location(alias)
        if token.kind == MLIRTokenKind.BARE_IDENT and token.text == "callsite":
            self._consume_token()
            with self.in_parens():
                callee = self._parse_location()
                self.parse_keyword("at")
                return as_location(CallLoc((callee, self._parse_location())))
        if token.kind == MLIRTokenKind.BARE_IDENT and token.text == "fused":
            return self._parse_fused()
        if token.kind == MLIRTokenKind.STRING_LIT:
            return self._parse_place()
        return super()._parse_location()

    def _define_location_alias(self, alias: str) -> None:
        if alias in self.attribute_aliases or alias not in self._location_aliases:
            return
        here = self._current_token.span.start
        self._resume_from(self._location_aliases[alias])
        location = self.parse_optional_location()
        if location is not None:
            self._unfolding.define(alias, location)
            self.attribute_aliases[alias] = location
            self._after_definitions[self._location_aliases[alias]] = self._current_token.span.start
        self._resume_from(here)

    def _parse_fused(self) -> LocationAttr:
        self._consume_token()
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<"):
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(ArrayAttr(map(without_range, parts)), metadata)

    def _parse_place(self) -> LocationAttr:
        name = self.parse_str_literal()
        if self.parse_optional_punctuation(":") is None:
            inner: Attribute = NoneAttr()
            if self.parse_optional_punctuation("("):
                inner = without_range(self._parse_location())
                self.parse_punctuation(")")
            return NameLoc(StringAttr(name), inner)
        line = self.parse_integer(False, False)
        self.parse_punctuation(":")
        column = self.parse_integer(False, False)
        if self.parse_optional_keyword("to") is None:
            return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))
        end_line = self.parse_optional_integer(False, False)
        self.parse_punctuation(":")
        end_column = self.parse_integer(False, False)
        span = Span(
            file=name,
            line=line,
            column=column,
            end_line=line if end_line is None else end_line,
            end_column=end_column,
        )
        return as_location(FileRangeLoc(span))

    def _parse_alias_def(self) -> None:
        name = self._current_token.text
        if name in self._location_aliases:
            defined = self._location_aliases[name]
            if not self._text[self._current_token.span.end : defined].strip(" =") and (
                defined in self._after_definitions
            ):
                self._resume_from(self._after_definitions[defined])
                return
            # It may have been parsed already, at an earlier use.
            self.attribute_aliases.pop(name, None)
        start = self._current_token.span.start
        self._read_definition(name)
        try:
            self._unfolding.define(name, self.attribute_aliases[name])
        except LimitReached as problem:
            self.raise_error(str(problem), start, start + len(name))

    def _read_definition(self, name: str) -> None:
        """Parse the definition of an alias.

        A definition on a line of its own that uses no other alias is cached in the process.
        """
        start = self._current_token.span.end
        end = self._text.find("\n", start)
        written = self._text[start : end if end >= 0 else len(self._text)].rstrip()
        kind = self._kind_of_definition(written)
        known = _definitions().get((kind, written)) if kind is not None else None
        if known is not None and name not in self.attribute_aliases:
            self.attribute_aliases[name] = known
            self._resume_from(start + len(written))
            return
        super()._parse_alias_def()  # type: ignore[no-untyped-call]
        behind = self._text[start + len(written) : self._current_token.span.start]
        goes_on = bool(behind.strip()) or self._current_token.span.start < start + len(written)
        if kind is not None and not goes_on and len(_definitions()) < _MOST_DEFINITIONS:
            _definitions()[kind, written] = self.attribute_aliases[name]

    def _kind_of_definition(self, written: str) -> type[Attribute] | None:
        """Return the class of a defined attribute of the tool's dialects that depends only on its text."""
        head = _DEFINITION.match(written)
        if head is None or head[2] not in self._context.complete or len(written) > _LONGEST_DEFINITION:
            return None
        return None if _DEPENDS.search(written, head.end()) else self.ctx.get_optional_attr(head[1])

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool) -> Any:
        value = super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)  # type: ignore[call-overload]
        alias = self.attribute_aliases.get(f"{'!' if is_type else '#'}{attr_or_dialect_name}")
        if alias is not None and alias is value:
            self._unfolding.use(alias)
        return value

    # Types. The same ones occur in a text thousands of times, and parsing is slow.

    def parse_optional_type(self) -> TypeAttribute | None:
        token = self._current_token
        if token.kind not in (MLIRTokenKind.EXCLAMATION_IDENT, MLIRTokenKind.BARE_IDENT):
            return super().parse_optional_type()
        return self.remembered(token.text, token.span.end, super().parse_optional_type)

    def parse_shape_dimension(self, allow_dynamic: bool = True) -> int:
        token = self._current_token.span
        extent = super().parse_shape_dimension(allow_dynamic)
        if extent >= 1 << 63:
            self.raise_error("invalid dimension", token)
        return extent

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        token = self._current_token
        width = _INTEGER_TYPE.fullmatch(token.text)
        # MLIR has this limit; without it, checking the type would compute numbers of that many bits.
        if width is not None and (len(width[1]) > 8 or int(width[1]) >= 1 << 24):
            self.raise_error("integer bitwidth is limited to 16777215 bits", token.span)
        return super()._parse_optional_integer_or_float_type()

    def at(self, mark: str) -> bool:
        """Whether the next token is ``mark``."""
        return self._current_token.text == mark

    def short_type(self, name: str, parse: Callable[[], AttributeT]) -> AttributeT:
        """Parse the parameters of the type called ``name``, whose name is omitted in the text."""
        return self.remembered(f"!{name}", self._current_token.span.start, parse)

    def remembered(self, name: str, start: int, parse: Callable[[], ResultT]) -> ResultT:
        """Return the result of ``parse`` for a name with parameters at ``start``.

        A text in brackets of at most ``_LONGEST_REMEMBERED`` characters is parsed only once.
        """
        text = self._text
        end = _end_of_brackets(text, start)
        if end is None or end - start > _LONGEST_REMEMBERED:
            return parse()
        key = name + text[start:end]
        known = self._types.get(key)
        if known is not None:
            self._resume_from(end)
            self._unfolding.repeat(known[1])
            again: ResultT = known[0]
            return again
        before = self._unfolding.used
        result = parse()
        if self._current_token.span.start >= end:
            self._types[key] = (result, self._unfolding.used - before)
        return result

    def parse_list(
        self, delimiter: Any, parse: Callable[[], Any], separator: str = ",", context_msg: str = ""
    ) -> list[Any]:
        return super().parse_list(delimiter, parse, separator, context_msg or self._what_it_is(parse))

    def parse_optional_comma_separated_list(
        self, delimiter: Any, parse: Callable[[], Any], context_msg: str = ""
    ) -> list[Any] | None:
        what = context_msg or self._what_it_is(parse)
        return super().parse_optional_comma_separated_list(delimiter, parse, what)

    def _what_it_is(self, parse: Callable[[], Any]) -> str:
        """Return the description of a list for messages about its end, according to its entries."""
        return " in attribute dictionary" if parse == self._parse_attribute_entry else ""

    def parse_optional_properties_dict(self) -> dict[str, Attribute]:
        token = self._current_token
        if token.kind != MLIRTokenKind.LESS:
            return {}
        parse = super().parse_optional_properties_dict
        return dict(self.remembered("", token.span.start, parse))

    def parse_function_type(self) -> FunctionType:
        """Parse a function type, once for each text that ends at the end of the line, or before a location."""
        start = self._current_token.span.start
        end = self._text.find("\n", start)
        rest = self._text[start : end if end >= 0 else len(self._text)]
        if len(rest) > _LONGEST_REMEMBERED:
            return super().parse_function_type()
        written = rest.partition(" loc(")[0].rstrip()
        known = self._function_types.get(written)
        if known is not None:
            self._resume_from(start + len(written))
            self._unfolding.repeat(known[1])
            return known[0]
        before = self._unfolding.used
        type = super().parse_function_type()
        # The type must not continue in the next line.
        if not self._text[start + len(written) : self._current_token.span.start].strip():
            self._function_types[written] = (type, self._unfolding.used - before)
        return type

    # Affine maps, also those with products and quotients of symbols.

    def parse_affine_map(self) -> AffineMap:
        return MapParser(self._parser_state).parse_affine_map()

    # Attributes that are refused.

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase | None:
        start = self.pos
        try:
            return super()._parse_builtin_densearray_attr()
        except NotImplementedError:  # a width that arrays cannot have
            self.raise_error(
                "the element type of an array must be i1, i8, i16, i32, i64, f32 or f64", start, start + 1
            )

    def _parse_dialect_type_or_attribute_body(self, *arguments: Any, **named: Any) -> Any:
        start = self.pos
        try:
            return super()._parse_dialect_type_or_attribute_body(*arguments, **named)
        except _REFUSALS as problem:
            self.raise_error(_text_of(problem), start, start + 1)


@cache
def _definitions() -> dict[tuple[type[Attribute], str], Attribute]:
    """The cached attributes behind aliases, by class and text of the definition."""
    return {}


def _end_of_brackets(text: str, start: int) -> int | None:
    """Return the position after the bracket that closes the one at ``start``, or None."""
    if not text.startswith("<", start):
        return None
    depth = 0
    for mark in _BRACKET.finditer(text, start):
        match mark[0]:
            case "<":
                depth += 1
            case ">":
                depth -= 1
                if depth == 0:
                    return mark.end()
            case "->":
                continue
            case _:  # a string or a comment: give up
                return None
    return None


def nowhere_in(name: str) -> LocationAttr:
    """Return the location of things around a whole text, such as a module that is not in it, in MLIR's form."""
    return FileLineColLoc(StringAttr(name), IntAttr(0), IntAttr(0))


def parse_text(context: ToolContext, text: str, name: str = "<string>", *, first_line: int = 1) -> ModuleOp:
    """Parse a text as a module. ``first_line`` is the number of its first line in the file. Raises ``InvalidIR``."""
    try:
        parser = LocationParser(context, text, name, first_line=first_line)
    except ParseError as problem:  # an error in the first token, which is read immediately
        line = first_line + text.count("\n", 0, problem.span.start)
        column = problem.span.start - text.rfind("\n", 0, problem.span.start)
        place = Span(file=name, line=line, column=column)
        raise InvalidIR(Report(message=_message(problem), span=place)) from problem
    return parser.parse()


def _message(problem: ParseError) -> str:
    # xDSL leaves this placeholder in the message.
    message = problem.msg.replace("{first_char}", repr(problem.span.text[:1])).strip().rstrip("!.")
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def _text_of(problem: Exception) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else f"{type(problem).__name__} while reading this"
