"""How far functions of the vector unit are off where a kernel asks for an approximation.

The emulated chip gives what the hardware's tables give, and where only the size of an error was published an error of
that size (``native/emu/approximate.cpp``). What has no entry here has no approximation, or none whose error is known:
it is computed exactly and rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from ttl.arch.chip import How

# One step of float32, relative to a power of two.
_STEP = 2.0**-23
_SWEEP = "tt-llk, sfpu_accuracy_budget.yaml in ttnn 0.81.1: all exponents of float32 on Wormhole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approximation:
    """The largest error, of the value itself or relative to it, and where it is from."""

    worst: float
    relative: bool
    # The function says so itself, or `math_approx_mode` of the kernel does.
    asked: Literal["function", "mode"]
    how: How
    source: str


APPROXIMATIONS: Mapping[str, Approximation] = MappingProxyType(
    {
        "exp": Approximation(
            worst=378_639 * _STEP,
            relative=True,
            asked="function",
            how="measured",
            source=f"{_SWEEP}, 378,639 steps",
        ),
        "gelu": Approximation(
            worst=0.024,
            relative=False,
            asked="function",
            how="deduced",
            source="the table of six lines in ckernel_sfpu_gelu.h",
        ),
        "tanh": Approximation(
            worst=0.01884,
            relative=False,
            asked="function",
            how="measured",
            source="tt-llk, ckernel_sfpu_tanh.h",
        ),
        "sigmoid": Approximation(
            worst=0.1193,
            relative=False,
            asked="function",
            how="deduced",
            source="the table of three lines in ckernel_sfpu_sigmoid_appx.h",
        ),
        "recip": Approximation(
            worst=1_711 * _STEP, relative=True, asked="mode", how="measured", source=f"{_SWEEP}, 1,711 steps"
        ),
        "sqrt": Approximation(
            worst=14_751 * _STEP,
            relative=True,
            asked="mode",
            how="measured",
            source=f"{_SWEEP}, 14,751 steps",
        ),
        "rsqrt": Approximation(
            worst=14_750 * _STEP,
            relative=True,
            asked="mode",
            how="measured",
            source=f"{_SWEEP}, 14,750 steps",
        ),
    }
)
