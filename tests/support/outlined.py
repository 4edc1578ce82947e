"""Models whose regions became operations of TT-Lang: written to a folder, imported from there, compared."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tt_model.operations.dialects import DIALECTS
from tt_model.operations.shared import TTIRTTLangOp
from tt_model.reference.interpreter import interpret
from tt_model.tt_lang.declared_kernels import TTLangKernel
from ttl.ir.context import make_context
from ttl.ir.failure import Remarks
from ttl.ir.parser import parse_text
from ttl.ir.verifier import require_valid
from ttmlir.outlining.outline import TTIRToTTLang
from ttmlir.tt_lang import allowed


@dataclass(frozen=True, kw_only=True)
class Outlined:
    """A model before and after. ``remarks``: what the pass said. ``source``: the file, empty where none was written."""

    before: ModuleOp
    after: ModuleOp
    name: str
    source: str
    remarks: tuple[str, ...]

    @property
    def kernels(self) -> list[str]:
        """The operations of TT-Lang that the model calls, in its order."""
        return [
            op.kernel_id.partition("::")[0].rpartition(".")[2]
            for op in self.after.walk()
            if isinstance(op, TTIRTTLangOp)
        ]

    @property
    def left(self) -> list[str]:
        """The other operations of TTIR."""
        names = [op.name for op in self.after.walk()]
        return [name for name in names if name.startswith("ttir.") and name != "ttir.tt_lang_op"]


def outline(text: str, folder: Path, name: str = "kernels", **options: Any) -> Outlined:
    """Run the pass."""
    context = make_context(DIALECTS)
    before, after = (parse_text(context, text, "model.mlir") for _ in range(2))
    path = folder / f"{name}.py"
    remarks: tuple[str, ...] = ()
    try:
        TTIRToTTLang(output=str(path), **options).apply(context, after)
    except Remarks as said:
        remarks = tuple(report.message for report in said.reports)
    require_valid(after)
    source = path.read_text(encoding="utf-8") if path.exists() else ""
    return Outlined(before=before, after=after, name=name, source=source, remarks=remarks)


@contextmanager
def imported(model: Outlined, folder: Path, *, references: bool = True) -> Iterator[None]:
    """The module of the operations can be imported, and is; without its references, operations mean what their kernels do."""
    sys.path.insert(0, str(folder))
    try:
        with allowed([model.name]):
            if model.source:
                module = __import__(model.name)
                for key, value in list(vars(module).items()):
                    if isinstance(value, TTLangKernel) and not references:
                        setattr(module, key, replace(value, reference=None))
            yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(model.name, None)


def results(
    model: Outlined, function: str, inputs: Sequence[Any], folder: Path
) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    """What the model gives: as it was, with the references of its operations, with their kernels in the simulator."""
    with np.errstate(all="ignore"):
        before = interpret(model.before, function, inputs)
        with imported(model, folder):
            referenced = interpret(model.after, function, inputs)
        with imported(model, folder, references=False):
            simulated = interpret(model.after, function, inputs)
    return before, referenced, simulated
