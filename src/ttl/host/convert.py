"""Tensors from and to torch, NumPy and plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.diag.remedies import Rename
from ttl.host import storage
from ttl.host.arguments import check_type, device_of, dtype_of, layout_of, place, tensor_of, untold
from ttl.host.calling import public
from ttl.host.errors import Code, describe, fail
from ttl.host.memory import Tile
from ttl.host.mesh import Composer, Mapper, compose, distribute, replicate
from ttl.host.movement import to_device, to_layout, typecast
from ttl.host.shape import stored
from ttl.host.storage import TensorMemory
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16, FLOAT16, FLOAT32, INT32, UINT8, UINT16, UINT32, Array, DType

__all__ = ("as_tensor", "from_numpy", "from_torch", "to_numpy", "to_torch")

# The default element type by the name of a NumPy or torch type; 64-bit types become 32-bit ones.
_DEFAULT = {
    "bfloat16": BFLOAT16, "float32": FLOAT32, "float64": FLOAT32, "float16": FLOAT16,
    "int8": INT32, "int16": INT32, "int32": INT32, "int64": INT32,
    "uint8": UINT8, "uint16": UINT16, "uint32": UINT32, "uint64": UINT32, "bool": UINT8,
}  # fmt: skip


@public("pad_value", "preprocess", "col_tilize", "enable_borrow")
def from_torch(
    tensor: Any,
    dtype: DType | None = None,
    *,
    spec: Any = None,
    tile: Any = None,
    layout: Any = None,
    device: Any = None,
    memory_config: Any = None,
    mesh_mapper: Any = None,
) -> Tensor:
    """A tensor with the values of a torch tensor.

    The tensor keeps the values of now: changing the torch tensor later does not change it. Where the element
    type stays the same the memory is shared and copied when one of the two is written.

    Args:
        tensor: A torch tensor of any shape, or a NumPy array.
        dtype: Element type; the torch tensor's by default (float64 becomes float32, int64 int32). Rounds to
            nearest even.
        spec: Not supported.
        tile: Shape of a tile; 32x32.
        layout: ``ttnn.ROW_MAJOR_LAYOUT`` (default) or ``ttnn.TILE_LAYOUT``.
        device: The device or mesh to put it on; the host by default.
        memory_config: Where on the device.
        mesh_mapper: How to spread it over a mesh; without one, every device gets all of it.

    Raises:
        ProgramError: TTL1004 wrong kind of argument, TTL1008 no such type,
            TTL1019 type and layout do not go together, TTL1012,
            TTL1013 it can't be spread over the mesh or cores like that.
    """
    if not _is_torch(tensor):
        if not isinstance(tensor, (np.ndarray, np.generic)):
            fail(Code.WRONG_KIND, f"ttnn.from_torch takes a torch tensor, not {describe(tensor)}")
        tensor = np.asarray(tensor)
    if spec is not None:
        fail(
            Code.UNSUPPORTED,
            "ttnn.from_torch: spec= is not supported",
            help="give dtype=, layout= and memory_config=",
        )
    result = _make(tensor, dtype, tile, layout, device, memory_config, mesh_mapper)
    return untold(result, "from_torch", layout)


@public("cache_file_name", "preprocess", "use_device_tilizer")
def as_tensor(
    tensor: Any,
    dtype: DType | None = None,
    *,
    layout: Any = None,
    device: Any = None,
    memory_config: Any = None,
    mesh_mapper: Any = None,
) -> Tensor:
    """Like ``from_torch``; nothing is kept in files. A ``ttnn.Tensor`` is converted to the type, layout and place of the
    arguments."""
    if isinstance(tensor, Tensor):
        tensor = tensor if layout is None else to_layout(tensor, layout)
        tensor = tensor if dtype in (None, tensor.dtype) else typecast(tensor, dtype_of(dtype))
        return tensor if device is None else to_device(tensor, device, memory_config=memory_config)
    return from_torch(
        tensor, dtype, layout=layout, device=device, memory_config=memory_config, mesh_mapper=mesh_mapper
    )


@public()
def from_numpy(
    array: Any,
    dtype: DType | None = None,
    *,
    layout: Any = None,
    device: Any = None,
    memory_config: Any = None,
    mesh_mapper: Any = None,
) -> Tensor:
    """A tensor with the values of a NumPy array; like ``from_torch``. A writable array is copied.

    Raises:
        ProgramError: As ``from_torch``.
    """
    if not isinstance(array, (np.ndarray, np.generic)):
        fail(Code.WRONG_KIND, f"ttnn.from_numpy takes a NumPy array, not {describe(array)}")
    return _make(np.asarray(array), dtype, None, layout, device, memory_config, mesh_mapper)


def from_any(data: Any, dtype: DType | None, *, layout: Any = None, device: Any = None) -> Tensor:
    """A tensor from a torch tensor, a NumPy array, nested lists or a number."""
    if isinstance(data, Tensor):
        fail(
            Code.WRONG_KIND,
            "ttnn.Tensor(...) of a value that is a ttnn.Tensor already",
            help="use ttnn.clone for a copy",
        )
    if not _is_torch(data):
        try:
            data = np.asarray(data)
        except ValueError:
            fail(Code.NO_SHAPE, "nested lists of different lengths do not make a tensor")
    return _make(data, dtype, None, layout, device, None, None)


def _make(
    data: Any, dtype: Any, tile: Any, layout: Any, device: Any, memory_config: Any, mapper: Any
) -> Tensor:
    name = str(data.dtype).removeprefix("torch.")
    if name not in _DEFAULT:
        fail(
            Code.ELEMENT_TYPE,
            f"no tensor can hold values of type {name}",
            help="convert them to float32 or int32 first",
        )
    element = dtype_of(dtype, _DEFAULT[name])
    order = layout_of(layout)
    if tile is not None:
        Tile(getattr(tile, "tile_shape", tile))
    check_type(element, order)
    target = device_of(device)
    if mapper is not None and not isinstance(mapper, Mapper):
        fail(
            Code.WRONG_KIND,
            f"a mesh mapper comes from ttnn.ShardTensorToMesh and the like; this is {describe(mapper)}",
        )
    shape = tuple(int(extent) for extent in data.shape)
    if mapper is None:
        config = place(memory_config, shape, order, target)
        whole = Tensor._of(_memory(data, element, shape, order), shape, element, order, target, config)
        return replicate(whole, target)
    whole = Tensor._of(_memory(data, element, shape, order), shape, element, order)
    return distribute(whole, mapper, target, memory_config)


def _memory(data: Any, dtype: DType, shape: tuple[int, ...], layout: Any) -> TensorMemory:
    if isinstance(data, np.ndarray):
        return _reshaped(_from_array(data, dtype), shape, layout)
    torch = storage.torch_or_none()
    assert torch is not None
    data = data.detach() if data.requires_grad else data
    if data.device.type != "cpu" or data.layout is not torch.strided:
        data = data.cpu().to_dense() if data.layout is not torch.strided else data.cpu()
    if dtype.kind == "block_float":
        return _reshaped(_from_array(data.to(torch.float32).contiguous().numpy(), dtype), shape, layout)
    wanted = storage.torch_dtype(torch, dtype)
    if data.dtype == wanted and data.is_contiguous() and not data.is_conj() and not data.is_neg():
        return storage.share(data, dtype)
    if data.dtype == wanted:
        return storage.own(data.clone(memory_format=torch.contiguous_format), dtype)
    if data.dtype.is_floating_point and wanted.is_floating_point:
        return storage.own(data.to(torch.float32).to(wanted).contiguous(), dtype)
    numbers = data.to(torch.float32) if data.dtype.is_floating_point else data.to(torch.int64)
    return _from_array(numbers.contiguous().numpy(), dtype)


def _reshaped(memory: TensorMemory, shape: tuple[int, ...], layout: Any) -> TensorMemory:
    return TensorMemory(memory.array.reshape(stored(shape, layout)), memory.owner, memory.shared)


def _from_array(array: Array, dtype: DType) -> TensorMemory:
    """Return memory with the values of an array, which is copied unless it can never be written."""
    plain = array.dtype == dtype.storage and dtype.kind != "block_float" and dtype is not BFLOAT16
    if plain and not _can_change(array) and array.flags.c_contiguous:
        return TensorMemory(array, None, True)
    if plain:
        memory = storage.empty(array.shape, dtype)
        np.copyto(memory.array, array)
        return memory
    floats = array.dtype.kind == "f"
    values = array.astype(np.float32 if floats or dtype.is_float else np.int64)
    return TensorMemory(np.ascontiguousarray(dtype.store(values)).reshape(array.shape))


def _can_change(array: Any) -> bool:
    """Whether the bytes of an array may change: through the array itself, or through an array of which it is a view."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return array is not None and not isinstance(array, bytes)


