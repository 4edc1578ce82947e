"""Hooks of the wheel and of an editable install: the extras, the native core where there is a C++ compiler, the report page where there is npm.

Without a compiler, or when it fails, the package is installed without the native core, and a warning says so: it works
the same, slower. ``TTL_REQUIRE_NATIVE=1`` makes that an error. ``TTL_BUILD_NATIVE=0`` leaves the native core out.
The type stubs of functions are made of their rows: for wheels, and beside the modules of a clone.
The page (``--report``) goes into wheels: built before, or built now. ``TTL_REQUIRE_REPORT_PAGE=1`` makes its absence an
error.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PAGES_OF_SEARCH = ("docs/guides/*.md", "docs/reference/*.md", "docs/tutorial/*.md", "examples/*.py")


MODELS = "ttlang-models"


class ExtrasHook(MetadataHookInterface):
    """Says where the extras for models have ``ttlang-models`` from."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the extras: in a release, and in a source distribution, by version; else from the folder of these sources."""
        root = Path(self.root)
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        is_release = os.environ.get("TTL_MODELS") == "1" or (root / "PKG-INFO").exists()
        models = (
            f"{MODELS}=={metadata['version']}" if is_release else f"{MODELS} @ {(root / 'models').as_uri()}"
        )
        metadata["optional-dependencies"] = {
            extra: [models if item == MODELS else item for item in items]
            for extra, items in project["tool"]["ttlang"]["extras"].items()
        }


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds ``ttl._machine`` and ``ttl._core``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the modules and add them to the wheel, which then is one of this platform and Python."""
        stubs = self._stubs()
        if version != "editable":
            self._add_report_page(build_data)
            self._add_pages(build_data)
            build_data["force_include"] |= stubs
        if os.environ.get("TTL_BUILD_NATIVE") == "0":
            return
        build = _build_script(Path(self.root) / "native" / "build.py")
        try:
            built: dict[str, Path] = build.build()
        except build.BuildError as failure:
            if os.environ.get("TTL_REQUIRE_NATIVE") == "1":
                raise
            self.app.display_warning(f"ttlang is installed without its native core, and slower. {failure}")
            return
        if version == "editable":
            build.install(built)
            return
        if built:
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
        for module, path in built.items():
            build_data["force_include"][str(path)] = f"ttl/{build.module_file(module).name}"

    def _add_pages(self, build_data: dict[str, Any]) -> None:
        """The documentation and the examples, for the search of ``ttl mcp``; a clone has them where they are."""
        root = Path(self.root)
        for pattern in PAGES_OF_SEARCH:
            for path in sorted(root.glob(pattern)):
                build_data["force_include"][str(path)] = f"ttl/mcp/pages/{path.relative_to(root)}"

    def _stubs(self) -> dict[str, str]:
        """The type stubs, written beside their modules: for each its place in the wheel."""
        root = Path(self.root)
        script = _build_script(root / "scripts" / "update_stubs.py")
        paths: list[Path] = script.write_stubs()
        return {str(path): str(path.relative_to(root / "src")) for path in paths}

    def _add_report_page(self, build_data: dict[str, Any]) -> None:
        build = _build_script(Path(self.root) / "web" / "report" / "build.py")
        try:
            built: dict[str, Path] = build.build()
        except build.BuildError as failure:
            if os.environ.get("TTL_REQUIRE_REPORT_PAGE") == "1":
                raise
            self.app.display_warning(f"ttlang is packed without the page of --report. {failure}")
            return
        for name, path in built.items():
            build_data["force_include"][str(path)] = f"ttl/report/page/{name}"


def _build_script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ttl_{path.parent.name}_build", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
