# Made by python -m ttl.ops.generate; do not edit.
from collections.abc import Sequence

from ttl.lang.expr import BlockExpr
from ttl.ops.dtypes import DType

def max(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """The larger of two, element by element.

    NaN if either is NaN. Python's own `max` compares truth values and is an error on blocks.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.max(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, binary operators and math functions.
    """

def min(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """The smaller of two, element by element.

    NaN if either is NaN. Python's own `min` compares truth values and is an error on blocks.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.min(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, binary operators and math functions.
    """

def pow(expr: BlockExpr | float, exponent: BlockExpr | float) -> BlockExpr:
    """Power, element by element.

    The specification's exponent is a natural number; negative and fractional numbers, and a block,
    work on float blocks. On integers the exponent must not be negative; a negative element of a
    block of exponents gives 0, but for the bases 1 and -1.

    Args:
        expr: The base, a block expression or a number.
        exponent: The exponent, a number or a block expression.

    Example: ``a ** 2``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, basic unary math functions.
    """

def rsub(a: BlockExpr, b: BlockExpr | float) -> BlockExpr:
    """Reversed difference `b - a`, element by element.

    Args:
        a: The block expression to subtract.
        b: What to subtract it from, usually a number.

    Example: ``ttl.math.rsub(a, 1)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, basic unary math functions.
    """

def eq(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """1 where the first is equal, else 0, element by element.

    Comparisons with NaN are 0, except `ne` which is 1. There is no operator: Python's `==` and `!=`
    keep their meaning for blocks, identity, so that a block can be looked up in a list or a
    dictionary. Write `ttl.math.eq(a, b)`.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.eq(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: beyond the
    specification: comparisons.
    """

def ne(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """1 where the first is different, else 0, element by element.

    Comparisons with NaN are 0, except `ne` which is 1. There is no operator: Python's `==` and `!=`
    keep their meaning for blocks, identity, so that a block can be looked up in a list or a
    dictionary. Write `ttl.math.ne(a, b)`.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.ne(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: beyond the
    specification: comparisons.
    """

def lt(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """1 where the first is less, else 0, element by element.

    Comparisons with NaN are 0, except `ne` which is 1. Also written `a < b`. A comparison is a
    block, not a truth value: choose with `ttl.block.where`.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.lt(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: beyond the
    specification: comparisons.
    """

def le(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """1 where the first is less or equal, else 0, element by element.

    Comparisons with NaN are 0, except `ne` which is 1. Also written `a <= b`. A comparison is a
    block, not a truth value: choose with `ttl.block.where`.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.le(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: beyond the
    specification: comparisons.
    """

def gt(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """1 where the first is greater, else 0, element by element.

    Comparisons with NaN are 0, except `ne` which is 1. Also written `a > b`. A comparison is a
    block, not a truth value: choose with `ttl.block.where`.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.gt(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: beyond the
    specification: comparisons.
    """

def ge(a: BlockExpr | float, b: BlockExpr | float) -> BlockExpr:
    """1 where the first is greater or equal, else 0, element by element.

    Comparisons with NaN are 0, except `ne` which is 1. Also written `a >= b`. A comparison is a
    block, not a truth value: choose with `ttl.block.where`.

    Args:
        a: First operand, a block expression or a number.
        b: Second operand, a block expression or a number.

    Example: ``ttl.math.ge(a, b)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: beyond the
    specification: comparisons.
    """

def abs(expr: BlockExpr) -> BlockExpr:
    """Absolute value.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.abs(a)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, basic unary math functions.
    """

def neg(expr: BlockExpr) -> BlockExpr:
    """Negation.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.neg(a)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, basic unary math functions.
    """

def exp(expr: BlockExpr, approx: bool = False, scale: float = 1.0) -> BlockExpr:
    """Natural exponential, e to the power of the element.

    `approx=True` costs about a tenth (70 to 77 cycles per tile).

    Args:
        expr: The block or block expression.
        approx: Let the hardware use its fast, coarser variant, off by up to 4.5 %; same value here.
        scale: Factor on the argument, free on the hardware: exp(scale * x).

    Example: ``ttl.math.exp(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def exp2(expr: BlockExpr) -> BlockExpr:
    """2 to the power of the element.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.exp2(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def expm1(expr: BlockExpr) -> BlockExpr:
    """exp(x) - 1, exact also near 0.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.expm1(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def log(expr: BlockExpr) -> BlockExpr:
    """Natural logarithm.

    -inf at 0, NaN below.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.log(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def logp1(expr: BlockExpr) -> BlockExpr:
    """log(x + 1), exact also near 0.

    -inf at -1, NaN below.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.logp1(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def sqrt(expr: BlockExpr) -> BlockExpr:
    """Square root.

    NaN for negative values.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.sqrt(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def square(expr: BlockExpr) -> BlockExpr:
    """Square, x * x.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.square(a)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, basic unary math functions.
    """

def rsqrt(expr: BlockExpr) -> BlockExpr:
    """Reciprocal square root, 1 / sqrt(x).

    inf at 0, NaN below.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.rsqrt(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def recip(expr: BlockExpr) -> BlockExpr:
    """Reciprocal, 1 / x.

    An infinity at 0.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.recip(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, basic
    unary math functions.
    """

def tan(expr: BlockExpr) -> BlockExpr:
    """Tangent.

    The argument is in radians.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.tan(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def tanh(expr: BlockExpr) -> BlockExpr:
    """Hyperbolic tangent.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.tanh(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def atan(expr: BlockExpr) -> BlockExpr:
    """Arctangent.

    The result is in radians.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.atan(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def atanh(expr: BlockExpr) -> BlockExpr:
    """Hyperbolic arctangent.

    Infinite at -1 and 1, NaN beyond.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.atanh(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def sin(expr: BlockExpr) -> BlockExpr:
    """Sine.

    The argument is in radians.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.sin(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def asin(expr: BlockExpr) -> BlockExpr:
    """Arcsine.

    The result is in radians; NaN beyond -1 and 1.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.asin(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def asinh(expr: BlockExpr) -> BlockExpr:
    """Hyperbolic arcsine.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.asinh(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def cos(expr: BlockExpr) -> BlockExpr:
    """Cosine.

    The argument is in radians.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.cos(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def acos(expr: BlockExpr) -> BlockExpr:
    """Arccosine.

    The result is in radians; NaN beyond -1 and 1.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.acos(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def acosh(expr: BlockExpr) -> BlockExpr:
    """Hyperbolic arccosine.

    NaN below 1.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.acosh(a + 1)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    trigonometric unary math functions.
    """

def relu(expr: BlockExpr) -> BlockExpr:
    """Rectifier: max(x, 0).

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.relu(a)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, activation functions.
    """

def relu_max(expr: BlockExpr, upper_limit: float) -> BlockExpr:
    """Rectifier with an upper limit: relu(min(x, upper_limit)).

    Args:
        expr: The block or block expression.
        upper_limit: Largest value of the result.

    Example: ``ttl.math.relu_max(a, upper_limit=6)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, activation functions.
    """

def relu_min(expr: BlockExpr, lower_limit: float) -> BlockExpr:
    """Rectifier with a lower limit: relu(max(x, lower_limit)).

    Args:
        expr: The block or block expression.
        lower_limit: Smallest value of the result, if positive.

    Example: ``ttl.math.relu_min(a, lower_limit=1)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, activation functions.
    """

def leaky_relu(expr: BlockExpr, slope: float) -> BlockExpr:
    """x, or slope * x for negative x.

    Args:
        expr: The block or block expression.
        slope: Factor on negative values, any real number.

    Example: ``ttl.math.leaky_relu(a, slope=0.01)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def elu(expr: BlockExpr, slope: float) -> BlockExpr:
    """x, or slope * (exp(x) - 1) for negative x.

    Args:
        expr: The block or block expression.
        slope: Factor on negative values, any real number.

    Example: ``ttl.math.elu(a, slope=1.0)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def gelu(expr: BlockExpr, approximate: bool = False) -> BlockExpr:
    """Gaussian error linear unit: x times the normal distribution's integral up to x.

    Exact unless told otherwise; the tolerance is that of the hardware's table.

    Args:
        expr: The block or block expression.
        approximate: Use the tanh formula instead of the error function.

    Example: ``ttl.math.gelu(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def sigmoid(expr: BlockExpr) -> BlockExpr:
    """1 / (1 + exp(-x)).

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.sigmoid(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def celu(expr: BlockExpr, alpha: float, alpha_recip: float) -> BlockExpr:
    """x, or alpha * (exp(x * alpha_recip) - 1) for negative x.

    Args:
        expr: The block or block expression.
        alpha: Scale of the negative side, any real number.
        alpha_recip: 1 / alpha, which the hardware wants ready.

    Example: ``ttl.math.celu(a, alpha=2.0, alpha_recip=0.5)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def silu(expr: BlockExpr) -> BlockExpr:
    """x * sigmoid(x), also called swish.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.silu(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def prelu(expr: BlockExpr, alpha: float) -> BlockExpr:
    """x, or alpha * x for negative x.

    Args:
        expr: The block or block expression.
        alpha: Scale of the negative side, any real number.

    Example: ``ttl.math.prelu(a, alpha=0.25)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def softplus(expr: BlockExpr, beta: float, beta_reciprocal: float, threshold: float) -> BlockExpr:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold.

    Args:
        expr: The block or block expression.
        beta: Sharpness.
        beta_reciprocal: 1 / beta, which the hardware wants ready.
        threshold: Above it, as beta * x, the function is x itself.

    Example: ``ttl.math.softplus(a, beta=1.0, beta_reciprocal=1.0, threshold=20.0)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def softsign(expr: BlockExpr) -> BlockExpr:
    """x / (1 + abs(x)).

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.softsign(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def hardsigmoid(expr: BlockExpr) -> BlockExpr:
    """x / 6 + 1/2, limited to 0 .. 1.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.hardsigmoid(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def hardtanh(expr: BlockExpr, min: float, max: float) -> BlockExpr:
    """x limited to min .. max.

    Args:
        expr: The block or block expression.
        min: Smallest value of the result.
        max: Largest value of the result.

    Example: ``ttl.math.hardtanh(a, min=-1, max=1)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def selu(expr: BlockExpr, scale: float, alpha: float) -> BlockExpr:
    """scale * x, or scale * alpha * (exp(x) - 1) for negative x.

    The usual constants are scale 1.0507 and alpha 1.67326.

    Args:
        expr: The block or block expression.
        scale: Factor on the whole.
        alpha: Factor on the negative side.

    Example: ``ttl.math.selu(a, scale=1.0507, alpha=1.67326)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B,
    activation functions.
    """

def frac(expr: BlockExpr) -> BlockExpr:
    """Fractional part, x - trunc(x).

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.frac(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, rounding
    functions.
    """

def trunc(expr: BlockExpr) -> BlockExpr:
    """Whole part: rounded towards zero.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.trunc(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, rounding
    functions.
    """

def round(expr: BlockExpr, decimals: int = 0) -> BlockExpr:
    """Rounded to a number of decimal places.

    Halves go to the even neighbour, as in IEEE 754 and Python.

    Args:
        expr: The block or block expression.
        decimals: Places after the decimal point, 0 for whole numbers.

    Example: ``ttl.math.round(a, decimals=1)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, rounding
    functions.
    """

def floor(expr: BlockExpr) -> BlockExpr:
    """Rounded down.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.floor(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, rounding
    functions.
    """

def ceil(expr: BlockExpr) -> BlockExpr:
    """Rounded up.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.ceil(a)``

    Element types: floats. Layouts: tiled and row-major. Source: specification, Appendix B, rounding
    functions.
    """

def clamp(expr: BlockExpr, min: float, max: float) -> BlockExpr:
    """x limited to min .. max.

    Args:
        expr: The block or block expression.
        min: Smallest value of the result.
        max: Largest value of the result.

    Example: ``ttl.math.clamp(a, min=-1, max=1)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, rounding functions.
    """

def threshold(expr: BlockExpr, threshold: float, value: float) -> BlockExpr:
    """value where x is greater than threshold, else x.

    The specification's sense. torch's threshold and the hardware's threshold_tile do the opposite:
    they keep what is greater and replace the rest.

    Args:
        expr: The block or block expression.
        threshold: Values above it are replaced.
        value: What replaces them.

    Example: ``ttl.math.threshold(a, threshold=1, value=0)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, rounding functions.
    """

def sign(expr: BlockExpr) -> BlockExpr:
    """1 for positive, -1 for negative elements, 0 for zero.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.sign(a)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, rounding functions.
    """

def signbit(expr: BlockExpr) -> BlockExpr:
    """1 for positive elements and +0.0, 0 for the rest.

    The specification's sense. torch's signbit and the hardware's signbit_tile are 1 for negative
    values, the opposite. NaN gives 0.

    Args:
        expr: The block or block expression.

    Example: ``ttl.math.signbit(a)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: specification,
    Appendix B, rounding functions.
    """

def reduce_sum(
    expr: BlockExpr, dims: Sequence[int] | int, shape: Sequence[int] | int | None = None
) -> BlockExpr:
    """Sum over dimensions.

    `dims` count from the outermost (0) or the innermost (-1). Reducing -1 leaves the result in
    column 0 of each tile, -2 in row 0, both in element (0, 0); the other lanes are undefined,
    `ttl.block.broadcast` over the same dims reads the right ones. Reducing an outer dimension
    combines whole tiles. `shape` is the shape of the result in tiles and may be left out. Padding
    never enters: it counts as 0.

    Args:
        expr: The block or block expression.
        dims: The dimensions to reduce.
        shape: Shape of the result in tiles, 1 in the reduced dimensions.

    Example: ``ttl.math.reduce_sum(a, dims=[-1])``

    Element types: floats and integers. Layouts: tiled. Source: specification, Appendix B,
    reduction, broadcast and transpose functions.
    """

def reduce_max(
    expr: BlockExpr, dims: Sequence[int] | int, shape: Sequence[int] | int | None = None
) -> BlockExpr:
    """Maximum over dimensions.

    `dims` count from the outermost (0) or the innermost (-1). Reducing -1 leaves the result in
    column 0 of each tile, -2 in row 0, both in element (0, 0); the other lanes are undefined,
    `ttl.block.broadcast` over the same dims reads the right ones. Reducing an outer dimension
    combines whole tiles. `shape` is the shape of the result in tiles and may be left out. Padding
    never enters: it counts as minus infinity.

    Args:
        expr: The block or block expression.
        dims: The dimensions to reduce.
        shape: Shape of the result in tiles, 1 in the reduced dimensions.

    Example: ``ttl.math.reduce_max(a, dims=[-1])``

    Element types: floats and integers. Layouts: tiled. Source: specification, Appendix B,
    reduction, broadcast and transpose functions.
    """

def typecast(expr: BlockExpr, dtype: DType) -> BlockExpr:
    """Converted to another element type.

    Rounds at once (to nearest, ties to even) where an expression would keep float32. A float
    becomes an integer by dropping its fraction, then modulo the integer's width. Needed wherever
    floats meet integers; never needed just to store into a buffer of another float type.

    Args:
        expr: The block or block expression.
        dtype: The element type of the result, such as ttnn.float32.

    Example: ``ttl.math.typecast(a, ttnn.float32)``

    Element types: floats and integers. Layouts: tiled and row-major. Source: beyond the
    specification: typecast.
    """
