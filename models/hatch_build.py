"""Build hook of ``ttlang-models``: the type stubs of the operations, made from their classes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the stubs beside their modules, from where they are packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write them."""
        path = Path(self.root).parent / "scripts" / "update_stubs.py"
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        script.write()
