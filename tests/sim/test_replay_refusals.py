"""What is never replayed, and the reason and place that ``--stats`` shows for it."""

from __future__ import annotations

import functools
import itertools
import math
import random
import re
import sys
import time
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest
import torch
import ttnn

import ttl
from support.replays import FakeTape, call, place, replays
from support.tensors import blank
from ttl import settings

counter = 0
log: list[int] = []
iterator = itertools.count()
array = np.zeros(3)


class Config:
    """A class of the user's."""

    def __init__(self) -> None:
        self.block = 2

    @property
    def computed(self) -> int:
        return len(log)

    def method(self) -> int:
        return self.block


config = Config()


class Noisy(Enum):
    LOUD = 1

    def __add__(self, other: Any) -> int:
        log.append(1)
        return 1


class CustomError(Exception):
    def __init__(self) -> None:
        log.append(1)


class ValuedError(Exception):
    value = 1


class OwnTensor(ttnn.Tensor):
    """A tensor with code of the user's in it."""

    def element_size(self) -> int:
        return len(log)


sliced = slice(log)
own_tensor = OwnTensor(np.zeros((32, 32)), ttnn.bfloat16, ttnn.TILE_LAYOUT)


def prints() -> None:
    print("hello")  # print in helper


def reason(kernel: Callable[[], Any]) -> str:
    """Why an operation with a function of a kernel's is not replayed, without "not replayed: "."""

    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        ttl.datamovement()(kernel)  # type: ignore[arg-type]

    story = call(op)
    assert story.startswith("not replayed: "), story
    return story.removeprefix("not replayed: ")


def test_a_kernel_that_prints() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any) -> None:
        @ttl.datamovement()
        def read() -> None:
            print("row", a)  # print in kernel

    expected = f"not replayed: kernel read calls print at {place('print in kernel')}"
    assert call(op, blank((32, 32))) == expected
    assert call(op, blank((32, 32))) == expected


def test_the_body_of_an_operation() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any) -> None:
        print("body")  # print in body

    assert call(op, blank((32, 32))) == f"not replayed: operation op calls print at {place('print in body')}"


def test_a_helper_a_kernel_calls() -> None:
    def through() -> None:
        prints()

    assert reason(through) == f"function prints calls print at {place('print in helper')}"


def test_a_semaphore() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        ttl.Semaphore()  # semaphore

    assert call(op) == f"not replayed: operation op calls ttl.Semaphore at {place('semaphore')}"


# Each refuses in the line that has its name in a comment.
def uses_random() -> None:
    random.random()  # random


def uses_time() -> None:
    time.perf_counter()  # time


def uses_numpy() -> None:
    np.ceil(1.5)  # numpy


def uses_torch() -> None:
    torch.zeros(1)  # torch


def uses_host_library() -> None:
    ttnn.ones((32, 32))  # ttnn


def opens_files() -> None:
    open("x")  # noqa: SIM115  # open


def breaks() -> None:
    breakpoint()  # breakpoint


def asks_for_attributes() -> None:
    getattr(config, "block")  # noqa: B009  # getattr


def asks_for_identity() -> None:
    id(1)  # id


def evaluates() -> None:
    eval("1")  # eval


def hides_print() -> None:
    show = print  # show
    show(1)


def assigns_global() -> None:
    global counter
    counter = 1  # global


def deletes_global() -> None:
    global counter
    del counter  # del global


def sets_attribute() -> None:
    config.block = 3  # attribute


def sets_attribute_of_function() -> None:
    prints.count = 1  # type: ignore[attr-defined]  # function attribute


def imports() -> None:
    import json  # import

    json.dumps(1)


def defines_class() -> None:
    class Local:  # class
        pass


def reads_unknown_attribute() -> None:
    for value in (1, 2):
        value.__class__  # dunder


def formats() -> None:
    for text in ("{}",):
        text.format(1)  # format


def uses_object() -> None:
    len(config)  # type: ignore[arg-type]  # object


def uses_property() -> None:
    config.computed  # property


def uses_method() -> None:
    config.method()  # method


def uses_array() -> None:
    array[0]  # array


def uses_iterator() -> None:
    next(iterator)  # iterator


def uses_noisy_enumeration() -> None:
    Noisy.LOUD + 1  # enumeration


def raises_error_with_values() -> None:
    raise ValuedError  # valued


def slices_objects() -> None:
    len(sliced)  # type: ignore[arg-type]  # slice


def uses_own_tensor() -> None:
    own_tensor[0, 0]  # tensor


def raises_own_error() -> None:
    raise CustomError()  # error


def makes_object() -> None:
    Config()  # constructor


def passes_module() -> None:
    len(math)  # type: ignore[arg-type]  # module


def compares_identities() -> None:
    for value in (1, 2):
        value is counter  # noqa: B015  # identity


def compares_locals() -> None:
    for value in (1, 2):
        value is value  # noqa: B015  # locals


