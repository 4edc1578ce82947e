"""Prints and signposts (specification, "Debug printing" and "Performance and debugging")."""

from __future__ import annotations

from collections.abc import Mapping

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, DropArguments, SplitCall, UnderWith, Wrap
from ttl.diag.values import is_int
from ttl.rules.words import describe


def match_print(objects: int, num_pages: object, *, tensor: bool) -> Diagnostic | None:
    """Return the error for a print of ``objects`` blocks, buffers and tensors (TTL0212, TTL0216, TTL0217), or None.

    ``num_pages`` is None if the call does not pass it; ``tensor``: whether the first of the objects is a tensor.
    """
    if objects > 1:
        return error(
            "TTL0212",
            f"print of {objects} blocks, buffers or tensors in one call",
            notes=("one print can show one of them, with any number of strings and numbers",),
            help="use one print for each",
        ).remedied_by(SplitCall())
    if num_pages is None:
        return None
    if not tensor:
        return error(
            "TTL0216",
            "num_pages given to a print without a tensor",
            help="num_pages says how many pages of a tensor to print",
        ).remedied_by(DropArguments(description="leave num_pages out", names=("num_pages",)))
    if is_int(num_pages) and int(num_pages) >= 1:  # type: ignore[call-overload]
        return None
    return error(
        "TTL0217",
        f"num_pages is a positive int, not {describe(num_pages)}",
        help="write print(x, num_pages=2)",
    ).remedied_by(Argument(name="num_pages", value="2"))


def match_options(options: Mapping[str, object]) -> Diagnostic | None:
    """Return the error in the keyword arguments of a print, other than ``num_pages`` (TTL0236), or None."""
    for name, value in options.items():
        if name not in _OPTIONS:
            wrong = f"print has no option '{name}'"
        elif name in ("sep", "end") and not isinstance(value, str | None):
            wrong = f"the option {name} of print is a string, not {describe(value)}"
        elif name == "file" and value is not None and not hasattr(value, "write"):
            wrong = f"the option file of print must have a write method, unlike {describe(value)}"
        else:
            continue
        advice = f"the options are {', '.join(_OPTIONS)} and num_pages"
        return error("TTL0236", wrong, help=advice).remedied_by(
            DropArguments(description=f"leave {name} out", names=(name,))
        )
    return None


# Options that older programs pass to print.
OLDER_OPTIONS = frozenset({"thread", "_dump_dst_registers"})
_OPTIONS = ("sep", "end", "file", "flush")


def no_signpost(name: object) -> Diagnostic:
    """The error for a signpost whose name is not a string (TTL0214)."""
    return error(
        "TTL0214",
        f"the name of a signpost must be a string, not {describe(name)}",
        help='write with ttl.signpost("read a"):',
    ).remedied_by(Wrap(template='"{}"', operand=0) if isinstance(name, int) else None)


def signpost_alone(name: str) -> Diagnostic:
    """The error for a signpost that is a statement instead of the head of a ``with`` (TTL0237)."""
    return error(
        "TTL0237",
        "a signpost without with",
        notes=("a signpost names the code inside its with statement; without one it has no effect",),
        help=f"write with ttl.signpost({name!r}): above the code that it names, and indent that code",
    ).remedied_by(UnderWith())
