"""Values into bytes and back; agreement with ``flatc``, Debian's ``flatbuffers-compiler``; broken bytes."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tt_model.flatbuffer.decode import decode, identifier_of
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import (
    Enumeration,
    FieldType,
    Scalar,
    Schema,
    Struct,
    Table,
    Text,
    Union,
    Vector,
    schema,
)

SCHEMAS = Path(str(files("tt_model.flatbuffer").joinpath("schemas")))
PATHS = ("Common/system_desc.fbs", "TTNN/binary.fbs", "TTMetal/binary.fbs")
FLATC = shutil.which("flatc")


def values(type_: FieldType, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of a type as ``decode`` gives them, so nothing that is a default is left out."""
    match type_:
        case Scalar(format="?"):
            return st.booleans()
        case Scalar(format="f" | "d"):
            return st.floats(width=32, allow_nan=False, allow_infinity=False)
        case Scalar(format=letter):
            bits = 8 * type_.size
            low, high = (0, 2**bits - 1) if letter.isupper() else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            return st.integers(low, high)
        case Enumeration(flags=True):
            return st.sampled_from([type_.members[0][0], " ".join(name for name, _ in type_.members)])
        case Enumeration():
            return st.sampled_from([name for name, _ in type_.members])
        case Text():
            return st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
        case Struct():
            return st.fixed_dictionaries({field.name: values(field.type) for field in type_.fields})
        case Vector():
            return st.lists(values(type_.element, depth + 1), max_size=2)
        case Table():
            return tables(type_, depth)
    raise AssertionError(type_)


@st.composite
def tables(draw: st.DrawFn, table: Table, depth: int = 0) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for field in table.fields:
        kind = field.type
        is_number = isinstance(kind, Scalar | Enumeration)
        absent = (not is_number or field.default is None) and (depth > 7 or draw(st.integers(0, 3)) == 0)
        if absent:
            continue
        if isinstance(kind, Union):
            number = draw(st.integers(1, len(kind.members)))
            value[f"{field.name}_type"] = kind.words[number]
            value[field.name] = draw(tables(kind.members[number - 1], depth + 1))
        elif isinstance(kind, Vector) and isinstance(kind.element, Union):
            union = kind.element
            numbers = draw(st.lists(st.integers(1, len(union.members)), max_size=2))
            value[f"{field.name}_type"] = [union.words[number] for number in numbers]
            value[field.name] = [draw(tables(union.members[number - 1], depth + 1)) for number in numbers]
        else:
            value[field.name] = draw(values(kind, depth + 1))
    return value


@pytest.mark.parametrize("path", PATHS)
def test_values_come_back(path: str) -> None:
    kind = schema(path)

    @settings(max_examples=60, deadline=None)
    @given(tables(kind.root))
    def check(value: dict[str, Any]) -> None:
        content = encode(kind, value)
        assert int.from_bytes(content[:4], "little") == len(content) - 4
        assert identifier_of(content) == kind.identifier
        assert decode(kind, content) == value

    check()