def comprehends() -> None:
    [print(n) for n in range(3)]  # comprehension


def generates() -> None:
    sum(random.random() for _ in range(3))  # generator


def nested() -> None:
    def inner() -> None:
        def innermost() -> None:
            time.time()  # nested

        innermost()

    inner()


def in_default(value: Any = config) -> None:
    pass


@functools.cache
def remembered() -> int:
    return 1


def uses_cache() -> None:
    remembered()  # cache


async def coroutine() -> None:
    pass


def matches_class() -> None:
    for value in (1, 2):
        match value:
            case int(real=1):  # pattern
                pass


CASES: list[tuple[Callable[..., None], str]] = [
    (uses_random, "function uses_random calls random.random at {random}"),
    (uses_time, "function uses_time calls time.perf_counter at {time}"),
    (uses_numpy, "function uses_numpy calls np.ceil at {numpy}"),
    (uses_torch, "function uses_torch calls torch.zeros at {torch}"),
    (uses_host_library, "function uses_host_library calls ttnn.ones at {ttnn}"),
    (opens_files, "function opens_files calls open at {open}"),
    (breaks, "function breaks calls breakpoint at {breakpoint}"),
    (asks_for_attributes, "function asks_for_attributes calls getattr at {getattr}"),
    (asks_for_identity, "function asks_for_identity calls id at {id}"),
    (evaluates, "function evaluates calls eval at {eval}"),
    (hides_print, "function hides_print uses print at {show}"),
    (assigns_global, "function assigns_global assigns the global variable counter at {global}"),
    (deletes_global, "function deletes_global deletes the global variable counter at {del global}"),
    (
        sets_attribute,
        "function sets_attribute uses config, an object of type tests.sim.test_replay_refusals.Config, at {attribute}",
    ),
    (
        sets_attribute_of_function,
        "function prints calls print at {print in helper}",
    ),
    (imports, "function imports imports json at {import}"),
    (defines_class, "function defines_class defines a class at {class}"),
    (reads_unknown_attribute, "function reads_unknown_attribute uses .__class__ of an object at {dunder}"),
    (formats, "function formats uses .format of an object at {format}"),
    (
        uses_object,
        "function uses_object uses config, an object of type tests.sim.test_replay_refusals.Config, at {object}",
    ),
    (
        uses_property,
        "function uses_property uses config.computed, which an object of class Config computes, at {property}",
    ),
    (
        uses_method,
        "function uses_method calls config.method, which an object of class Config computes, at {method}",
    ),
    (uses_array, "function uses_array uses array, an object of type numpy.ndarray, at {array}"),
    (uses_iterator, "function uses_iterator uses iterator, an object of type itertools.count, at {iterator}"),
    (
        uses_noisy_enumeration,
        "function uses_noisy_enumeration uses Noisy.LOUD, a member of an enumeration with methods, at {enumeration}",
    ),
    (raises_own_error, "function raises_own_error calls CustomError at {error}"),
    (raises_error_with_values, "function raises_error_with_values uses ValuedError at {valued}"),
    (slices_objects, "function slices_objects uses sliced, a slice of objects, at {slice}"),
    (
        uses_own_tensor,
        "function uses_own_tensor uses own_tensor, an object of type tests.sim.test_replay_refusals.OwnTensor, at {tensor}",
    ),
    (makes_object, "function makes_object calls Config at {constructor}"),
    (passes_module, "function passes_module uses math, a module, at {module}"),
    (compares_identities, "function compares_identities compares counter with 'is' at {identity}"),
    (compares_locals, "function compares_locals compares objects with 'is' at {locals}"),
    (comprehends, "function comprehends calls print at {comprehension}"),
    (generates, "function generates calls random.random at {generator}"),
    (nested, "function innermost calls time.time at {nested}"),
    (
        uses_cache,
        "function uses_cache calls remembered, an object of type functools._lru_cache_wrapper, at {cache}",
    ),
    (matches_class, "function matches_class matches a class pattern at {pattern}"),
]


