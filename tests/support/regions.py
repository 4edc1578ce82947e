"""Models of TTIR that are one region each, as text."""

from __future__ import annotations

from support.ttmlir_programs import ELEMENTWISE


class Model:
    """TTIR of one function ``f``, line by line."""

    def __init__(self, *arguments: str, element: str = "f32") -> None:
        self._element = element
        self._types = {f"a{number}": self._type(shape) for number, shape in enumerate(arguments)}
        self._arguments = list(self._types)
        self._lines: list[str] = []

    def _type(self, shape: str) -> str:
        return f"tensor<{shape}x{self._element}>"

    def op(self, name: str, shape: str, *operands: str, result: str = "", **attributes: str) -> str:
        value = result or f"v{len(self._lines)}"
        type = self._type(shape)
        inside = {"operand_constraints": "[]", **attributes}
        if name in ELEMENTWISE:
            inside["operandSegmentSizes"] = f"array<i32: {len(operands)}, 1>"
        text = ", ".join(f"{key} = {word}" for key, word in inside.items())
        types = ", ".join([*(self._types[operand] for operand in operands), type])
        values = ", ".join(f"%{operand}" for operand in (*operands, f"{value}_out"))
        self._lines.append(f"%{value}_out = tensor.empty() : {type}")
        self._lines.append(
            f'%{value} = "ttir.{name}"({values}) <{{{text}}}> : ({types}) -> {type} loc("{value}")'
        )
        self._types[value] = type
        return value

    def reduce(self, name: str, shape: str, operand: str, result: str) -> str:
        return self.op(name, shape, operand, result=result, keep_dim="true", dim_arg="[-1 : i32]")

    def constant(self, value: float, shape: str) -> str:
        name = f"c{len(self._lines)}"
        self._types[name] = self._type(shape)
        text = f"dense<{value:e}> : {self._types[name]}"
        self._lines.append(f'%{name} = "ttir.constant"() <{{value = {text}}}> : () -> {self._types[name]}')
        return name

    def text(self, *returned: str) -> str:
        arguments = ", ".join(f"%{name}: {self._types[name]}" for name in self._arguments)
        types = ", ".join(self._types[name] for name in returned)
        body = "\n  ".join([*self._lines, f"return {', '.join(f'%{name}' for name in returned)} : {types}"])
        return f"func.func @f({arguments}) -> ({types}) {{\n  {body}\n}}\n"


def normalisation(rows: str, columns: str, element: str = "f32") -> str:
    shape, narrow, wide = f"{rows}x{columns}", f"{rows}x1", f"1x{columns}"
    model = Model(shape, wide, wide, element=element)
    mean = model.reduce("mean", narrow, "a0", result="mean")
    centred = model.op("subtract", shape, "a0", mean, result="centred")
    squares = model.op("multiply", shape, centred, centred, result="squares")
    variance = model.reduce("mean", narrow, squares, result="variance")
    safe = model.op("add", narrow, variance, model.constant(1e-5, narrow), result="safe")
    inverse = model.op("rsqrt", narrow, safe, result="inverse")
    unit = model.op("multiply", shape, centred, inverse, result="unit")
    scaled = model.op("multiply", shape, unit, "a1", result="scaled")
    return model.text(model.op("add", shape, scaled, "a2", result="normal"))


def softmax(shape: str) -> str:
    model = Model(shape, shape.rsplit("x", 1)[0] + "x1")
    scaled = model.op("multiply", shape, "a0", "a1", result="scaled")
    return model.text(model.op("softmax", shape, scaled, dimension="-1 : si32", result="weights"))


def epilogue(rows: str, inner: str, columns: str) -> str:
    shape = f"{rows}x{columns}"
    model = Model(f"{rows}x{inner}", f"{inner}x{columns}", f"1x{columns}", shape)
    product = model.op("matmul", shape, "a0", "a1", result="product")
    biased = model.op("add", shape, product, "a2", result="biased")
    active = model.op("gelu", shape, biased, result="active")
    return model.text(model.op("add", shape, active, "a3", result="residual"))


def turned_product(batch: str) -> str:
    lead = f"{batch}x" if batch else ""
    model = Model(f"{lead}64x96", f"{lead}128x96")
    turned = model.op("transpose", f"{lead}96x128", "a1", dim0="-2 : si32", dim1="-1 : si32", result="turned")
    return model.text(model.op("matmul", f"{lead}64x128", "a0", turned, result="scores"))


def chain(shape: str, narrow: str, wide: str) -> str:
    model = Model(shape, narrow, wide)
    one = model.op("multiply", shape, "a0", "a1", result="one")
    two = model.op("add", shape, one, "a2", result="two")
    three = model.op("exp", shape, model.op("relu", shape, two, result="positive"), result="three")
    return model.text(
        model.op("div", shape, three, model.op("sigmoid", shape, two, result="soft"), result="four")
    )


def turned(shape: str, result: str) -> str:
    model = Model(shape, result)
    other = model.op("transpose", result, "a0", dim0="-2 : si32", dim1="-1 : si32", result="turned")
    return model.text(model.op("add", result, other, "a1", result="both"))


