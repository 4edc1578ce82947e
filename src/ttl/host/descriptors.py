"""Programs as TT-NN describes them: kernels in C++ with their arguments, circular buffers, semaphores, on some cores.

The classes have the names, the arguments with their order and defaults, and the attributes of the real ones (compared in
``tests/host/test_programs.py``). A value of a wrong kind is refused where it is passed, an inconsistent program by
``ttnn.generic_op`` (``ttl.host.programs``). As there, a list that is read from an attribute is a copy, unless it is one of words.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar

from ttl.host.calling import checked, public, signature_text
from ttl.host.config import MathFidelity
from ttl.host.cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet, core
from ttl.host.errors import Code, MissingNameError, describe, fail, placed
from ttl.host.memory import Tile
from ttl.host.names import nearest
from ttl.rows.dtypes import DType
from ttl.source.public_names import known_as

__all__ = (
    "NOC", "NOC_MODE", "CBDescriptor", "CBFormatDescriptor", "ComputeConfigDescriptor", "CoreType",
    "DataMovementConfigDescriptor", "DataMovementProcessor", "KernelDescriptor", "ProgramDescriptor",
    "ReaderConfigDescriptor", "RuntimeArgs", "SemaphoreDescriptor", "TileDescriptor", "UnpackToDestMode",
    "WriterConfigDescriptor",
)  # fmt: skip

Check = Callable[[Any, str], Any]
"""Converts a user's value to the stored one, or refuses it; the text names the value in messages."""


class _Required:
    """The default of a required argument that follows others with defaults, as in the real signatures."""

    def __repr__(self) -> str:
        return "<required>"


_REQUIRED = _Required()


class DataMovementProcessor(IntEnum):
    """A processor that moves data: RISCV_0 is BRISC, RISCV_1 is NCRISC; a node has no others."""

    RISCV_0 = 0
    RISCV_1 = 1


class NOC(IntEnum):
    """A network on the chip."""

    RISCV_0_default = 0
    RISCV_1_default = 1
    NOC_0 = 0
    NOC_1 = 1


class NOC_MODE(IntEnum):
    """Whether a processor keeps to its network."""

    DM_DEDICATED_NOC = 0
    DM_DYNAMIC_NOC = 1


@known_as("UnpackToDestMode")
class HostUnpackMode(IntEnum):
    """Whether float32 values of a circular buffer keep all their bits on the way to DST."""

    UnpackToDestFp32 = 0
    Default = 1


UnpackToDestMode = HostUnpackMode


class CoreType(StrEnum):
    """Kind of core. Programs run on worker cores."""

    WORKER = "WORKER"
    ETH = "ETH"


class _SourceType(StrEnum):
    """The kind of ``kernel_source``: the path of a file, or the text itself."""

    FILE_PATH = "FILE_PATH"
    SOURCE_CODE = "SOURCE_CODE"


@dataclass(eq=False, slots=True)
class DescriptorField:
    """An attribute of a descriptor, which is also an argument of its constructor unless it is ``later``."""

    check: Check
    default: Any = _REQUIRED
    empty: Any = None
    """The value if the constructor is called without arguments, for an attribute without a default."""
    copies: bool = False
    """Whether reading the attribute returns a copy of the list."""
    later: bool = False
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, of: Any, owner: Any = None) -> Any:
        if of is None:
            return self
        return list(vars(of)[self.name]) if self.copies else vars(of)[self.name]

    def __set__(self, of: Any, value: Any) -> None:
        vars(of)[self.name] = self.check(value, f"{self.name} of a ttnn.{type(of).__name__}")