@pytest.mark.parametrize(("function", "expected"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_what_code_may_not_do(function: Callable[..., None], expected: str) -> None:
    assert reason(function) == re.sub(r"\{(.*)\}", lambda found: place(found[1]), expected)


def test_a_default_value() -> None:
    assert reason(in_default).startswith("function in_default uses a default value, an object of type")


def test_a_changed_variable_of_an_enclosing_function() -> None:
    calls = 0

    def kernel() -> None:
        nonlocal calls
        calls += 1  # nonlocal

    assert reason(kernel) == (
        f"function kernel changes calls, a variable of an enclosing function at {place('nonlocal')}"
    )


def test_a_variable_of_the_operation_may_change() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        calls = 0

        @ttl.datamovement()
        def kernel() -> None:
            nonlocal calls
            calls += 1

    assert [replays(op), replays(op)] == [False, True]


def test_a_function_with_attributes() -> None:
    def helper() -> int:
        return 1

    def kernel() -> None:
        helper()

    helper.count = 3  # type: ignore[attr-defined]
    assert reason(kernel).startswith("function helper has attributes at ")


def test_a_captured_list_that_a_launch_changes() -> None:
    seen: list[int] = []

    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        @ttl.datamovement()
        def read() -> None:
            seen.append(1)

    for _ in range(3):
        assert (
            call(op, run=lambda: seen.append(1)) == "not replayed: operation op changes seen that it captures"
        )


def test_a_captured_list_that_a_launch_leaves_alone() -> None:
    shapes = [(1, 1), (2, 2)]

    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        @ttl.datamovement()
        def read() -> None:
            for rows, columns in shapes:
                range(rows * columns)

    assert [replays(op), replays(op)] == [False, True]


def test_an_argument_that_a_launch_changes() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op(values: list[int]) -> None:
        values.append(1)

    values = [1]
    assert (
        call(op, values, run=lambda: values.append(1)) == "not replayed: operation op changes its arguments"
    )


def test_an_argument_of_an_unknown_kind() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op(values: Any) -> None:
        pass

    assert call(op, np.zeros(3)) == "not replayed: argument values is an object of type numpy.ndarray"
    assert call(op, values=config) == (
        "not replayed: argument values is an object of type tests.sim.test_replay_refusals.Config"
    )


def test_a_method() -> None:
    class Layer:
        @ttl.operation(grid=(1, 1), replay=True)
        def forward(self) -> None:
            pass

    story = call(Layer.forward, Layer())
    assert story.startswith("not replayed: argument self is an object of type ")


def test_a_tensor_on_a_mesh_in_a_grid_over_the_mesh() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    tensor = ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh)

    @ttl.operation(grid=(1, 2, 1, 1), replay=True)
    def op(a: Any) -> None:
        pass

    assert call(op, tensor) == "not replayed: argument a is a tensor on a mesh"


def test_another_operation() -> None:
    @ttl.operation(grid=(1, 1))
    def other() -> None:
        pass

    def kernel() -> None:
        other()

    assert reason(kernel).startswith("function kernel calls other, an operation, at ")


def test_what_a_core_cannot_record() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        pass

    assert (
        call(op, tape="tensor a is both read and written")
        == "not replayed: tensor a is both read and written"
    )
    assert call(op) == "not replayed: tensor a is both read and written"


def test_while_a_debugger_is_active() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        pass

    call(op)
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        story = call(op)
    finally:
        sys.settrace(before)
    assert story == "not replayed: a debugger or another tracer is active"
    assert replays(op)


@pytest.mark.parametrize("switch", [{"schedules": 2}, {"sanitize": True}])
def test_settings_that_are_about_running_kernels(switch: dict[str, Any]) -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op() -> None:
        pass

    call(op)
    with settings.override(**switch):
        assert call(op) == "not replayed: --schedules and --sanitize need runs of the kernels"


def test_tensors_that_share_memory_when_one_is_written() -> None:
    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any, y: Any) -> None:
        pass

    whole = blank((64, 32))
    a, y = ttnn.reshape(whole, (32, 64)), ttnn.reshape(whole, (64, 32))
    written = FakeTape(tensors=(0, 1), written=(False, True))
    assert call(op, a, y, tape=written) == (
        "not replayed: two tensors share memory, and one of them is written"
    )
    read = FakeTape(tensors=(0, 1), written=(False, False))
    assert call(op, blank((32, 64)), y, tape=read) == "traced: first call"


@ttl.operation(grid=(1, 1), replay=True)
def pure(a: Any, y: Any) -> None:
    """All that is allowed, in one operation."""
    node_x, _ = ttl.node(dims=2)
    rows = [*range(math.ceil(a.shape[0] / 32))]
    table = {row: tuple(sorted({row, node_x}, reverse=True)) for row in rows}
    total = functools.reduce(lambda left, right: left + right, (row for row in rows), 0)
    pairs = list(itertools.product(rows, rows))
    half = functools.partial(max, 1)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    if a.dtype is ttnn.bfloat16 and y is not None:
        rows.append(rows.pop())
    assert len(rows) > 0, f"no rows: {rows!r:>10}"

    def steps() -> Any:
        yield from (0 for _ in range(1))

    @ttl.datamovement()
    def read() -> None:
        with ttl.signpost("read"):
            for step in steps():
                with a_dfb.reserve() as blk:
                    ttl.copy(a[step, step * total * len(pairs) * half(0) * len(table)], blk).wait()

    @ttl.datamovement()
    def write() -> None:
        try:
            with a_dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()
        except ValueError as mistake:
            raise RuntimeError("wrong") from mistake


def test_what_code_may_do() -> None:
    a, y = blank((32, 32)), blank((32, 32))
    assert [call(pure, a, y), call(pure, a, y)] == ["traced: first call", "replayed"]
