"""The parser of schemas, with those of TT-MLIR and small ones."""

from __future__ import annotations

import pytest

from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import (
    Enumeration,
    Struct,
    Table,
    Union,
    Vector,
    read_schema,
    schema,
    schema_hash,
)


def one(text: str) -> Table:
    """The root of a schema of one file."""
    return read_schema("a.fbs", {"a.fbs": text}).root


def test_the_files_of_tt_mlir() -> None:
    kinds = {
        "Common/system_desc.fbs": ("TTSY", "ttsys"),
        "TTNN/binary.fbs": ("TTNN", "ttnn"),
        "TTMetal/binary.fbs": ("TTM0", "ttm"),
    }
    for path, kind in kinds.items():
        assert (schema(path).identifier, schema(path).extension) == kind


def test_a_name_is_looked_up_from_the_inner_namespace_outwards() -> None:
    program = schema("TTMetal/binary.fbs").root.fields[3].type
    assert isinstance(program, Vector)
    assert isinstance(program.element, Table)
    assert program.element.name == "tt.target.metal.Program"
    assert [field.name for field in program.element.fields][3] == "device_programs"
    system_desc = schema("TTMetal/binary.fbs").root.fields[2].type
    assert isinstance(system_desc, Table)
    assert system_desc.name == "tt.target.SystemDesc"


def test_structs_are_aligned() -> None:
    root = one(
        """
        struct Inner { a: ubyte; b: ulong; }  // 7 bytes of padding between them
        struct Outer { a: ushort; inner: Inner; c: int8; }
        table T { s: Outer; }
        root_type T;
        """
    )
    outer = root.fields[0].type
    assert isinstance(outer, Struct)
    assert (outer.size, outer.alignment) == (32, 8)
    assert [field.slot for field in outer.fields] == [0, 8, 24]


def test_a_union_takes_two_slots() -> None:
    root = one("table A {} union U { A } table T { x: int; u: U; v: [U]; y: int; } root_type T;")
    assert [(field.name, field.slot) for field in root.fields] == [("x", 0), ("u", 2), ("v", 4), ("y", 5)]
    assert root.slots == 6
    union = root.fields[1].type
    assert isinstance(union, Union)
    assert union.words == ("NONE", "A")


def test_defaults_and_flags() -> None:
    root = one(
        """
        enum E: ushort { a, b = 4, c }
        enum F: uint (bit_flags) { x, y = 2 }
        table T { e: E = b; f: F; n: int = -3; o: E = null; q: float = 1.5; t: bool = true; h: int = 0x10; }
        root_type T;
        """
    )
    assert [field.default for field in root.fields] == [4, 0, -3, None, 1.5, True, 16]
    kind, flags = root.fields[0].type, root.fields[1].type
    assert isinstance(kind, Enumeration)
    assert isinstance(flags, Enumeration)
    assert kind.members == (("a", 0), ("b", 4), ("c", 5))
    assert flags.members == (("x", 1), ("y", 4))
    assert [flags.word(number) for number in (0, 1, 5, 8)] == [0, "x", "x y", 8]
    assert flags.number("y x") == 5
    assert kind.word(3) == 3
    with pytest.raises(ValueError, match="E has no d; there are a, b, c"):
        kind.number("d")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("table T { a: B; } root_type T;", "there is no type B in the schema"),
        ("table T { a: int }", "expected ;, not }"),
        ("table T {", "the text ends too early"),
        ("tabel T {}", "expected a declaration, not tabel"),
        ("table T {}\n\n%", "a.fbs:3: unexpected character '%'"),
        (
            "struct S { a: string; } table T { s: S; } root_type T;",
            "S: members of structs must be numbers or structs",
        ),
        ("struct S { a: int; } root_type S;", "the root type is not a table"),
        ("enum E: string { a } table T {} root_type T;", "E: string is not a type of numbers"),
        ("struct S { a: int; } union U { S } table T {} root_type T;", "U: members of unions must be tables"),
        ('include "b.fbs"; table T {} root_type T;', "there is no schema b.fbs"),
    ],
)
def test_wrong_schemas(text: str, message: str) -> None:
    with pytest.raises(FlatbufferError) as problem:
        one(text)
    assert message in str(problem.value)


def test_the_hash_of_a_format_changes_with_the_format_alone() -> None:
    """A number here changes: files of before are read no more, or not by others. That is no small change."""
    kinds = ("Common/system_desc.fbs", "TTNN/binary.fbs", "TTMetal/binary.fbs")
    assert {path: schema_hash(path)[:12] for path in kinds} == {
        "Common/system_desc.fbs": "6d6454835581",
        "TTNN/binary.fbs": "3af9dc90fb0d",
        "TTMetal/binary.fbs": "d77cd0b8dd79",
    }