class Descriptor:
    """The common base of descriptors: they have their fields, and no other attributes."""

    _given: ClassVar[dict[str, DescriptorField]]
    if TYPE_CHECKING:  # each class has its own

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __init_subclass__(cls) -> None:
        cls._given = {name: item for name, item in vars(cls).items() if isinstance(item, DescriptorField)}
        cls.__init__ = public()(_constructor(cls))  # type: ignore[method-assign]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._given:
            raise MissingNameError(_no_attribute(self, name))
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingNameError(_no_attribute(self, name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={vars(self)[name]!r}' for name in self._given)})"


def _no_attribute(of: Descriptor, name: str) -> Any:
    near = nearest(name, of._given)
    return placed(Code.UNKNOWN_NAME, f"a ttnn.{type(of).__name__} has no attribute '{name}'", help=near)


def _constructor(cls: type[Descriptor]) -> Callable[..., None]:
    given = [(name, item) for name, item in cls._given.items() if not item.later]
    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(name, kind, default=item.default) for name, item in given]
    signature = Signature([Parameter("self", kind), *parameters])

    def __init__(self: Descriptor, *args: Any, **kwargs: Any) -> None:
        for name, item in self._given.items():
            if item.default is _REQUIRED:
                vars(self)[name] = item.empty
            else:
                setattr(self, name, item.default)
        if not args and not kwargs:
            return
        bound = signature.bind(self, *args, **kwargs).arguments
        missing = [name for name, item in given if item.default is _REQUIRED and name not in bound]
        if missing:
            fail(
                Code.SIGNATURE, f"ttnn.{cls.__name__}: missing a required argument: '{missing[0]}'",
                help=f"signature: {signature_text(cls.__init__)}",
            )  # fmt: skip
        for name, value in bound.items():
            if name != "self":
                setattr(self, name, value)

    __init__.__qualname__ = f"{cls.__name__}.__init__"
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


# --- kinds of values ------------------------------------------------------------------------------------------------


def _a(kind: Any, words: str) -> Check:
    def check(value: Any, what: str) -> Any:
        if not isinstance(value, kind):
            fail(Code.WRONG_KIND, f"{what} is {words}, not {describe(value)}")
        return value

    return check


def word(value: Any, what: str) -> int:
    """An argument of a kernel: a whole number of 32 bits, without a sign."""
    try:
        number = operator.index(value)
    except TypeError:
        return fail(
            Code.WRONG_KIND, f"{what} is a whole number of 32 bits, not {describe(value)}",
            help="a float goes as its bits: struct.unpack('I', struct.pack('f', value))[0]",
        )  # fmt: skip
    if not 0 <= number < 2**32:
        fail(
            Code.OUT_OF_RANGE, f"{what} is {number}, which is not a number of 32 bits without a sign",
            help="a negative number goes in two's complement: value & 0xFFFFFFFF",
        )  # fmt: skip
    return number


def _sequence(of: Check, words: str) -> Check:
    def check(value: Any, what: str) -> list[Any]:
        if isinstance(value, str | bytes | dict) or not isinstance(value, Iterable):
            fail(Code.WRONG_KIND, f"{what} is a list of {words}, not {describe(value)}")
        return [of(item, f"one of {what}") for item in value]

    return check


def _pair(second: Check, words: str) -> Check:
    def check(value: Any, what: str) -> tuple[str, Any]:
        if not isinstance(value, tuple | list) or len(value) != 2 or not isinstance(value[0], str):
            fail(Code.WRONG_KIND, f"{what} is a pair of {words}, not {describe(value)}")
        return value[0], second(value[1], what)

    return check


def _cores(value: Any, what: str) -> CoreRangeSet:
    if not isinstance(value, CoreRangeSet):
        hint = (
            "write ttnn.CoreRangeSet([range])" if isinstance(value, CoreRange | CoreGrid | CoreCoord) else ()
        )
        fail(Code.WRONG_KIND, f"{what} is a ttnn.CoreRangeSet, not {describe(value)}", help=hint)
    return value


def _all(kind: type) -> Check:
    return _sequence(_a(kind, f"a ttnn.{kind.__name__}"), f"ttnn.{kind.__name__}")


def _tile(value: Any, what: str) -> TileDescriptor:
    if isinstance(value, Tile):
        return TileDescriptor(*value.tile_shape)
    return _a(TileDescriptor, "a ttnn.TileDescriptor")(value, what)  # type: ignore[no-any-return]


def _optional(of: Check) -> Check:
    return lambda value, what: None if value is None else of(value, what)


_TEXT, _FLAG = _a(str, "a text"), _a(bool, "True or False")
_WORDS = _sequence(word, "whole numbers of 32 bits")


# --- run-time arguments ------------------------------------------------------------------------------------------------


@checked
class RuntimeArgs:
    """Run-time arguments of a kernel by core: ``args[x][y] = [1, 2, 3]``, column first."""

    def __init__(self) -> None:
        self._words: dict[CoreCoord, list[int]] = {}

    def __getitem__(self, x: int) -> RuntimeArgsColProxy:
        return RuntimeArgsColProxy(self, operator.index(x))

    def __len__(self) -> int:
        return len(self._words)

    def append(self, coord: Any, values: Any) -> None:
        """The arguments of a core."""
        self._words[core(coord)] = _WORDS(values, "the run-time arguments of a core")

    def get(self, idx: int) -> tuple[CoreCoord, list[int]]:
        """The core and the arguments at a position."""
        return self.to_list()[idx]

    def to_list(self) -> list[tuple[CoreCoord, list[int]]]:
        """All cores and their arguments."""
        return list(self._words.items())

    def clear(self) -> None:
        """Take out all of them."""
        self._words.clear()


class RuntimeArgsColProxy:
    """The run-time arguments of a column of cores."""

    def __init__(self, of: RuntimeArgs, x: int) -> None:
        self._of, self._x = of, x

    def __getitem__(self, y: int) -> list[int]:
        known = self._of._words
        words = known.get(CoreCoord(self._x, operator.index(y)))
        if words is None:
            cores = ", ".join(f"({x}, {y})" for x, y in known) or "no core"
            fail(
                Code.INDEX,
                f"there are no run-time arguments of core ({self._x}, {y})",
                help=f"there are those of {cores}",
            )
        return words

    def __setitem__(self, y: int, values: Any) -> None:
        self._of.append(CoreCoord(self._x, y), values)

    def append(self, y: int, value: int) -> None:
        """One more argument of a core."""
        self.extend(y, [value])

    def extend(self, y: int, values: Any) -> None:
        """More arguments of a core."""
        at = CoreCoord(self._x, y)
        self._of.append(at, [*self._of._words.get(at, ()), *values])


def _runtime_args(value: Any, what: str) -> RuntimeArgs:
    result = RuntimeArgs()
    pairs = value.to_list() if isinstance(value, RuntimeArgs) else value
    if isinstance(pairs, str | dict) or not isinstance(pairs, Iterable):
        fail(Code.WRONG_KIND, f"{what} are a ttnn.RuntimeArgs or a list, not {describe(value)}")
    for pair in pairs:
        is_pair = isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], tuple)
        if not is_pair:
            fail(
                Code.WRONG_KIND, f"{what} are pairs of a core and its arguments; this is {describe(pair)}",
                help="write [(ttnn.CoreCoord(x, y), [1, 2]), ...], or fill a ttnn.RuntimeArgs: args[x][y] = [1, 2]",
            )  # fmt: skip
        result.append(*pair)
    return result


