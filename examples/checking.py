"""What every example ends with: compare with torch, print one line, exit with status 1 if it is wrong."""

import sys

import torch
from ttl import settings

# Rounding a number to bfloat16 (8 significant bits, to nearest) changes it by at most this part of itself.
# TT-Lang computes a block expression in float32 and rounds once, when it is stored.
BFLOAT16 = 2.0**-8
# On a chip, emulated or not, the matrix unit reads 10 bits of a mantissa and cuts off the rest (TF32): what an expression
# hands through memory in float32, as a softmax does, changes by at most this part of itself each time it is read.
TF32 = 2.0**-10
ON_A_CHIP = settings.current().target != "sim"


def compare(
    name: str, result: torch.Tensor, expected: torch.Tensor, *, rtol: float = 0.0, atol: float = 0.0
) -> None:
    """Print the largest error and the correlation (PCC) of ``result`` with ``expected``; both keep their shape.

    Every element must satisfy ``|result - expected| <= atol + rtol * |expected|``, otherwise the program ends
    with status 1.
    """
    if result.shape != expected.shape:
        sys.exit(f"{name}: WRONG, shape {tuple(result.shape)} where {tuple(expected.shape)} was expected")
    result, expected = result.double(), expected.double()
    if ON_A_CHIP:  # where sums cancel, the error of what was summed stays
        rtol, atol = rtol + 4 * TF32, atol + TF32 * expected.abs().max().item()
    error = (result - expected).abs()
    right = bool((error <= atol + rtol * expected.abs()).all())
    print(
        f"{name}: max error {error.max().item():.1e} in values up to {expected.abs().max().item():.3g}, "
        f"PCC {_correlation(result, expected):.6f}, {'ok' if right else 'WRONG'}"
    )
    if not right:
        sys.exit(1)


def _correlation(result: torch.Tensor, expected: torch.Tensor) -> float:
    if torch.equal(result, expected):
        return 1.0
    result, expected = result.flatten() - result.mean(), expected.flatten() - expected.mean()
    norms = (result.norm() * expected.norm()).item()
    return (result @ expected).item() / norms if norms else 0.0