EXAMPLE: dict[str, Any] = {
    "version": {"major": 0, "minor": 0, "patch": 431},
    "ttmlir_git_hash": "abc",
    "programs": [
        {
            "name": "main",
            "operations": [
                {
                    "type_type": "EltwiseOp",
                    "type": {
                        "type": "Clamp",
                        "ins": [{"global_id": 1, "address": 0, "size": 0}],
                        "params_type": "ClampOpParams",
                        "params": {"min": -1.5, "max": 2.0},
                    },
                    "debug_info": 'loc("a")',
                },
                {"type_type": "ToLayoutOp", "type": {"layout": "Tile", "dtype": "Float32"}},
                {"type_type": "ToLayoutOp", "type": {"layout": "RowMajor"}},
                {"type_type": "GetDeviceOp", "type": {"mesh": {"y": 1, "x": 2}, "chip_ids": [0, 1]}},
            ],
        }
    ],
}
METAL: dict[str, Any] = {
    "version": {"major": 0, "minor": 0, "patch": 431},
    "programs": [
        {
            "name": "main",
            "device_programs": [
                {
                    "command_queues": [
                        {
                            "name": "q",
                            "commands": [
                                {
                                    "type_type": "EnqueueProgramCommand",
                                    "type": {
                                        "program": {
                                            "kernels": [
                                                {
                                                    "kernel_type": "KernelSource",
                                                    "kernel": {
                                                        "source": "void MAIN {}",
                                                        "config_type": "TensixConfig",
                                                        "config": {
                                                            "math_fidelity": "HiFi4",
                                                            "fp32_dest_acc_en": False,
                                                            "math_approx_mode": True,
                                                            "unpack_to_dest_mode": [
                                                                "Default",
                                                                "UnpackToDestFp32",
                                                            ],
                                                        },
                                                    },
                                                    "runtime_args_type": [
                                                        "RuntimeArgTensorAddress",
                                                        "RuntimeArgSemaphoreAddress",
                                                    ],
                                                    "runtime_args": [
                                                        {"operand_idx": 3},
                                                        {"initial_value": 1, "core_type": "ETH"},
                                                    ],
                                                }
                                            ]
                                        }
                                    },
                                }
                            ],
                        }
                    ]
                }
            ],
        }
    ],
}


def flatc(*arguments: str | Path) -> None:
    """Run ``flatc``, or skip the test without it."""
    if FLATC is None:
        pytest.skip("no flatc")
    subprocess.run([FLATC, "-I", SCHEMAS, *arguments], check=True, capture_output=True, text=True)


@pytest.mark.parametrize(("path", "value"), [("TTNN/binary.fbs", EXAMPLE), ("Common/system_desc.fbs", None)])
def test_flatc_reads_what_we_write_and_we_what_it_writes(
    path: str, value: dict[str, Any] | None, tmp_path: Path
) -> None:
    from tt_model.flatbuffer.system_desc import encode_system_desc
    from tt_model.layouts.known_systems import system

    kind = schema(path)
    content = encode_system_desc(system("n300")) if value is None else encode(kind, value)
    ours = tmp_path / f"a.{kind.extension}"
    ours.write_bytes(content)
    options = ("--json", "--strict-json", "--defaults-json", "--size-prefixed", "-o", tmp_path)
    flatc(*options, SCHEMAS / path, "--", ours)
    text = (tmp_path / "a.json").read_text()
    if value is not None:
        # What is absent and has no default is null there, and left out here.
        plain = json.loads(text, object_pairs_hook=lambda pairs: {k: v for k, v in pairs if v is not None})
        assert plain == decode(kind, content)
    flatc("--binary", "--size-prefixed", "-o", tmp_path / "back", SCHEMAS / path, tmp_path / "a.json")
    assert decode(kind, (tmp_path / "back" / ours.name).read_bytes()) == decode(kind, content)


def test_flatc_writes_vectors_of_unions_that_we_read(tmp_path: Path) -> None:
    """``flatc`` does not print them as JSON, so one way only."""
    (tmp_path / "a.json").write_text(json.dumps(METAL))
    flatc("--binary", "--size-prefixed", "-o", tmp_path, SCHEMAS / "TTMetal/binary.fbs", tmp_path / "a.json")
    kind = schema("TTMetal/binary.fbs")
    theirs = decode(kind, (tmp_path / "a.ttm").read_bytes())
    assert theirs == decode(kind, encode(kind, METAL))


def test_what_is_absent_and_what_has_a_default() -> None:
    kind = schema("TTNN/binary.fbs")
    program = decode(kind, encode(kind, EXAMPLE))["programs"][0]
    assert "inputs" not in program
    clamp, tile, rows, device = (operation["type"] for operation in program["operations"])
    assert clamp["params"] == {"min": -1.5, "max": 2.0}
    assert tile["dtype"] == "Float32"
    assert "dtype" not in rows
    assert rows["layout"] == "RowMajor"
    assert device["chip_ids"] == [0, 1]


