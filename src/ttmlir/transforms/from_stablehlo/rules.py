"""What becomes of each operation of StableHLO and CHLO, by name; and why there is nothing for the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from xdsl.ir import Operation, SSAValue

from ttmlir.transforms.from_stablehlo.calls import CALLS
from ttmlir.transforms.from_stablehlo.contractions import CONTRACTIONS
from ttmlir.transforms.from_stablehlo.convolutions import CONVOLUTIONS
from ttmlir.transforms.from_stablehlo.elementwise import ELEMENTWISE
from ttmlir.transforms.from_stablehlo.indexing import INDEXING
from ttmlir.transforms.from_stablehlo.ordering import ORDERING
from ttmlir.transforms.from_stablehlo.reductions import REDUCTIONS
from ttmlir.transforms.from_stablehlo.shapes import SHAPES
from ttmlir.transforms.from_stablehlo.writer import Writer

Rule = Callable[[Operation, Writer], Sequence[SSAValue]]

RULES: Mapping[str, Rule] = MappingProxyType(
    {**ELEMENTWISE, **SHAPES, **CONTRACTIONS, **REDUCTIONS, **INDEXING, **CONVOLUTIONS, **ORDERING, **CALLS}
)

_REASONS: Mapping[str, tuple[str, str]] = MappingProxyType({})


def why_there_is_none(op: Operation) -> tuple[str, str]:
    """Why an operation has no equivalent, and what works."""
    return _REASONS.get(
        op.name,
        (
            "TTIR has no operation for it",
            "what works: operations that TTIR has; docs/ttmlir/from-jax.md lists them",
        ),
    )
