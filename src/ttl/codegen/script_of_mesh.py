"""The parts of a script for several chips: a program for each chip, connections between chips, counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ttl.codegen.description import ProgramDescription
from ttl.codegen.entries import OfMesh, SemaphoreAddress
from ttl.codegen.hardware import FABRIC_MESH
from ttl.codegen.mesh import links_of, shape_of, usual_wiring

NAMES = (
    "MESH",
    "NODES",
    "connect",
    "chip",
    "nodes",
    "counters",
    "program",
    "places",
    "place",
    "LINKS",
    "COUNTERS",
    "counters",
)
"""The names that the script of a mesh uses itself."""


def tables(description: ProgramDescription, names: Mapping[str, str]) -> Iterator[str]:
    """The extents of the mesh, and the links of the nodes."""
    if not description.mesh:
        return
    wiring = usual_wiring(description)
    columns, rows = description.grid
    lines = [
        "# Rows and columns of chips; the columns and rows of nodes on each.",
        f"MESH = {shape_of(description)}",
        f"NODES = [(x, y) for x in range({columns}) for y in range({rows})]",
        f"# By kernel: for nodes that send to other chips (chip, x, y) their first arguments, and their ways out of {wiring.system.title}: a chip",
        "# that is reached so, and which of the links in that direction is used.",
        "LINKS = {",
    ]
    for number, kernel in enumerate(description.kernels):
        if kernel.links:
            lines.append(f"    {number}: {{  # {kernel.name}")
            lines += (
                f"        {(item.chip, *item.node)}: ({list(item.first_args)}, {[(way.towards, way.channel) for way in item.connections]}),"
                for item in links_of(description, wiring)
                if item.kernel == number
            )
            lines.append("    },")
    lines += ["}", "# Counters, and what they are before a launch.", "COUNTERS = {"]
    lines += (f'    "{item.name}": {item.initial},' for item in description.global_semaphores)
    yield "\n".join([*lines, "}"])
    yield "\n".join(
        (
            "def connect(program, chip, nodes):",
            '    """Give the nodes of a chip the arguments for their connections with other chips."""',
            "    for kernel, links in LINKS.items():",
            "        arguments = ttnn.RuntimeArgs()",
            "        for x, y in NODES:",
            "            first, ways = links.get((chip, x, y), ([0, 0], []))",
            "            words = list(first)",
            "            for other, link in ways:",
            "                core = ttnn.CoreCoord(x, y)",
            "                words += ttnn.setup_fabric_connection(nodes[chip], nodes[other], link, program, core)",
            "            arguments[x][y] = words",
            "        program.kernels[kernel].runtime_args = arguments",
        )
    )


def build(arguments: str) -> Iterator[str]:
    """Yield the head of the function that builds the program of one chip."""
    yield f"def build({arguments}, chip, nodes, counters):"
    yield '    """The program of one chip, for these tensors. ``nodes`` are the chips in the fabric; ``counters`` says where each global semaphore is."""'


def connected(description: ProgramDescription) -> Iterator[str]:
    """Yield the end of the function that builds the program of one chip."""
    if any(kernel.links for kernel in description.kernels):
        yield "    connect(program, chip, nodes)"
    yield "    return program"


def word(entry: OfMesh | SemaphoreAddress) -> str:
    """An expression for a common argument."""
    if isinstance(entry, SemaphoreAddress):
        return f'counters["{entry.name}"]'
    if entry.what == "fabric_chip":
        return f"nodes[{entry.index}].chip_id"
    return "chip" if entry.what == "chip" else str(FABRIC_MESH)


def run(description: ProgramDescription, names: Mapping[str, str]) -> str:
    """The function that launches the programs of all chips."""
    arguments = [names[tensor.name] for tensor in description.tensors]
    given = arguments if len(arguments) > 1 else arguments * 2
    return "\n".join(
        (
            f"def run({', '.join(arguments)}):",
            '    """Launch the program on tensors of a mesh of devices. It writes into those that its kernels write."""',
            f"    device = {arguments[0]}.device()",
            "    places = [ttnn.MeshCoordinate(row, column) for row in range(MESH[0]) for column in range(MESH[1])]",
            "    nodes = [device.get_fabric_node_id(place) for place in places]",
            "    semaphores = {name: ttnn.create_global_semaphore(device, CORES, value) for name, value in COUNTERS.items()}",
            "    ttnn.synchronize_device(device)  # a chip that begins counts on others, which have the first values then",
            "    counters = {name: ttnn.get_global_semaphore_address(each) for name, each in semaphores.items()}",
            "    programs = ttnn.MeshProgramDescriptor()",
            "    for chip, place in enumerate(places):",
            f"        program = build({', '.join(arguments)}, chip, nodes, counters)",
            "        programs[ttnn.MeshCoordinateRange(place, place)] = program",
            f"    ttnn.generic_op([{', '.join(given)}], programs)",
            "    ttnn.synchronize_device(device)  # the semaphores are there until all chips have ended",
        )
    )


def opened(description: ProgramDescription) -> Iterator[str]:
    """Yield the lines that open, use and close a mesh."""
    yield "    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_2D)"
    yield "    device = ttnn.open_mesh_device(ttnn.MeshShape(*MESH))"
    yield "    run(*tensors(device))"
    yield "    ttnn.close_mesh_device(device)"
