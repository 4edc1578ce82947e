"""The layering and the invariants of DESIGN.md, read from the source of the package."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path

import pytest

import ttl.diag
from support.syntax_trees import nodes, python_files, tree
from ttl.arch import all_chips

SOURCE = Path(ttl.diag.__file__).parent.parent

# What each part may import, and every part may import itself. The order is that of DESIGN.md, from the lowest up.
# `session` has what is chosen and kept for everybody. `settings` is a module beside the folders: it says what a wrong
# value is to its user, so it stands on `diag`.
DATA = frozenset({"diag", "source", "session", "settings"})
RULES = DATA | {"rows", "protocol", "arch"}
SURFACE = RULES | {"rules", "control", "lang", "host", "math", "block", ""}
MAY_IMPORT: dict[str, frozenset[str]] = {
    "arch": frozenset(),
    "session": frozenset({"arch"}),
    "source": frozenset({"session"}),
    "diag": frozenset({"source", "session"}),
    # What a project asks for in its pyproject.toml: for the command line and the language server.
    "project": frozenset({"diag", "source", "session", "settings"}),
    "settings": frozenset({"arch", "diag", "session", "source"}),
    "native": DATA,
    # Programs of users in bounded processes: for the language service, `ttl mcp`, `ttl score` and sweeps.
    "processes": frozenset({"session"}),
    "control": DATA | {"native"},
    # The same work for many items, on this machine or a cluster: knows no work.
    "sweeps": DATA | {"processes"},
    "rows": frozenset({"arch", "diag", "source"}),
    "protocol": frozenset({"diag", "source"}),
    "rules": RULES,
    "deadlock": RULES | {"rules"},
    "host": RULES | {"control"},
    "lang": SURFACE,
    "math": SURFACE,
    "block": SURFACE,
    "utils": SURFACE,
    "": SURFACE | {"sim", "emu", "report"},  # ttl/__init__.py: the public names
    "tuning": SURFACE,
    "sim": SURFACE | {"native", "deadlock"},
    "kernel_api": frozenset({"diag", "source", "rows"}),
    "ir": DATA,
    # A dialect of MLIR and its C++, which know nothing of the language.
    "emitc": DATA | {"ir"},
    # Verifiers of distributed tensors ask the rules, as the language does (ADR 56).
    "dialects": RULES | {"rules", "kernel_api", "ir"},
    "analysis": RULES | {"dialects", "kernel_api", "ir"},
    "passes": RULES | {"rules", "dialects", "kernel_api", "analysis", "ir"},
    "frontend": SURFACE | {"dialects", "analysis", "utils", "tuning", "ir"},
    # From tile programs to explicit operations: reads with the front end's evaluator, and is reached by name from there.
    "design": SURFACE | {"frontend", "analysis", "tuning", "dialects", "ir"},
    "check": SURFACE | {"project", "deadlock", "tuning", "dialects", "analysis", "passes", "frontend", "ir"},
    # Schedules as data: what order of passes and steps there is, and what runs it. Knows no program and no check.
    "transform": RULES | {"dialects", "analysis", "passes", "ir"},
    "opt": DATA | {"dialects", "passes", "check", "ir", "transform"},
    "codegen": SURFACE
    | {"emitc", "kernel_api", "dialects", "analysis", "passes", "transform", "frontend", "check", "ir"},
    "pytest_plugin": SURFACE,
    # Operations written in the language: they stand on what programs stand on.
    "ops": frozenset({"lang", "rows", ""}),
    "emu": SURFACE | {"native", "kernel_api", "deadlock", "analysis", "codegen", "check", "frontend", "sim"},
    # Costs of a user's card, from runs of programs of its own on the emulated chip.
    "calibrate": SURFACE | {"emu"},
    # What a card's tools wrote about a hang, as a chip that stands still.
    "hang": SURFACE | {"deadlock", "dialects", "check", "frontend", "codegen", "emu", "sim", "ir"},
    # What runs did, as data for a page, a notebook and other programs; of both executions, so above both.
    "report": SURFACE
    | {"design", "sim", "emu", "codegen", "check", "deadlock"},  # who should have ended a wait
    # What may be asked about a program that is being typed. It knows no protocol; `lsp` is the one that editors speak.
    "service": SURFACE
    | {
        "project",
        "dialects",
        "analysis",
        "passes",
        "frontend",
        "design",
        "check",
        "ir",
        "codegen",
        "emu",
        "processes",
    },
    "lsp": SURFACE | {"service", "processes", "frontend", "check", "ir"},
    "tuner": SURFACE | {"sweeps", "tuning", "dialects", "analysis", "codegen", "emu", "sim"},
    "mcp": DATA | {"service", "processes", "score", "emu", "arch"},
    # Scores a program by processes of its own; those that run nothing of the program read, compile and emulate it.
    "score": SURFACE | {"processes", "check", "frontend", "codegen", "emu", "utils"},
    "cli": SURFACE
    | {
        "score",
        "tuning",
        "tuner",
        "sim",
        "native",
        "cli",
        "check",
        "frontend",
        "design",
        "dialects",
        "codegen",
        "emitc",
        "emu",
        "hang",
        "calibrate",
        "lsp",
        "mcp",
        "project",
        "report",
        "service",
        "processes",
        "sweeps",
        "utils",
    },
    "__main__": frozenset({"cli"}),
}
# The standard library is everyone's. These are the other distributions, and who may use them at import time.
LIBRARIES = {
    "numpy": frozenset(
        {
            "rows",
            "ops",
            "host",
            "sim",
            "calibrate",
            "analysis",
            "check",
            "frontend",
            "design",
            "emu",
            "report",
            "utils",
            "tuner",
            "score",
            "cli",
        }
    ),
    "greenlet": frozenset({"analysis", "sim"}),
    "xdsl": frozenset(
        {
            "ir",
            "emitc",
            "dialects",
            "analysis",
            "passes",
            "transform",
            "opt",
            "frontend",
            "check",
            "codegen",
            "service",
            "tuner",
        }
    ),
    "ttnn": frozenset({"codegen"}),
    "optuna": frozenset({"tuner"}),
    # The live table of `ttl tune`.
    "rich": frozenset({"cli"}),
    "distributed": frozenset({"sweeps"}),
    "mcp": frozenset({"mcp"}),
    "tomlkit": frozenset({"tuning"}),
    "IPython": frozenset({"report"}),
    "pygls": frozenset({"lsp"}),
    "lsprotocol": frozenset({"lsp"}),
}
# The packages of `passes`, what each may import of it beside itself, and the modules that all of them may import.
OF_PASSES: dict[str, frozenset[str]] = {
    "buffers": frozenset(),
    "canonical": frozenset(),
    "compute": frozenset({"buffers", "canonical"}),
    "movement": frozenset({"buffers"}),
    "pipes": frozenset({"buffers", "movement"}),
    "kernels": frozenset({"buffers", "canonical", "movement"}),
    # Loops and block mathematics in MLIR's forms.
    "structured": frozenset({"buffers", "canonical", "compute"}),
    # What only schedules run.
    "scheduling": frozenset({"buffers", "structured"}),
}
SHARED_BY_PASSES = frozenset({"building", "choices", "contracts", "marks", "names"})
# Of `frontend`: what joins its two domains. Everything else beside them is common to both.
WAYS_IN = {"dividing.py", "file.py", "live.py", "lowering.py", "symbolic.py"}
PLUGIN_LIBRARIES = {"pytest_plugin": {"pytest", "_pytest"}}
# Sizes that cannot be anything else: of each chip in bytes, and as they are spoken of.
NUMBERS_OF_A_CHIP = {1464, 1536} | {
    size for chip in all_chips() for size in (chip.l1_bytes, chip.l1_reserved_bytes, chip.l1_available_bytes)
}
# The extension modules of the native core. `ttl.native` finds them for the others.
EXTENSIONS = {"_core", "_machine", "_emu"}
# What imports a module by a name that is not an ``import`` statement: ours when it is needed, torch, what a program that
# is read imports, of ours and the standard library, the library's functions that are methods of its tensors, and what a sweep does.
BY_NAME = {
    "arch/__init__.py",
    "cli/main.py",  # the verbs
    "cli/doctor.py",  # TT-MLIR, where it is installed
    "design/operation.py",  # the names that explicit operations use
    "frontend/host/modules.py",
    "frontend/kernel/operation.py",  # the designer of tile programs
    "host/importer.py",
    "host/operators.py",
    "host/programs.py",  # the emulated chip, which launches programs
    "host/mesh_programs.py",  # the emulated chip, which places global semaphores
    "host/storage.py",
    "lang/operation.py",
    "lang/tiles.py",
    "math.py",  # what is written in the language
    "processes/template.py",
    "score/inside.py",
    "sweeps/child.py",
}
# Whose private attributes everybody may use: one's own, ``sys._getframe``, and ``atexit._run_exitfuncs``.
ITS_OWN = {"self", "cls", "sys", "os", "atexit"}
# What every named tuple has: underscores keep these names apart from fields.
OF_NAMED_TUPLES = {"_replace", "_asdict", "_fields"}
LONGEST_MODULE = 700
# What imports the rest of the rooms that read, check, lower and print IR.
_ROOMS_OF_IR = ("ttl.codegen.compile", "ttl.opt.main", "ttl.transform.running", "ttl.emitc.conversion")


def modules() -> tuple[Path, ...]:
    """Every Python file of the package."""
    return python_files(SOURCE)


def name_of(path: Path) -> str:
    """The path of a file within the package."""
    return str(path.relative_to(SOURCE))


def part_of(path: Path) -> str:
    """The folder (or top-level module) of the package a file belongs to."""
    first = path.relative_to(SOURCE).parts[0]
    return "" if first == "__init__.py" else first.removesuffix(".py")


@cache
def imports(path: Path) -> tuple[tuple[str, int, bool], ...]:
    """Dotted name, line, and whether it happens when the module is imported (and not for the type checker only)."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, int, bool]]:
    lazy: set[int] = set()
    for node in nodes(path):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if is_function or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            lazy.update(id(child) for child in ast.walk(node))
    for node in nodes(path):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, node.lineno, id(node) not in lazy
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            for name in node.names:
                yield f"{node.module}.{name.name}", node.lineno, id(node) not in lazy


