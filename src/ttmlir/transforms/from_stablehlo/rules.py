"""The conversion rules of StableHLO and CHLO operations, by name, and the reasons for the operations without a rule."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.ir import Operation

from ttmlir.transforms.from_stablehlo.collectives import COLLECTIVE_RULES
from ttmlir.transforms.from_stablehlo.contractions import CONTRACTIONS, MATRICES
from ttmlir.transforms.from_stablehlo.convolutions import CONVOLUTIONS
from ttmlir.transforms.from_stablehlo.elementwise import ELEMENTWISE, TRIGONOMETRY
from ttmlir.transforms.from_stablehlo.indexing import INDEXING
from ttmlir.transforms.from_stablehlo.ordering import ORDERING
from ttmlir.transforms.from_stablehlo.pooling_gradients import POOLING_GRADIENTS
from ttmlir.transforms.from_stablehlo.reductions import REDUCTIONS
from ttmlir.transforms.from_stablehlo.scattering import SCATTERING
from ttmlir.transforms.from_stablehlo.shapes import SHAPES
from ttmlir.transforms.from_stablehlo.tt_lang_calls import CALLS
from ttmlir.transforms.from_stablehlo.writer import Rule

_KINDS = (
    ELEMENTWISE,
    TRIGONOMETRY,
    SHAPES,
    CONTRACTIONS,
    REDUCTIONS,
    POOLING_GRADIENTS,
    INDEXING,
    SCATTERING,
    CONVOLUTIONS,
    MATRICES,
    ORDERING,
    CALLS,
    COLLECTIVE_RULES,
)
RULES: Mapping[str, Rule] = MappingProxyType({name: rule for kind in _KINDS for name, rule in kind.items()})


_RANDOM = (
    "a model cannot draw random numbers",
    "what works: random numbers as an argument of the model; dropout switched off, as for inference",
)
_SEVERAL = (
    "TTIR has no such operation between several chips",
    "what works: in jax.shard_map lax.psum, pmean, pmax, pmin, all_gather, psum_scatter, all_to_all, ppermute, axis_index",
)
_SHAPES = (
    "its shape is not known when the model is compiled",
    "what works: shapes that are known when the model is compiled: no symbolic dimensions in JAX, constants in text",
)
_COMPLEX = (
    "TTIR has no complex numbers",
    "what works: real and imaginary parts as separate tensors; a Fourier transform as a product with its matrix",
)
_OTHERS = (
    "TTIR has no operation for it",
    "what works: the operations in the table of docs/ttmlir/from-jax.md; or write this part in TT-Lang, by "
    "ttmlir.jax.tt_lang_operation",
)
_REASONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        f"stablehlo.{name}": reason
        for names, reason in (
            ("rng rng_bit_generator", _RANDOM),
            (
                "collective_broadcast cross-replica-sum replica_id send recv infeed outfeed",
                _SEVERAL,
            ),
            (
                "dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota dynamic_pad dynamic_reshape "
                "real_dynamic_slice set_dimension_size",
                _SHAPES,
            ),
            ("complex fft imag real", _COMPLEX),
        )
        for name in names.split()
    }
)


def why_there_is_none(op: Operation) -> tuple[str, str]:
    """Return why an operation has no equivalent, and an alternative."""
    return _REASONS.get(op.name, _OTHERS)
