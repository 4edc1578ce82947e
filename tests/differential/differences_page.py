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
compares them block by block. The results are the same, except for the differences on this page.

## Different by design

| what | in the language and the simulator | on the chip | tests |
| --- | --- | --- | --- |
"""

_MIDDLE = """
The error of a result is composed, operation by operation, of the tolerance of each operation (see [operations](operations.md)), the errors
of its operands, and the rounding where it is stored.

"""
_EXACT = """\
## How exact

The table says how far a result stored as `float32` may be from the language, in addition to the tolerance of the operations.
`tests/differential/test_exactness.py` measures every row but the one about L1, for both generations of the kernel API, on an emulated chip that rounds reductions like
the hardware (its default, `--emu-rounding hardware`).

| what | on the chip | off by at most |
| --- | --- | --- |
"""
_SPECIAL = """\
## Zeros, infinities, no number

`tests/differential/test_special_values.py` calls functions with zeros of either sign, infinities, no number (`nan`), a subnormal number (`tiny`, 1e-40), the largest
numbers and ordinary ones, in every combination, for `float32` and `bfloat16`. The reference, the simulator with and without its native machine, and the emulated chip
agree, including the sign of a zero, except where the table says otherwise. The test fails if a line is missing or superfluous. The language follows the headers of the
chip where they say what it does about a zero: of two zeros +0 is the larger one, and a remainder that is zero is +0. The chip finds
minima and maxima by sign and magnitude, so a positive `nan` is above infinity; no source says which sign a computed `nan` has.

| function | called with | of | in the language | on the chip |
| --- | --- | --- | --- | --- |
"""

_APPROXIMATE = """
## Approximations

Functions of the vector unit are exact on the emulated chip, and then rounded. A kernel can ask for an approximation in the function itself (`exp_tile<true>`, from
`ttl.math.exp(x, approx=True)`), or for the whole kernel with `math_approx_mode`, which the compiler leaves off. Then some functions return the values of the hardware's
tables or, if only the size of the error was published, the function with an error of that size. A table returns `nan` for an infinity. For all other functions no
error of an approximation is published, so they stay exact. The simulator always computes the function.

| function | asked for by | off by at most | how | source |
| --- | --- | --- | --- | --- |
"""

_GAPS = """
## Not compiled

These programs are correct and run in the simulator; the compiler refuses them with a code that says why.

| what | code |
| --- | --- |
"""

_FOOT = """\
| a number that is known only when the kernel runs, compared with `uint32` or `uint16`, or dividing them | [TTL1452](../errors/TTL1452.md) |
| a receive from a pipe that is waited for as one of a `GroupTransfer` | [TTL1414](../errors/TTL1414.md) |
| receives over one net that are waited for in another order than that in which they were started | [TTL1420](../errors/TTL1420.md) |

`print` of a tensor prints its pages in a data movement kernel, which reads them into a buffer of the compiler's; a compute kernel cannot reach a tensor, and prints
only its description. A data movement kernel at one end of a dataflow buffer prints the buffer's state like the simulator; at neither end it prints how many blocks are filled. In a
compute kernel the unpacker prints `rd_ptr` and the packer `wr_ptr`, each in a line of its own. Blocks are printed row by row. For a page or a block without tiles the
first 1024 elements are printed.

Also refused are slices of row-major tensors that begin where no transfer can begin ([TTL1411](../errors/TTL1411.md) and [TTL1412](../errors/TTL1412.md)), and grids over
reductions and products over padding that not every block has ([TTL1406](../errors/TTL1406.md)).

Where padding meets data (a vector that was not broadcast, [TTL0430](../errors/TTL0430.md); a copy of an edge to where a tensor has data, [TTL0517](../errors/TTL0517.md)), the simulator computes with zeros, or with NaN under `--sanitize`. On a chip TT-NN wrote zeros there, so
it computes with their results, `exp(0) = 1` for example; in a tensor that was only allocated it computes with whatever was there.
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
