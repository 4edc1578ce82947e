"""Programs for parts of a mesh, connections to links, global semaphores: what they refuse, and names as in the real library."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from support import real_ttnn
from ttl import settings
from ttl.diag import ProgramError
from ttl.host import api as ttnn

_ASKED = """
import json, sys
answer({name: getattr(ttnn, name).__doc__ for name in json.loads(sys.argv[1])})
"""
FUNCTIONS = (
    "setup_fabric_connection", "create_global_semaphore", "get_global_semaphore_address", "reset_global_semaphore_value",
)  # fmt: skip


@pytest.mark.parametrize("generation", ["0.81", "0.69"])
def test_functions_have_the_arguments_of_the_real_ones(generation: str) -> None:
    found: Any = real_ttnn.run(generation, _ASKED, json.dumps(FUNCTIONS))
    for name in FUNCTIONS:
        line = next(
            line for line in reversed(found[name].splitlines()) if f"{name}(" in line and "->" in line
        )
        inside = line[line.index("(") + 1 : line.rindex(") ->")]
        theirs = [part.partition(":")[0].strip() for part in inside.split(", ")]
        assert list(inspect.signature(getattr(ttnn, name)).parameters) == theirs, name


def mesh(rows: int = 1, columns: int = 2) -> Any:
    return ttnn.open_mesh_device(ttnn.MeshShape(rows, columns))


def nodes(of: Any) -> list[Any]:
    return [of.get_fabric_node_id(ttnn.MeshCoordinate(0, column)) for column in range(of.shape[1])]


def cores(x: int = 0, y: int = 0) -> Any:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(x, y), ttnn.CoreCoord(x, y))])


def launched(parts: Any) -> None:
    of = mesh()
    tensor = ttnn.zeros((32, 32), ttnn.bfloat16, ttnn.TILE_LAYOUT, of)
    ttnn.generic_op([tensor, tensor], ttnn.MeshProgramDescriptor(parts))


def whole(*extents: int) -> Any:
    return ttnn.MeshCoordinateRange(ttnn.MeshShape(*extents))


CORE = ttnn.CoreCoord(0, 0)
WRONG: dict[str, tuple[Callable[[], Any], str, str]] = {
    "a coordinate of texts": (lambda: ttnn.MeshCoordinate("a", "b"), "TTL1004", "takes whole numbers"),
    "a coordinate below 0": (lambda: ttnn.MeshCoordinate(0, -1), "TTL1022", "is not a place in a mesh"),
    "a range backwards": (
        lambda: ttnn.MeshCoordinateRange(ttnn.MeshCoordinate(0, 1), ttnn.MeshCoordinate(0, 0)), "TTL1022", "no devices from",
    ),
    "a key that is no range": (lambda: ttnn.MeshProgramDescriptor({(0, 0): ttnn.ProgramDescriptor()}), "TTL1004", "a part of a"),
    "no dictionary": (lambda: ttnn.MeshProgramDescriptor([1]), "TTL1004", "takes a dict"),
    "a part that is not there": (lambda: ttnn.MeshProgramDescriptor()[whole(1, 2)], "TTL1014", "has no program for"),
    "no program": (lambda: launched({}), "TTL1031", "without a program"),
    "beyond the mesh": (lambda: launched({whole(1, 3): ttnn.ProgramDescriptor()}), "TTL1031", "for device (0, 2), and the mesh has shape (1, 2)"),
    "in two parts": (
        lambda: launched({whole(1, 2): ttnn.ProgramDescriptor(), whole(1, 1): ttnn.ProgramDescriptor()}), "TTL1031", "is in two parts",
    ),
    "no such device": (lambda: mesh().get_fabric_node_id(ttnn.MeshCoordinate(0, 2)), "TTL1012", "there is no device (0, 2)"),
    "another mesh": (lambda: ttnn.FabricNodeId(ttnn.MeshId(1), 0), "TTL1031", "there is no mesh 1"),
    "no node": (lambda: ttnn.setup_fabric_connection(0, 1, 0, ttnn.ProgramDescriptor(), CORE), "TTL1004", "takes ttnn.FabricNodeId"),
    "no program for it": (lambda: ttnn.setup_fabric_connection(*nodes(mesh()), 0, None, CORE), "TTL1004", "is a ttnn.ProgramDescriptor"),
    "to itself": (
        lambda: ttnn.setup_fabric_connection(nodes(mesh())[0], nodes(mesh())[0], 0, ttnn.ProgramDescriptor(), CORE), "TTL1031", "no link to itself",
    ),
    "a chip too far": (
        lambda: ttnn.setup_fabric_connection(nodes(mesh())[0], ttnn.FabricNodeId(0, 5), 0, ttnn.ProgramDescriptor(), CORE), "TTL1031", "there is no chip 5",
    ),
    "a link too many": (
        lambda: ttnn.setup_fabric_connection(*nodes(mesh()), 1, ttnn.ProgramDescriptor(), CORE), "TTL1031", "there is no link 1",
    ),
    "an ethernet core": (
        lambda: ttnn.setup_fabric_connection(*nodes(mesh()), 0, ttnn.ProgramDescriptor(), CORE, ttnn.CoreType.ETH), "TTL1020", "kernels run on workers",
    ),
    "a semaphore on no cores": (lambda: ttnn.create_global_semaphore(mesh(), cores(90), 0), "TTL1029", "not cores of a grid"),
    "a semaphore in DRAM": (
        lambda: ttnn.create_global_semaphore(mesh(), cores(), 0, ttnn.BufferType.DRAM), "TTL1020", "semaphores are in L1",
    ),
    "a value below 0": (lambda: ttnn.create_global_semaphore(mesh(), cores(), -1), "TTL1022", "not a number of 32 bits"),
    "no semaphore": (lambda: ttnn.get_global_semaphore_address(3), "TTL1004", "takes what ttnn.create_global_semaphore gave"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_refused_with_its_values(case: str) -> None:
    make, code, text = WRONG[case]
    with pytest.raises(ProgramError) as caught:
        make()
    assert caught.value.code == code, caught.value
    assert text in str(caught.value)


def test_a_connection_takes_two_semaphores_of_its_core() -> None:
    first, second = nodes(mesh())
    program = ttnn.ProgramDescriptor(
        semaphores=[ttnn.SemaphoreDescriptor(1, ttnn.CoreType.WORKER, cores(), 0)]
    )
    words = ttnn.setup_fabric_connection(first, second, 0, program, CORE)
    assert words[1:] == [0, 2] and [each.id for each in program.semaphores] == [1, 0, 2]
    other = ttnn.setup_fabric_connection(first, second, 0, program, ttnn.CoreCoord(1, 0))
    assert other[1:] == [0, 1], "another core has semaphores of its own"


def test_devices_of_a_system_are_its_chips() -> None:
    with settings.override(system="t3000"):
        line = ttnn.open_mesh_device(ttnn.MeshShape(1, 8))
        assert [node.chip_id for node in nodes(line)] == [0, 1, 2, 3, 7, 6, 5, 4]
        program = ttnn.ProgramDescriptor()
        assert ttnn.setup_fabric_connection(*nodes(line)[:2], 1, program, CORE)
        with pytest.raises(ProgramError, match="links 0 to 1"):
            ttnn.setup_fabric_connection(*nodes(line)[:2], 2, program, CORE)


def test_global_semaphores_have_places_of_their_own_and_keep_them() -> None:
    of = mesh()
    one, two = (ttnn.create_global_semaphore(of, cores(), 0) for _ in range(2))
    places = [ttnn.get_global_semaphore_address(each) for each in (one, two)]
    assert len(set(places)) == 2 and all(place % 16 == 0 for place in places)
    del one
    assert ttnn.get_global_semaphore_address(ttnn.create_global_semaphore(of, cores(), 0)) == places[0]
