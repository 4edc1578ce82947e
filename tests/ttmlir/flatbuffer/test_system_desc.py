"""``.ttsys`` files, and ``--ttir-load-system-desc`` with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.ttmlir_text import context
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.system_desc import (
    decode_system_desc,
    encode_system_desc,
    read_system_desc,
    write_system_desc,
)
from tt_model.layouts.enums import Arch, ChipCapability
from tt_model.layouts.known_systems import system, system_names
from ttl.ir.failure import NotLegalized
from ttl.ir.parser import parse_text
from ttmlir.transforms.system_desc import LoadSystemDesc


@pytest.mark.parametrize("name", system_names())
def test_known_systems_come_back(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ttsys"
    write_system_desc(path, system(name))
    assert read_system_desc(path) == system(name)
    assert path.read_bytes()[8:12] == b"TTSY"


@pytest.mark.parametrize("arch", Arch)
@pytest.mark.parametrize("capability", range(4))
def test_every_generation_and_capability(arch: Arch, capability: int) -> None:
    one = system("n150")
    chip = replace(one.first_chip, arch=arch)
    desc = replace(one, chip_descs=(chip,), chip_capabilities=(ChipCapability(capability),))
    assert decode_system_desc(encode_system_desc(desc)) == desc


def test_the_pass_loads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.ttsys"
    write_system_desc(path, system("n300"))
    module = parse_text(context(), "module {}")
    LoadSystemDesc(path=str(path)).apply(context(), module)
    assert module.attributes["tt.system_desc"] == SystemDescAttr(system("n300"))


def test_files_that_are_none(tmp_path: Path) -> None:
    def refused(name: str, content: bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(FlatbufferError) as problem:
            read_system_desc(path)
        return str(problem.value)

    whole = encode_system_desc(system("n150"))
    assert "a.ttsys is not a system description (.ttsys): 0 bytes are too few" in refused("a.ttsys", b"")
    assert "the file is cut off" in refused("b.ttsys", whole[:500])
    assert "the identifier is 't fo', not 'TTSY'" in refused("c.ttsys", b"<html>not found</html>")
    program = encode(schema("TTNN/binary.fbs"), {})
    assert "it is a compiled TTNN program" in refused("d.ttnn", program)
    nothing = encode(schema("Common/system_desc.fbs"), {})
    assert "there is no system_desc in it" in refused("e.ttsys", nothing)
    odd = encode(schema("Common/system_desc.fbs"), {"system_desc": {"chip_descs": [{"arch": 9}]}})
    assert "a chip has no grid_size" in refused("f.ttsys", odd)
    grid = {"grid_size": {"y": 8, "x": 8}}
    odd = encode(schema("Common/system_desc.fbs"), {"system_desc": {"chip_descs": [{"arch": 9} | grid]}})
    assert "an unknown value: 9" in refused("g.ttsys", odd)


@pytest.mark.parametrize("name", ["missing.ttsys", "."])
def test_what_cannot_be_read_is_an_error_of_the_pass(name: str, tmp_path: Path) -> None:
    module = parse_text(context(), "module {}")
    with pytest.raises(NotLegalized, match="cannot read the system description") as problem:
        LoadSystemDesc(path=str(tmp_path / name)).apply(context(), module)
    (report,) = problem.value.reports
    assert report.span is not None
    assert "the name of a known system: default, n150, n300, " in report.notes[0].message
