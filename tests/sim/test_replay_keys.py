"""When a call is like an earlier one: each part of the key, and everything the code reads from outside."""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest
import ttnn

import ttl
from support.replays import call, replays
from support.tensors import blank
from ttl import settings

scale = 2
table = {"rows": [1, 2], "columns": (3, 4)}
net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
weights = blank((32, 32))


class Mode(Enum):
    FAST = 1
    EXACT = 2


mode = Mode.FAST


class Config:
    """A class of constants."""

    BLOCK = 2


class Derived(Config):
    """Has the constants of another."""


@dataclass
class Options:
    block: int = 2


@dataclass(frozen=True, slots=True)
class Slotted:
    block: int = 2


class Named(NamedTuple):
    block: int = 2


options: Any = Options()
module = types.ModuleType("constants")
module.BLOCK = 2  # type: ignore[attr-defined]


def helper(factor: int = 2) -> int:
    return deeper() * factor


def deeper() -> int:
    return scale


def recursive(n: int) -> int:
    return recursive(n - 1) if n else scale


def operation(read: Callable[[], Any]) -> Any:
    """An operation that calls a function in a kernel."""

    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        @ttl.datamovement()
        def kernel() -> None:
            read()

    return op


def check_change(read: Callable[[], Any], change: Callable[[], None]) -> None:
    """A call is replayed until something changes, is traced then, and replayed again."""
    op = operation(read)
    assert [replays(op), replays(op)] == [False, True]
    change()
    assert [replays(op), replays(op)] == [False, True]


# -- arguments ---------------------------------------------------------------------------------------------------


@ttl.operation(grid=(1, 1), replay=True)
def of_arguments(a: Any = None, b: Any = None, *more: Any, **options: Any) -> None:
    """Takes anything."""


def zeros(*shape: int, dtype: Any = ttnn.bfloat16, layout: Any = ttnn.TILE_LAYOUT) -> ttnn.Tensor:
    return ttnn.zeros(shape, dtype=dtype, layout=layout)


DIFFERENT = [
    (32, 32.0),
    (1, True),
    (0.0, -0.0),
    (None, 0),
    ("a", "b"),
    ((1, 2), [1, 2]),
    ((1, 2), (1, 2, 3)),
    ({"a": 1}, {"a": 2}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (range(3), range(4)),
    (slice(0, 3), slice(0, 4)),
    (Mode.FAST, Mode.EXACT),
    (ttnn.bfloat16, ttnn.float32),
    (ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT),
    (np.float32(1), np.float64(1)),
    (zeros(32, 32), zeros(32, 64)),
    (zeros(32, 32), zeros(1, 32, 32)),
    (zeros(1, 32), zeros(32)),
    (zeros(32, 32), zeros(32, 32, dtype=ttnn.float32)),
    (zeros(32, 32), zeros(32, 32, layout=ttnn.ROW_MAJOR_LAYOUT)),
    ([zeros(32, 32)], [zeros(32, 32), zeros(32, 32)]),
    (ttl.math.exp, ttl.math.sqrt),
    (lambda x: x, lambda x: x + 1),
]


@pytest.mark.parametrize(("first", "second"), DIFFERENT, ids=lambda value: type(value).__name__)
def test_other_arguments(first: Any, second: Any) -> None:
    op = ttl.operation(grid=(1, 1), replay=True)(of_arguments.function)
    assert [replays(op, first), replays(op, first)] == [False, True]
    assert [replays(op, second), replays(op, second)] == [False, True]
    assert replays(op, first)
    assert not replays(op, b=first)
    assert not replays(op, first, second)


def test_equal_arguments() -> None:
    op = ttl.operation(grid=(1, 1), replay=True)(of_arguments.function)

    def arguments() -> tuple[Any, ...]:
        return zeros(32, 32), [1, {"n": 2.5}], lambda x: x + 1, float("nan"), Options

    first = arguments()[:4]
    assert [replays(op, *first), replays(op, *arguments()[:4])] == [False, True]


def test_a_function_as_argument_is_followed() -> None:
    op = ttl.operation(grid=(1, 1), replay=True)(of_arguments.function)
    factor = 2

    def activation(x: Any) -> Any:
        return x * factor

    assert [replays(op, activation), replays(op, activation)] == [False, True]
    factor = 3
    assert [replays(op, activation), replays(op, activation)] == [False, True]


def test_the_same_tensor_twice() -> None:
    op = ttl.operation(grid=(1, 1), replay=True)(of_arguments.function)
    a, b, c = zeros(32, 32), zeros(32, 32), zeros(32, 32)
    assert [replays(op, a, b), replays(op, b, c), replays(op, b, a)] == [False, True, True]
    assert [replays(op, a, a), replays(op, c, c)] == [False, True]


def test_tensors_that_share_memory() -> None:
    op = ttl.operation(grid=(1, 1), replay=True)(of_arguments.function)
    a, b = zeros(64, 32), zeros(32, 64)
    assert [replays(op, a, b), replays(op, a, b)] == [False, True]
    alias = ttnn.reshape(a, (32, 64))
    assert [replays(op, a, alias), replays(op, a, alias)] == [False, True]
    assert replays(op, a, b)


# -- settings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "switch",
    [{"precision": "fp32"}, {"schedule_seed": 3}, {"strict": True}, {"arch": "blackhole"}, {"grid": (2, 2)}],
    ids=str,
)
def test_other_settings(switch: dict[str, Any]) -> None:
    @ttl.operation(grid="auto", replay=True)
    def op() -> None:
        pass

    assert [replays(op), replays(op)] == [False, True]
    with settings.override(**switch):
        assert [replays(op), replays(op)] == [False, True]
    assert replays(op)


