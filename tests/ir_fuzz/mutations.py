"""Ways to break the text of a module. Each takes a random generator, a text and a text of another module."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

# Tokens of MLIR: strings, names with their mark, words, numbers, arrows, single characters. Spaces stay between them.
TOKEN = re.compile(
    r'"[^"\n]*"|//[^\n]*|[%@#!^]?[A-Za-z_][\w$.]*|%\d+(?:#\d+)?|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?)?|->|::|\S|\s+'
)
NUMBER = re.compile(r"(?<![\w%#.])-?\d+(?:\.\d+)?(?![\w.])")
NUMBERS = (
    "-1", "0", "1", "7", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807",
    "9223372036854775808", "1" + "0" * 40, "1e400", "-0.0", "1.5", "0x7FC00000", "0xFFFFFFFFFFFFFFFFFF", "1_000", "?", "*",
)  # fmt: skip
WORDS = (
    "ttir", "ttnn", "tt", "ttkernel", "ttmetal", "ttcore", "func", "arith", "scf", "tensor", "memref", "affine", "builtin",
    "tosa", "stablehlo", "linalg", "ttl", "f32", "bf16", "f64", "i1", "i64", "si32", "ui8", "index", "none", "tile", "dram",
    "dense", "dense_resource", "array", "true", "false", "loc", "unit", "unknown", "affine_map", "vector", "strided",
    "xf32", "tensor.empty", "return", "module", "private", "callsite", "fused", "opaque", "complex", "tuple",
)  # fmt: skip
ODD = (
    "\x00", "\ufeff", "\u200b", "ä", "火", "🙂", "\u202e", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\\", "'", "`", "~", "$",
    "\ud7ff", "\U0010ffff", "\t", '"', "\\u0000",
)  # fmt: skip
BRACKETS = "()[]{}<>"

Mutation = Callable[[random.Random, str, str], str]


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def _place(choice: random.Random, tokens: list[str]) -> int:
    places = [place for place, token in enumerate(tokens) if not token.isspace()]
    return choice.choice(places or [0])


def delete_token(choice: random.Random, text: str, other: str) -> str:
    tokens = _tokens(text)
    del tokens[_place(choice, tokens)]
    return "".join(tokens)


def delete_span(choice: random.Random, text: str, other: str) -> str:
    tokens = _tokens(text)
    start = _place(choice, tokens)
    del tokens[start : start + choice.randint(1, 12)]
    return "".join(tokens)


def repeat_token(choice: random.Random, text: str, other: str) -> str:
    tokens = _tokens(text)
    place = _place(choice, tokens)
    tokens[place : place + 1] = [tokens[place]] * choice.choice((2, 2, 3, 50))
    return "".join(tokens)


def swap_tokens(choice: random.Random, text: str, other: str) -> str:
    tokens = _tokens(text)
    one, two = _place(choice, tokens), _place(choice, tokens)
    tokens[one], tokens[two] = tokens[two], tokens[one]
    return "".join(tokens)


def swap_neighbours(choice: random.Random, text: str, other: str) -> str:
    tokens = _tokens(text)
    place = _place(choice, tokens)
    after = next((near for near in range(place + 1, len(tokens)) if not tokens[near].isspace()), place)
    tokens[place], tokens[after] = tokens[after], tokens[place]
    return "".join(tokens)


def token_of_another(choice: random.Random, text: str, other: str) -> str:
    tokens, others = _tokens(text), _tokens(other)
    tokens[_place(choice, tokens)] = others[_place(choice, others)]
    return "".join(tokens)


def truncate(choice: random.Random, text: str, other: str) -> str:
    return text[: choice.randrange(len(text) + 1)]


def behead(choice: random.Random, text: str, other: str) -> str:
    return text[choice.randrange(len(text) + 1) :]


def delete_line(choice: random.Random, text: str, other: str) -> str:
    lines = text.splitlines(keepends=True)
    del lines[choice.randrange(len(lines))]
    return "".join(lines)


def move_line(choice: random.Random, text: str, other: str) -> str:
    lines = text.splitlines(keepends=True)
    line = lines.pop(choice.randrange(len(lines)))
    lines.insert(choice.randrange(len(lines) + 1), line)
    return "".join(lines)


def repeat_line(choice: random.Random, text: str, other: str) -> str:
    lines = text.splitlines(keepends=True)
    place = choice.randrange(len(lines))
    return "".join([*lines[: place + 1], *lines[place:]])


def line_of_another(choice: random.Random, text: str, other: str) -> str:
    lines = text.splitlines(keepends=True)
    lines.insert(choice.randrange(len(lines) + 1), choice.choice(other.splitlines(keepends=True)))
    return "".join(lines)


def splice(choice: random.Random, text: str, other: str) -> str:
    return text[: choice.randrange(len(text) + 1)] + other[choice.randrange(len(other) + 1) :]


def replace_number(choice: random.Random, text: str, other: str) -> str:
    matches = list(NUMBER.finditer(text))
    if not matches:
        return truncate(choice, text, other)
    match = choice.choice(matches)
    return text[: match.start()] + choice.choice(NUMBERS) + text[match.end() :]


def replace_extent(choice: random.Random, text: str, other: str) -> str:
    matches = list(re.finditer(r"\d+(?=x)", text))
    if not matches:
        return replace_number(choice, text, other)
    match = choice.choice(matches)
    return text[: match.start()] + choice.choice((*NUMBERS[:12], "?")) + text[match.end() :]


def replace_word(choice: random.Random, text: str, other: str) -> str:
    matches = list(re.finditer(r"[A-Za-z_]\w*", text))
    if not matches:
        return truncate(choice, text, other)
    match = choice.choice(matches)
    return text[: match.start()] + choice.choice(WORDS) + text[match.end() :]


def replace_all_words(choice: random.Random, text: str, other: str) -> str:
    word = choice.choice(re.findall(r"[A-Za-z_]\w*", text) or [text])
    return re.sub(rf"\b{re.escape(word)}\b", choice.choice(WORDS), text)


def odd_character(choice: random.Random, text: str, other: str) -> str:
    place = choice.randrange(len(text) + 1)
    return text[:place] + choice.choice(ODD) * choice.choice((1, 1, 5)) + text[place:]


def another_bracket(choice: random.Random, text: str, other: str) -> str:
    places = [place for place, character in enumerate(text) if character in BRACKETS]
    if not places:
        return truncate(choice, text, other)
    place = choice.choice(places)
    return text[:place] + choice.choice([*BRACKETS, ""]) + text[place + 1 :]


def deep_nesting(choice: random.Random, text: str, other: str) -> str:
    """Something within itself, where a line or a token is."""
    depth = choice.choice((20, 300, 5000))
    opening, closing = choice.choice(
        [
            ("[", "]"), ("(", ")"), ("{", "}"), ("<", ">"), ("tensor<2x", ">"), ("memref<", ">"), ("{a = ", "}"),
            ('"ttir.generic"() ({', "}) : () -> ()"), ("module {", "}"), ("loc(fused[", "])"), ("#tt.grid<", ">"),
            ("affine_map<(d0) -> (", ")>"), ("dense<[", "]>"), ("(d0 + ", ")"), ("tuple<", ">"), ("!tt.device<", ">"),
        ]
    )  # fmt: skip
    nested = (
        opening * depth
        + choice.choice(("", "1", "f32", "d0"))
        + closing * choice.choice((depth, depth - 1, 0))
    )
    if choice.random() < 0.5:
        tokens = _tokens(text)
        tokens[_place(choice, tokens)] = nested
        return "".join(tokens)
    lines = text.splitlines(keepends=True)
    lines.insert(choice.randrange(len(lines) + 1), nested + "\n")
    return "".join(lines)


MUTATIONS: tuple[Mutation, ...] = (
    delete_token, delete_span, repeat_token, swap_tokens, swap_neighbours, token_of_another, truncate, behead, delete_line,
    move_line, repeat_line, line_of_another, splice, replace_number, replace_number, replace_extent, replace_word,
    replace_word, replace_all_words, odd_character, another_bracket, deep_nesting,
)  # fmt: skip


def mutated(choice: random.Random, text: str, other: str) -> tuple[str, list[str]]:
    """A broken text, and what was done to it."""
    done = []
    for _ in range(choice.choice((1, 1, 1, 2, 3))):
        mutation = choice.choice(MUTATIONS)
        if text.strip():
            text = mutation(choice, text, other)
            done.append(mutation.__name__)
    return text, done
