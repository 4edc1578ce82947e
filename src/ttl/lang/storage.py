"""``ttl.SRAMStorage`` (newer language, section 3): tensors in L1 that live across launches, and are freed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from ttl.diag import ResourceError
from ttl.host import dataless
from ttl.host.access import chip_of, give_memory, give_to, keeper_of, take_memory
from ttl.host.arguments import dtype_of, layout_of
from ttl.host.creation import zeros
from ttl.host.device import Device, checked_device
from ttl.host.errors import describe as shown
from ttl.host.memory import BufferType, MemoryConfig, ShardSpec, ShardStrategy, TensorMemoryLayout
from ttl.host.shape import extents_of, padded, volume
from ttl.host.tensor import Tensor
from ttl.lang.check import fail, public
from ttl.rows.dtypes import BFLOAT16, FLOAT32
from ttl.rows.types import Layout
from ttl.rules import storages as rules
from ttl.rules.tensor_pages import l1_bytes
from ttl.settings import current as settings
from ttl.source.spans import READING, user_span

T = TypeVar("T")


class SRAMStorage:
    """Memory in L1 for tensors that several launches use: declared, allocated together, and freed together.

    ``device``: the device whose L1 is used. ``queue_ids`` and ``sub_device_ids`` name on a card the launches that ``close`` waits
    for; here every launch has ended when its call returns.

    Raises ``ProgramError``: TTL1004 or TTL1010 not an open device, TTL0269 on a card.
    """

    __slots__ = ("_state", "_tensors", "device")

    @public
    def __init__(self, device: Any, queue_ids: Sequence[int] = (0,), sub_device_ids: Any = None) -> None:
        if settings().target == "device":
            fail(rules.on_a_card())
        self.device: Device = checked_device(device)
        self._state: rules.State | None = "declared"
        self._tensors: list[Tensor] = []

    @public
    def tensor(
        self,
        shape: Any,
        shard_shape: Any,
        cores: Any,
        dtype: Any,
        layout: Any,
        addressing: str = "uniform",
        initialize: str = "zeros",
        sharding: Any = None,
    ) -> Tensor:
        """A tensor of ``shape`` elements in shards of ``shard_shape`` on ``cores``, of bfloat16 or float32 in tiles.

        It may be used from ``allocate`` to ``close``. ``addressing``: "uniform" or "per-core", where its shards begin; ``initialize``:
        "zeros" or "uninitialized"; ``sharding``: a ``ttnn.ShardStrategy``, by default the one that fits the shapes.

        Raises ``ProgramError``: TTL0268 after ``allocate`` or ``close``; TTL0269 another type, layout or word; TTL1013 no shards.
        """
        self._require("tensor", "declared")
        for name, value, words in (
            ("addressing", addressing, ("uniform", "per-core")),
            ("initialize", initialize, ("zeros", "uninitialized")),
        ):
            if value not in words:
                self._refuse(
                    "tensor", name, shown(value), " or ".join(f'"{word}"' for word in words), f'"{words[0]}"'
                )
        element = dtype_of(dtype)
        if element not in (BFLOAT16, FLOAT32):
            self._refuse(
                "tensor", "dtype", f"ttnn.{element.name}", "ttnn.bfloat16 or ttnn.float32", "ttnn.bfloat16"
            )
        if layout_of(layout) is not Layout.TILE:
            self._refuse("tensor", "layout", shown(layout), "ttnn.TILE_LAYOUT", "ttnn.TILE_LAYOUT")
        extents, shard = extents_of(shape), extents_of(shard_shape, "a shard shape")
        config = MemoryConfig(_spread(extents, shard, sharding), BufferType.L1, ShardSpec(cores, shard))
        tensor: Tensor = _make()(extents, element, Layout.TILE, self.device, config)
        give_to(tensor, self)
        self._tensors.append(tensor)
        return tensor

    @public
    def allocate(self) -> None:
        """Allocate memory for all declared tensors. Raises TTL0268 if called again, TTL0804 if L1 has no room."""
        self._require("allocate", "declared")
        sizes = self._sizes()
        finding = rules.no_room(sizes, self.device.kept_bytes, chip_of(self.device))
        if finding is not None:
            raise ResourceError(finding.at(user_span()))
        self._fill(_make())
        self.device.kept_bytes += sum(size for _, size in sizes)
        self._state = "allocated"

    @public
    def submit(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call an operation, or any function, whose arguments may be tensors of this storage. Returns its result.

        Raises TTL0268 before ``allocate`` and after ``close``, TTL0269 for tensors of another storage, or an object that cannot be called.
        """
        self.admit(function, args, kwargs)
        return function(*args, **kwargs)

    def admit(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Raise the error for an argument that cannot be submitted."""
        self._require("submit", "allocated")
        if not callable(function):
            self._refuse("submit", "function", shown(function), "an operation, and its arguments behind it")
        for value in (*args, *kwargs.values()):
            if isinstance(value, Tensor) and keeper_of(value) not in (None, self):
                fail(rules.of_another(value.shape))

    @public
    def close(self) -> None:
        """Free all tensors. Raises TTL0268 if they are free already."""
        if self._state == "closed":
            fail(rules.wrong_time("close() is called", "closed", "close"))
        if self._state == "allocated":
            self.device.kept_bytes -= sum(size for _, size in self._sizes())
        self._state = "closed"
        for tensor in self._tensors:
            take_memory(tensor)

    def doubt(self) -> None:
        """Mark the state of the storage as unknown, in a program that is only read and has several paths."""
        self._state = None
        self._fill(dataless.make)

    def _fill(self, make: Callable[..., Tensor]) -> None:
        for tensor in self._tensors:
            config = tensor.memory_config()
            give_memory(tensor, make(tuple(tensor.shape), tensor.dtype, tensor.layout, self.device, config))

    def refuse(self, tensor: Tensor) -> NoReturn:
        """Raise the error for using one of the tensors before ``allocate``, or after ``close``."""
        fail(rules.wrong_time(f"a tensor of shape {tuple(tensor.shape)} is used", self._state or "closed"))

    def refuse_free(self, tensor: Tensor) -> NoReturn:
        """Raise the error for deallocating one of the tensors by itself."""
        fail(rules.owned(tensor.shape))

    def _require(self, method: str, state: rules.State) -> None:
        if self._state not in (state, None):
            fail(rules.wrong_time(f"{method}() is called", self._state, method))

    def _refuse(
        self, method: str, name: str, value: str, expected: str, remedy: str | None = None
    ) -> NoReturn:
        fail(rules.wrong_argument(f"{method}() of a ttl.SRAMStorage", name, value, expected, remedy))

    def _sizes(self) -> list[tuple[tuple[int, ...], int]]:
        """Return the shape of each tensor, and the bytes that it takes on a node."""
        sizes = []
        for tensor in self._tensors:
            spec = tensor.shard_spec
            assert spec is not None
            shape, cores = tuple(tensor.shape), spec.num_cores()
            chip = chip_of(self.device)
            sizes.append((shape, l1_bytes(shape, tensor.dtype, tensor.layout, spec.shape, cores, chip)))
        return sizes


def _make() -> Callable[..., Tensor]:
    return zeros if READING.get() is None else dataless.make


def _spread(shape: tuple[int, ...], shard: tuple[int, ...], sharding: Any) -> TensorMemoryLayout:
    if isinstance(sharding, ShardStrategy):
        return TensorMemoryLayout(f"{sharding}_SHARDED")
    if isinstance(sharding, TensorMemoryLayout):
        return sharding
    if sharding is not None:
        fail(
            rules.wrong_argument(
                "tensor() of a ttl.SRAMStorage",
                "sharding",
                shown(sharding),
                "ttnn.ShardStrategy.HEIGHT, WIDTH or BLOCK",
            )
        )
    whole = padded(shape, Layout.TILE)
    if shard[-1:] == whole[-1:]:
        return TensorMemoryLayout.HEIGHT_SHARDED
    is_wide = shard[:1] == (volume(whole[:-1]),)
    return TensorMemoryLayout.WIDTH_SHARDED if is_wide else TensorMemoryLayout.BLOCK_SHARDED
