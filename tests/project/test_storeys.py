"""The law of TT-MLIR's packages: each room stands in a storey, and imports only rooms below it that its row names.

Every import counts: at the top of a module, in a function, for the type checker only. A room is a folder of a package or a module
beside its folders; a package by itself (``ttmlir``) is its face. ``ttl`` has its own law, in ``test_layering.py``; of it these
packages use the general rooms, and more only where the row says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import ttl
from support.syntax_trees import nodes, python_files

SOURCES = Path(ttl.__file__).parents[1]
# Packages whose rooms are listed one by one; the others are one room each.
DIVIDED = ("tt_model", "ttmlir", "ttrt")
PACKAGES = (*DIVIDED, "tt_adapter", "tt_explorer", "ttlang_models")
# Rooms of ``ttl`` that are for all, and "" for the names that stand in the package itself (its version).
GENERAL = frozenset(
    {
        "",
        "analysis",
        "arch",
        "diag",
        "emitc",
        "host",
        "ir",
        "kernel_api",
        "rows",
        "session",
        "settings",
        "source",
    }
)
# From the ground up: the storeys, in each of them its rooms, and what a room may import beside itself.
STOREYS: Mapping[str, Mapping[str, str]] = {
    "Dialects and operations": {
        "tt_model": "",
        "tt_model.layouts": "",
        # What integers of the frameworks are on the device.
        "tt_model.integers": "",
        # A dialect that models come in, and what of a program is known before it runs.
        "tt_model.stablehlo": "tt_model.integers",
        # ``ttkernel`` is one dialect for both packages; here is the text of 2024-11-21.
        "tt_model.attributes": "tt_model.layouts ttl.dialects",
        "tt_model.flatbuffer": "tt_model.layouts",
        "tt_model.operations": "tt_model.layouts tt_model.attributes tt_model.flatbuffer tt_model.stablehlo ttl.dialects",
    },
    "Meaning and costs": {
        # The only room that compiles and runs operations of TT-Lang, for all others.
        "tt_model.tt_lang": "tt_model.layouts tt_model.operations "
        "ttl.lang ttl.ops ttl.frontend ttl.check ttl.codegen ttl.emu ttl.rules",
        # Kernels of TTMetal in the kernel IR of TT-Lang.
        "tt_model.kernels": "tt_model.layouts tt_model.attributes tt_model.operations ttl.dialects",
        # Runs kernels by the rules of circular buffers that the simulator has, too.
        "tt_model.reference": "tt_model.layouts tt_model.attributes tt_model.operations tt_model.tt_lang tt_model.kernels "
        "ttl.dialects ttl.protocol",
        # For `ttrt perf`, of the fields of a file's tables, and for the optimizer, of layouts.
        "tt_model.cost": "tt_model.layouts tt_model.operations",
        # Cuts products as the model of costs does, so that the two can be compared.
        "tt_model.emulated": "tt_model.layouts tt_model.operations tt_model.cost ttl.emu",
    },
    "Runtime": {
        # Knows no IR. What it has no arithmetic of its own for, it asks the reference's.
        "tt_model.runtime": "tt_model.layouts tt_model.flatbuffer tt_model.operations tt_model.reference tt_model.tt_lang "
        "ttl.emu",
        "tt_model.binaries": "tt_model.layouts tt_model.flatbuffer tt_model.operations tt_model.reference tt_model.cost "
        "tt_model.runtime",
    },
    "Transforms": {
        # What models use and TTIR lacks, of its operations, for all front ends.
        "ttmlir.compositions": "tt_model.integers",
        # Writes operations of TT-Lang, whose arithmetic is the reference's, and has them checked.
        "ttmlir.outlining": "tt_model.layouts tt_model.attributes tt_model.flatbuffer tt_model.operations tt_model.tt_lang",
        # Programs of TTNN modules: what is written of them stands on nothing that runs or transforms them.
        "ttmlir.standalone": "tt_model.layouts tt_model.attributes tt_model.operations",
        "ttmlir.transforms": "tt_model.layouts tt_model.attributes tt_model.integers tt_model.stablehlo tt_model.flatbuffer "
        "tt_model.operations tt_model.cost ttmlir.compositions ttmlir.outlining ttmlir.standalone ttl.codegen ttl.dialects",
    },
    "Text and files": {
        # Kernels as C++, printed by the compiler of TT-Lang as its own.
        "ttmlir.emitc": "tt_model.layouts tt_model.attributes tt_model.operations tt_model.kernels ttmlir.transforms "
        "ttl.codegen ttl.dialects",
        "ttmlir.translate": "tt_model.layouts tt_model.attributes tt_model.flatbuffer tt_model.operations tt_model.reference "
        "ttmlir.standalone ttmlir.transforms ttmlir.emitc",
        "ttmlir.opt": "tt_model.layouts tt_model.stablehlo tt_model.operations ttmlir.transforms",
    },
    "The vendor's names": {
        "ttmlir.bindings": "tt_model.layouts tt_model.attributes tt_model.operations ttmlir.transforms",
        "ttmlir.ir": "ttmlir.bindings",
        "ttmlir.passmanager": "ttmlir.bindings",
        "ttmlir.dialects": "tt_model.layouts ttmlir.bindings",
        "ttmlir.passes": "tt_model.flatbuffer ttmlir.transforms ttmlir.translate ttmlir.bindings",
        "ttmlir.overrides": "tt_model.operations ttmlir.transforms ttmlir.bindings ttmlir.ir ttmlir.passes",
        "ttmlir.builder_operations": "tt_model.operations ttmlir.bindings ttmlir.ir ttmlir.dialects",
        "ttmlir.builder_layers": "tt_model.operations ttmlir.builder_operations ttmlir.dialects ttmlir.ir",
        "ttmlir.ttir_builder": "ttmlir.bindings ttmlir.ir ttmlir.dialects ttmlir.builder_operations ttmlir.builder_layers",
        "ttmlir.test_utils": "ttmlir.ir ttmlir.dialects ttmlir.passes ttmlir.builder_operations ttmlir.ttir_builder",
        "ttmlir.tt_lang": "tt_model.layouts tt_model.tt_lang",
    },
    "Front ends": {
        "ttmlir.inspection": "tt_model.operations ttmlir.transforms ttmlir.bindings",
        "ttmlir.loaded": "tt_model.layouts tt_model.flatbuffer tt_model.runtime tt_model.binaries ttmlir.transforms ttmlir.ir "
        "ttmlir.inspection",
        "ttmlir.framework_pipeline": "ttmlir.transforms ttmlir.ir ttmlir.passes ttmlir.inspection ttmlir.loaded",
        "ttmlir.jax": "tt_model.integers tt_model.stablehlo tt_model.layouts tt_model.operations tt_model.tt_lang "
        "tt_model.runtime tt_model.binaries ttmlir.compositions ttmlir.transforms ttmlir.ir ttmlir.passes ttmlir.loaded "
        "ttmlir.framework_pipeline",
        "ttmlir.torch": "tt_model.integers tt_model.layouts tt_model.operations tt_model.tt_lang tt_model.runtime "
        "tt_model.binaries ttmlir.compositions ttmlir.ir ttmlir.dialects ttmlir.builder_operations "
        "ttmlir.builder_layers ttmlir.ttir_builder ttmlir.inspection ttmlir.loaded ttmlir.framework_pipeline",
        "ttmlir.frameworks": "ttmlir.loaded ttmlir.jax ttmlir.torch",
        "ttmlir.dispatch": "ttmlir.loaded ttmlir.torch ttmlir.frameworks",
        "ttmlir": "ttmlir.loaded ttmlir.dispatch",
    },
    "Tools": {
        "ttrt": "",
        "ttrt.binary": "tt_model.flatbuffer tt_model.binaries",
        "ttrt.runtime": "tt_model.layouts tt_model.runtime tt_model.binaries ttrt.binary",
        "ttrt.common": "tt_model.layouts tt_model.flatbuffer tt_model.operations tt_model.tt_lang tt_model.reference "
        "tt_model.cost tt_model.emulated tt_model.runtime tt_model.binaries ttmlir.transforms ttmlir.emitc ttrt.binary "
        "ttl.codegen ttl.emu ttl.report",
        "ttrt.__main__": "ttrt.common",
        # The explorer's adapter does not know its server.
        "tt_adapter": "tt_model.layouts tt_model.attributes tt_model.flatbuffer tt_model.operations tt_model.runtime "
        "tt_model.binaries ttmlir.transforms ttmlir.translate ttmlir.bindings ttmlir.overrides ttrt.binary ttrt.common "
        "ttl.dialects",
        # Says of an extra that is missing what `ttl check` says.
        "tt_explorer": "tt_adapter ttl.check",
        "ttlang_models": "ttmlir.opt ttmlir.translate ttrt.common tt_explorer",
    },
}
MAY_IMPORT = {room: set(named.split()) for storey in STOREYS.values() for room, named in storey.items()}


@cache
def rooms() -> frozenset[str]:
    """Every room of the packages, as it stands on disk."""
    found = set(PACKAGES)
    for package in DIVIDED:
        for path in (SOURCES / package).iterdir():
            if path.suffix == ".py" or any(path.glob("*.py")):
                found.add(f"{package}.{path.stem}".removesuffix(".__init__"))
    return frozenset(found)


def room_of(dotted: str) -> str:
    """The room that a dotted name is of: of ``ttl``, too, as ``ttl.ROOM``."""
    package, *inner = dotted.split(".")
    if package == "ttl":
        head = inner[0] if inner else ""
        return (
            f"ttl.{head}"
            if (SOURCES / "ttl" / head).is_dir() or (SOURCES / "ttl" / f"{head}.py").is_file()
            else "ttl."
        )
    named = f"{package}.{inner[0]}" if inner else package
    return named if named in rooms() else package


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """The lines and dotted names of what a module imports, wherever in it."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{name.name}") for name in node.names)


