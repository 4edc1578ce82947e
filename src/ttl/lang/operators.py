"""The Python operators of block expressions, made from the rows that have one.

``==`` and ``!=`` are in ``expr``: Python also calls them if blocks are keys of dictionaries and members of lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from ttl.lang.check import fail
from ttl.rows.row import Op
from ttl.rows.table import EQUALITY, OPS
from ttl.rules.expressions import no_truth


def _truth(self: Any) -> NoReturn:
    fail(no_truth())


_truth.__name__, _truth.__qualname__ = "__bool__", "BlockExpr.__bool__"


def make(rows: Iterable[Op]) -> type:
    """A class with a method for each row that has an operator; it uses ``self._apply(op, operands, params)``."""
    scope: dict[str, Any] = {}
    source = []
    for row in rows:
        scope[f"_{row.name}"] = row
        if row.dunder is not None and len(row.operands) == 1:
            source.append(f"def {row.dunder}(self):\n return self._apply(_{row.name}, (self,), ())\n")
        elif row.dunder is not None and row not in EQUALITY:
            source.append(
                f"def {row.dunder}(self, other):\n return self._apply(_{row.name}, (self, other), ())\n"
            )
        if row.reflected is not None:
            source.append(
                f"def {row.reflected}(self, other):\n return self._apply(_{row.name}, (other, self), ())\n"
            )
    exec(compile("".join(source), __file__, "exec"), scope)
    methods = {name: value for name, value in scope.items() if name.startswith("__") and callable(value)}
    return type(
        "Operators",
        (),
        {
            **methods,
            "__slots__": (),
            "__module__": __name__,
            "__doc__": "The operators of a block expression.",
            "__bool__": _truth,
            # NumPy and torch leave `array + block` to this class, which reports what to write instead.
            "__array_ufunc__": None,
        },
    )


Operators = make(OPS)
