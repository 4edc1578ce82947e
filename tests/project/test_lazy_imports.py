"""Imports of our own modules inside functions: each is listed here with its reason, and there are never more of them.

An import at the top of a module says what the module stands on; one in a function hides it. It is kept where it pays:
a command that starts sooner, a server that answers sooner, a package that need not be installed.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

import ttl.diag
from support.syntax_trees import nodes, python_files

SOURCE = Path(ttl.diag.__file__).parent.parent.parent
# The packages whose imports are all listed.
PACKAGES = ("ttl", "ttl_start", "tt_model", "ttmlir", "ttrt", "tt_adapter", "tt_explorer", "ttlang_models")
# As many as there are. The number only falls.
MOST = 143
# Compiled modules: importing one says nothing of what a module stands on.
EXTENSIONS = ("ttl._core", "ttl._machine", "ttl._emu")

_UNUSUAL = "most runs need none of it"
_NO_MISTAKE = "a program without a mistake does not wait for what explains mistakes"
_NO_COMMAND = "the command line answers before it is known whether the verb needs it"
_CHECK = "the answer of a check that is kept needs no checker, which takes 0.2 s to import"
_CHECKED = "a program that is only checked does not wait for the compiler"
_EDITOR = "the server answers the editor's first request before it imports the checker"
_KNOWN = "a launch of a program that was compiled before needs no compiler"
_TT_LANG = "operations of TT-Lang stand on its compiler and executions: other models do not wait for these"
_METAL = "kernels of TTMetal stand on the emulated chip: models of TTNN do not wait for it"
_DIALECT = "a dialect is made when a text first names it"
_STARTS = "Ctrl-C is quiet before anything of ours is imported, and the explorer is of an extra"
_TRANSLATION = "each translation needs its own printer"
_FRAMEWORK = "a model of one framework does not wait for the rules of another"
_OTHER_TEXT = "most texts are TTIR of 2024"
_REFERENCE = "a run that is not compared needs no reference"

# The importing module: what it imports inside functions, and why it is not at the top.
LAZY: Mapping[str, Mapping[str, str]] = {
    "tt_explorer.client": {"tt_explorer.server": _STARTS},
    "tt_explorer.main": {"tt_explorer.server": _STARTS},
    "tt_model.binaries.reference": {
        "tt_model.reference.collectives": _REFERENCE,
        "tt_model.reference.interpreter": _REFERENCE,
    },
    "tt_model.binaries.submission": {
        "tt_model.runtime.metal.device": _METAL,
        "tt_model.runtime.metal.executor": _METAL,
        "tt_model.runtime.metal.tables": _METAL,
    },
    "tt_model.operations.dialects": {
        "tt_model.operations.tosa": _DIALECT,
        "tt_model.operations.ttir": _DIALECT,
        "tt_model.operations.ttkernel": _DIALECT,
        "tt_model.operations.ttmetal": _METAL,
        "tt_model.operations.ttnn": _DIALECT,
        "tt_model.operations.verifiers": _DIALECT,
        "tt_model.stablehlo.dialect": _DIALECT,
        "tt_model.stablehlo.shardy": _DIALECT,
        "ttl.emitc.dialect": _DIALECT,
    },
    "tt_model.reference.meanings": {"tt_model.tt_lang.running": _TT_LANG},
    "tt_model.runtime.step_kinds.collectives": {"tt_model.tt_lang.collectives": _TT_LANG},
    "tt_model.runtime.tt_lang": {"tt_model.tt_lang.running": _TT_LANG},
    "tt_model.tt_lang.collectives": {"ttl.emu.recorder": _TT_LANG},
    "tt_model.tt_lang.running": {"ttl.emu.launch": _TT_LANG},
    "ttl": {
        "ttl.lang.functions": _NO_MISTAKE,
        "ttl.lang.names": _NO_MISTAKE,
        "ttl.lang.older_functions": _NO_MISTAKE,
    },
    "ttl.analysis.lowerable": {"ttl.dialects.tiles": _CHECKED},
    "ttl.check.deadlock": {
        "ttl.check.network.certain": _NO_MISTAKE,
        "ttl.check.network.leftovers": _NO_MISTAKE,
        "ttl.check.network.stalled": _NO_MISTAKE,
        "ttl.check.network.unequal": _NO_MISTAKE,
        "ttl.deadlock.report": _NO_MISTAKE,
    },
    "ttl.check.file": {
        "ttl.check.fitting": _CHECK,
        "ttl.check.module": _CHECK,
        "ttl.frontend.file": _CHECK,
        "ttl.ir.lean": _CHECK,
    },
    "ttl.check.launch": {"ttl.check.module": _CHECK, "ttl.frontend.live": _CHECK, "ttl.ir.lean": _CHECK},
    "ttl.check.module": {"ttl.passes.distribute": "only distributed tensors need this part of the compiler"},
    "ttl.cli.check": {
        "ttl.check.corpus": _NO_COMMAND,
        "ttl.cli.fixing": _NO_COMMAND,
        "ttl.sweeps.work": _NO_COMMAND,
    },
    "ttl.cli.findings": {"ttl.diag.json": _NO_MISTAKE},
    "ttl.cli.lsp": {"ttl.lsp.server": "pygls is of an extra", "ttl.lsp.transport": "pygls is of an extra"},
    "ttl.cli.main": {"ttl.check.file": _NO_MISTAKE, "ttl.cli.program": _NO_MISTAKE},
    "ttl.cli.mcp": {"ttl.mcp.server": "the package mcp is of an extra"},
    "ttl.cli.options": {"ttl.project": _NO_COMMAND, "ttl.settings": _NO_COMMAND},
    "ttl.cli.run": {
        "ttl.cli.exploring": _NO_COMMAND,
        "ttl.cli.reporting": _NO_COMMAND,
        "ttl.diag.raised": _NO_MISTAKE,
        "ttl.emu.agreement": _NO_COMMAND,
        "ttl.emu.recorder": _NO_COMMAND,
        "ttl.emu.runtime": _NO_COMMAND,
        "ttl.host.importer": _NO_MISTAKE,
        "ttl.lang.mistakes": _NO_MISTAKE,
    },
    "ttl.cli.workers": {"ttl.sweeps.pool": _NO_COMMAND},
    "ttl.codegen.debug_info": {"ttl.codegen.texts": "the printer of IR, for programs that hang"},
    "ttl.codegen.device": {"ttl.codegen.compiled_calls": _KNOWN},
    "ttl.codegen.scheduled": {
        "ttl.transform.chains": "few compilations have a schedule",
        "ttl.transform.interpreter": "few compilations have a schedule",
        "ttl.transform.payload": "few compilations have a schedule",
        "ttl.transform.running": "few compilations have a schedule",
        "ttl.transform.sequences": "few compilations have a schedule",
    },
    "ttl.codegen.translation": {
        "ttl.host.api": "all functions of the host library, where the real one is not"
    },
    "ttl.diag.errors": {"ttl.diag.text": _NO_MISTAKE},
    "ttl.diag.report": {
        "ttl.diag.github": _NO_MISTAKE,
        "ttl.diag.json": _NO_MISTAKE,
        "ttl.diag.text": _NO_MISTAKE,
    },
    "ttl.host.importer": {
        "ttl.diag.model": _NO_MISTAKE,
        "ttl.diag.plan_names": _NO_MISTAKE,
        "ttl.host.errors": _NO_MISTAKE,
        "ttl.source.spans": _NO_MISTAKE,
    },
    "ttl.ir.context": {"ttl.ir.upstream_operations": "most texts have none of MLIR's tensor operations"},
    "ttl.lang.check": {"ttl.lang.wrong_calls": _NO_MISTAKE},
    "ttl.lang.functions": {"ttl.lang.names": _NO_MISTAKE, "ttl.lang.older_functions": _NO_MISTAKE},
    "ttl.lang.older_functions": {"ttl.lang.wrong_calls": _NO_MISTAKE},
    "ttl.lang.operation": {"ttl.lang.schedule": _UNUSUAL},
    "ttl.lang.tunable": {"ttl.lang.tiles": _UNUSUAL},
    "ttl.lsp.commands": {"ttl.service.emitted": _EDITOR},
    "ttl.lsp.server": {
        "ttl.check.fitting": _EDITOR,
        "ttl.frontend.file": _EDITOR,
        "ttl.ir.lean": _EDITOR,
        "ttl.service.checking": _EDITOR,
    },
    "ttl.opt.main": {"ttl.transform.dialect": "few modules have steps of schedules"},
    "ttl.passes.contracts": {"ttl.dialects.registers": _CHECKED, "ttl.dialects.ttkernel": _CHECKED},
    "ttl.pytest_plugin": {
        "ttl.host.importer": "pytest loads the plugin in every project where ttl is installed"
    },
    "ttl.report": {"ttl.report.loaded": "importing one module of the room does not load what reads reports"},
    "ttl.service.actions": {"ttl.check.implicit": _EDITOR},
    "ttl.service.hover": {"ttl.rows.on_hardware": _EDITOR},
    "ttl.service.language": {
        "ttl": _EDITOR,
        "ttl.host.tensor": _EDITOR,
        "ttl.lang.older_functions": _EDITOR,
        "ttl.lang.tiles": _EDITOR,
        "ttl.rows.reference": _EDITOR,
        "ttl.rows.table": _EDITOR,
    },
    "ttl.service.workspace": {"ttl.service.checking": _EDITOR},
    "ttl.session.switches": {"ttl.arch.costs_file": _UNUSUAL, "ttl.arch.systems": _UNUSUAL},
    "ttl.sim.launch": {"ttl.sim.lanes": _UNUSUAL, "ttl.sim.replay": _UNUSUAL, "ttl.sim.stats": _UNUSUAL},
    "ttl.sweeps.pool": {"ttl.sweeps.cluster": "the package distributed is of an extra"},
    "ttl_start": {"ttl.cli.main": _STARTS, "ttl.opt.main": _STARTS, "ttl_start.kept_code": _STARTS},
    "ttlang_models.commands": {
        "tt_explorer.main": _STARTS,
        "ttl_start.kept_code": _STARTS,
        "ttmlir.opt.__main__": _STARTS,
        "ttmlir.translate.main": _STARTS,
        "ttrt.common.main": _STARTS,
    },
    "ttmlir.dispatch": {
        "ttmlir.frameworks": _FRAMEWORK,
        "ttmlir.torch": _FRAMEWORK,
        "ttmlir.torch.exporting": _FRAMEWORK,
    },
    "ttmlir.frameworks": {"ttmlir.jax.arguments": _FRAMEWORK, "ttmlir.torch.exporting": _FRAMEWORK},
    "ttmlir.jax.kernel_calls": {"tt_model.tt_lang.running": _TT_LANG},
    "ttmlir.opt.__main__": {"ttmlir.opt.main": _STARTS},
    "ttmlir.torch": {"ttmlir.torch.compiled": _FRAMEWORK, "ttmlir.torch.tensor_kernels": _FRAMEWORK},
    "ttmlir.torch.kernel_calls": {"tt_model.tt_lang.running": _TT_LANG},
    "ttmlir.transforms.from_stablehlo.passes": {
        "tt_model.stablehlo.dialect": _OTHER_TEXT,
        "tt_model.stablehlo.shardy": _OTHER_TEXT,
        "tt_model.stablehlo.widths": _OTHER_TEXT,
        "ttmlir.transforms.from_stablehlo.control_flow": _OTHER_TEXT,
        "ttmlir.transforms.from_stablehlo.functions": _OTHER_TEXT,
    },
    "ttmlir.transforms.upgrade.later": {"ttmlir.transforms.upgrade.upgrading": _OTHER_TEXT},
    "ttmlir.translate.main": {
        "ttmlir.emitc": _TRANSLATION,
        "ttmlir.standalone.project": _TRANSLATION,
        "ttmlir.standalone.script": _TRANSLATION,
        "ttmlir.translate.metal": _METAL,
    },
    "ttrt.common.kernel_cycles": {"tt_model.emulated.kernel_choice": _METAL},
    "ttrt.common.metal_execution": {"ttmlir.emitc": _METAL},
    "ttrt.common.metal_golden": {
        "tt_model.reference.interpreter": _METAL,
        "tt_model.reference.metal.machine": _METAL,
        "ttmlir.transforms.metal.recipes": _METAL,
    },
    "ttrt.common.metal_perf": {"ttl.emu.record": _TT_LANG},
    "ttrt.common.perf": {"ttrt.common.metal_perf": _METAL},
    "ttrt.common.run": {"tt_model.tt_lang.running": _TT_LANG, "ttrt.common.metal_report": _METAL},
}


def test_every_import_inside_a_function_has_its_reason() -> None:
    found = {(module, imported): place for module, imported, place in lazy_imports()}
    listed = {(module, imported) for module, entries in LAZY.items() for imported in entries}
    unlisted = [f"{found[pair]} imports {pair[1]}" for pair in sorted(found.keys() - listed)]
    assert not unlisted, (
        "imports of our own modules belong at the top; where one cannot, list it with its reason:\n"
        + "\n".join(unlisted)
    )
    gone = sorted(listed - found.keys())
    assert not gone, f"listed, and not there any more: {gone}"


def test_there_are_never_more_of_them() -> None:
    assert sum(map(len, LAZY.values())) == MOST


def test_an_import_inside_a_function_is_found() -> None:
    text = "import ttl.rows\ndef f():\n    from ttl.arch import names\n    import ttl.diag.text, json\n"
    found = list(_inside_functions(list(ast.walk(ast.parse(text)))))
    assert [(_module(name, {"ttl", "ttl.arch", "ttl.diag.text"}), line) for name, line in found] == [
        ("ttl.arch", 3),
        ("ttl.diag.text", 4),
        (None, 4),
    ]


def lazy_imports() -> Iterator[tuple[str, str, str]]:
    """The importing module, the imported one and where: the file and the line."""
    files = {_dotted(path): path for path in python_files(SOURCE)}
    for module, path in files.items():
        if module.partition(".")[0] in PACKAGES:
            for name, line in _inside_functions(nodes(path)):
                if (imported := _module(name, files)) is not None:
                    yield module, imported, f"{path.relative_to(SOURCE)}:{line}"


def _inside_functions(of_file: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """The dotted names that functions import, with their lines."""
    inside = {
        id(node)
        for function in of_file
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in of_file:
        if id(node) in inside and isinstance(node, ast.Import):
            yield from ((name.name, node.lineno) for name in node.names)
        elif id(node) in inside and isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from ((f"{node.module}.{name.name}", node.lineno) for name in node.names)


def _module(name: str, modules: Container[str]) -> str | None:
    """The module of ours that an imported name is, or is of; None for a compiled one and for those of others."""
    if name.startswith(EXTENSIONS):
        return None
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
