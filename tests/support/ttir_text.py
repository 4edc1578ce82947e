"""Small models of TTIR, as text."""

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
