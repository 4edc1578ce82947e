"""The numbers of a kernel separated from its text, so that kernels that differ in nothing else are compiled once.

The configurations of an operation, and calls with other shapes, give kernels with the same statements: only bounds of
loops, numbers of pages and addresses differ. Here every whole number in a statement becomes a call of
``ttl_emu_number``, which the runtime answers for the kernel that runs. Numbers that C++ must know while it compiles
stay: constants, template arguments, extents of arrays. Lines stay where they are; comments are removed. It is meant for
the output of ``ttl.codegen``.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<as_is>
          "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
        | ^[ \t]*\#(?:\\\n|[^\n])*
        | \b(?:constexpr|static_assert|enum|using)\b[^;]*;
        | \bcase\b[^:\n]*:
        | \b[A-Za-z_]\w*<[^<>;{}]*(?:<[^<>;{}]*>[^<>;{}]*)*>
        | \[\s*\w*\s*\]
      )
    | (?<![\w.])(?P<number>0[xX][0-9a-fA-F]+|[0-9]+)(?P<unsigned>[uU]?)(?![\w.])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_LARGEST_INT, _LARGEST_WORD = 0x7FFFFFFF, 0xFFFFFFFF


def apart(source: str) -> tuple[str, tuple[int, ...]]:
    """The source with calls in place of its numbers, and the numbers in order.

    A call has the type of the literal that it replaces, ``int`` or ``uint32_t`` (C++20, section 5.13.2); literals of
    other types stay.
    """
    numbers: list[int] = []

    def replaced(match: re.Match[str]) -> str:
        if (comment := match["comment"]) is not None:
            return "\n" * comment.count("\n")
        if match["as_is"] is not None:
            return match[0]
        text = match["number"]
        if text[0] == "0" and text[1:].isdigit():  # octal
            return match[0]
        number = int(text, 0)
        is_hexadecimal = text[:2] in ("0x", "0X")
        is_word = bool(match["unsigned"]) or (is_hexadecimal and number > _LARGEST_INT)
        if number > (_LARGEST_WORD if is_word else _LARGEST_INT):
            return match[0]
        numbers.append(number)
        return f"{'ttl_emu_word' if is_word else 'ttl_emu_number'}({len(numbers) - 1})"

    return _TOKEN.sub(replaced, source), tuple(numbers)
