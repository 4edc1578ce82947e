"""The operation of a call, compiled again with other choices when a rule asks how much that saves."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ttl.codegen.compiled_calls import is_complete
from ttl.codegen.description import ProgramDescription
from ttl.codegen.variants import Choices, Variant, alone, choices_of, compile_variant
from ttl.emu.program import KernelLine
from ttl.frontend.live import lower_call
from ttl.frontend.lowered import Lowered
from ttl.lang.operation import Operation
from ttl.settings import Settings
from ttl.source.spans import Span


class CalledOperation:
    """An operation with the arguments of a call. It is lowered when its choices or a program are first needed."""

    def __init__(
        self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
    ) -> None:
        self._operation, self._args, self._kwargs, self._chosen = operation, args, kwargs, chosen

    @property
    def place(self) -> KernelLine | None:
        """Where the operation is defined: the line of its decorator."""
        code = self._operation.function.__code__
        return KernelLine(file=code.co_filename, line=code.co_firstlineno, kernel="")

    @cached_property
    def _lowered(self) -> Lowered | None:
        lowered = lower_call(self._operation, self._args, self._kwargs, host_calls="any")
        return lowered if is_complete(lowered) else None

    @cached_property
    def choices(self) -> Choices | None:
        """The compiler's choices that could be made differently; None where the operation cannot be lowered."""
        return None if self._lowered is None else choices_of(self._lowered)

    def compiled(self, variant: Variant) -> ProgramDescription | None:
        """Return the program compiled with other choices; None where it cannot be compiled."""
        if self._lowered is None:
            return None
        return compile_variant(self._lowered, variant, self._chosen)


class OperationAlone:
    """One operation of a program that was read, by its number among the operations with shapes.

    ``definition``: where it is defined.
    """

    def __init__(self, lowered: Lowered, number: int, definition: Span | None, chosen: Settings) -> None:
        self._whole, self._number, self._definition, self._chosen = lowered, number, definition, chosen

    @property
    def place(self) -> KernelLine | None:
        """Where the operation is defined."""
        span = self._definition
        return None if span is None else KernelLine(file=span.file, line=span.line, kernel="")

    @cached_property
    def _lowered(self) -> Lowered:
        return alone(self._whole, self._number)

    @cached_property
    def choices(self) -> Choices | None:
        """The compiler's choices that could be made differently."""
        return choices_of(self._lowered)

    def compiled(self, variant: Variant) -> ProgramDescription | None:
        """Return the program compiled with other choices; None where it cannot be compiled."""
        return compile_variant(self._lowered, variant, self._chosen)
