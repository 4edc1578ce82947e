"""Code that can be replayed: tables of the names, attributes and instructions that it may use.

Everything a launch can reach is of a kind listed in ``refusals`` (numbers, strings, containers, tensors, functions
whose code was read, objects of the language). So code is harmless when all its instructions, and all names and
attributes that it loads, are harmless: every function that it then calls, through however many variables, is of such a
kind.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

# Builtins that neither have effects nor look at anything but their arguments. Not ``getattr`` and the like: the
# attributes that code reads must be known. Not ``hash`` and ``id``: their results depend on addresses.
_PURE = (
    "abs", "all", "any", "ascii", "bin", "bool", "bytes", "callable", "chr", "complex", "dict", "divmod", "enumerate",
    "filter", "float", "format", "frozenset", "hex", "int", "isinstance", "iter", "len", "list", "map", "max", "min",
    "next", "oct", "ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple",
    "zip", "Ellipsis", "NotImplemented",
)  # fmt: skip

BUILTINS: Mapping[str, Any] = MappingProxyType(
    {name: getattr(builtins, name) for name in _PURE}
    | {
        name: value
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
)

# Modules whose functions are as pure as those builtins: compiled code, so there is nothing to read.
MODULES = frozenset({"math", "itertools", "_functools"})

# Attributes of the kinds of objects a launch can reach. None of them has an effect that outlives the launch,
# except the methods that change a container; that a captured one was not changed is checked after the launch.
ATTRIBUTES = frozenset(
    (
        # of the language: buffers, blocks, transfers, nets, pipes
        "reserve", "wait", "push", "pop", "store", "block_count", "add", "wait_all",
        "if_src", "if_dst", "is_src", "is_dst", "is_active", "src", "dst", "pipes",
        # tensors and shapes
        "shape", "padded_shape", "dtype", "layout", "get_dtype", "get_layout", "element_size", "volume",
        "logical_volume", "rank", "to_rank", "tile", "tile_shape", "unit", "element_bytes", "tile_bytes", "bits", "is_float",
        # enumerations, numbers, ranges and slices
        "name", "value", "real", "imag", "numerator", "denominator", "bit_length", "bit_count", "is_integer",
        "conjugate", "start", "stop", "step", "indices",
        # lists, tuples, dicts, sets
        "index", "count", "append", "extend", "insert", "remove", "clear", "reverse", "sort", "copy", "get", "items",
        "keys", "values", "setdefault", "update", "popitem", "discard", "union", "intersection", "difference",
        "symmetric_difference", "issubset", "issuperset", "isdisjoint", "intersection_update", "difference_update",
        "symmetric_difference_update",
        # strings; not ``format``, which reads attributes
        "join", "split", "rsplit", "splitlines", "strip", "lstrip", "rstrip", "upper", "lower", "title", "capitalize",
        "startswith", "endswith", "replace", "find", "rfind", "partition", "rpartition", "zfill", "ljust", "rjust",
        "center", "isdigit", "isalpha", "isalnum", "removeprefix", "removesuffix",
        # generators
        "send", "close",
    )
)  # fmt: skip

# Instructions of Python 3.11 to 3.13 that compute, move values on the stack, jump or call. Others (classes, imports,
# assignments to globals and attributes, coroutines) are refused.
INSTRUCTIONS = frozenset(
    (
        "CACHE", "NOP", "RESUME", "EXTENDED_ARG", "PRECALL", "KW_NAMES", "POP_TOP", "PUSH_NULL", "SWAP", "COPY", "END_FOR",
        "UNARY_POSITIVE", "UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "BINARY_OP", "BINARY_SUBSCR", "BINARY_SLICE",
        "COMPARE_OP", "CONTAINS_OP", "IS_OP", "TO_BOOL", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE",
        "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_LOAD_FAST", "STORE_FAST",
        "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST", "DELETE_FAST", "LOAD_GLOBAL", "LOAD_DEREF", "STORE_DEREF",
        "DELETE_DEREF", "LOAD_CLOSURE", "MAKE_CELL", "COPY_FREE_VARS", "LOAD_ATTR", "LOAD_METHOD",
        "BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_STRING", "BUILD_SLICE",
        "LIST_APPEND", "LIST_EXTEND", "LIST_TO_TUPLE", "SET_ADD", "SET_UPDATE", "MAP_ADD", "DICT_UPDATE", "DICT_MERGE",
        "UNPACK_SEQUENCE", "UNPACK_EX", "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE",
        "GET_ITER", "FOR_ITER", "GET_LEN", "MATCH_MAPPING", "MATCH_SEQUENCE", "MATCH_KEYS",
        "CALL", "CALL_KW", "CALL_FUNCTION_EX", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "RETURN_VALUE", "RETURN_CONST",
        "GET_YIELD_FROM_ITER", "RETURN_GENERATOR", "YIELD_VALUE", "SEND", "END_SEND", "CLEANUP_THROW",
        "BEFORE_WITH", "WITH_EXCEPT_START", "PUSH_EXC_INFO", "POP_EXCEPT", "CHECK_EXC_MATCH", "CHECK_EG_MATCH",
        "PREP_RERAISE_STAR", "RERAISE", "RAISE_VARARGS", "LOAD_ASSERTION_ERROR",
        "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP",
        "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE",
        "POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_TRUE",
        "POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE",
        "POP_JUMP_BACKWARD_IF_FALSE", "POP_JUMP_BACKWARD_IF_TRUE",
        "POP_JUMP_BACKWARD_IF_NONE", "POP_JUMP_BACKWARD_IF_NOT_NONE",
    )
)  # fmt: skip

# Of ``CALL_INTRINSIC_1`` and ``CALL_INTRINSIC_2``, which stand for many things.
INTRINSICS = frozenset(
    (
        "INTRINSIC_LIST_TO_TUPLE",
        "INTRINSIC_UNARY_POSITIVE",
        "INTRINSIC_STOPITERATION_ERROR",
        "INTRINSIC_PREP_RERAISE_STAR",
    )
)