def test_a_table_that_occurs_twice_is_written_once() -> None:
    kind = schema("TTNN/binary.fbs")
    shared = {"global_id": 7, "address": 0, "size": 0, "desc": {"shape": list(range(100))}}
    once = encode(kind, {"programs": [{"inputs": [shared]}]})
    often = encode(kind, {"programs": [{"inputs": [shared] * 10, "outputs": [shared]}]})
    assert len(often) < len(once) + 100
    assert decode(kind, often)["programs"][0]["outputs"] == [shared]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"programms": []}, "TTNNBinary: tt.target.ttnn.TTNNBinary has no field programms"),
        ({"version": {"major": 1}}, "TTNNBinary.version: expected major, minor, patch of tt.target.Version"),
        (
            {"version": {"major": 70000, "minor": 0, "patch": 0}},
            "TTNNBinary.version.major: 70000 does not fit",
        ),
        ({"ttmlir_git_hash": 3}, "TTNNBinary.ttmlir_git_hash: expected a text, got 3"),
        ({"programs": "main"}, "TTNNBinary.programs: expected a list, got 'main'"),
        ({"programs": ["main"]}, "TTNNBinary.programs[0]: expected the fields of tt.target.ttnn.Program"),
        (
            {"programs": [{"operations": [{"type_type": "FooOp", "type": {}}]}]},
            "TTNNBinary.programs[0].operations[0].type_type: expected one of GetDeviceOp, ToMemoryConfigOp",
        ),
        (
            {"system_desc": {"chip_descs": [{"arch": "Quasar"}]}},
            "chip_descs[0].arch: tt.target.Arch has no Quasar; there are Grayskull, Wormhole_b0, Blackhole",
        ),
        ({"system_desc": {"chip_desc_indices": ["a"]}}, "chip_desc_indices[0]: expected a number, got 'a'"),
    ],
)
def test_wrong_values(value: dict[str, Any], message: str) -> None:
    with pytest.raises(FlatbufferError) as problem:
        encode(schema("TTNN/binary.fbs"), value)
    assert message in str(problem.value)


def test_unions_and_their_names_go_together() -> None:
    kernel = {"runtime_args": [{"operand_idx": 1}], "runtime_args_type": []}
    queue = {"commands": [{"type_type": "EnqueueProgramCommand", "type": {"program": {"kernels": [kernel]}}}]}
    value = {"programs": [{"device_programs": [{"command_queues": [queue]}]}]}
    with pytest.raises(FlatbufferError, match="1 values and 0 names of their tables"):
        encode(schema("TTMetal/binary.fbs"), value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"", "0 bytes are too few for a flatbuffer"),
        (lambda content: content[:-8], "the file is cut off"),
        (lambda content: content[:8] + b"TTXX" + content[12:], "the identifier is 'TTXX', not 'TTNN'"),
        (lambda content: content[:4] + b"\xff\xff\xff\x7f" + content[8:], "is beyond the end of the file"),
    ],
)
def test_broken_files(change: Any, message: str) -> None:
    kind = schema("TTNN/binary.fbs")
    with pytest.raises(FlatbufferError, match=message):
        decode(kind, change(encode(kind, EXAMPLE)))


@pytest.mark.parametrize(("path", "value"), [("TTNN/binary.fbs", EXAMPLE), ("TTMetal/binary.fbs", METAL)])
def test_any_broken_file_is_an_error_or_a_value(path: str, value: dict[str, Any]) -> None:
    kind: Schema = schema(path)
    content = encode(kind, value)

    @settings(max_examples=400, deadline=None)
    @given(st.lists(st.tuples(st.integers(4, len(content) - 1), st.integers(0, 255)), min_size=1, max_size=6))
    def check(changes: list[tuple[int, int]]) -> None:
        broken = bytearray(content)
        for position, byte in changes:
            broken[position] = byte
        try:
            decode(kind, bytes(broken))
        except FlatbufferError as problem:
            assert str(problem)

    check()
