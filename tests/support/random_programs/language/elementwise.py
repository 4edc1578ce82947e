"""Random element-wise statements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.random_programs.language.choices import INTEGER_BOUNDS, LARGEST_INEXACT, Choices, Value

# Functions whose rounding is their own, and what keeps their argument where they are well-conditioned.
INEXACT: dict[str, tuple[tuple[tuple[str, float], ...], tuple[float, float]]] = {
    "exp": ((), (-8, 8)), "exp2": ((), (-8, 8)), "expm1": ((), (-8, 8)), "log": ((), (0.5, 100)),
    "logp1": ((), (-0.5, 100)), "rsqrt": ((), (0.25, 100)), "tan": ((), (-1, 1)), "tanh": ((), (-9, 9)),
    "atan": ((), (-50, 50)), "atanh": ((), (-0.9, 0.9)), "sin": ((), (-9, 9)), "asin": ((), (-0.9, 0.9)),
    "asinh": ((), (-50, 50)), "cos": ((), (-9, 9)), "acos": ((), (-0.9, 0.9)), "acosh": ((), (1.5, 50)),
    "elu": ((("slope", 0.7),), (-9, 9)), "gelu": ((("approximate", False),), (-9, 9)), "sigmoid": ((), (-9, 9)),
    "celu": ((("alpha", 2.0), ("alpha_recip", 0.5)), (-9, 9)), "silu": ((), (-9, 9)),
    "selu": ((("scale", 1.0507), ("alpha", 1.67326)), (-9, 9)),
    "softplus": ((("beta", 2.0), ("beta_reciprocal", 0.5), ("threshold", 20.0)), (-9, 9)), "softsign": ((), (-50, 50)),
    "hardsigmoid": ((), (-9, 9)), "round": ((("decimals", 1),), (-50, 50)),
}  # fmt: skip
_SMOOTH = ("tanh", "sin", "cos", "sigmoid", "atan", "softsign", "silu", "gelu", "elu")


class Elementwise(Choices):
    """Operators, functions, selections and conversions."""

    def _fill(self, value: Value) -> None:
        """A block of one number, which takes the element type of the value it is combined with."""
        number = self._number(value)
        filled = replace(value, name=self.name("t"), whole=number == int(number), bound=abs(number), exact=True,
                         finite=True, inner=frozenset())  # fmt: skip
        self._emit(filled, "fill", value=number, shape=value.shape)
        self.values.remove(filled)
        result = self._joined(value, filled, value.bound + abs(number))
        self._emit(result, self.pick("add", "max"), *self.random.sample([value.name, filled.name], 2))

    def _binary(self, value: Value) -> None:
        other = self._partner(value) or value
        exact = value.exact and other.exact
        smooth = ["add", "add", "sub", "mul", "max", "min", "rsub"]
        rough = ["floordiv", "mod", self.pick("eq", "ne", "lt", "le", "gt", "ge")]
        if value.integer:
            options = [*smooth, *rough, "xor"]
        else:
            options = smooth + (["truediv", *rough] if exact else [])
            if not exact and value.bound * other.bound > LARGEST_INEXACT:
                options = [option for option in options if option != "mul"]
        op = self.random.choice(options)
        if self.chance(0.3):  # a number on either side
            number = self._number(value)
            if op in ("truediv", "floordiv", "mod") and number == 0:
                number = 2
            whole = value.whole and number == int(number)
            other = replace(value, bound=abs(number), whole=whole, exact=True, finite=True, inner=value.inner)
            args: tuple[Any, ...] = (value.name, number)
            if op not in ("rsub", "floordiv", "mod") and self.chance(0.4):
                args = (number, value.name)
        else:
            args = (value.name, other.name)
        a, b = value.bound, other.bound
        match op:
            case "add" | "sub" | "rsub":
                result = self._joined(value, other, a + b)
            case "mul":
                # An infinity times zero is no number.
                result = self._joined(value, other, a * b if a and b else max(a, b))
            case "max" | "min":
                result = self._joined(value, other, max(a, b))
            case "xor":
                result = self._joined(value, other, 2.0 ** (max(a, b) + 1).__ceil__().bit_length())
            case "truediv":
                result = self._joined(value, other, float("inf"), whole=False, finite=False)
            case "floordiv" | "mod":
                result = self._joined(value, other, max(a, b) + 1 if value.integer else float("inf"))
                if not value.integer:
                    result = replace(result, whole=False, finite=False)
            case _:
                result = self._joined(value, other, 1, whole=True, finite=True)
        if op in ("xor", "mod") and not value.integer and a == float("inf"):
            return
        self._emit(result, op, *args)

    def _unary(self, value: Value) -> None:
        if value.integer:
            self._unary_integer(value)
            return
        if self.chance(0.45) or not value.exact:
            self._inexact(value)
            return
        base = replace(value, name=self.name("t"))
        op = self.pick(
            "abs", "neg", "square", "sqrt", "recip", "relu", "relu_max", "relu_min", "leaky_relu", "prelu", "hardtanh",
            "threshold", "sign", "signbit", "floor", "ceil", "trunc", "frac", "pow",
        )  # fmt: skip
        match op:
            case "abs" | "neg" | "relu" | "floor" | "ceil" | "trunc":
                result = replace(base, bound=value.bound + 1)
                self._emit(result, op, value.name)
            case "square":
                self._emit(replace(base, bound=value.bound**2), op, value.name)
            case "pow":
                exponent = self.random.randint(1, 3)
                self._emit(replace(base, bound=min(value.bound, 1e9) ** exponent), op, value.name, exponent)
            case "sqrt":
                positive = self._emit(replace(base, bound=value.bound), "abs", value.name)
                root = replace(positive, name=self.name("t"), whole=False)
                self._emit(root, op, positive.name)
            case "recip":
                self._emit(replace(base, bound=float("inf"), whole=False, finite=False), op, value.name)
            case "relu_max":
                self._emit(replace(base, bound=6), op, value.name, upper_limit=6)
            case "relu_min":
                self._emit(replace(base, bound=max(value.bound, 2)), op, value.name, lower_limit=2)
            case "leaky_relu":
                self._emit(replace(base, whole=False), op, value.name, slope=0.25)
            case "prelu":
                self._emit(replace(base, whole=False), op, value.name, alpha=0.3)
            case "hardtanh":
                self._clamped(value, -3, 2)
            case "threshold":
                self._emit(replace(base, bound=max(value.bound, 7)), op, value.name, threshold=1, value=7)
            case "frac":
                self._emit(replace(base, bound=1, whole=False), op, value.name)
            case _:
                self._emit(replace(base, bound=1, finite=True, whole=value.finite), op, value.name)

    def _unary_integer(self, value: Value) -> None:
        base = replace(value, name=self.name("t"))
        op = self.pick(
            "abs", "neg", "square", "relu", "relu_max", "relu_min", "threshold", "sign", "signbit", "clamp"
        )
        match op:
            case "square":
                self._emit(replace(base, bound=value.bound**2), op, value.name)
            case "relu_max":
                self._emit(replace(base, bound=6), op, value.name, upper_limit=6)
            case "relu_min":
                self._emit(replace(base, bound=max(value.bound, 2)), op, value.name, lower_limit=2)
            case "threshold":
                self._emit(replace(base, bound=max(value.bound, 7)), op, value.name, threshold=1, value=7)
            case "clamp":
                self._clamped(value, -100, 1000)
            case "sign" | "signbit":
                self._emit(replace(base, bound=1), op, value.name)
            case _:
                self._emit(base, op, value.name)

    def _inexact(self, value: Value) -> None:
        op = self.pick(*_SMOOTH) if not value.exact else self.pick(*INEXACT)
        params, (low, high) = INEXACT[op]
        inside = self._clamped(value, low, high)
        result = replace(
            inside,
            name=self.name("t"),
            whole=False,
            exact=False,
            bound=3000.0 if op.startswith("exp") else 60.0,
        )
        self._emit(result, op, inside.name, **dict(params))

    def _select(self, value: Value) -> None:
        conditions = [
            each
            for each in self.values
            if each.shape == value.shape and each.inner == value.inner and each.exact
        ]
        if not conditions:
            return
        condition = self.random.choice(conditions)
        if self.chance(0.4):
            op = "mask" if value.integer or self.chance(0.7) else "mask_posinf"
            result = replace(value, name=self.name("t"))
            if op == "mask_posinf":
                result = replace(result, bound=float("inf"), finite=False)
            self._emit(result, op, value.name, condition.name)
            return
        other = self._partner(value) or value
        result = self._joined(value, other, max(value.bound, other.bound))
        if self.chance(0.3):
            number = self._number(value)
            whole = value.whole and number == int(number)
            result = replace(value, name=self.name("t"), bound=max(value.bound, abs(number)), whole=whole)
            args: tuple[Any, ...] = (condition.name, *self.random.sample([value.name, number], 2))
        else:
            args = (condition.name, value.name, other.name)
        self._emit(result, "where", *args)

    def _typecast(self, value: Value) -> None:
        if value.integer and self.chance(0.5):
            target = self.dtype(False)
            result = replace(value, name=self.name("t"), integer=False, dtype="", bound=min(value.bound, 1e9))
            if not value.bound < 2**7:  # converted to a float that need not hold it
                result = replace(result, whole=value.bound < 2**24)
            self._emit(result, "typecast", value.name, dtype=target)
        elif value.integer or (value.exact and value.finite and value.bound < 2**30):
            target = self.dtype(True)
            bound = INTEGER_BOUNDS[target]
            result = replace(value, name=self.name("t"), integer=True, dtype=target, bound=bound, whole=True)
            self._emit(result, "typecast", value.name, dtype=target)
        elif value.exact:
            self._emit(
                replace(value, name=self.name("t"), whole=False),
                "typecast",
                value.name,
                dtype=self.dtype(False),
            )
