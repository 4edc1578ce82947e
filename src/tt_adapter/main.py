"""The extension that Model Explorer loads: ``model-explorer --extensions=tt_adapter``."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any

from model_explorer import Adapter, AdapterMetadata  # type: ignore[import-untyped]

from tt_adapter import commands
from tt_adapter.models import POLICIES
from tt_adapter.replies import replied

FILE_EXTENSIONS = ("mlir", "ttir", "ttnn")


class TTAdapter(Adapter):  # type: ignore[misc]
    """Modules and binaries of TT-MLIR. Each command is a method that takes a path and settings."""

    metadata = AdapterMetadata(
        id="tt_adapter",
        name="Tenstorrent MLIR Adapter",
        description="Modules of TT-MLIR and TT-Lang as graphs, compiled, estimated and compared on this machine.",
        fileExts=list(FILE_EXTENSIONS),
    )
    # The commands that tt-explorer's page offers.
    settings = {"optimizationPolicies": list(POLICIES)}  # noqa: RUF012 - read by Model Explorer as a dictionary

    def convert(self, model_path: str, settings: dict[str, Any]) -> Any:
        """The graph of a file."""
        return _adapted(replied(commands.convert, model_path, settings))

    def initialize(self, model_path: str, settings: dict[str, Any]) -> Any:
        """The description of the simulated system."""
        return _adapted(replied(commands.initialize, model_path, settings))

    def execute(self, model_path: str, settings: dict[str, Any]) -> Any:
        """Compile and estimate."""
        return _adapted(replied(commands.execute, model_path, settings))

    def choices(self, model_path: str, settings: dict[str, Any]) -> Any:
        """Legal layouts."""
        return _adapted(replied(commands.choices, model_path, settings))

    def compare(self, model_path: str, settings: dict[str, Any]) -> Any:
        """Return a model's graph and costs under a policy and overrides, beside those without them."""
        return _adapted(replied(commands.compare, model_path, settings))


def _adapted(reply: dict[str, Any]) -> dict[str, list[Any]]:
    """Convert a reply for Model Explorer: a list of dataclass instances under ``graphs``."""
    graphs = reply["graphs"] if set(reply) == {"graphs"} else [reply]
    return {"graphs": [make_dataclass("Reply", list(graph))(**graph) for graph in graphs]}