@public()
def to_torch(
    tensor: Tensor,
    dtype: Any = None,
    *,
    torch_rank: int | None = None,
    mesh_composer: Any = None,
    device: Any = None,
) -> Any:
    """The values as a torch tensor of the tensor's shape, without padding.

    It is the caller's: changing it does not change the tensor, nor the reverse. Memory is shared until one of
    them is written. uint32 becomes torch.int32 and uint16 torch.int16 with the same bits, as in TT-NN, unless
    ``dtype`` (a torch type) says otherwise; block floats become float32.

    Args:
        tensor: The tensor.
        dtype: A torch type to convert to.
        torch_rank: How many dimensions the result has; leading ones are dropped.
        mesh_composer: How to put the shards of a tensor on a mesh together. Needed for more than one device.
        device: The mesh; accepted for older programs.

    Raises:
        ProgramError: TTL1009 deallocated, TTL1012 shards without a composer, TTL1015 torch is not installed.
    """
    # Check the tensor first: importing torch takes a second and 200 MB, and is in vain if there are no data.
    whole = _whole(tensor, mesh_composer, "to_torch")
    torch = storage.torch_or_none()
    if torch is None:
        fail(
            Code.NO_TORCH,
            "ttnn.to_torch needs torch, which is not installed",
            help="pip install torch, or use ttnn.to_numpy",
            remedy=Rename(description="use ttnn.to_numpy", older="to_torch", current="to_numpy"),
        )
    if dtype is not None and not isinstance(dtype, torch.dtype):
        fail(
            Code.WRONG_KIND,
            f"ttnn.to_torch: dtype is a torch type, not {describe(dtype)}",
            help="write torch.float32, say",
        )
    result = _lent(whole, dtype).view(tuple(whole.shape))
    if torch_rank is None:
        return result
    if not isinstance(torch_rank, int):
        fail(
            Code.WRONG_KIND,
            f"ttnn.to_torch: torch_rank is a number of dimensions, not {describe(torch_rank)}",
        )
    while result.dim() > torch_rank and result.dim() and result.shape[0] == 1:
        result = result.squeeze(0)
    if result.dim() != torch_rank:
        fail(
            Code.SHAPES,
            f"shape {tuple(whole.shape)} has no form with {torch_rank} dimensions",
            help="only leading dimensions of extent 1 can be removed",
        )
    return result