def test_on_and_off() -> None:
    from support.replays import launched
    from ttl.sim.replay import prepare

    @ttl.operation(grid=(1, 1))
    def neither() -> None:
        pass

    @ttl.operation(grid=(1, 1), replay=False)
    def never() -> None:
        pass

    assert prepare(launched(neither)) is None
    with settings.override(replay="on"):
        assert prepare(launched(neither)) is not None
        assert prepare(launched(never)) is None


# -- what is captured --------------------------------------------------------------------------------------------


def test_a_global(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: scale, lambda: monkeypatch.setitem(globals(), "scale", 3))


def test_a_global_of_a_helper_of_a_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: helper(), lambda: monkeypatch.setitem(globals(), "scale", 3))


def test_a_recursive_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: recursive(2), lambda: monkeypatch.setitem(globals(), "scale", 3))


def test_a_global_of_another_type(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: scale, lambda: monkeypatch.setitem(globals(), "scale", 2.0))


def test_an_equal_global(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "scale", 1000)
    op = operation(lambda: scale)
    assert [replays(op), replays(op)] == [False, True]
    monkeypatch.setitem(globals(), "scale", int("1000"))
    assert replays(op)


def test_a_global_that_comes_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(
        lambda: later if scale > 5 else 0,  # type: ignore[name-defined]  # noqa: F821
        lambda: monkeypatch.setitem(globals(), "later", 1),
    )


def test_a_global_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: scale, lambda: monkeypatch.delitem(globals(), "scale"))


def test_a_global_that_hides_a_builtin(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: max(1, 2), lambda: monkeypatch.setitem(globals(), "max", lambda a, b: a))


def test_a_builtin_that_is_replaced() -> None:
    op = operation(lambda: oct(8))
    assert [replays(op), replays(op)] == [False, True]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "oct", lambda number: "")
        story = call(op)
    assert story.startswith("not replayed: a lambda calls oct at ")
    assert replays(op)


def test_an_item_of_a_captured_container(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: table["rows"], lambda: monkeypatch.setitem(table, "columns", (3, 5)))