def arrows() -> Iterator[tuple[str, str, str]]:
    """What imports run from a room of these packages to another room: where, from which room, to which."""
    for package in PACKAGES:
        for path in python_files(SOURCES / package):
            place = path.relative_to(SOURCES)
            here = room_of(".".join(place.with_suffix("").parts))
            for line, dotted in imports(path):
                if dotted.split(".")[0] in (*PACKAGES, "ttl") and (there := room_of(dotted)) != here:
                    yield f"{place}:{line} imports {dotted}", here, there


def test_every_room_has_its_storey() -> None:
    assert rooms() == MAY_IMPORT.keys()


def test_the_law_itself_leads_down_only() -> None:
    order = list(MAY_IMPORT)
    upward = [
        f"{room} may import {other}"
        for number, (room, named) in enumerate(MAY_IMPORT.items())
        for other in named
        if not other.startswith("ttl.") and other not in order[:number]
    ]
    assert upward == []


def test_a_room_imports_only_what_its_row_names() -> None:
    general = {f"ttl.{name}" for name in GENERAL}
    wrong = [place for place, here, there in arrows() if there not in MAY_IMPORT[here] | general]
    assert not wrong, "\n".join(wrong)


def test_a_row_names_nothing_that_is_not_imported() -> None:
    used: dict[str, set[str]] = {}
    for _, here, there in arrows():
        used.setdefault(here, set()).add(there)
    unused = {room: named - used.get(room, set()) for room, named in MAY_IMPORT.items()}
    assert {room: named for room, named in unused.items() if named} == {}


@pytest.mark.parametrize("package", ["ttl", "ttl_start"])
def test_the_language_does_not_know_of_models(package: str) -> None:
    wrong = [
        f"{path.relative_to(SOURCES)}:{line} imports {dotted}"
        for path in python_files(SOURCES / package)
        for line, dotted in imports(path)
        if dotted.split(".")[0] in PACKAGES
    ]
    assert not wrong, "\n".join(wrong)
