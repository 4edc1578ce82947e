"""The names of the language: signatures, documentation, and whether they are outdated.

All of it is read from the public objects and the rows of operations; it is not written a second time here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType, MemberDescriptorType, ModuleType
from typing import Any, Literal

from ttl.rows.row import Op
from ttl.service.facts import Kind

MemberKind = Literal["function", "class", "method", "property", "constant", "module", "decorator"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as a signature shows it, and its documentation."""

    name: str
    text: str
    doc: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A name of the language, or of one of its objects."""

    name: str
    qualified: str
    kind: MemberKind
    parameters: tuple[Parameter, ...] = ()
    result: str = ""
    doc: str = ""
    instead: str = ""
    """For an older spelling: the present spelling."""
    op: Op | None = None

    @property
    def signature(self) -> str:
        """The signature: ``exp(expr: BlockExpr | float) -> BlockExpr``; the name of a member that is not called."""
        if self.kind in ("property", "constant", "module"):
            return f"{self.name}: {self.result}" if self.result else self.name
        arrow = f" -> {self.result}" if self.result not in ("", "None") else ""
        return f"{self.name}({', '.join(parameter.text for parameter in self.parameters)}){arrow}"

    @property
    def summary(self) -> str:
        """The first sentence or line of the documentation."""
        return self.doc.partition("\n")[0]


MODULES = ("ttl", "ttl.math", "ttl.block")
_DECORATORS = frozenset({"operation", "tile_operation", "compute", "datamovement", "example"})
# Parameters that exist for older programs only.
_OLDER_PARAMETERS = frozenset(
    {"buffer_factor", "src_core", "dst_core", "dst_core_range", "options", "fp32_dest_acc_en", "dst_full_sync_en", "math_fidelity", "accumulation", "memory_space", "tiled"}
)  # fmt: skip
# For each kind of object, the public classes whose members are described and offered.
_CLASSES: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "dataflow buffer": ("DataflowBuffer",),
        "block": ("Block", "BlockExpr"),
        "expression": ("BlockExpr",),
        "tile value": ("TileValue",),
        "tile tensor": ("TileTensor",),
        "axis": ("TileAxis",),
        "tensor slice": ("TensorSlice",),
        "transfer": ("Transfer",),
        "transfer group": ("GroupTransfer",),
        "pipe": ("SrcPipeIdentity", "DstPipeIdentity"),
        "pipe net": ("PipeNet",),
        "semaphore": ("Semaphore", "UnicastRemoteSemaphore", "MulticastRemoteSemaphore"),
    }
)
# Methods by how often programs write them; others follow by name, older spellings at the end.
_ORDER = (
    "reserve",
    "wait",
    "store",
    "is_src",
    "if_src",
    "if_dst",
    "is_dst",
    "wait_ge",
    "wait_eq",
    "set",
    "inc",
)
_TENSOR = ("shape", "dtype", "layout", "padded_shape", "memory_config", "device")


@lru_cache(maxsize=8)
def members(module: str) -> tuple[Member, ...]:
    """The names of ``ttl``, ``ttl.math`` or ``ttl.block``, older spellings last; empty for any other module."""
    import ttl

    if module == "ttl":
        from ttl.lang.older_functions import OLDER_NAMES

        names = [_of(f"ttl.{name}", getattr(ttl, name)) for name in sorted(ttl.__all__)]
        return (*names, *(item for name in OLDER_NAMES if (item := _older(name)) is not None))
    from ttl.rows.table import OPS

    if module not in MODULES:
        return ()
    namespace = module.removeprefix("ttl.")
    rows = [_of_row(row) for row in OPS if row.namespace == namespace]
    renamed = [
        _of_row(row, spelling)
        for row in OPS
        for spelling in row.deprecated_spellings
        if spelling.rpartition(".")[0] == module
    ]
    if namespace == "math":  # a function that is written in the language and has no row
        rows.append(_of("ttl.math.topk", ttl.math.topk))
    return (*sorted(rows, key=lambda member: member.name), *renamed)


@lru_cache(maxsize=512)
def member(qualified: str) -> Member | None:
    """The member with a qualified name, such as ``ttl.math.exp``; None for a name that the language does not have."""
    module, _, name = qualified.rpartition(".")
    if module == "ttl":
        import ttl

        # Only this name is looked up: others may import much.
        return _of(qualified, getattr(ttl, name)) if name in ttl.__all__ else _older(name)
    return next((item for item in members(module) if item.name == name), None) if module in MODULES else None


def _older(name: str) -> Member | None:
    import ttl
    from ttl.lang.older_functions import OLDER_NAMES

    instead = OLDER_NAMES.get(name)
    return None if instead is None else _of(f"ttl.{name}", getattr(ttl, instead), instead=f"ttl.{instead}")


@lru_cache(maxsize=32)
def members_of(kind: Kind) -> tuple[Member, ...]:
    """The public methods and properties of an object of the language, older ones last."""
    if kind == "tensor":
        from ttl.host.tensor import Tensor

        return tuple(_of_class("ttnn.Tensor", Tensor, name) for name in _TENSOR)
    import ttl
    from ttl.lang import tiles

    known: dict[str, Member] = {}
    for name in _CLASSES.get(kind, ()):
        public = getattr(ttl, name, None) or getattr(tiles, name)
        for attribute in dir(public):
            value = inspect.getattr_static(public, attribute)
            # Members of ``TileInMemory`` only raise an error that says that a tensor in memory is not a value.
            refused = (
                value is inspect.getattr_static(tiles.TileInMemory, attribute, None) and kind == "tile tensor"
            )
            field = isinstance(value, MemberDescriptorType)
            if not attribute.startswith("_") and attribute != "site" and not field and not refused:
                known.setdefault(attribute, _of_class(f"ttl.{name}", public, attribute))
    ranks = {name: rank for rank, name in enumerate(_ORDER)}
    return tuple(
        sorted(
            known.values(),
            key=lambda item: (bool(item.instead), ranks.get(item.name, len(ranks)), item.kind == "property"),
        )
    )


def member_of(kind: Kind, name: str) -> Member | None:
    """A method or property of an object of the language."""
    return next((item for item in members_of(kind) if item.name == name), None)


def _of_class(owner: str, public: type, attribute: str) -> Member:
    value = inspect.getattr_static(public, attribute)
    doc = inspect.getdoc(value) or ""
    qualified = f"{owner}.{attribute}"
    if not callable(value) or isinstance(value, property):
        getter = getattr(value, "fget", None)
        annotation = getattr(getter, "__annotations__", {}).get("return", "")
        return Member(
            name=attribute, qualified=qualified, kind="property", doc=doc, result=_annotation(annotation)
        )
    instead = re.match(r"Older spelling of ``([\w.]+)``", doc)
    parameters, result = _parameters(value, doc)
    return Member(
        name=attribute,
        qualified=qualified,
        kind="method",
        parameters=parameters,
        result=result,
        doc=doc,
        instead=instead[1] if instead else "",
    )


def _of(qualified: str, value: Any, instead: str = "") -> Member:
    name = qualified.rpartition(".")[2]
    doc = inspect.getdoc(value) or ""
    if isinstance(value, ModuleType):
        return Member(name=name, qualified=qualified, kind="module", doc=doc)
    if isinstance(value, type):
        parameters, _ = _parameters(value, doc)
        constructed = not any(parameter.text.startswith("*arguments") for parameter in parameters)
        return Member(
            name=name,
            qualified=qualified,
            kind="class",
            parameters=parameters if constructed else (),
            doc=doc,
            instead=instead,
        )
    if type(value).__module__ in ("typing", "types") or not callable(value):
        # The docstring of a type alias or a tuple is Python's.
        return Member(
            name=name,
            qualified=qualified,
            kind="constant",
            result=repr(value) if isinstance(value, tuple) else "",
        )
    parameters, result = _parameters(value, doc)
    return Member(
        name=name,
        qualified=qualified,
        kind="decorator" if name in _DECORATORS or instead == "ttl.operation" else "function",
        parameters=parameters,
        result=result,
        doc=doc,
        instead=instead,
    )


def _of_row(row: Op, spelling: str | None = None) -> Member:
    from ttl.rows.reference import default_text, docstring

    given = [
        Parameter(
            operand.name,
            f"{operand.name}: {'BlockExpr | float' if operand.scalar else 'BlockExpr'}",
            operand.doc,
        )
        for operand in row.operands
    ]
    for param in row.parameters:
        default = "" if param.default is ... else f" = {default_text(param)}"
        given.append(Parameter(param.name, f"{param.name}: {param.annotation}{default}", param.doc))
    qualified = spelling or f"ttl.{row.namespace}.{row.name}"
    return Member(
        name=qualified.rpartition(".")[2],
        qualified=qualified,
        kind="function",
        parameters=tuple(given),
        result="BlockExpr",
        doc=docstring(row),
        instead=row.label if spelling else "",
        op=row,
    )


def _parameters(value: Callable[..., Any], doc: str) -> tuple[tuple[Parameter, ...], str]:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return (), ""
    given: list[Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name in ("self", *_OLDER_PARAMETERS):
            continue
        text = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "") + parameter.name
        annotation = _annotation(parameter.annotation)
        if annotation:
            text += f": {annotation}"
        if parameter.default is not parameter.empty:
            default = getattr(parameter.default, "name", repr(parameter.default))
            text += f" = {default}" if ":" in text else f"={default}"
        about = [
            sentence
            for sentence in re.split(r"(?<=\.)\s+", doc.replace("\n", " "))
            if f"``{parameter.name}``" in sentence
        ]
        given.append(Parameter(parameter.name, text, about[0] if about else ""))
    result = _annotation(signature.return_annotation)
    return tuple(given), result


def _annotation(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty or annotation is None:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return "" if text in ("Any", "DstT") else text.replace("typing.", "").replace("[DstT]", "")
