"""The page of what is known to differ, from the tables of the tests."""

from __future__ import annotations

from differential.exactness import EXACTNESS
from differential.known import DIFFERENCES, GAPS, SPECIAL
from ttl.rows.row import Approximation
from ttl.rows.table import OPS

PAGE = "docs/reference/differences.md"

_HEAD = """\
# The language and the chip

<!-- Made by scripts/differential.py --docs from tests/differential/known.py and src/ttl/rows. -->

The tests in `tests/differential` run every operation in every form, every example and random programs three times: by an independent reference in
NumPy, in the simulator, and compiled on the emulated chip. `ttl run --target emu --compare` does the last two for any program, and
compares them block by block. The results are the same, but for what is here.

## Different by design

| what | in the language and the simulator | on the chip | tests |
| --- | --- | --- | --- |
"""

_MIDDLE = """
How far a result may be off is composed of this, operation by operation: the tolerance of each (see [operations](operations.md)), what its operands are
off by, and the rounding of what is stored.

"""
_EXACT = """\
## How exact

What the chip keeps of a value where the result is stored as `float32`: how far it may be from what the language says, beside the tolerance of the operations.
`tests/differential/test_exactness.py` measures every row but the one about L1, for both generations of the kernel API, on an emulated chip that rounds reductions as
the hardware does (its default, `--emu-rounding hardware`).

| what | on the chip | off by at most |
| --- | --- | --- |
"""
_SPECIAL = """\
## Zeros, infinities, no number

What functions make of zeros of either sign, infinities, no number (`nan`), a number that is not normal (`tiny`, 1e-40), the largest numbers and ordinary ones, in
every combination, is the same by the reference, in the simulator with and without its native machine, and on the emulated chip, the sign of a zero included, but for
what is below. `tests/differential/test_special_values.py` measures it for `float32` and `bfloat16`, and fails where a line is missing or superfluous. Where the headers of the
chip say what it does about a zero, so does the language: of two zeros +0 is the larger one, and a remainder that is zero is +0. The chip finds
minima and maxima by sign and magnitude, where a positive `nan` is above infinity; which sign a computed one has, nothing says.

| function | called with | of | in the language | on the chip |
| --- | --- | --- | --- | --- |
"""

_APPROXIMATE = """
## Approximations

Functions of the vector unit are exact on the emulated chip, and then rounded. Where a kernel asks for an approximation, some give what the hardware's tables give,
or, where only the size of the error was published, the function with an error of that size. Kernels ask for one in the function itself (`exp_tile<true>`, which
`ttl.math.exp(x, approx=True)` becomes) or with `math_approx_mode` for the whole kernel, which the compiler leaves off. A table gives no number for an infinity. Of all
other functions nothing is published that an approximation would add to their error: they stay exact. The simulator computes the function in any case.

| function | asked for by | off by at most | how | source |
| --- | --- | --- | --- | --- |
"""

_GAPS = """
## Not compiled

Programs that are right, run in the simulator, and are refused by the compiler with a code that says why.

| what | code |
| --- | --- |
"""

_FOOT = """\
| a number that is known only when the kernel runs, compared with `uint32` or `uint16`, or dividing them | [TTL1452](../errors/TTL1452.md) |
| a receive from a pipe that is waited for as one of a `GroupTransfer` | [TTL1414](../errors/TTL1414.md) |
| receives over one net that are waited for in another order than that in which they were started | [TTL1420](../errors/TTL1420.md) |

`print` of a tensor prints its pages in a data movement kernel, which reads them into a buffer of the compiler's; a compute kernel cannot reach a tensor, and prints what it
is. Of a dataflow buffer a data movement kernel at one of its ends prints the state as the simulator does; one at neither prints how many blocks are filled, and in a
compute kernel the unpacker prints `rd_ptr` and the packer `wr_ptr`, each in a line of its own. Blocks are printed row by row. Of a page or a block without tiles the
first 1024 elements are printed.

Slices of row-major tensors that do not begin where a transfer can are [TTL1411](../errors/TTL1411.md) and [TTL1412](../errors/TTL1412.md), grids over
reductions and products over padding that not every block has [TTL1406](../errors/TTL1406.md).

Where padding meets data (a vector that was not broadcast, [TTL0430](../errors/TTL0430.md); a copy of an edge to where a tensor has data, [TTL0517](../errors/TTL0517.md)), the simulator computes with zeros, or with NaN under `--sanitize`; a chip computes with what was computed from the zeros
that TT-NN wrote there, `exp(0) = 1` for example, or with whatever was there in a tensor that was only allocated.
"""


def page() -> str:
    """The text of the page."""
    rows = "".join(
        f"| {each.subject} | {each.language} | {each.chip} | {each.test} |\n" for each in DIFFERENCES
    )
    gaps = "".join(f"| {each.what} | [{each.code}](../errors/{each.code}.md) |\n" for each in GAPS)
    special = "".join(
        f"| `{each.row}` | {each.form and f'`{each.form}`'} | {each.operands} | {each.language} | {each.given} |\n"
        for each in sorted(SPECIAL)
    )
    exact = "".join(f"| {each.what} | {each.chip} | {each.bound} |\n" for each in EXACTNESS)
    coarse = "".join(
        _approximation(row.name, row.approximation) for row in OPS if row.approximation is not None
    )
    return (
        _HEAD
        + rows
        + _MIDDLE
        + _SPECIAL
        + special
        + "\n"
        + _EXACT
        + exact
        + _APPROXIMATE
        + coarse
        + _GAPS
        + gaps
        + _FOOT
    )


def _approximation(name: str, each: Approximation) -> str:
    asked = "the function" if each.asked == "function" else "`math_approx_mode`"
    worst = f"{100 * each.worst:.2g} % of the result" if each.relative else f"{each.worst:.2g}"
    return f"| `{name}` | {asked} | {worst} | {each.how} | {each.source} |\n"