def test_a_captured_container_that_is_changed_within() -> None:
    nested = {"rows": [1, 2]}
    check_change(lambda: nested["rows"], lambda: nested["rows"].append(3))
    check_change(lambda: nested["rows"], lambda: nested["rows"].sort(reverse=True))


def test_a_captured_container_that_is_made_anew() -> None:
    shapes = [(1, 1), (2, 2)]
    op = operation(lambda: shapes)
    assert [replays(op), replays(op)] == [False, True]
    shapes = [(1, 1), (2, 2)]
    assert replays(op)
    shapes = [(1, 1), (2, 3)]
    assert not replays(op)


def test_two_names_of_one_list() -> None:
    """A launch that changes the list and puts it back does so for both names."""
    first = [1]
    second = first
    op = operation(lambda: (first, second))
    assert [replays(op), replays(op)] == [False, True]
    second = [1]
    assert [replays(op), replays(op)] == [False, True]


def test_a_variable_of_an_enclosing_function() -> None:
    block = 2
    op = operation(lambda: block)
    assert [replays(op), replays(op)] == [False, True]
    block = 3
    assert [replays(op), replays(op)] == [False, True]
    block = 2
    assert replays(op)


def test_a_variable_without_a_value_yet() -> None:
    op = operation(lambda: block if scale > 5 else 0)
    assert [replays(op), replays(op)] == [False, True]
    block = 3
    assert [replays(op), replays(op)] == [False, True]


def test_closures_made_in_a_loop() -> None:
    """Every operation has its own variables; those of one loop share the last value."""

    def make(block: int) -> Any:
        return operation(lambda: block)

    separate = [make(block) for block in (1, 2)]
    assert [replays(op) for op in (*separate, *separate)] == [False, False, True, True]
    shared = []
    for block in (1, 2):
        shared.append(operation(lambda: block))
        assert not replays(shared[-1])
    assert [replays(op) for op in shared] == [False, True]


def test_a_helper_that_is_defined_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(factor: int = 2) -> int:
        return factor

    check_change(lambda: helper(), lambda: monkeypatch.setitem(globals(), "helper", other))


def test_a_helper_that_is_defined_anew_and_is_the_same() -> None:
    def make(block: int) -> Callable[[], int]:
        return lambda: block

    inner = make(1)
    op = operation(lambda: inner())
    assert [replays(op), replays(op)] == [False, True]
    inner = make(1)
    assert replays(op)
    inner = make(2)
    assert not replays(op)


def test_other_code_of_a_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(factor: int = 2) -> int:
        return factor

    check_change(lambda: helper(), lambda: monkeypatch.setattr(helper, "__code__", other.__code__))


def test_default_values(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: helper(), lambda: monkeypatch.setattr(helper, "__defaults__", (3,)))


def test_default_values_of_keywords() -> None:
    def with_keyword(*, block: int = 2) -> int:
        return block

    assert with_keyword.__kwdefaults__ is not None
    check_change(lambda: with_keyword(), lambda: with_keyword.__kwdefaults__.update(block=3))  # type: ignore[union-attr]


def test_default_values_that_are_changed() -> None:
    def with_list(blocks: list[int] = [2]) -> int:  # noqa: B006
        return len(blocks)

    assert with_list.__defaults__ is not None
    check_change(lambda: with_list(), lambda: with_list.__defaults__[0].append(3))  # type: ignore[index]


def test_names_in_comprehensions(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: [n * scale for n in range(3)], lambda: monkeypatch.setitem(globals(), "scale", 3))
    factor = 1
    op = operation(lambda: {n: [m * factor for m in range(n)] for n in range(3)})
    assert [replays(op), replays(op)] == [False, True]
    factor = 2
    assert not replays(op)


def test_a_comprehension_has_names_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    op = operation(lambda: [scale for scale in range(3)])  # noqa: C416
    assert [replays(op), replays(op)] == [False, True]
    monkeypatch.setitem(globals(), "scale", 7)
    assert replays(op)


def test_names_in_generators(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: sum(n * scale for n in range(3)), lambda: monkeypatch.setitem(globals(), "scale", 3))