# --- descriptors ----------------------------------------------------------------------------------------------------


class ReaderConfigDescriptor(Descriptor):
    """A kernel that reads: on NCRISC, over NoC 0."""


class WriterConfigDescriptor(Descriptor):
    """A kernel that writes: on BRISC, over NoC 1."""


class DataMovementConfigDescriptor(Descriptor):
    """A kernel that moves data, with its processor and network."""

    processor = DescriptorField(
        _a(DataMovementProcessor, "a ttnn.DataMovementProcessor"), DataMovementProcessor.RISCV_0
    )
    noc = DescriptorField(_a(NOC, "a ttnn.NOC"), NOC.RISCV_0_default)
    noc_mode = DescriptorField(_a(NOC_MODE, "a ttnn.NOC_MODE"), NOC_MODE.DM_DEDICATED_NOC)


class ComputeConfigDescriptor(Descriptor):
    """A kernel that computes, and how."""

    math_fidelity = DescriptorField(_a(MathFidelity, "a ttnn.MathFidelity"), MathFidelity.HiFi4)
    math_approx_mode = DescriptorField(_FLAG, False)
    fp32_dest_acc_en = DescriptorField(_FLAG, False)
    dst_full_sync_en = DescriptorField(_FLAG, False)
    bfp8_pack_precise = DescriptorField(_FLAG, False)
    unpack_to_dest_mode = DescriptorField(_all(UnpackToDestMode), (), copies=True, later=True)


