"""Broken files of every kind: an error that names the field and its table, or values; never anything else.

``python tests/ttmlir/flatbuffer/test_broken.py 10000`` does it with so many of each.
"""

from __future__ import annotations

import struct
import sys
from typing import Any

import pytest

from support.broken_binaries import KINDS, broken
from support.flatbuffer_values import FullValues
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema

PATHS = ("Common/system_desc.fbs", "TTNN/binary.fbs", "TTMetal/binary.fbs")


def outcomes(path: str, kind: str, count: int) -> tuple[int, int]:
    """How many broken files are refused, and how many are not."""
    shape = schema(path)
    content = encode(shape, next(FullValues().files(shape)))
    refused = 0
    for copy in broken(content, kind, count):
        try:
            decode(shape, copy)
        except FlatbufferError as problem:
            refused += 1
            text = str(problem)
            assert "(a field of tt.target." in text or text.startswith(WHOLE) or "sizes of a" in text, text
    return refused, count - refused


# Errors of the file as a whole, and of its first table.
WHOLE = (
    "the file is cut off",
    "the identifier is",
    *(schema(path).root.name.rpartition(".")[2] for path in PATHS),
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_file_is_an_error_or_a_value(path: str, kind: str) -> None:
    refused, _ = outcomes(path, kind, 20)
    assert refused or kind == "bits"


def test_the_field_and_its_table_are_named() -> None:
    kind = schema("TTNN/binary.fbs")
    content = bytearray(
        encode(kind, {"programs": [{"name": "main", "inputs": [{"desc": {"shape": [7, 9]}}]}]})
    )
    at = content.index(b"\x02\0\0\0\x07\0\0\0\x09\0\0\0")
    content[at] = 200
    with pytest.raises(FlatbufferError) as problem:
        decode(kind, bytes(content))
    assert str(problem.value) == (
        "TTNNBinary.programs[0].inputs[0].desc.shape: 200 elements are beyond the end of the file "
        "(a field of tt.target.TensorDesc)"
    )


def test_lists_that_lie_over_each_other_are_bounded() -> None:
    """Hundreds of lists that each go to the end of the file: what is read stays a few times the file."""
    kind = schema("TTNN/binary.fbs")
    inputs: list[dict[str, Any]] = [{"desc": {"shape": [index, 7]}} for index in range(500)]
    content = bytearray(encode(kind, {"programs": [{"inputs": inputs}]}))
    for index in range(500):
        at = content.index(struct.pack("<Iii", 2, index, 7))
        struct.pack_into("<I", content, at, (len(content) - at - 4) // 4)
    with pytest.raises(
        FlatbufferError, match="the tables that the file refers to are larger than 4 times the file"
    ):
        decode(kind, bytes(content))


if __name__ == "__main__":
    for path in PATHS:
        for kind in KINDS:
            refused, read = outcomes(path, kind, int(sys.argv[1]))
            print(f"{path} {kind}: {refused} refused, {read} read", flush=True)
