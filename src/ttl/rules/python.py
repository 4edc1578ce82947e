"""Mistakes in plain Python code of operations: names, counts, shapes, indices of lists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ttl.diag import Diagnostic, error, spelling
from ttl.diag.model import Remedy
from ttl.diag.remedies import Rename, Rewrite, WholeDivision, Wrap
from ttl.diag.values import kind_named
from ttl.diag.words import counted


def undefined_name(name: str, visible: Iterable[str]) -> Diagnostic:
    """The error for an undefined name (TTL0238); ``visible`` are the names that the program can use there."""
    known = sorted(set(visible))
    near, slip = difflib.get_close_matches(name, known, n=1), spelling.meant(name, known)
    return error(
        "TTL0238",
        f"{name} is not defined",
        help=f"did you mean {slip or near[0]}?" if near else "define it before the operation, or in its body",
    ).remedied_by(None if slip is None else Rename(older=name, current=slip))


def no_count(kind: str) -> Diagnostic:
    """The error for ``range`` of a value that is not an int but of the Python class ``kind`` (TTL0239)."""
    remedy: Remedy | None = None
    if "Tensor" in kind:
        remedy = Wrap(description="count its tiles", template="{}.shape[0] // 32", operand=0)
        what, advice = (
            "a tensor",
            "count its tiles, range(a.shape[0] // 32), or its elements, range(a.shape[0])",
        )
    elif kind in ("Shape", "tuple"):
        what, advice = "a shape", "take one of its extents: range(a.shape[0] // 32) counts tiles"
        remedy = Wrap(description="count its tiles", template="{}[0] // 32", operand=0)
    elif kind in ("float", "Ratio", "Real"):
        what, advice = "a float", "divide with //, which gives an int: range(a.shape[0] // 32)"
        remedy = WholeDivision()
    else:
        what, advice = kind_named(kind), "write range(count), with an int"
    return error("TTL0239", f"range() takes ints, not {what}", help=advice).remedied_by(remedy)


def shape_as_number(operator: str) -> Diagnostic:
    """The error for arithmetic with a whole shape (TTL0240); ``operator`` is spelled as in the source."""
    return error(
        "TTL0240",
        f"a shape has several extents, but {operator} takes one number",
        help=f"take one of them: a.shape[0] {operator} 32",
    ).remedied_by(Rewrite(template=f"{{0}}[0] {operator} {{1}}"))


def index_error(name: str | None, index: int, length: int) -> Diagnostic:
    """The error for an index that a list of ``length`` members does not have (TTL1316).

    Python raises ``IndexError``.
    """
    what = "the list" if name is None else name
    return error(
        "TTL1316",
        f"{what} has {counted(length, 'member')}, and its index is {index}",
        help=f"indices are 0 to {length - 1}; make the list longer, or end the loop earlier",
    )


def too_wide(result: str, operands: Iterable[str]) -> Diagnostic:
    """The error for an integer of the node that may not fit in 64 bits (TTL1317): Python's integers have no limit."""
    given = "; ".join(operands)
    return error(
        "TTL1317",
        f"an integer may need more than 64 bits: it is {result}",
        notes=(f"its operands: {given}",) if given else (),
        help="keep it within bounds, with % or min in each iteration of the loop that it grows in, "
        "or compute it outside of the kernel",
    )
