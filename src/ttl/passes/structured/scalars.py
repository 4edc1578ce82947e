"""The function that a row of the table of operations applies to an element, to and from ``arith`` and ``math``.

A row is one operation where there is one (``exp`` is ``math.exp``), else a function with a definition of its own, which names the
row in ``ttl.row`` and its parameters in ``ttl.params``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import FloatAttr, ModuleOp, StringAttr, f32
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.dialects.compute import attribute_of, value_of
from ttl.ir.conversion import OpBuilder
from ttl.ir.refusals import Refused
from ttl.rows.row import Op, Params
from ttl.rows.table import op as row_named

ROW, PARAMS = "ttl.row", "ttl.params"
_BINARY: Mapping[str, type[Operation]] = MappingProxyType(
    {
        "add": arith.AddfOp, "sub": arith.SubfOp, "mul": arith.MulfOp, "truediv": arith.DivfOp,
        "max": arith.MaximumfOp, "min": arith.MinimumfOp, "pow": math.PowFOp,
    }
)  # fmt: skip
_UNARY: Mapping[str, type[Operation]] = MappingProxyType(
    {
        "neg": arith.NegfOp, "abs": math.AbsFOp, "exp": math.ExpOp, "exp2": math.Exp2Op, "expm1": math.ExpM1Op,
        "log": math.LogOp, "logp1": math.Log1pOp, "sqrt": math.SqrtOp, "rsqrt": math.RsqrtOp, "tan": math.TanOp,
        "tanh": math.TanhOp, "atan": math.AtanOp, "sin": math.SinOp, "cos": math.CosOp, "floor": math.FloorOp,
        "ceil": math.CeilOp, "trunc": math.TruncOp,
    }
)  # fmt: skip
SINGLE: Mapping[str, type[Operation]] = MappingProxyType({**_BINARY, **_UNARY})
ROW_OF: Mapping[type[Operation], str] = MappingProxyType({kind: name for name, kind in SINGLE.items()})
# The operands are a, b and c; other words are parameters.
DEFINED: Mapping[str, str] = MappingProxyType(
    {
        "rsub": "(sub b a)",
        "square": "(mul a a)",
        "recip": "(truediv 1 a)",
        "relu": "(max a 0)",
        "relu_max": "(min (max a 0) upper_limit)",
        "relu_min": "(max a lower_limit)",
        "leaky_relu": "(select (ogt a 0) a (mul a slope))",
        "prelu": "(select (ogt a 0) a (mul a alpha))",
        "elu": "(select (ogt a 0) a (mul slope (expm1 a)))",
        "sigmoid": "(truediv 1 (add 1 (exp (neg a))))",
        "silu": "(truediv a (add 1 (exp (neg a))))",
        "gelu": "(mul (mul a 0.5) (add 1 (erf (mul a 0.7071067811865476))))",
        "softsign": "(truediv a (add 1 (abs a)))",
        "clamp": "(min (max a min) max)",
        "hardtanh": "(min (max a min) max)",
        "threshold": "(select (ogt a threshold) a value)",
        "frac": "(sub a (trunc a))",
        "sign": "(select (ogt a 0) 1 (select (olt a 0) -1 0))",
        "eq": "(select (oeq a b) 1 0)",
        "ne": "(select (une a b) 1 0)",
        "lt": "(select (olt a b) 1 0)",
        "le": "(select (ole a b) 1 0)",
        "gt": "(select (ogt a b) 1 0)",
        "ge": "(select (oge a b) 1 0)",
        "where": "(select (une a 0) b c)",
    }
)


def computed(
    row: Op, params: Params, operands: Sequence[SSAValue], build: OpBuilder, module: ModuleOp
) -> SSAValue:
    """Build the computation of a row on elements, as a call if it takes several operations. Raises ``Refused``."""
    usual = all(value == param.default for value, param in zip(params, row.params, strict=True))
    if row.name in SINGLE and usual:
        return _added(build, SINGLE[row.name].create(operands=operands, result_types=[f32]))
    if row.name not in DEFINED or (row.name == "gelu" and not usual):
        what = row.label if usual else f"{row.label} with {', '.join(map(str, params))}"
        raise Refused(
            f"{what} has no definition in arith and math",
            "leave the region as it is, or write it with other functions",
        )
    return _added(build, func.CallOp(_function(row, params, module).sym_name.data, operands, [f32]))


def row_of(op: Operation, module: ModuleOp) -> tuple[Op, Params] | None:
    """The row of an operation of ``arith`` or ``math``, or of a call, and its parameters; None for others."""
    if type(op) in ROW_OF:
        row = row_named(ROW_OF[type(op)])
        return row, tuple(param.default for param in row.params)
    if not isinstance(op, func.CallOp):
        return None
    named = op.callee.root_reference.data
    callee = next((item for item in module.body.block.ops if _is_function(item, named)), op)
    name = callee.attributes.get(ROW)
    if not isinstance(name, StringAttr):
        return None
    params: Params = value_of(callee.attributes[PARAMS])
    return row_named(name.data), params


def _is_function(op: Operation, name: str) -> bool:
    return isinstance(op, func.FuncOp) and op.sym_name.data == name


def _added(build: OpBuilder, op: Operation) -> SSAValue:
    return build.add(op).results[0]


def _function(row: Op, params: Params, module: ModuleOp) -> func.FuncOp:
    given = "".join(f"_{value}" for value in params).replace("-", "m").replace(".", "p")
    name = f"ttl_{row.name}{given}"
    for op in module.body.block.ops:
        if _is_function(op, name):
            assert isinstance(op, func.FuncOp)
            return op
    block = Block(arg_types=[f32] * len(row.operands))
    build = OpBuilder(block)
    words: dict[str, SSAValue | float] = dict(zip("abc", block.args, strict=False))
    words |= {param.name: value for param, value in zip(row.params, params, strict=True)}
    tokens = iter(DEFINED[row.name].replace("(", " ( ").replace(")", " ) ").split())
    build.add(func.ReturnOp(_built(tokens, words, build)))
    function = func.FuncOp(name, ([f32] * len(block.args), [f32]), Region(block), visibility="private")
    function.attributes |= {ROW: StringAttr(row.name), PARAMS: attribute_of(tuple(params))}
    module.body.block.add_op(function)
    return function


def _built(tokens: Iterator[str], words: Mapping[str, SSAValue | float], build: OpBuilder) -> SSAValue:
    token = next(tokens)
    if token != "(":
        value = words.get(token)
        if isinstance(value, SSAValue):
            return value
        number = float(token) if value is None else float(value)
        return number_in(build, number)
    head = next(tokens)
    operands = [_built(tokens, words, build) for _ in range(_arity(head))]
    assert next(tokens) == ")"
    if head == "select":
        return _added(build, arith.SelectOp(*operands))
    if head in arith.CMPF_COMPARISON_OPERATIONS:
        left, right = operands
        return _added(build, arith.CmpfOp(left, right, head))
    kind = math.ErfOp if head == "erf" else SINGLE[head]
    return _added(build, kind.create(operands=operands, result_types=[f32]))


def _arity(head: str) -> int:
    if head == "select":
        return 3
    return 1 if head in _UNARY or head == "erf" else 2


def number_in(build: OpBuilder, number: float) -> SSAValue:
    """A number as a float32."""
    return _added(build, arith.ConstantOp(FloatAttr(number, f32)))
