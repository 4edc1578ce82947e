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
_EXACT = (
    "abs", "neg", "square", "sqrt", "recip", "relu", "relu_max", "relu_min", "leaky_relu", "prelu", "hardtanh", "threshold", "sign",
    "signbit", "floor", "ceil", "trunc", "frac", "pow",
)  # fmt: skip
_ON_INTEGERS = (
    "abs",
    "neg",
    "square",
    "relu",
    "relu_max",
    "relu_min",
    "threshold",
    "sign",
    "signbit",
    "clamp",
)
_PARAMS: dict[str, dict[str, float]] = {
    "relu_max": {"upper_limit": 6}, "relu_min": {"lower_limit": 2}, "leaky_relu": {"slope": 0.25}, "prelu": {"alpha": 0.3},
    "threshold": {"threshold": 1, "value": 7},
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
        if not value.integer and (self.chance(0.45) or not value.exact):
            self._inexact(value)
            return
        base = replace(value, name=self.name("t"))
        op = self.pick(*(_ON_INTEGERS if value.integer else _EXACT))
        args: tuple[Any, ...] = (value.name,)
        match op:
            case "clamp" | "hardtanh":
                self._clamped(value, *((-100, 1000) if op == "clamp" else (-3, 2)))
                return
            case "pow":
                exponent = self.random.randint(1, 3)
                args, base = (value.name, exponent), replace(base, bound=min(value.bound, 1e9) ** exponent)
            case "sqrt":
                positive = self._emit(base, "abs", value.name)
                args, base = (positive.name,), replace(positive, name=self.name("t"))
            case "square":
                base = replace(base, bound=value.bound**2)
            case "recip":
                base = replace(base, bound=float("inf"), finite=False)
            case "relu_min" | "threshold":
                base = replace(base, bound=max(value.bound, 2 if op == "relu_min" else 7))
            case "abs" | "neg" | "relu" | "floor" | "ceil" | "trunc" if not value.integer:
                base = replace(base, bound=value.bound + 1)
            case "relu_max" | "frac" | "sign" | "signbit":
                base = replace(base, bound=6 if op == "relu_max" else 1)
        if op in ("sign", "signbit") and not value.integer:
            base = replace(base, finite=True, whole=value.finite)
        whole = base.whole and op not in ("sqrt", "recip", "leaky_relu", "prelu", "frac")
        self._emit(replace(base, whole=whole), op, *args, **_PARAMS.get(op, {}))

    def _inexact(self, value: Value) -> None:
        op = self.pick(*_SMOOTH) if not value.exact else self.pick(*INEXACT)
        params, (low, high) = INEXACT[op]
        inside = self._clamped(value, low, high)
        bound = 3000.0 if op.startswith("exp") else 60.0
        result = replace(inside, name=self.name("t"), whole=False, exact=False, bound=bound)
        self._emit(result, op, inside.name, **dict(params))

    def _select(self, value: Value) -> None:
        alike = [each for each in self.values if (each.shape, each.inner) == (value.shape, value.inner)]
        conditions = [each for each in alike if each.exact]
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
            # A float need not hold what is converted to it.
            whole, bound = value.bound < 2**24, min(value.bound, 1e9)
            result = replace(value, integer=False, dtype="", bound=bound, whole=whole)
        elif value.integer or (value.exact and value.finite and value.bound < 2**30):
            target = self.dtype(True)
            result = replace(value, integer=True, dtype=target, bound=INTEGER_BOUNDS[target], whole=True)
        elif value.exact:
            target, result = self.dtype(False), replace(value, whole=False)
        else:
            return
        self._emit(replace(result, name=self.name("t")), "typecast", value.name, dtype=target)
