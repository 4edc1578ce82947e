"""Names that ``ttl``, ``ttl.math`` and ``ttl.block`` do not have."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ttl.diag import error
from ttl.host.errors import MissingNameError
from ttl.source.spans import user_span


def missing(name: str, module: str, known: Mapping[str, str]) -> MissingNameError:
    """The error for ``module.name``, with what is like it in ``known``: whole spellings by their last name.

    It is an ``AttributeError`` too, so that ``hasattr`` works.
    """
    found = [known[match] for match in difflib.get_close_matches(name, known, 3)]
    advice = f"did you mean {' or '.join(found)}?" if found else f"help({module}) lists what there is"
    problem = MissingNameError(
        error("TTL0228", f"TT-Lang has no {module}.{name}", help=advice).at(user_span())
    )
    problem.name = name
    return problem
