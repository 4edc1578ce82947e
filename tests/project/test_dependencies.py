"""What the packages import is declared: of the standard library, ours, a dependency, or of an extra."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

from support.syntax_trees import nodes, python_files

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, EXTRAS = CONFIGURATION["project"], CONFIGURATION["tool"]["ttlang"]["extras"]
# Distributions whose modules have another name.
DISTRIBUTIONS = {"model_explorer": "ai-edge-model-explorer"}
# Ours, with the vendor's names: an extra of ours asks for it.
OURS = "ttlang-models"
# Modules of programs that import us, or that stand in for them.
HOSTS = {
    "ttnn": "mirrored here; the real one wins where it is installed",
    "pytest": "it loads our plugin",
    "_pytest": "it loads our plugin",
    "IPython": "it loads our extension",
    "jaxlib": "of jax",
}


def imported() -> dict[str, set[str]]:
    """The modules of other distributions that our packages import anywhere, each with the packages that do."""
    ours = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    found: dict[str, set[str]] = {}
    for package in sorted(ours):
        for path in python_files(ROOT / "src" / package):
            for node in nodes(path):
                match node:
                    case ast.Import(names=names):
                        modules = [alias.name for alias in names]
                    case ast.ImportFrom(module=str(module), level=0):
                        modules = [module]
                    case _:
                        continue
                for name in (module.partition(".")[0] for module in modules):
                    if name not in sys.stdlib_module_names and name not in ours and name not in HOSTS:
                        found.setdefault(name, set()).add(package)
    return found


def declared(extra: str | None = None) -> set[str]:
    """The distributions that the project, or one of its extras, asks for."""
    texts = PROJECT["dependencies"] if extra is None else EXTRAS[extra]
    return {re.split(r"[\[<>=!~ ]", text)[0].lower() for text in texts}


def test_what_is_imported_is_declared() -> None:
    extras = [extra for extra in EXTRAS if extra not in ("all", "dev")]
    known = declared().union(*map(declared, extras))
    assert {
        name: found
        for name, found in imported().items()
        if DISTRIBUTIONS.get(name, name).lower() not in known
    } == {}


def test_what_is_declared_is_imported() -> None:
    names = {DISTRIBUTIONS.get(name, name).lower() for name in imported()}
    extras = [extra for extra in EXTRAS if extra not in ("all", "dev")]
    assert declared().union(*map(declared, extras)) - names == {OURS}
