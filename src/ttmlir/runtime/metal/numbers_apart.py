"""Kernels that differ in numbers only are compiled once: a file has a kernel for every core that something is brought to.

Whole numbers in the text are replaced by words that a kernel is given when it runs; lines stay what they are. What has to be known
to the compiler (template arguments, constants, preprocessor lines) stays.
"""

from __future__ import annotations

import re

# What a word is in the text, and how kernels get it: without the cost of a load, as numbers in the text have none.
BINDINGS = (
    "#define TTM_WORD(number) (*(reinterpret_cast<const uint32_t *>(ttl_emu_arg_address(false, number))))\n"
    "#define TTM_NUMBER(number) (static_cast<int32_t>(TTM_WORD(number)))"
)
_NUMBER = re.compile(r"(?<![\w.'])(?:(0[xX][0-9a-fA-F]+)|([1-9]\d*|0))([uU]?)(?![\w.'])")
# Lines whose numbers the compiler has to know.
_FIXED = re.compile(
    r'^\s*#|\bconstexpr\b|\benum\b|\bcase\b|\busing\b|\btypedef\b|\bstatic_assert\b|\btemplate\b|["\']|\w\s*\[\d+\]\s*[;={]'
)
_TEMPLATE = re.compile(r"(?<=\w)<[^<>;()]*>(?=\s*\()")
_COMMENT = re.compile(r"//.*$|/\*.*?\*/", re.MULTILINE)
_LARGEST_INT = (1 << 31) - 1


def apart(source: str, most: int) -> tuple[str, tuple[int, ...]]:
    """A text without comments and numbers, and the numbers in their order.

    Texts that it does not understand stay as they are, and those with more numbers than a kernel can be given.
    """
    if "/*" in source or "\\\n" in source or 'R"' in source or "get_arg_val" in source or "TTM_" in source:
        return source, ()
    words: list[int] = []
    lines = [_line(line, words) for line in _COMMENT.sub("", source).split("\n")]
    return ("\n".join(lines), tuple(words)) if len(words) <= most else (source, ())


def _line(line: str, words: list[int]) -> str:
    line = line.rstrip()
    if _FIXED.search(line):
        return line
    fixed = [match.span() for match in _TEMPLATE.finditer(line)]

    def word(match: re.Match[str]) -> str:
        at = match.start()
        value = int(match[1] or match[2], 0)
        unsigned = bool(match[3]) or (match[1] is not None and value > _LARGEST_INT)
        if any(begin <= at < end for begin, end in fixed) or value > (
            (1 << 32) - 1 if unsigned else _LARGEST_INT
        ):
            return match[0]
        words.append(value)
        return f"{'TTM_WORD' if unsigned else 'TTM_NUMBER'}({len(words) - 1})"

    return _NUMBER.sub(word, line)
