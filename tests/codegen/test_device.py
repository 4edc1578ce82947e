"""The target ``device``: what is compiled when, and what is sent again. The objects are those of our own ttnn; launches are counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from support.described import copying
from ttl import settings
from ttl.codegen.device import DeviceProgram, Programs, launch
from ttl.host import api
from ttl.lang.operation import Operation, operation

factor = 1


@cache
def _device() -> Any:
    return api.open_device(device_id=0)


@dataclass(eq=False)
class Tensor:
    """A tensor of the real library, which has a specification."""

    address: int
    spec: tuple[int, int] = (64, 64)

    def buffer_address(self) -> int:
        return self.address

    def device(self) -> Any:
        return _device()


class Ttnn:
    """Our own library with such tensors; programs are kept and not run."""

    Tensor = Tensor

    def __init__(self) -> None:
        self.launched: list[tuple[list[Tensor], Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(api, name)

    def TensorAccessorArgs(self, tensor: Tensor) -> Any:
        return SimpleNamespace(get_compile_time_args=lambda: [2, 2048])

    def generic_op(self, tensors: list[Tensor], program: Any) -> None:
        self.launched.append((list(tensors), program))


def _operation() -> Operation:
    @operation(grid=(2, 3))
    def copying(a: Any, y: Any, scale: int = 1) -> None:
        print(a, y, scale, factor)

    return copying


class Launches:
    """An operation with a compiler that counts."""

    def __init__(self) -> None:
        self.ttnn = Ttnn()
        self.compiled = 0
        self.operation = _operation()
        self.programs = Programs(self.ttnn, self.operation, self._compile)
        self.operation.programs = self.programs

    def _compile(self, ttnn: Any, operation: Any, args: Any, kwargs: Any, chosen: Any) -> Any:
        self.compiled += 1
        return copying(), [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        launch(self.operation, args, kwargs, settings.current())
        return self.ttnn.launched[-1]


def _common(program: Any) -> list[list[int]]:
    return [list(kernel.common_runtime_args) for kernel in program.kernels]


def test_a_second_call_sends_only_the_addresses_that_changed() -> None:
    call = Launches()
    a, y, other = Tensor(1000), Tensor(2000), Tensor(3000)
    tensors, program = call(a, y)
    assert tensors == [a, y]
    assert _common(program) == [[1000, 18, 19, 20], [], [2000]]
    tensors, again = call(a, other)
    assert again is program and tensors == [a, other]
    assert _common(program) == [[1000, 18, 19, 20], [], [3000]]
    assert call.compiled == 1


def test_the_same_tensors_again_send_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    call = Launches()
    a, y = Tensor(1000), Tensor(2000)
    call(a, y)
    monkeypatch.setattr(DeviceProgram, "_send", lambda self, addresses: pytest.fail("sent"))
    call(a, y)
    assert len(call.ttnn.launched) == 2


@pytest.mark.parametrize(
    "differently",
    [
        pytest.param(lambda call: call(Tensor(1, (128, 64)), Tensor(2)), id="another specification"),
        pytest.param(lambda call: call(Tensor(1), Tensor(2), 2), id="another constant"),
        pytest.param(lambda call: call(Tensor(1), y=Tensor(2)), id="another way to pass it"),
    ],
)
def test_another_kind_of_call_is_another_program(differently: Any) -> None:
    call = Launches()
    _, first = call(Tensor(1), Tensor(2))
    _, second = differently(call)
    assert call.compiled == 2 and second is not first
    assert call(Tensor(5), Tensor(6))[1] is first and call.compiled == 2


def test_one_tensor_twice_is_another_program_than_two() -> None:
    """Its kernels have one address for both."""
    call = Launches()
    a, b = Tensor(1), Tensor(2)
    assert call(a, a)[0] == [a, a]
    assert call(a, b)[0] == [a, b] and call.compiled == 2
    assert call(b, b)[0] == [b, b] and call.compiled == 2


def test_a_variable_that_the_operation_reads_is_part_of_the_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    call = Launches()
    call(Tensor(1), Tensor(2))
    monkeypatch.setitem(call.operation.function.__globals__, "factor", 2)
    call(Tensor(1), Tensor(2))
    assert call.compiled == 2


def test_other_settings_are_another_program() -> None:
    call = Launches()
    call(Tensor(1), Tensor(2))
    with settings.override(grid=(4, 4)):
        call(Tensor(1), Tensor(2))
    assert call.compiled == 2


def test_named_tensors_are_found_again() -> None:
    call = Launches()
    call(Tensor(1), y=Tensor(2))
    tensors, program = call(Tensor(3), y=Tensor(4))
    assert [each.address for each in tensors] == [3, 4]
    assert _common(program) == [[3, 18, 19, 20], [], [4]] and call.compiled == 1
