"""xDSL's ``affine`` without ``memref``, which is a third of what xDSL takes to be imported.

``affine`` needs one name of ``memref``, and that one is of ``builtin``. The rest are operations that no program here has.
"""

from __future__ import annotations

import sys
from types import ModuleType

_WANTED, _SPARED = "xdsl.dialects.affine", "xdsl.dialects.memref"


def import_lean() -> None:
    """Import ``affine``, unless that is done. ``memref`` can still be imported afterwards, by whoever needs it."""
    if _WANTED in sys.modules or _SPARED in sys.modules:
        return
    from xdsl.dialects.builtin import MemRefType

    sys.modules[_SPARED] = stand_in = ModuleType(_SPARED)
    setattr(stand_in, MemRefType.__name__, MemRefType)
    try:
        import xdsl.dialects.affine  # noqa: F401
    finally:
        del sys.modules[_SPARED]
