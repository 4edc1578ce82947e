"""Basic and trigonometric functions (specification, Appendix B)."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic, error
from ttl.diag.remedies import DropArguments
from ttl.rows.build import CLOSED, unary
from ttl.rows.dtypes import Array
from ttl.rows.hardware import (
    COMPUTE,
    EXACT,
    SFPU,
    UNARY,
    both,
    sfpu,
    sfpu_int,
    swept,
    table,
    tile,
)
from ttl.rows.params import NOT_COMPUTED, flag, number, only
from ttl.rows.row import Op, Params, Slot

_TRIGONOMETRY = UNARY + "trigonometry.h"


def _exp(x: Array, approx: bool, scale: float) -> Array:
    value: Array = np.exp(x if scale == 1 else x * scale)
    return value


def _rsqrt(x: Array) -> Array:
    value: Array = np.reciprocal(np.sqrt(x))
    return value


_trigonometric: Any = functools.partial(unary, anchor="appendix-b-trigonometric", tolerance=SFPU)


def _exp_options(params: Params, options: Params) -> tuple[()] | Diagnostic:
    if not (params[0] and options[0]):
        return ()
    return error(
        NOT_COMPUTED,
        "ttl.math.exp: `skip_clamp_check` cannot be combined with `approx`",
        notes=(
            "below about -88.5 the hardware's fast variant without its check gives wrong negative numbers, which nothing here computes",
        ),
        help="leave `skip_clamp_check` out: its check costs little",
    ).remedied_by(DropArguments(names=("skip_clamp_check",)))


BASIC: tuple[Op, ...] = (
    unary(
        "abs", "Absolute value.", np.abs, accepts="all", traits=CLOSED, dunder="__abs__", spellings=("abs(expr)",),
        hardware=both(
            sfpu("abs", COMPUTE),
            sfpu_int("abs_tile_int32", COMPUTE, "abs_tile_init", instructions=2),
        ),
        tolerance=EXACT,
    ),
    unary(
        "neg", "Negation.", np.negative, accepts="all", traits=CLOSED, dunder="__neg__", spellings=("-expr",),
        hardware=both(
            sfpu("negative", UNARY + "negative.h", instructions=2),
            sfpu_int("negative_tile_int32", UNARY + "negative.h", "negative_tile_init", instructions=2),
        ),
        tolerance=EXACT,
    ),
    unary(
        "exp", "Natural exponential, e to the power of the element.", _exp,
        params=(
            flag("approx", "Let the hardware use its fast, coarser variant, off by up to 4.5 %; same value here.", default=False),
            number("scale", "Factor on the argument, free on the hardware: exp(scale * x).", default=1.0),
        ),
        options=(
            flag("skip_clamp_check", "Without `approx`, changes nothing; with it, TTL0432.", default=False),
            only("iterations", "int", "Rows of a tile that the hardware computes: 8, which is all of them.", 8, "leave `iterations` out: with fewer, the rest of a tile stays as it was"),
        ),
        optional=_exp_options,
        hardware=both(
            tile("exp_tile", UNARY + "exp.h", template=(Slot("bool", "approx"),), form="unary",
                 serves=lambda params: params[1] == 1, by_faces=True)
        ),
        approximation=swept(378_639, "function", cycles=73),
        doc="`approx=True` costs about a tenth (70 to 77 cycles per tile).",
    ),
    unary("exp2", "2 to the power of the element.", np.exp2,
          hardware=both(sfpu("exp2", COMPUTE))),
    unary("expm1", "exp(x) - 1, exact also near 0.", np.expm1, hardware=both(sfpu("expm1", COMPUTE, instructions=26))),
    unary("log", "Natural logarithm.", np.log, hardware=both(sfpu("log", COMPUTE, instructions=26)),
          doc="-inf at 0, NaN below.", example="ttl.math.log(a)"),
    unary("logp1", "log(x + 1), exact also near 0.", np.log1p, hardware=both(sfpu("log1p", UNARY + "log1p.h", instructions=26)),
          doc="-inf at -1, NaN below."),
    unary("sqrt", "Square root.", np.sqrt, hardware=both(sfpu("sqrt", UNARY + "sqrt.h", instructions=20)),
          approximation=swept(14_751, "mode"),
          doc="NaN for negative values."),
    unary("square", "Square, x * x.", np.square, accepts="all", hardware=both(sfpu("square", COMPUTE)),
          tolerance=EXACT, traits=frozenset({"square"})),
    unary("rsqrt", "Reciprocal square root, 1 / sqrt(x).", _rsqrt, hardware=both(sfpu("rsqrt", UNARY + "rsqrt.h", instructions=20)),
          approximation=swept(14_750, "mode"),
          doc="inf at 0, NaN below."),
    unary("recip", "Reciprocal, 1 / x.", np.reciprocal, hardware=both(sfpu("recip", UNARY + "recip.h", by_faces=True)),
          approximation=swept(1_711, "mode"), doc="An infinity at 0."),
)  # fmt: skip

_FUNCTIONS: tuple[tuple[str, str, Any, str], ...] = (
    ("tan", "Tangent", np.tan, "The argument is in radians."),
    ("tanh", "Hyperbolic tangent", np.tanh, ""),
    ("atan", "Arctangent", np.arctan, "The result is in radians."),
    ("atanh", "Hyperbolic arctangent", np.arctanh, "Infinite at -1 and 1, NaN beyond."),
    ("sin", "Sine", np.sin, "The argument is in radians."),
    ("asin", "Arcsine", np.arcsin, "The result is in radians; NaN beyond -1 and 1."),
    ("asinh", "Hyperbolic arcsine", np.arcsinh, ""),
    ("cos", "Cosine", np.cos, "The argument is in radians."),
    ("acos", "Arccosine", np.arccos, "The result is in radians; NaN beyond -1 and 1."),
    ("acosh", "Hyperbolic arccosine", np.arccosh, "NaN below 1."),
)
_COARSE = {"tanh": table(0.01884, "measured", "tt-llk, ckernel_sfpu_tanh.h", cycles=160)}


TRIGONOMETRIC: tuple[Op, ...] = tuple(
    _trigonometric(
        name,
        f"{summary}.",
        function,
        # Functions that were not measured are assumed to be as long as the longest one.
        hardware=both(sfpu(name, COMPUTE if name == "tanh" else _TRIGONOMETRY, instructions=44)),
        approximation=_COARSE.get(name),
        doc=doc,
        example="ttl.math.acosh(a + 1)" if name == "acosh" else "",
    )
    for name, summary, function, doc in _FUNCTIONS
)
