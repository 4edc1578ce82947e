"""``ttmlir`` stands on the general rooms of ``ttl``, and nothing of ``ttl`` knows of it. Lazy imports count, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ttl
import ttmlir
from support.syntax_trees import nodes, python_files

TTL = Path(ttl.__file__).parent
TTMLIR = Path(ttmlir.__file__).parent

# Rooms of ``ttl`` that are for both, and "" for the names that stand in the package itself (its version).
GENERAL = {
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
# Rooms that stand on more of TT-Lang. To compile and to run an operation of it takes its front end, checks, compiler and executions;
# kernels of TTMetal are printed by its compiler, as its own.
OF_TT_LANG: dict[str, set[str]] = {
    "tt_lang": {"lang", "ops", "frontend", "check", "codegen", "emu", "rules"},
    "emitc": {"codegen", "dialects"},
    # ``ttkernel`` is one dialect, and its calls become C++ on one road; here is the text of 2024-11-21.
    "attributes": {"dialects"},
    "operations": {"dialects"},
    "transforms": {"codegen", "dialects"},
    "transforms/metal": {"dialects"},
    "kernels": {"dialects"},
    # Runs them, by the rules of circular buffers that the simulator has, too.
    "reference": {"dialects", "protocol"},
    # Kernels in files run on the emulated chip, and those that operations of TTNN have there.
    "runtime/metal": {"emu"},
    "emulated": {"emu"},
}
# What each room of ``ttmlir`` may import of it, beside itself. The order is from the lowest up.
MAY_IMPORT: dict[str, frozenset[str]] = {
    "layouts": frozenset(),
    # What integers of the frameworks are on the device.
    "integers": frozenset(),
    # A dialect that models come in, and what of a program is known before it runs.
    "stablehlo": frozenset({"integers"}),
    "attributes": frozenset({"layouts"}),
    "operations": frozenset({"layouts", "attributes", "stablehlo"}),
    "flatbuffer": frozenset({"layouts"}),
    "tt_lang": frozenset({"layouts", "attributes", "operations"}),
    # Kernels of TTMetal in the kernel IR of TT-Lang.
    "kernels": frozenset({"layouts", "attributes", "operations"}),
    # An operation of TT-Lang means what its kernel says.
    "reference": frozenset({"layouts", "attributes", "operations", "tt_lang", "kernels"}),
    # Writes operations of TT-Lang, whose arithmetic is the reference's, and has them checked.
    "outlining": frozenset({"layouts", "attributes", "operations", "flatbuffer", "reference", "tt_lang"}),
    # What models use and TTIR lacks, of its operations, for all roads.
    "compositions": frozenset({"layouts", "attributes", "integers", "operations"}),
    # Programs of TTNN modules: what is written of them stands on nothing that runs or transforms them.
    "standalone": frozenset({"layouts", "attributes", "operations", "flatbuffer"}),
    # One model for `ttrt perf`, of the fields of a file's tables, and for the optimizer, of layouts.
    "cost": frozenset({"layouts", "operations"}),
    # Cuts products as the model of costs does, so that the two can be compared.
    "emulated": frozenset({"layouts", "operations", "cost"}),
    "transforms": frozenset(
        {
            "layouts",
            "attributes",
            "integers",
            "stablehlo",
            "operations",
            "flatbuffer",
            "outlining",
            "compositions",
            "standalone",
            "cost",
        }
    ),
    # Kernels as C++: what is refused is said as by passes.
    "emitc": frozenset({"layouts", "attributes", "operations", "transforms", "kernels"}),
}


# The explorer stands on everything; nothing stands on it, and its adapter does not know its server.
EXPLORER = ("tt_adapter", "tt_explorer")


def imports(path: Path) -> Iterator[str]:
    """The dotted names that a module imports, wherever in it."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def room(path: Path) -> str:
    return path.relative_to(TTMLIR).parts[0].removesuffix(".py")


def folder(path: Path) -> str:
    return path.relative_to(TTMLIR).parent.as_posix()


def test_nothing_knows_of_the_explorer() -> None:
    sources = TTL.parent
    wrong = [
        f"{path.relative_to(sources)} imports {name}"
        for path in python_files(sources)
        for name in imports(path)
        if name.startswith(EXPLORER)
        and not path.is_relative_to(sources / name.partition(".")[0])
        and not (path.is_relative_to(sources / "tt_explorer") and name.startswith("tt_adapter"))
        and not path.is_relative_to(sources / "ttlang_models")  # where its command begins
    ]
    assert wrong == []


def test_ttl_does_not_know_of_ttmlir() -> None:
    wrong = [
        f"{path.relative_to(TTL)} imports {name}"
        for path in python_files(TTL)
        for name in imports(path)
        if name.split(".")[0] == "ttmlir"
    ]
    assert not wrong, "\n".join(wrong)


def test_ttmlir_uses_the_general_rooms_of_ttl() -> None:
    rooms = {path.name.removesuffix(".py") for path in TTL.iterdir()}
    wrong = [
        f"{path.relative_to(TTMLIR)} imports {name}"
        for path in python_files(TTMLIR)
        for name in imports(path)
        if name.split(".")[0] == "ttl"
        and (set(name.split(".")[1:2]) & rooms)
        - GENERAL
        - OF_TT_LANG.get(folder(path), OF_TT_LANG.get(room(path), set()))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(MAY_IMPORT))
def test_a_room_imports_only_what_lies_below_it(name: str) -> None:
    files = [path for path in python_files(TTMLIR) if room(path) == name]
    assert files
    wrong = [
        f"{path.relative_to(TTMLIR)} imports {dotted}"
        for path in files
        for dotted in imports(path)
        if dotted.startswith("ttmlir.") and dotted.split(".")[1] not in MAY_IMPORT[name] | {name}
    ]
    assert not wrong, "\n".join(wrong)
