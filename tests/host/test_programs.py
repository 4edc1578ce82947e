"""Descriptors of programs: names, arguments, order and defaults are those of the real library, of both releases."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import pytest

from support import real_ttnn
from ttl.diag import ProgramError
from ttl.host import api as ttnn
from ttl.host import descriptors

CLASSES = tuple(name for name in descriptors.__all__ if name.endswith("Descriptor"))
_ASKED = """
import json, sys
found = {}
for name in json.loads(sys.argv[1]):
    kind = getattr(ttnn, name)
    found[name] = [kind.__init__.__doc__, [each for each in dir(kind) if not each.startswith("_")]]
enumerations = {
    name: {each: getattr(getattr(ttnn, name), each).value for each in getattr(ttnn, name).__members__}
    for name in ("NOC", "NOC_MODE", "DataMovementProcessor", "UnpackToDestMode")
}
functions = {name: getattr(ttnn, name).__doc__ for name in ("cb_descriptor_from_sharded_tensor",)}
answer([found, enumerations, functions, sorted(dir(ttnn.RuntimeArgs))])
"""
# What the emulated chip has no use for, or no counterpart of.
ABSENT = {
    "CBDescriptor": {
        "has_global_circular_buffer", "remote_format_descriptors", "set_global_circular_buffer", "set_global_circular_buffer_from_cb",
    },
    "CBFormatDescriptor": {"data_format_as_uint8", "face_geometry"},
    "ComputeConfigDescriptor": {"enable_trisc2_rvv"},
    "KernelDescriptor": {
        "append_common_runtime_args_from", "append_runtime_args_from", "blaze_named_common_runtime_arg_arrays",
        "blaze_named_common_runtime_args", "blaze_named_compile_time_args", "blaze_named_per_core_runtime_arg_arrays",
        "blaze_named_per_core_runtime_args",
    },
    "ProgramDescriptor": {"reload_core_ranges", "reload_table_addr"},
}  # fmt: skip


def parameters(signature: str) -> list[tuple[str, bool]]:
    """Names and whether there is a default, of a signature as nanobind writes it, without those that are named only."""
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(inside + ","):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(inside[start:at].strip())
            start = at + 1
    named = [part for part in parts[: parts.index("*")] if part] if "*" in parts else parts
    return [(part.partition(":")[0], " = " in part) for part in named if part != "self"]


def longest(doc: str) -> list[tuple[str, bool]]:
    """The parameters of the overload that has the most and takes element types of ttnn."""
    lines = [
        line for line in doc.splitlines() if line.startswith("__init__(") and "tt::DataFormat" not in line
    ]
    # A copy of another descriptor is not what programs write.
    found = [
        parameters(line)
        for line in lines
        if not re.match(r"__init__\(self, (other|arg0|tile): [^,)]*\)", line)
    ]
    return max(found, key=len)


@pytest.mark.parametrize("generation", ["0.81", "0.69"])
def test_they_have_the_arguments_and_attributes_of_the_real_ones(generation: str) -> None:
    found: Any
    found, enumerations, functions, of_arguments = real_ttnn.run(generation, _ASKED, json.dumps(CLASSES))
    for name in CLASSES:
        doc, attributes = found[name]
        kind = getattr(ttnn, name)
        mine = [
            (each.name, each.default is not descriptors._REQUIRED)
            for each in inspect.signature(kind.__init__).parameters.values()
            if each.name != "self"
        ]
        theirs = longest(doc)
        newer = {"compiler_include_paths"} if generation == "0.69" else set()
        assert [each for each in mine if each[0] not in newer] == theirs, name
        known = set(dir(kind)) | set(ttnn.KernelDescriptor._given if name == "KernelDescriptor" else ())
        assert set(attributes) - known == ABSENT.get(name, set()) & set(attributes), name
    for name, members in enumerations.items():
        mine_members = {each: member.value for each, member in getattr(ttnn, name).__members__.items()}
        assert mine_members.items() <= members.items(), name
    (doc,) = functions.values()
    wanted = [name for name, _ in parameters(doc.splitlines()[0])]
    assert list(inspect.signature(ttnn.cb_descriptor_from_sharded_tensor).parameters) == wanted
    assert {each for each in of_arguments if not each.startswith("_")} <= set(dir(ttnn.RuntimeArgs))


def test_a_descriptor_without_arguments_is_empty_and_is_filled_later() -> None:
    kernel = ttnn.KernelDescriptor()
    assert kernel.kernel_source == "" and kernel.compile_time_args == [] and kernel.config is None
    kernel.compile_time_args.append(3)
    assert kernel.compile_time_args == [3], "words are changed in place"
    program = ttnn.ProgramDescriptor()
    program.kernels.append(kernel)
    assert program.kernels == [], "a list of descriptors is a copy, as that of the real library"
    kernel.runtime_args[1][2] = [4]
    kernel.runtime_args[1].append(2, 5)
    kernel.extend_runtime_args_uniform([6])
    assert kernel.runtime_args.to_list() == [(ttnn.CoreCoord(1, 2), [4, 5, 6])]
    with pytest.raises(ProgramError, match=r"core \(0, 0\)"):
        kernel.runtime_args[0][0]


def test_programs_are_merged_where_their_cores_are_apart() -> None:
    def program(x: int) -> Any:
        cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(x, 0), ttnn.CoreCoord(x, 0))])
        config = ttnn.ReaderConfigDescriptor()
        return ttnn.ProgramDescriptor([ttnn.KernelDescriptor("k.cpp", core_ranges=cores, config=config)])

    assert len(ttnn.merge_program_descriptors([program(0), program(1)]).kernels) == 2
    with pytest.raises(ProgramError, match=r"programs 0 and 1 both have kernels on core \(0, 0\)"):
        ttnn.merge_program_descriptors([program(0), program(0)])