_CONFIGS = (
    ReaderConfigDescriptor,
    WriterConfigDescriptor,
    DataMovementConfigDescriptor,
    ComputeConfigDescriptor,
)


class KernelDescriptor(Descriptor):
    """A kernel: a text in C++ or its file, the cores that run it, and its arguments."""

    SourceType = _SourceType
    kernel_source = DescriptorField(_TEXT, empty="")
    source_type = DescriptorField(
        _a(_SourceType, "a ttnn.KernelDescriptor.SourceType"), _SourceType.FILE_PATH
    )
    core_ranges = DescriptorField(_cores, empty=CoreRangeSet())
    compile_time_args = DescriptorField(_WORDS, ())
    named_compile_time_args = DescriptorField(
        _sequence(_pair(word, "a name and a number"), "pairs"), (), copies=True
    )
    defines = DescriptorField(_sequence(_pair(_TEXT, "two texts"), "pairs of texts"), (), copies=True)
    runtime_args = DescriptorField(_runtime_args, ())
    common_runtime_args = DescriptorField(_WORDS, ())
    opt_level = DescriptorField(lambda value, what: value, None)
    config = DescriptorField(
        _a(_CONFIGS, "one of ttnn's Reader-, Writer-, DataMovement- or ComputeConfigDescriptor")
    )
    compiler_include_paths = DescriptorField(
        _sequence(_a(str | os.PathLike, "a path"), "paths"), (), copies=True
    )

    def clear_runtime_args(self) -> None:
        """Take out the run-time arguments of all cores."""
        self.runtime_args = ()

    def extend_runtime_args_uniform(self, values: Any) -> None:
        """More run-time arguments, the same for all cores that have some."""
        for _, words in self.runtime_args.to_list():
            words += _WORDS(values, "the run-time arguments of a core")


class TileDescriptor(Descriptor):
    """Rows and columns of a tile."""

    height = DescriptorField(word, empty=32)
    width = DescriptorField(word, empty=32)
    transpose = DescriptorField(_FLAG, False)


class CBFormatDescriptor(Descriptor):
    """The content of a circular buffer: its index, element type, and bytes of a page."""

    buffer_index = DescriptorField(word, empty=0)
    data_format = DescriptorField(_a(DType, "an element type of ttnn"))
    page_size = DescriptorField(word, empty=0)
    tile = DescriptorField(_optional(_tile), None)


class CBDescriptor(Descriptor):
    """Memory at one address of some cores, and the circular buffers that use it."""

    total_size = DescriptorField(word, empty=0)
    core_ranges = DescriptorField(_cores, empty=CoreRangeSet())
    format_descriptors = DescriptorField(_all(CBFormatDescriptor), empty=(), copies=True)
    address_offset = DescriptorField(word, 0, later=True)
    _buffer = DescriptorField(lambda value, what: value, None, later=True)

    def has_buffer(self) -> bool:
        """Whether the descriptor uses the memory of a tensor."""
        return self._buffer is not None

    def buffer_address(self) -> int | None:
        """Where the tensor lies whose memory it is; None where it has memory of its own."""
        return None if self._buffer is None else int(self._buffer.buffer_address())

    def set_buffer_from_cb(self, other: CBDescriptor) -> None:
        """The memory of the same tensor as another one."""
        self._buffer = other._buffer


class SemaphoreDescriptor(Descriptor):
    """A semaphore of some cores."""

    id = DescriptorField(word, empty=0)
    core_type = DescriptorField(_a(CoreType, "a ttnn.CoreType"), CoreType.WORKER)
    core_ranges = DescriptorField(_cores, empty=CoreRangeSet())
    initial_value = DescriptorField(word, empty=0)


class ProgramDescriptor(Descriptor):
    """A program, which ``ttnn.generic_op`` launches."""

    kernels = DescriptorField(_all(KernelDescriptor), (), copies=True)
    semaphores = DescriptorField(_all(SemaphoreDescriptor), (), copies=True)
    cbs = DescriptorField(_all(CBDescriptor), (), copies=True)
    custom_program_hash = DescriptorField(_optional(_a(int, "a whole number")), None, later=True)
