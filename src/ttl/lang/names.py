"""Names that ``ttl``, ``ttl.math`` and ``ttl.block`` do not have."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ttl.diag import error, spelling
from ttl.diag.plan_names import PYTHON
from ttl.diag.remedies import Rename
from ttl.host.errors import MissingNameError
from ttl.rules.newer_names import not_here
from ttl.source.spans import user_span


def missing(name: str, module: str, known: Mapping[str, str]) -> MissingNameError:
    """Return the error for ``module.name``, with similar names among ``known``: whole spellings by their last name.

    It is also an ``AttributeError``, so that ``hasattr`` works.
    """
    result = [known[match] for match in difflib.get_close_matches(name, known, 3)]
    meant = None
    if name in OPERATORS:
        advice = f"write x {OPERATORS[name]} y"
    elif name in _COMPOSED:
        advice = f"write {_COMPOSED[name]}"
    elif module == "ttl" and name in PYTHON:
        advice = PYTHON[name]
    elif name in SAME:
        meant = known.get(SAME[name])
        advice = f"here that is {meant or result[0]}"
    elif result:
        advice = f"did you mean {' or '.join(result)}?"
        slip = spelling.meant(name, known)
        meant = None if slip is None else known[slip]
    else:
        advice = f"help({module}) lists its names"
    namespace, _, current = (meant or "").rpartition(".")
    remedy = Rename(older=name, current=current) if namespace == module else None
    newer = not_here(f"{module}.{name}", name) if module == "ttl" else None
    finding = newer or error("TTL0228", f"TT-Lang has no {module}.{name}", help=advice).remedied_by(remedy)
    problem = MissingNameError(finding.at(user_span()))
    problem.name = name
    return problem


# Functions of other libraries that correspond to operators here.
OPERATORS = {
    "matmul": "@", "mm": "@", "bmm": "@", "dot": "@",
    "add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*", "div": "/", "divide": "/",
    "remainder": "%", "mod": "%", "floor_div": "//",
}  # fmt: skip
# Functions that have another name in NumPy, torch and TT-NN, with the same arguments.
SAME = {
    "sum": "reduce_sum", "amax": "reduce_max", "reciprocal": "recip", "log1p": "logp1", "negative": "neg",
    "absolute": "abs", "fabs": "abs", "power": "pow", "clip": "clamp", "clip_by_value": "clamp", "swish": "silu",
    "arccos": "acos", "arcsin": "asin", "arctan": "atan", "arccosh": "acosh", "arcsinh": "asinh", "arctanh": "atanh",
    "logistic": "sigmoid", "sgn": "sign", "sqr": "square", "maximum": "max", "minimum": "min", "fix": "trunc",
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne",
    "astype": "typecast", "cast": "typecast", "full": "fill", "expand": "broadcast", "broadcast_to": "broadcast",
}  # fmt: skip
# Functions of other libraries that a kernel composes from several functions.
_COMPOSED = {
    "softmax": "it with reduce_max, exp, reduce_sum and broadcast; the examples of this package have one",
    **dict.fromkeys(
        ("layernorm", "layer_norm", "rmsnorm", "rms_norm"),
        "it with reduce_sum, rsqrt and broadcast; the examples of this package have one",
    ),
    **dict.fromkeys(
        ("mean", "reduce_mean"), "ttl.math.reduce_sum(x, ...) * (1 / n), with n the number of elements"
    ),
    **dict.fromkeys(("amin", "reduce_min"), "-ttl.math.reduce_max(-x, ...)"),
    "log2": "ttl.math.log(x) * (1 / math.log(2))",
    "log10": "ttl.math.log(x) * (1 / math.log(10))",
    **dict.fromkeys(("logical_not",), "ttl.math.eq(x, 0)"),
    **dict.fromkeys(("logical_and",), "ttl.math.ne(x * y, 0)"),
    **dict.fromkeys(("any",), "ttl.math.reduce_max of comparisons, which are 0 or 1"),
    **dict.fromkeys(("zeros", "zeros_like"), "ttl.block.fill(0, shape=...)"),
    **dict.fromkeys(("ones", "ones_like"), "ttl.block.fill(1, shape=...)"),
    **dict.fromkeys(("relu6",), "ttl.math.clamp(x, 0, 6)"),
    **dict.fromkeys(("var", "variance"), "it with reduce_sum of x and of ttl.math.square(x)"),
}
