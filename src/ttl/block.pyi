# Made by python -m ttl.ops.generate; do not edit.
from collections.abc import Sequence

from ttl.lang.expr import BlockExpr
from ttl.ops.types import Layout

def fill(value: float, shape: Sequence[int] | int, layout: Layout | None = None) -> BlockExpr:
    """A block of one value.

    Takes the element type of whatever it is combined with. A shape of one dimension is row-major.

    Args:
        value: The value, any real number.
        shape: Shape of the block, in tiles or, for one dimension, in elements.
        layout: ttnn.ROW_MAJOR_LAYOUT for a row-major block of several dimensions.

    Example: ``ttl.block.fill(0.5, shape=(2, 2))``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, fill, mask and where functions.
    """

def mask(expr: BlockExpr, mask: BlockExpr) -> BlockExpr:
    """0 where the mask is 1, else the element.

    Composed of `where_tile` on the hardware: its own mask_tile replaces where the mask is 0.

    Args:
        expr: The block or block expression.
        mask: Where it is 1 the element is replaced.

    Example: ``ttl.block.mask(a, ttl.math.gt(b, 0))``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, fill, mask and where functions.
    """

def mask_posinf(expr: BlockExpr, mask: BlockExpr) -> BlockExpr:
    """Positive infinity where the mask is 1, else the element.

    Composed of `where_tile` on the hardware: its own mask_posinf_tile replaces where the mask is 0.

    Args:
        expr: The block or block expression.
        mask: Where it is 1 the element is replaced.

    Example: ``ttl.block.mask_posinf(a, ttl.math.gt(b, 0))``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, fill,
    mask and where functions.
    """

def where(condition: BlockExpr, true_value: BlockExpr | float, false_value: BlockExpr | float) -> BlockExpr:
    """The element of one of two, by a condition.

    The condition usually comes from a comparison, `ttl.block.where(a > b, a, b)`. Both values are
    computed everywhere; NaN is true.

    Args:
        condition: 0 is false, anything else, usually 1, is true.
        true_value: Taken where the condition is true, a block or a number.
        false_value: Taken where the condition is false, a block or a number.

    Example: ``ttl.block.where(a > b, a, 0)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, fill, mask and where functions.
    """

def broadcast(expr: BlockExpr, dims: Sequence[int] | int, shape: Sequence[int] | int) -> BlockExpr:
    """Repeated along dimensions of extent 1.

    Broadcasting -1 repeats column 0 of each tile, -2 repeats row 0, both repeat element (0, 0):
    exactly the lanes a reduction over the same dims leaves its result in, and where a vector or
    scalar tensor has its values. Then whole tiles are repeated to the shape.

    Args:
        expr: The block or block expression.
        dims: The dimensions to repeat along, in which the block has extent 1.
        shape: Shape of the result in tiles; the block's outside `dims`.

    Example: ``ttl.block.broadcast(ttl.math.reduce_max(a, dims=[-1]), dims=[-1], shape=(2, 2))``

    Element types: floats and integers. Layouts: tiled. Source: specification, Appendix B,
    reduction, broadcast and transpose functions.
    """

def transpose(expr: BlockExpr) -> BlockExpr:
    """Rows and columns exchanged.

    Shape (M, N) becomes (N, M), elements within tiles too. Defined on two dimensions.

    Args:
        expr: The block or block expression.

    Example: ``ttl.block.transpose(a)``

    Element types: floats and integers. Layouts: tiled. Source: specification, Appendix B,
    reduction, broadcast and transpose functions.
    """

def squeeze(expr: BlockExpr, dims: Sequence[int] | int) -> BlockExpr:
    """Dimensions of extent 1 removed.

    Costs nothing: the same tiles in the same order under another shape.

    Args:
        expr: The block or block expression.
        dims: The dimensions to remove, of extent 1.

    Example: ``ttl.block.squeeze(ttl.block.unsqueeze(a, dims=[0]), dims=[0])``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, shape manipulation functions.
    """

def unsqueeze(expr: BlockExpr, dims: Sequence[int] | int) -> BlockExpr:
    """Dimensions of extent 1 added.

    Costs nothing: the same tiles in the same order under another shape.

    Args:
        expr: The block or block expression.
        dims: Where the new dimensions are, as positions in the result.

    Example: ``ttl.block.squeeze(ttl.block.unsqueeze(a, dims=[0]), dims=[0])``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, shape manipulation functions.
    """