def ours(dotted: str) -> str | None:
    """The part of the package that an import is of, or None."""
    first, *rest = dotted.split(".")
    if first != "ttl":
        return None
    head = rest[0] if rest else ""
    if head in EXTENSIONS:
        return "native"
    return head if (SOURCE / head).is_dir() or (SOURCE / f"{head}.py").is_file() else ""


def test_a_module_imports_only_what_lies_below_it() -> None:
    placeless = {part_of(path) for path in modules()} - set(MAY_IMPORT)
    assert not placeless, f"{placeless} have no place in the layering: give them one here and in DESIGN.md"
    wrong = [
        f"{name_of(path)}:{line} imports {dotted}"
        for path in modules()
        for dotted, line, _ in imports(path)
        if (target := ours(dotted)) is not None
        and target != part_of(path)
        and target not in MAY_IMPORT[part_of(path)]
    ]
    assert not wrong, "\n".join(wrong)


def test_the_table_of_storeys_says_the_law() -> None:
    """ARCHITECTURE.md has every room, in the order of the law, with what it may import."""
    text = (SOURCE.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", text, re.MULTILINE)
    sets = {"*data*": DATA, "*the rules' data*": RULES, "*the surface*": SURFACE}
    said = {}
    for room, listed in rows:
        may = (
            {room}
            if listed == "nothing"
            else {room}.union(*(sets.get(item, {item.strip("`")}) for item in listed.split(", ")))
        )
        said["" if room == "ttl" else room] = {"" if name == "ttl" else name for name in may}
    assert list(said) == list(MAY_IMPORT)
    assert said == {room: set(may) | {room} for room, may in MAY_IMPORT.items()}


def test_the_evaluator_knows_no_domain_and_a_domain_not_the_other() -> None:
    """What both domains of the front end use stands above them; the ways in join them."""
    wrong = [
        f"{name_of(path)}:{line} imports {dotted}"
        for path in python_files(SOURCE / "frontend")
        for dotted, line, _ in imports(path)
        for domain in ("kernel", "host")
        if dotted.startswith(f"ttl.frontend.{domain}.")
        and path.parent.name != domain
        and path.name not in WAYS_IN
    ]
    assert not wrong, "\n".join(wrong)


def test_what_passes_share_imports_no_pass() -> None:
    wrong = [
        f"{name_of(path)}:{line} imports {dotted}"
        for package, others in OF_PASSES.items()
        for path in sorted((SOURCE / "passes" / package).glob("*.py"))
        for dotted, line, _ in imports(path)
        if dotted.startswith("ttl.passes.")
        and dotted.split(".")[2] not in others | SHARED_BY_PASSES | {package}
    ]
    assert not wrong, "\n".join(wrong)


def test_every_package_of_passes_has_its_place() -> None:
    found = {path.parent.name for path in (SOURCE / "passes").glob("*/__init__.py")}
    assert found == set(OF_PASSES)


def test_a_module_imports_no_library_it_has_no_use_for() -> None:
    wrong = [
        f"{name_of(path)}:{line} imports {library}"
        for path in modules()
        for dotted, line, at_import in imports(path)
        if not may_use(part_of(path), library := dotted.split(".")[0], at_import)
    ]
    assert not wrong, "\n".join(wrong)


def may_use(part: str, library: str, at_import: bool) -> bool:
    """Whether a part of the package may import a library, when the module is imported or later."""
    if library in sys.stdlib_module_names or library in ("ttl", "ttl_start"):
        return True
    if library == "torch":
        return part == "host" and not at_import
    if library == "typing_extensions":
        return not at_import  # for the type checker, which brings it
    return part in LIBRARIES.get(library, ()) or library in PLUGIN_LIBRARIES.get(part, ())


def test_who_imports_by_name() -> None:
    """What the rules above cannot see: a module whose name is computed. The language names its executions so."""
    callers = {
        name_of(path)
        for path in modules()
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and {getattr(node.func, "id", None), getattr(node.func, "attr", None)}
        & {"import_module", "__import__"}
    }
    assert callers == BY_NAME
    named = {
        f"{name_of(path)}: {node.value}"
        for path in modules()
        if part_of(path) not in ("sim", "cli")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and type(node.value) is str and node.value.startswith("ttl.sim")
    }
    assert named == {"lang/operation.py: ttl.sim.launch"}


def test_private_attributes_stay_in_their_module() -> None:
    """An attribute with an underscore is used where it is defined: in the module of its class.

    Among the modules of the host library those of tensors and devices are common property: any other name would be
    one that users see. For everybody else there is ``host/access.py``.
    """
    wrong = []
    for path in modules():
        if part_of(path) == "host":
            continue
        own = nodes(path)
        defined = {node.name for node in own if isinstance(node, ast.FunctionDef)}
        wrong += [
            f"{name_of(path)}:{node.lineno} {ast.unparse(node)}"
            for node in own
            if isinstance(node, ast.Attribute)
            and node.attr.startswith("_")
            and not node.attr.startswith("__")
            and node.attr not in defined | OF_NAMED_TUPLES
            and ast.unparse(node.value) not in ITS_OWN
        ]
    assert not wrong, "\n".join(wrong)


def test_nothing_but_settings_reads_the_environment() -> None:
    readers = set()
    for path in modules():
        for node in nodes(path):
            match node:
                case ast.Attribute(
                    value=ast.Name(id="os"), attr="environ" | "environb" | "getenv" | "getenvb"
                ):
                    readers.add(name_of(path))
                case ast.ImportFrom(module="os", names=names) if {name.name for name in names} & {
                    "environ",
                    "environb",
                    "getenv",
                }:
                    readers.add(name_of(path))
    assert readers == {"session/switches.py"}


def test_only_arch_knows_the_sizes_of_a_chip() -> None:
    wrong = [
        f"{name_of(path)}:{node.lineno} says {node.value}"
        for path in modules()
        if part_of(path) != "arch"
        for node in nodes(path)
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value in NUMBERS_OF_A_CHIP
    ]
    assert not wrong, "\n".join(wrong)


def test_only_arch_knows_the_names_of_chips() -> None:
    """In code and in texts that are shown; the two classes with a chip in their names are those of ttnn."""
    chips = "|".join(chip.name for chip in all_chips())
    theirs = re.compile("(Wormhole|Blackhole)ComputeKernelConfig")
    wrong = []
    for path in modules():
        if part_of(path) == "arch":
            continue
        texts = {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}  # docstrings
        for node in nodes(path):
            match node:
                case ast.Constant(value=str(said)) if id(node) not in texts:
                    pass
                case ast.Name(id=said) | ast.Attribute(attr=said) | ast.alias(name=said):
                    pass
                case ast.FunctionDef(name=said) | ast.ClassDef(name=said) | ast.arg(arg=said):
                    pass
                case _:
                    continue
            if re.search(chips, theirs.sub("", said), re.IGNORECASE):
                wrong.append(f"{name_of(path)}:{getattr(node, 'lineno', 0)} says {said}")
    assert not wrong, "\n".join(wrong)


def test_private_interfaces_of_xdsl_stay_in_ir() -> None:
    """What begins with an underscore in xDSL changes without notice: who overrides it, or imports it, is listed."""
    for name in _ROOMS_OF_IR:
        importlib.import_module(name)
    found = {
        module
        for module, loaded in list(sys.modules.items())
        if module.startswith("ttl.") and loaded is not None
        for kind in vars(loaded).values()
        if isinstance(kind, type) and kind.__module__ == module and not issubclass(kind, Enum)
        for base in kind.__mro__
        if base.__module__.startswith("xdsl.")
        and any(_is_private(own) and own in vars(base) for own in vars(kind))
    }
    imported = {
        name_of(path)
        for path in modules()
        for dotted, _, _ in imports(path)
        if dotted.startswith("xdsl.") and any(map(_is_private, dotted.split(".")))
    }
    assert (found, imported) == (
        {"ttl.ir.affine", "ttl.ir.aliases", "ttl.ir.assembly", "ttl.ir.parser"},
        set(),
    )


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_abc_impl"


def test_a_module_keeps_no_mutable_globals() -> None:
    """No list, dict or set that is filled later, and no ``global``: an exception leaves nothing to reset."""
    wrong = []
    for path in modules():
        for node in tree(path).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and _is_mutable(node.value):
                names = [ast.unparse(target) for target in _targets(node)]
                if names != ["__all__"]:
                    wrong.append(f"{name_of(path)}:{node.lineno} {', '.join(names)}")
        for inner in nodes(path):
            if isinstance(inner, ast.Global):
                wrong.append(f"{name_of(path)}:{inner.lineno} global {', '.join(inner.names)}")
    assert not wrong, "\n".join(wrong)


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _is_mutable(value: ast.expr | None) -> bool:
    """An empty container, or one made by a call: a filled literal is a table."""
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(
            func=ast.Name(id="list" | "dict" | "set" | "defaultdict" | "OrderedDict" | "deque"), args=[]
        ):
            return True
        case ast.Call(func=ast.Name(id="defaultdict" | "deque")):
            return True
    return False


def test_a_module_is_not_too_long() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_a_module_says_what_it_is() -> None:
    wrong = [f"{name_of(path)} has no docstring" for path in modules() if not ast.get_docstring(tree(path))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import ttl", ["torch", "pytest", "argparse", "subprocess", "ttl.cli", "ttl.diag.text", "xdsl"]),
        ("import ttl, ttnn", ["torch", "pytest", "argparse", "ttl.cli"]),
        ("import ttl.cli.main", ["torch", "pytest", "ttl.cli.run", "ttl.cli.doctor", "xdsl"]),
        ("import ttl.pytest_plugin", ["torch"]),
    ],
)
def test_importing_loads_nothing_heavy(statement: str, absent: list[str]) -> None:
    program = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SOURCE.parent)},
    )
    loaded = set(json.loads(done.stdout))
    assert sorted(loaded & set(absent)) == []


def test_the_package_is_typed_for_its_users() -> None:
    assert (SOURCE / "py.typed").is_file()
