"""Pass pipelines, under the names of MLIR's Python bindings."""

from __future__ import annotations

from typing import Any, Self

from ttmlir.bindings.running import run_passes, steps_of
from ttmlir.bindings.scope import Context, context_or_current

__all__ = ["PassManager"]


class PassManager:
    """Passes to run one after the other: ``PassManager.parse("builtin.module(canonicalize,cse)").run(module)``."""

    def __init__(self, anchor_op: str = "any", context: Context | None = None) -> None:
        self.context = context_or_current(context)
        self._anchor = anchor_op
        self._texts: list[str] = []
        self._verifies = True
        self._prints = False

    @staticmethod
    def parse(pipeline: str, context: Context | None = None) -> PassManager:
        """Parse a text as a sequence of passes. Raises ``ValueError``."""
        manager = PassManager(pipeline.partition("(")[0], context)
        manager.add(pipeline)
        return manager

    def add(self, pipeline: str) -> None:
        """Add the passes in a text. Raises ``ValueError``."""
        steps_of(pipeline)
        self._texts.append(pipeline)

    def enable_verifier(self, enable: bool) -> None:
        """Set whether the module is verified after each pass (the default)."""
        self._verifies = enable

    def enable_ir_printing(self, *_: Any, **__: Any) -> None:
        """Print the module after each pass, to standard error."""
        self._prints = True

    def run(self, operation: Any) -> None:
        """Run the passes on a module. Raises ``MLIRError`` with all diagnostics."""
        passes = [step for text in self._texts for step in steps_of(text)]
        run_passes(
            operation.operation,
            passes,
            "Failure while executing pass pipeline",
            verify_each=self._verifies,
            print_after_all=self._prints,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __str__(self) -> str:
        inside = ",".join(text for text in self._texts)
        return inside if inside.startswith(f"{self._anchor}(") else f"{self._anchor}({inside})"
