"""Passes that have a name and options already and do their work later. Asking for one is an error that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

SECOND_HALF = (
    "it comes with the second half of TT-MLIR; what there is compiles TTIR to TTNN and to TTMetal: "
    "--ttir-to-ttnn-backend-pipeline, --ttir-to-ttmetal-backend-pipeline"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Coming:
    """A pass that is not there yet: its name, what it will do, and its options with their defaults."""

    name: str
    summary: str
    options: Mapping[str, str] = field(default_factory=dict)


_COMING = (Coming(name="convert-ttnn-to-emitc", summary="TTNN to EmitC, of which MLIR prints C++"),)


@dataclass(frozen=True)
class ComingPass(ModulePass):
    """A pass that cannot be asked for yet."""

    def __post_init__(self) -> None:
        raise ValueError(f"it has no implementation yet: {SECOND_HALF}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise NotImplementedError(self.name)


def _coming_pass(coming: Coming) -> type[ModulePass]:
    class_name = "".join(word.capitalize() for word in coming.name.split("-"))
    namespace = {
        "name": coming.name,
        "__doc__": f"{coming.summary[:1].upper()}{coming.summary[1:]} (comes later).",
    }
    if not coming.options:  # no need to write code for it
        return type(class_name, (ComingPass,), namespace)
    options = [(name, "str", field(default=default)) for name, default in coming.options.items()]
    return make_dataclass(class_name, options, bases=(ComingPass,), namespace=namespace, frozen=True)


COMING_PASSES: tuple[type[ModulePass], ...] = tuple(_coming_pass(coming) for coming in _COMING)
