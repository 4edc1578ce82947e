"""The place of an installed TT-MLIR: a folder of its own, so that nothing of the vendor's packages is overwritten.

Our packages ``ttmlir``, ``ttrt`` and ``tt_adapter`` have the names of the vendor's. The distribution ``ttlang-models`` installs them
inside of this package, and a file ``ttlang_models.pth`` puts this folder at the end of ``sys.path``: where the vendor's packages are
installed, ``import ttmlir`` is theirs. The commands and ``python -m ttlang_models NAME`` run ours.
"""

from __future__ import annotations

import importlib.util
import os
import sys

NAMES = ("ttmlir", "ttrt", "tt_adapter")
"""Packages that have the vendor's names."""


def folder() -> str:
    """The folder with our packages: this one if they are installed, the one around it in a checkout."""
    here = os.path.dirname(os.path.abspath(__file__))
    return here if os.path.isdir(os.path.join(here, NAMES[0])) else os.path.dirname(here)


def foreign() -> dict[str, str]:
    """The packages of these names that Python would import and that are not ours, each with its folder."""
    own = folder()
    found: dict[str, str] = {}
    for name in NAMES:
        spec = importlib.util.find_spec(name)
        places = [] if spec is None else [*(spec.submodule_search_locations or ()), spec.origin or ""]
        if places and not os.path.samefile(os.path.dirname(places[0]), own):
            found[name] = places[0]
    return found


def use_ours() -> None:
    """Make this process import our packages, whatever else is installed. Must run before any of them is imported."""
    sys.path.insert(0, folder())
    importlib.invalidate_caches()
