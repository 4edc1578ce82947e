"""Build hook of ``ttlang-models``: what a wheel has, and the type stubs of the operations, made from their classes."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the stubs beside their modules, and packs both into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stubs. What is installed to be edited is not copied: Python finds it in ``src``."""
        path = Path(self.root).parent / "scripts" / "update_stubs.py"
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        script.write()
        if version != "editable":
            project = tomllib.loads((Path(self.root) / "pyproject.toml").read_text(encoding="utf-8"))
            for source, place in project["tool"]["ttlang"]["packed"].items():
                build_data["force_include"][str((Path(self.root) / source).resolve())] = place