def test_an_attribute_of_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: Config.BLOCK, lambda: monkeypatch.setattr(Config, "BLOCK", 3))


def test_an_attribute_of_a_base_class(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: Derived.BLOCK, lambda: monkeypatch.setattr(Config, "BLOCK", 3))
    check_change(lambda: Derived.BLOCK, lambda: monkeypatch.setattr(Derived, "BLOCK", 4, raising=False))


@pytest.mark.parametrize(
    "kind", [Options, Slotted, Named, lambda block=2: types.SimpleNamespace(block=block)]
)
def test_an_attribute_of_an_object(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "options", kind())
    check_change(lambda: options.block, lambda: monkeypatch.setitem(globals(), "options", kind(block=3)))
    monkeypatch.setitem(globals(), "options", kind())
    op = operation(lambda: options.block)
    call(op)
    monkeypatch.setitem(globals(), "options", kind())
    assert replays(op)


def test_an_attribute_of_an_object_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: options.block, lambda: monkeypatch.setattr(options, "block", 3))


def test_an_attribute_of_a_class_behind_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "options", Derived())
    check_change(lambda: options.BLOCK, lambda: monkeypatch.setattr(Config, "BLOCK", 3))


def test_an_attribute_of_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: module.BLOCK, lambda: monkeypatch.setattr(module, "BLOCK", 3))


def test_a_function_of_the_language_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: ttl.math.exp, lambda: monkeypatch.setattr(ttl.math, "exp", ttl.math.sqrt))


def test_a_member_of_an_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    check_change(lambda: mode is Mode.FAST, lambda: monkeypatch.setitem(globals(), "mode", Mode.EXACT))


def test_a_value_of_an_enumeration_that_is_changed() -> None:
    class Sizes(Enum):
        BLOCKS = [1, 2]  # noqa: RUF012

    check_change(lambda: Sizes.BLOCKS.value, lambda: Sizes.BLOCKS.value.append(3))


def test_a_partial_function(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = functools.partial(helper, 3)
    check_change(lambda: bound(), lambda: monkeypatch.setitem(globals(), "scale", 3))


def test_a_pipe_net(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(2, 0))])
    check_change(lambda: net.is_src(), lambda: monkeypatch.setitem(globals(), "net", other))
    equal = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
    op = operation(lambda: net.is_src())
    monkeypatch.setitem(globals(), "net", equal)
    assert [replays(op), replays(op)] == [False, True]
    check_change(lambda: net.is_src(), lambda: monkeypatch.setattr(net.pipes[0], "dst", (3, 0)))


def test_a_captured_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    op = operation(lambda: weights)
    assert [replays(op), replays(op)] == [False, True]
    monkeypatch.setitem(globals(), "weights", blank((32, 32)))
    assert replays(op), "another tensor of the same shape and type"
    monkeypatch.setitem(globals(), "weights", blank((32, 64)))
    assert [replays(op), replays(op)] == [False, True]


def test_a_captured_tensor_that_is_an_argument_too() -> None:
    tensor = blank((32, 32))

    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any) -> None:
        @ttl.datamovement()
        def kernel() -> None:
            tensor[0, 0]

    assert [replays(op, blank((32, 32))), replays(op, blank((32, 32)))] == [False, True]
    assert [replays(op, tensor), replays(op, tensor)] == [False, True]


def test_other_code_of_the_operation() -> None:
    op = operation(lambda: 1)
    assert [replays(op), replays(op)] == [False, True]

    def other() -> None:
        pass

    op.function = other
    assert [replays(op), replays(op)] == [False, True]


def test_an_empty_namespace_of_its_own() -> None:
    class Names(dict[str, Any]):
        def __missing__(self, name: str) -> int:
            return 1

    odd = types.FunctionType(deeper.__code__, Names())
    assert call(operation(odd)).startswith(
        "not replayed: function deeper runs in a namespace of its own kind at "
    )
