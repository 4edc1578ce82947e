"""A result of another shape than its operation makes is refused, of every operation: at its line, with both shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from support.single_operations import SingleOperation, valid
from tt_model.operations.dialects import DIALECTS, all_rows, operation_class
from tt_model.operations.result_shapes import gathered, reduced, window_positions
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.verifier import verify

# The shape of a result that nothing else says: what is allocated, filled, or made by a kernel.
FREE = {
    *("ttir.alloc", "ttir.generic", "ttir.kernel", "ttir.tt_lang_op"),
    *("ttnn.alloc", "ttnn.full", "ttnn.generic", "ttnn.tt_lang_op"),
}
MAKERS = [
    row.name
    for row in all_rows()
    if row.dialect in ("ttir", "ttnn")
    and row.name not in FREE
    and any(one.kind.summary.find("tensor") >= 0 for one in row.results)
]
_RESULT = re.compile(r"-> \(?tensor<((?:\d+x)+)(.*?)>(?=[,)]|$)")


def wrong_shapes(extents: list[int]) -> Iterator[list[int]]:
    """A shape with one extent more in each dimension, and with one dimension more."""
    for index in range(len(extents)):
        yield [extent + (at == index) for at, extent in enumerate(extents)]
    yield [*extents, 1]


def with_results(single: SingleOperation) -> Iterator[str]:
    """The modules of the operation with another shape of its first result, and of the destination of that."""
    row = operation_class(single.name).ROW
    found = _RESULT.search(single.operation)
    assert found is not None, single.operation
    before, old, rest = single.operation[: found.start()], f"tensor<{found[1]}{found[2]}>", found[2]
    for shape in wrong_shapes([int(extent) for extent in found[1].split("x")[:-1]]):
        if single.name == "ttir.broadcast" and shape[-1] != 1 and len(shape) == 2 and shape[1] == 128:
            continue  # it makes whatever its input repeats to
        new = f"tensor<{'x'.join(map(str, shape))}x{rest}>"
        inputs = before
        if row.inits is not None and not row.updates:
            # Destinations have the type of the result; of the types that are equal it is the last.
            first, _, last = before.rpartition(old)
            inputs = f"{first}{new}{last}"
        operation = inputs + single.operation[found.start() :].replace(old, new, 1)
        yield single._replace(operation=operation).text()


@pytest.mark.parametrize("name", MAKERS)
def test_a_result_of_another_shape_is_refused(name: str) -> None:
    for single in valid():
        if single.name != name:
            continue
        for text in with_results(single):
            reports = verify(parse_text(make_context(DIALECTS), text, "m.mlir"))
            assert reports, text
            line = next(number for number, row in enumerate(text.splitlines(), 1) if f'"{name}"' in row)
            assert str(reports[0].span).startswith(f"m.mlir:{line}:")


def test_positions_of_windows() -> None:
    assert window_positions(8, 3, 1) == 6
    assert window_positions(8, 3, 2, (1, 1)) == 4
    assert window_positions(8, 3, 1, dilation=3) == 2
    assert window_positions(8, 3, 1, dilation=4) == 0
    # torch.nn.functional.max_pool2d(torch.zeros(1, 1, 5, 5), 2, 2, ceil_mode=True) is 3x3, and with a padding of 1 too.
    assert window_positions(5, 2, 2, ceil_mode=True) == 3
    assert window_positions(5, 2, 2, (1, 1), ceil_mode=True) == 3


def test_positions_of_windows_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    for extent in range(3, 9):
        image = torch.zeros(1, 1, extent, extent)
        for size, stride, padding, dilation in (
            (size, stride, padding, dilation)
            for size in (1, 2, 3)
            for stride in (1, 2, 3)
            for padding in (0, 1)
            for dilation in (1, 2)
            if 2 * padding <= size and dilation * (size - 1) < extent
        ):
            for ceil_mode in (False, True):
                pooled = torch.nn.functional.max_pool2d(image, size, stride, padding, dilation, ceil_mode)
                made = window_positions(
                    extent, size, stride, (padding, padding), dilation, ceil_mode=ceil_mode
                )
                assert pooled.shape[-1] == made


def test_reductions_and_gathers() -> None:
    assert reduced((4, 8), None, keep=False) == (1,)
    assert reduced((4, 8), [-1], keep=True) == (4, 1)
    assert gathered((5, 6), (1, 128), {0}, [1]) == (5, 128, 6)