def only_turned() -> str:
    model = Model("70x40")
    return model.text(model.op("transpose", "40x70", "a0", dim0="1 : si32", dim1="0 : si32", result="turned"))


def reduced(name: str) -> str:
    model = Model("2x40x100")
    return model.text(model.reduce(name, "2x40x1", model.op("relu", "2x40x100", "a0"), result="reduced"))


def square_of_one_tensor() -> str:
    model = Model("64x64")
    product = model.op("matmul", "64x64", "a0", "a0", result="square")
    return model.text(model.op("add", "64x64", product, "a0", result="more"))


def attention(heads: str, queries: str, keys: str, depth: str, width: str = "", element: str = "f32") -> str:
    """Scores, scaled and masked, their softmax, and with ``width`` the product with values."""
    shape, scores = f"{heads}x{queries}x{depth}", f"{heads}x{queries}x{keys}"
    mask = f"{'x'.join('1' * (heads.count('x') + 1))}x{queries}x{keys}"
    model = Model(
        shape,
        f"{heads}x{depth}x{keys}",
        mask,
        *([f"{heads}x{keys}x{width}"] if width else []),
        element=element,
    )
    product = model.op("matmul", scores, "a0", "a1", result="scores")
    scaled = model.op("multiply", scores, product, model.constant(0.25, scores), result="scaled")
    masked = model.op("add", scores, scaled, "a2", result="masked")
    end = model.op("softmax", scores, masked, dimension="-1 : si32", result="weights")
    return model.text(
        model.op("matmul", f"{heads}x{queries}x{width}", end, "a3", result="mixed") if width else end
    )


def normalised_product(rows: str, inner: str, columns: str) -> str:
    shape, narrow = f"{rows}x{columns}", f"{rows}x1"
    model = Model(f"{rows}x{inner}", f"{inner}x{columns}", shape)
    product = model.op("matmul", shape, "a0", "a1", result="product")
    more = model.op("add", shape, product, "a2", result="more")
    mean = model.reduce("mean", narrow, more, result="mean")
    return model.text(model.op("subtract", shape, more, mean, result="centred"))


CASES = {
    "scores and their softmax": (attention("2", "40", "96", "64"), ["weights"]),
    "scores of which a row is long": (attention("1", "32", "1024", "32"), ["scores", "weights"]),
    "scores that end within a tile": (attention("2", "64", "80", "64"), ["scores", "weights"]),
    "attention": (attention("2x3", "64", "96", "64", "32"), ["mixed"]),
    "attention in bf16": (attention("2x2", "40", "64", "32", "64", "bf16"), ["mixed"]),
    "attention whose values are no tiles": (attention("2", "32", "64", "32", "40"), ["weights", "mixed"]),
    "normalised product": (normalised_product("256", "64", "64"), ["centred"]),
    "normalised product of many nodes": (normalised_product("32", "256", "512"), ["product", "centred"]),
    "normalisation": (normalisation("64", "128"), ["normal"]),
    "ragged normalisation": (normalisation("40", "100"), ["normal"]),
    "normalisation in bf16": (normalisation("64", "128", "bf16"), ["normal"]),
    "softmax of a batch": (softmax("3x40x100"), ["weights"]),
    "softmax of one column": (softmax("40x1"), ["weights"]),
    "softmax of four dimensions": (softmax("2x3x33x64"), ["weights"]),
    "matmul with epilogue": (epilogue("128", "64", "256"), ["residual"]),
    "ragged matmul with epilogue": (epilogue("100", "70", "200"), ["residual"]),
    "matmul in one tile": (epilogue("8", "16", "8"), ["residual"]),
    "matmul of a row": (epilogue("1", "64", "96"), ["residual"]),
    "matmul with one tile of rows": (epilogue("32", "64", "256"), ["residual"]),
    "matmul with one tile of columns": (epilogue("256", "64", "32"), ["residual"]),
    "product of a transposed factor": (turned_product(""), ["scores"]),
    "batch of products of a transposed factor": (turned_product("5"), ["scores"]),
    "chain": (chain("128x96", "128x1", "1x96"), ["four"]),
    "ragged chain": (chain("70x100", "70x1", "1x100"), ["four"]),
    "chain with repeated batches": (chain("4x40x64", "1x40x1", "4x1x64"), ["four"]),
    "chain of rows": (chain("1x500", "1x1", "1x500"), ["four"]),
    "chain of columns": (chain("500x1", "500x1", "1x1"), ["four"]),
    "transpose that is read": (turned("96x40", "40x96"), ["both"]),
    "transposes of a batch": (turned("3x96x40", "3x40x96"), ["both"]),
    "a transpose alone": (only_turned(), ["turned"]),
    "sum": (reduced("sum"), ["reduced"]),
    "max": (reduced("max"), ["reduced"]),
    "square": (square_of_one_tensor(), ["more"]),
}  # fmt: skip
