"""Names that ``ttl``, ``ttl.math`` and ``ttl.block`` do not have."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ttl.diag import error
from ttl.diag.remedies import Rename
from ttl.host.errors import MissingNameError
from ttl.source.spans import user_span


def missing(name: str, module: str, known: Mapping[str, str]) -> MissingNameError:
    """The error for ``module.name``, with what is like it in ``known``: whole spellings by their last name.

    It is an ``AttributeError`` too, so that ``hasattr`` works.
    """
    result = [known[match] for match in difflib.get_close_matches(name, known, 3)]
    if name in OPERATORS:
        advice = f"write x {OPERATORS[name]} y"
    elif name in _COMPOSED:
        advice = f"compose it of {_COMPOSED[name]}; the examples of this package have one"
    elif result:
        advice = f"did you mean {' or '.join(result)}?"
    else:
        advice = f"help({module}) lists what there is"
    meant = result[0].rpartition(".") if result and name not in OPERATORS and name not in _COMPOSED else None
    remedy = Rename(older=name, current=meant[2]) if meant is not None and meant[0] == module else None
    finding = error("TTL0228", f"TT-Lang has no {module}.{name}", help=advice).remedied_by(remedy)
    problem = MissingNameError(finding.at(user_span()))
    problem.name = name
    return problem


# What other libraries have as functions, and here are operators.
OPERATORS = {
    "matmul": "@", "mm": "@", "bmm": "@", "dot": "@",
    "add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*", "div": "/", "divide": "/",
    "remainder": "%", "mod": "%", "floor_div": "//",
}  # fmt: skip
# What TT-NN has as one function, and a kernel composes.
_COMPOSED = {
    "softmax": "reduce_max, exp, reduce_sum and broadcast",
    **dict.fromkeys(("layernorm", "layer_norm", "rmsnorm", "rms_norm"), "reduce_sum, rsqrt and broadcast"),
}
