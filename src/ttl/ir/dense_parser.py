"""Reading ``dense<...>`` as MLIR does: the same texts are accepted, with the same meaning, and the others refused alike.

xDSL reads a hexadecimal number among floats as a value and not as bits; it lacks MLIR's packed truth values and
keeps all elements of a splat. This is the second module that uses its private interfaces."""

from __future__ import annotations

import re
from typing import Any

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.parser import Parser
from xdsl.utils.lexer import Span as TextSpan

from ttl.ir.dense import bytes_of_hex, dense, dense_of_bytes, number_of_bits

_HEX = re.compile(r"0x(?:[0-9A-Fa-f]{2})*")
_INDEX_LIMIT = 1 << 63


class DenseParser(Parser):
    """The parser of tables of elements."""

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> DenseIntOrFPElementsAttr:
        """Parse the text after ``dense``, and the type unless it is the argument ``type``."""
        self.parse_punctuation("<", " in dense attribute")
        literal = self._current_token.span
        text: str | None = None
        items: list[Any] = []
        shape = [0]
        if self._current_token.text != ">":
            text = self.parse_optional_str_literal()
            if text is None:
                items, shape = self._parse_tensor_literal()
        self.parse_punctuation(">", " in dense attribute")
        after = self._current_token.span
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._type_of_elements()
        try:
            if text is not None:
                return self._dense_of_hex(type, text, literal, after)
            if not items and 0 not in type.get_shape():
                self.raise_error(f"parsed zero elements, but type ('{type}') expected at least 1", after)
            if items and shape and shape != list(type.get_shape()):
                extents = ", ".join(map(str, shape)), ", ".join(map(str, type.get_shape()))
                self.raise_error(
                    f"inferred shape of elements literal ([{extents[0]}]) does not match type ([{extents[1]}])",
                    after,
                )
            return dense(type, [self._element(item, type.element_type) for item in items])
        except NotImplementedError:
            self.raise_error(f"elements of the type '{type.element_type}' are not supported", literal)

    def _type_of_elements(self) -> Any:
        type: Any = self.parse_type()
        shape = type.get_shape() if hasattr(type, "get_shape") else None
        element = getattr(type, "element_type", None)
        if shape is None and element is None:
            self.raise_error("elements literal must be a shaped type")
        if shape is None or any(extent < 0 for extent in shape):
            self.raise_error("elements literal type must have static shape")
        if not isinstance(element, AnyFloat | IntegerType | IndexType | ComplexType):
            self.raise_error(
                "expected a memref, vector or tensor type of integer, index, float or complex type"
            )
        return type

    def _dense_of_hex(
        self, type: Any, text: str, literal: TextSpan, after: TextSpan
    ) -> DenseIntOrFPElementsAttr:
        if _HEX.fullmatch(text) is None:
            self.raise_error("expected string containing hex digits starting with `0x`", literal)
        data = bytes_of_hex(type, text[2:])
        if data is None:
            self.raise_error(f"elements hex data size is invalid for provided type: '{type}'", after)
        return dense_of_bytes(type, data)

    def _element(self, item: Any, element: Any) -> Any:
        if isinstance(element, ComplexType):
            if not isinstance(item.value, tuple):
                self.raise_error(
                    f"expected a complex literal, '(real, imaginary)', for '{element}'", item.span
                )
            return tuple(self._number(part, item, element.element_type) for part in item.value)
        if isinstance(item.value, tuple):
            self.raise_error(f"expected a number for '{element}', but parsed a complex literal", item.span)
        if isinstance(element, AnyFloat):
            return self._float(item, element)
        return self._number(item.value, item, element)

    def _float(self, item: Any, element: Any) -> float:
        if isinstance(item.value, float):
            return _in_range(item.value, element)
        text = item.span.text
        digits = text.lstrip("- ")
        if not digits.startswith("0x"):
            self.raise_error("expected floating-point elements, but parsed integer")
        if digits != text:
            self.raise_error(
                "hexadecimal float literal should not have a leading minus", _unsigned(item.span)
            )
        number = number_of_bits(element, digits)
        if number is None:
            self.raise_error("hexadecimal float constant out of range for type", item.span)
        return number

    def _number(self, value: Any, item: Any, element: Any) -> Any:
        if isinstance(element, AnyFloat):
            return _in_range(float(value), element)
        if isinstance(value, float):
            self.raise_error("expected integer elements, but parsed floating-point", item.span)
        width = element.width.data if isinstance(element, IntegerType) else 64
        if isinstance(value, bool) and width != 1:
            self.raise_error("expected i1 type for 'true' or 'false' values", item.span)
        if isinstance(element, IndexType):
            fits = -_INDEX_LIMIT <= value < _INDEX_LIMIT
        else:
            if value < 0 and element.signedness.data is Signedness.UNSIGNED:
                self.raise_error(
                    "expected unsigned integer elements, but parsed negative value", _unsigned(item.span)
                )
            fits = element.normalized_value(int(value)) is not None
        if not fits:
            self.raise_error("integer constant out of range for type", _unsigned(item.span))
        return int(value)


def _in_range(value: float, element: Any) -> float:
    """Replace a number too large for its type by infinity, as MLIR does; ``struct`` refuses to pack it."""
    try:
        element.pack((value,))
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return value


def _unsigned(span: TextSpan) -> TextSpan:
    return TextSpan(span.start + span.text.startswith("-"), span.end, span.input)
