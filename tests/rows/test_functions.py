"""The public functions and operators made from rows: signatures, documentation, arguments, older spellings."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ttl.block
import ttl.math
from ttl.diag import Diagnostic, report
from ttl.diag.errors import ProgramError
from ttl.lang import functions, older_functions, operators
from ttl.rows.row import Op
from ttl.rows.table import OPS, op

SOURCES = Path(__file__).parents[2] / "src"
FUNCTIONS = [row for row in OPS if row.namespace != "operator"]


class Recorder(operators.make(OPS)):  # type: ignore[misc]
    """An expression that remembers what was applied."""

    def _apply(self, row: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
        return (row.name, operands, params)


@pytest.fixture
def applied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions made during the test return what they apply."""
    monkeypatch.setattr(
        "ttl.lang.functions.apply", lambda row, operands, params: (row.name, operands, params)
    )


@pytest.mark.parametrize("row", FUNCTIONS, ids=repr)
def test_public_functions_have_the_rows_signature(row: Op) -> None:
    function = functions.make(row)
    parameters = inspect.signature(function).parameters
    assert list(parameters) == [each.name for each in (*row.operands, *row.parameters)]
    for param in row.parameters:
        wanted = inspect.Parameter.empty if param.default is ... else param.default
        assert parameters[param.name].default == wanted
    assert function.__name__ == function.__qualname__ == row.name
    assert function.__module__ == f"ttl.{row.namespace}"
    assert function.__doc__ is not None
    assert row.summary in function.__doc__
    assert getattr(getattr(ttl, row.namespace), row.name).__doc__ == function.__doc__


def test_functions_normalise_their_parameters(applied: None) -> None:
    a = Recorder()
    assert functions.make(op("exp"))(a) == ("exp", (a,), (False, 1.0))
    assert functions.make(op("exp"))(a, scale=2) == ("exp", (a,), (False, 2))
    assert functions.make(op("leaky_relu"))(a, np.float32(0.5)) == ("leaky_relu", (a,), (0.5,))
    assert functions.make(op("reduce_sum"))(a, dims=[-1, 0]) == ("reduce_sum", (a,), ((-1, 0), None))
    assert functions.make(op("reduce_sum"))(a, -1, shape=[np.int64(2), 1]) == (
        "reduce_sum",
        (a,),
        ((-1,), (2, 1)),
    )
    assert functions.make(op("typecast"))(a, torch.float32)[2][0].name == "float32"
    assert functions.make(op("max"))(a, 2) == ("max", (a, 2), ())


def test_operators_apply_their_row_on_either_side() -> None:
    a, b = Recorder(), Recorder()
    assert a + b == ("add", (a, b), ())
    assert 2 - a == ("sub", (2, a), ())
    assert a**2 == ("pow", (a, 2), ())
    assert 2**a == ("pow", (2, a), ())
    assert a @ b == ("matmul", (a, b), ())
    assert 7 // a == ("floordiv", (7, a), ())
    assert -a == ("neg", (a,), ())
    assert abs(a) == ("abs", (a,), ())
    assert (a < 1) == ("lt", (a, 1), ())
    assert (1 < a) == ("gt", (a, 1), ())  # noqa: SIM300
    assert (a >= b) == ("ge", (a, b), ())
    assert np.float32(2) * a == ("mul", (np.float32(2), a), ())


def test_equality_is_identity() -> None:
    a, b = Recorder(), Recorder()
    assert a == a
    assert a != b
    assert a in [b, a]
    assert {a: 1}[a] == 1


def test_an_expression_has_no_truth_value() -> None:
    a = Recorder()
    for use in (lambda: bool(a), lambda: a and a, lambda: not a):
        with pytest.raises(ProgramError) as caught:
            use()
        assert caught.value.code == "TTL0422"
        assert any("ttl.block.where" in text for text in caught.value.diagnostic.help)


class DataflowBuffer:
    """Stands for the language's."""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (torch.zeros(2), ("a torch tensor", "copy a slice")),
        (np.zeros(2), ("a NumPy array",)),
        (DataflowBuffer(), ("a dataflow buffer", "dfb.wait()")),
        ("text", ("text 'text'",)),
        (None, ("None", "write `is None`")),
        ([1, 2], ("a list [1, 2]", "ttl.block.fill")),
        (True, ("truth value True", "give 1 and 0")),
        (1j, ("complex",)),
    ],
)
def test_foreign_operands_are_named(value: Any, words: tuple[str, ...]) -> None:
    found = functions.number_operand(op("add"), "b", value)
    assert isinstance(found, Diagnostic)
    assert found.code == "TTL0401"
    assert found.message.startswith("a + b: `b` must be a block expression or a number, not ")
    for word in words:
        assert word in "\n".join((found.message, *found.help))


def test_numbers_of_any_kind_become_python_numbers() -> None:
    assert functions.number_operand(op("add"), "b", np.float64(2.5)) == 2.5
    assert functions.number_operand(op("add"), "b", Fraction(1, 4)) == 0.25


