"""Names of a model's values, as identifiers of programs that are generated from it."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import FusedLoc, NameLoc
from xdsl.ir import Attribute, BlockArgument, SSAValue

from tt_model.operations.operation import RowOperation

_LONGEST = 28


def name_of(value: SSAValue) -> str:
    """Return an identifier for a value: from its location, else from its text, else from the operation that computes it."""
    owner = value.owner
    if isinstance(owner, RowOperation):
        name = located_name(owner.location) or value.name_hint or owner.ROW.mnemonic
    elif isinstance(value, BlockArgument):
        name = located_name(value.location) or value.name_hint or "x"
    else:
        name = value.name_hint or "x"
    return identifier(name)


def located_name(place: Attribute) -> str | None:
    """The name that a location has, if any; the first one of a fused location."""
    match place:
        case NameLoc():
            return place.desc.data
        case FusedLoc():
            for part in place.locations:  # type: ignore[attr-defined]
                if (name := located_name(part)) is not None:
                    return name
    return None


def identifier(name: str, longest: int = _LONGEST) -> str:
    """Convert a name to an identifier in lower case, of its last ``longest`` characters.

    ``x`` is put before a digit at the beginning, which makes it longer by one, and replaces an empty name.
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    text = re.sub(r"[^0-9a-zA-Z]+", "_", words).strip("_").lower()
    text = text[-longest:].strip("_")
    if not text or text[0].isdigit():
        text = f"x{text}"
    return text
