"""Every synchronisation call of the kernels of TTMetal is needed: without it the emulated chip says so, or results are others.

The table of all of them is docs/ttmlir/mutations.md, which ``scripts/update_metal_mutations.py`` makes.
"""

from __future__ import annotations

import pytest

from support.kernel_check import needs_compiler
from support.metal_golden import MODULES
from support.metal_mutations import MetalLaunch


@needs_compiler
@pytest.mark.parametrize("name", ["exp", "streamed_sum"])
def test_a_kernel_without_a_call_is_noticed(name: str) -> None:
    launch = MetalLaunch(MODULES[name].read_text(encoding="utf-8"))
    expected = launch.results(launch.program)
    fates = {}
    for mutation in launch.mutations():
        fates[mutation.place, mutation.call] = launch.fate(mutation, expected)[0], mutation.is_the_last
    assert len(fates) > 10
    unnoticed = {where for where, (fate, _) in fates.items() if fate == "harmless"}
    assert unnoticed == {where for where, (_, is_the_last) in fates.items() if is_the_last}