@pytest.mark.parametrize(
    ("name", "arguments", "code", "words"),
    [
        ("leaky_relu", {"slope": "steep"}, "TTL0415", "`slope` must be a number, not text 'steep'"),
        ("leaky_relu", {"slope": None}, "TTL0415", "not None"),
        ("round", {"decimals": 1.5}, "TTL0415", "`decimals` must be a whole number"),
        ("exp", {"approx": 1}, "TTL0415", "`approx` must be True or False"),
        ("reduce_sum", {"dims": "all"}, "TTL0415", "`dims` must be a list of dimensions"),
        ("reduce_sum", {"dims": [0.5]}, "TTL0415", "`dims` must be a list of dimensions"),
        (
            "broadcast",
            {"dims": [0], "shape": None},
            "TTL0415",
            "`shape` must be a tuple of extents, not None",
        ),
        ("broadcast", {"dims": [0], "shape": (0, 2)}, "TTL0416", "every extent must be at least 1"),
        ("typecast", {"dtype": "complex64"}, "TTL0417", "text 'complex64'"),
        ("typecast", {"dtype": 10**5000}, "TTL0417", "a number of 16610 bits"),
        ("reduce_sum", {"dims": [0.5, 10**5000]}, "TTL0415", "a list"),
        ("leaky_relu", {"slope": 10**5000}, "TTL0415", "a number that a float can hold"),
        ("fill", {"value": 0, "shape": (1, 1), "layout": "diagonal"}, "TTL0415", "`layout` must be"),
    ],
)
def test_wrong_parameters(name: str, arguments: dict[str, Any], code: str, words: str) -> None:
    row = op(name)
    operands = [Recorder() for _ in row.operands]
    with pytest.raises(ProgramError) as caught:
        functions.make(row)(*operands, **arguments)
    found = caught.value.diagnostic
    assert found.code == code
    assert found.message.startswith(f"{row.label}: ")
    assert words in found.message
    assert found.primary is not None
    assert found.primary.span.file == __file__


MEANT: list[tuple[Callable[[], Any], str, str | None]] = [
    (lambda: ttl.math.sum, r"here that is ttl\.math\.reduce_sum", "reduce_sum"),
    (lambda: ttl.math.reciprocal, r"here that is ttl\.math\.recip", "recip"),
    (lambda: ttl.math.sigmiod, r"did you mean ttl\.math\.sigmoid", "sigmoid"),
    (lambda: ttl.math.broadcast_to, r"here that is ttl\.block\.broadcast", None),
    (lambda: ttl.math.zeros_like, r"write ttl\.block\.fill\(0, shape=", None),
    (lambda: ttl.math.reduce_mean, r"ttl\.math\.reduce_sum\(x, .*1 / n", None),
    (lambda: ttl.math.reduce_min, r"-ttl\.math\.reduce_max\(-x", None),
    (lambda: ttl.math.log2, r"ttl\.math\.log\(x\) \* ", None),
    (lambda: ttl.element_read, r"did you mean ttl\.raw_element_read", None),
    (lambda: ttl.math.softmax, "reduce_max, exp, reduce_sum", None),
]


@pytest.mark.parametrize(("ask", "advice", "renamed"), MEANT)
def test_unknown_names_suggest_what_means_the_same(
    ask: Callable[[], Any], advice: str, renamed: str | None
) -> None:
    with pytest.raises(ProgramError, match=advice) as caught:
        ask()
    fix = caught.value.diagnostic.fix
    assert ([edit.replacement for edit in fix.edits] if fix else None) == (renamed and [renamed])


def test_unknown_names_suggest_what_is_near() -> None:
    with pytest.raises(AttributeError, match=r"did you mean ttl\.math\.sigmoid"):
        ttl.math.sigmoidd  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"did you mean ttl\.math\.exp\b"):
        ttl.block.exp  # type: ignore[attr-defined]
    assert not hasattr(ttl.math, "__path__")
    assert "exp" in dir(ttl.math)
    assert "fill" in dir(ttl.block)


def test_older_spellings_work_and_say_the_present_one(
    applied: None, capsys: pytest.CaptureFixture[str]
) -> None:
    a = Recorder()
    older = functions.lookup("math", "broadcast")
    assert older(a, dims=[0], shape=(2, 2)) == ("broadcast", (a,), ((0,), (2, 2)))
    report.emit_kept()
    said = capsys.readouterr().err
    assert "note[TTL1210]" in said
    assert "ttl.block.broadcast" in said

    class Out:
        shape = (4, 4)

        def store(self) -> None: ...

    assert older(a, Out(), dims=[0]) == ("broadcast", (a,), ((0,), (4, 4)))
    free = older_functions.free_function("exp", functions.make)
    assert free is not None
    assert free(a) == ("exp", (a,), (False, 1.0))
    assert older_functions.free_function("add", functions.make) is not None
    assert older_functions.free_function("nothing", functions.make) is None


def test_import_does_not_make_functions() -> None:
    """They are made when first used, so that ``import ttl`` stays fast."""
    code = "import ttl.math, ttl.block; print(sorted(set(vars(ttl.math)) & {'exp', 'max'}), 'torch' in __import__('sys').modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=SOURCES, capture_output=True, text=True, check=True
    )
    assert run.stdout.split("\n")[0] == "[] False"