def _lent(tensor: Tensor, dtype: Any) -> Any:
    torch = storage.torch_or_none()
    assert torch is not None
    if dtype is not None and tensor.dtype in (UINT16, UINT32):
        return torch.from_numpy(tensor._data.astype(np.int64)).to(dtype)
    lent = storage.lend(tensor._memory(), tensor.dtype)
    if tensor._owner is not None:
        tensor._shared = True
    return lent if dtype is None else lent.to(dtype)


@public()
def to_numpy(tensor: Tensor, *, mesh_composer: Any = None) -> Array:
    """The values as a NumPy array of the tensor's shape; bfloat16 and block floats as float32.

    If the type allows it, the array is a read-only view, whose contents do not change later.

    Raises:
        ProgramError: TTL1009 deallocated, TTL1012 shards without a composer.
    """
    whole = _whole(tensor, mesh_composer, "to_numpy")
    if whole.dtype is BFLOAT16:
        return whole.dtype.load(whole._data).reshape(whole.shape)
    whole._shared = True
    view = whole._data.reshape(whole.shape)
    view.flags.writeable = False
    return view


def _whole(tensor: Any, composer: Any, function: str) -> Tensor:
    whole = tensor_of(tensor, function)
    if composer is not None and not isinstance(composer, Composer):
        fail(
            Code.WRONG_KIND,
            f"a mesh composer comes from ttnn.ConcatMeshToTensor and the like; this is {describe(composer)}",
        )
    if whole.shards is None:
        return whole
    if composer is not None:
        return compose(whole, composer)
    if len(whole.shards) == 1:
        return whole.shards[0]
    return fail(
        Code.MESH,
        f"ttnn.{function}: the tensor has {len(whole.shards)} shards on a mesh, and it is not known how they are joined",
        help="add mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=0), or take one with ttnn.get_device_tensors",
    )


def _is_torch(value: Any) -> bool:
    torch = storage.torch_if_imported()
    return torch is not None and isinstance(value, torch.Tensor)
