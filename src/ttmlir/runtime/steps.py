"""The operations of a binary as functions: what each expects, what it computes, where the result lies.

A table of the binary is looked at once, when its program is prepared; running it is one call. What the real operations
refuse is refused, with the fix. Elementwise operations, reductions, softmax and products want tiles; whether those of a
card refuse others is not known of all of them, so that it is a warning, and an error in a strict run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ttmlir.layouts.enums import DataType
from ttmlir.runtime.arithmetic import apply_unary, apply_where, binary, reduce, unary
from ttmlir.runtime.numbers import converted, is_integer, working_dtype
from ttmlir.runtime.pool import TensorPool
from ttmlir.runtime.problems import RuntimeProblem
from ttmlir.runtime.tensors import RuntimeTensor, TensorDescription, config_of, description_of
from ttmlir.runtime.tt_lang import prepare_generic, prepare_tt_lang

if TYPE_CHECKING:
    import torch

Fields = Mapping[str, Any]
Step = Callable[[TensorPool], None]
# Operations of two inputs whose result has the type that its description says; the others have that of the first input.
_OF_STATED_TYPE = frozenset(
    {"Add", "Multiply", "Subtract", "Div", "Equal", "NotEqual", "GreaterEqual", "GreaterThan", "LessEqual"}
    | {"LessThan", "LogicalAnd", "LogicalOr", "LogicalXor"}
)


def prepare(kind: str, fields: Fields) -> Step:
    """The function of an operation. Raises ``RuntimeProblem`` for one that is not known, or that says too little."""
    make = _STEPS.get(kind)
    if make is None:
        raise RuntimeProblem(f"there is no operation {kind}; known are {', '.join(sorted(_STEPS))}")
    try:
        return make(fields)
    except KeyError as problem:
        raise RuntimeProblem(f"the table {kind} has no {problem.args[0]}") from None


def _id(fields: Fields, name: str) -> int:
    return int(fields[name]["global_id"])


def _out(fields: Fields) -> TensorDescription:
    return description_of(fields["out"])


def _device(fields: Fields) -> int | None:
    device = fields.get("device")
    return None if device is None else int(device.get("global_id", 0))


# Devices and memory.


def _get_device(fields: Fields) -> Step:
    number, chips = int(fields["out"].get("global_id", 0)), list(fields.get("chip_ids", []))
    return lambda pool: pool.open_mesh(number, chips)


def _to_device(fields: Fields) -> Step:
    source, out, device = _id(fields, "in"), _out(fields), _device(fields)
    config = config_of(fields.get("memcfg")) or out.config

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if tensor.on_device:
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) is on the device already", at=pool.at
            )
        pool.put(out, tensor.values, tensor.data_type, tensor.tiled, config, pool.mesh(device))

    return run


def _from_device(fields: Fields) -> Step:
    source, out = _id(fields, "in"), _out(fields)

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if not tensor.on_device:
            raise RuntimeProblem(
                f"Calling ttnn::from_device on a host tensor: tensor {source} ({tensor.describe()})",
                at=pool.at,
            )
        pool.put(out, tensor.values, tensor.data_type, tensor.tiled, None)

    return run


def _to_layout(fields: Fields) -> Step:
    source, out = _id(fields, "in"), _out(fields)
    tiled = fields["layout"] == "Tile"

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if tensor.on_device and tensor.tiled != tiled and tensor.data_type is not DataType.BFloat16:
            what = "tilized" if tiled else "untilized"
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) cannot be {what} on the device, where only bf16 is: do it on the "
                "host, before ttnn.to_device or after ttnn.from_device",
                at=pool.at,
            )
        if tensor.tiled == tiled:
            pool.view(out.id, tensor, tensor.values)
        else:
            pool.put(out, tensor.values, tensor.data_type, tiled, tensor.config)

    return run


def _to_memory_config(fields: Fields) -> Step:
    source, out = _id(fields, "in0"), _out(fields)
    config = config_of(fields.get("memcfg"))

    def run(pool: TensorPool) -> None:
        if config is None:
            raise RuntimeProblem(
                "Should not be converting memory config for host tensor: use ttnn.from_device", at=pool.at
            )
        tensor = pool.on_device(source)
        pool.put(out, tensor.values, tensor.data_type, tensor.tiled, config)

    return run


def _typecast(fields: Fields) -> Step:
    source, out, wanted = _id(fields, "in"), _out(fields), DataType[fields["dtype"]]

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if tensor.on_device:
            pool.tiles(source)
        pool.put(out, converted(tensor.values, wanted), wanted, tensor.tiled, tensor.config)

    return run


def _empty(fields: Fields) -> Step:
    out, device = _out(fields), _device(fields)
    shape, data_type = tuple(fields["shape"]), DataType[fields["dtype"]]
    config = config_of(fields.get("memcfg")) if device is not None else None
    tiled = fields["layout"] == "Tile"

    def run(pool: TensorPool) -> None:
        import torch

        # One zero, repeated: nobody writes to it, what has it as its destination is another tensor.
        values = torch.zeros((), dtype=working_dtype(data_type)).expand(shape)
        mesh = pool.mesh(device) if config is not None else None
        pool.put(out, values, data_type, tiled, config, mesh)

    return run


def _full(fields: Fields) -> Step:
    out, device, value = _out(fields), _device(fields), float(fields.get("fill_value", 0.0))

    def run(pool: TensorPool) -> None:
        import torch

        # A negative whole number is what has its bits.
        whole = is_integer(out.data_type) and isfinite(value)
        values = torch.full(
            out.shape, int(value) if whole else value, dtype=torch.int64 if whole else torch.float32
        )
        mesh = pool.mesh(device) if out.config is not None else None
        pool.put(out, values, out.data_type, True, out.config, mesh)

    return run


def _deallocate(fields: Fields) -> Step:
    source, force = _id(fields, "in"), bool(fields.get("force", False))
    return lambda pool: pool.deallocate(source, force)


# Elementwise, reductions, softmax.


def _eltwise(fields: Fields) -> Step:
    word, out = fields["type"], _out(fields)
    sources = [int(one["global_id"]) for one in fields.get("ins", [])]
    parameters = fields.get("params", {})
    if word in unary():
        _count(word, sources, 1)
        return lambda pool: _unary(pool, word, sources[0], out, parameters)
    if word in binary():
        _count(word, sources, 2)
        return lambda pool: _binary(pool, word, sources[0], sources[1], out)
    if word == "Where":
        _count(word, sources, 3)
        return lambda pool: _where(pool, sources, out)
    if word == "Typecast":
        _count(word, sources, 1)
        return _typecast({"in": fields["ins"][0], "out": fields["out"], "dtype": out.data_type.name})
    raise RuntimeProblem(f"Unsupported Eltwise operation {word}")


def _count(word: str, sources: list[int], wanted: int) -> None:
    if len(sources) != wanted:
        raise RuntimeProblem(f"{word} takes {wanted} tensors, and the binary gives it {len(sources)}")


def _unary(pool: TensorPool, word: str, source: int, out: TensorDescription, parameters: Fields) -> None:
    tensor = pool.tiles(source)
    values = apply_unary(word, tensor.values, parameters)
    pool.put(out, values, tensor.data_type, True, out.config)


def _binary(pool: TensorPool, word: str, first: int, second: int, out: TensorDescription) -> None:
    left, right = pool.tiles(first), pool.tiles(second)
    data_type = out.data_type if word in _OF_STATED_TYPE else left.data_type
    values = _repeated(pool, binary()[word], left, right)
    pool.put(out, values, data_type, True, out.config)


def _repeated(pool: TensorPool, function: Any, *tensors: RuntimeTensor) -> torch.Tensor:
    try:
        result: torch.Tensor = function(*(tensor.values for tensor in tensors))
    except RuntimeError as problem:
        shapes = ", ".join("x".join(map(str, tensor.shape)) for tensor in tensors)
        reason = str(problem).splitlines()[0]
        raise RuntimeProblem(f"the shapes {shapes} do not go together: {reason}", at=pool.at) from None
    return result


def _where(pool: TensorPool, sources: list[int], out: TensorDescription) -> None:
    condition, left, right = (pool.tiles(source) for source in sources)
    values = _repeated(pool, apply_where, condition, left, right)
    pool.put(out, values, left.data_type, True, out.config)


def _reduction(fields: Fields) -> Step:
    word, source, out = fields["type"], _id(fields, "in"), _out(fields)
    dims = tuple(fields["dim_arg"]) if "dim_arg" in fields else None
    keep_dim = bool(fields.get("keep_dim", False))

    def run(pool: TensorPool) -> None:
        tensor = pool.tiles(source)
        values = _repeated(pool, lambda given: reduce(word, given, dims, keep_dim), tensor)
        # There are no tensors without dimensions: of all of them one of extent 1 is left.
        pool.put(out, values if values.dim() else values.reshape(1), tensor.data_type, True, out.config)

    return run


def _softmax(fields: Fields) -> Step:
    source, out, dim = _id(fields, "in"), _out(fields), int(fields.get("dimension", 0))

    def run(pool: TensorPool) -> None:
        import torch

        tensor = pool.tiles(source)
        values = _repeated(pool, lambda given: torch.softmax(given.to(torch.float32), dim), tensor)
        pool.put(out, values, tensor.data_type, True, out.config)

    return run


# Products and windows.


def _matmul(fields: Fields) -> Step:
    first, second, out = _id(fields, "in0"), _id(fields, "in1"), _out(fields)

    def run(pool: TensorPool) -> None:
        import torch

        left, right = pool.tiles(first), pool.tiles(second)
        values = _repeated(pool, torch.matmul, left, right)
        values = values if values.dim() else values.reshape(1)
        pool.put(out, values, out.data_type, True, out.config)

    return run


def _conv2d(fields: Fields) -> Step:
    source, weight, out = _id(fields, "input"), _id(fields, "weight"), _out(fields)
    bias = _id(fields, "bias") if "bias" in fields else None
    pair = _pairs(fields)
    batch, height, width = (int(fields[name]) for name in ("batch_size", "input_height", "input_width"))
    channels, groups = int(fields["in_channels"]), int(fields.get("groups", 1))

    def run(pool: TensorPool) -> None:
        import torch

        # The real operation brings an input of the host to the device itself.
        tensor, filters = pool.read(source), pool.read(weight)
        if prod(tensor.shape) != batch * height * width * channels:
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) has not {batch}x{height}x{width}x{channels} elements",
                at=pool.at,
            )
        if filters.on_device:
            raise RuntimeProblem(f"the weight, tensor {weight}, must be on the host", at=pool.at)
        _check_windows(pool, fields, (height, width), pair, out, batch)
        images = _images(tensor.values, batch, height, width, channels)
        offsets = None if bias is None else pool.read(bias).values.reshape(-1)
        values = torch.nn.functional.conv2d(
            images.to(torch.float32),
            filters.values.to(torch.float32),
            None if offsets is None else offsets.to(torch.float32),
            stride=pair("stride"),
            padding=pair("padding"),
            dilation=pair("dilation"),
            groups=groups,
        )
        flat = values.permute(0, 2, 3, 1).reshape(1, 1, -1, values.shape[1])
        pool.put(out, flat, tensor.data_type, True, out.config)

    return run


def _images(values: torch.Tensor, batch: int, height: int, width: int, channels: int) -> torch.Tensor:
    """Flattened images with channels first, as torch has them.

    They are copied: of strides that say nothing, as those of one channel, oneDNN computes a wrong convolution.
    """
    import torch

    images = values.reshape(batch, height, width, channels).permute(0, 3, 1, 2)
    return torch.empty(images.shape, dtype=images.dtype).copy_(images)


def _max_pool2d(fields: Fields) -> Step:
    source, out, pair = _id(fields, "in"), _out(fields), _pairs(fields)
    batch, height, width = (int(fields[name]) for name in ("batch_size", "input_height", "input_width"))
    channels, ceil_mode = int(fields["channels"]), bool(fields.get("ceil_mode", False))

    def run(pool: TensorPool) -> None:
        import torch

        tensor = pool.on_device(source)
        if tensor.data_type is not DataType.BFloat16:
            raise RuntimeProblem(
                f"max_pool2d takes bf16, and tensor {source} is {tensor.describe()}: put a typecast before",
                at=pool.at,
            )
        _check_windows(pool, fields, (height, width), pair, out, batch, ceil_mode)
        images = _images(tensor.values, batch, height, width, channels)
        values = torch.nn.functional.max_pool2d(
            images,
            pair("kernel"),
            stride=pair("stride"),
            padding=pair("padding"),
            dilation=pair("dilation"),
            ceil_mode=ceil_mode,
        )
        flat = values.permute(0, 2, 3, 1).reshape(1, 1, -1, channels)
        pool.put(out, flat, tensor.data_type, False, out.config)

    return run


def _pairs(fields: Fields) -> Callable[[str], tuple[int, int]]:
    def pair(name: str) -> tuple[int, int]:
        default = 0 if name == "padding" else 1
        return int(fields.get(f"{name}_height", default)), int(fields.get(f"{name}_width", default))

    return pair


def _check_windows(
    pool: TensorPool,
    fields: Fields,
    extents: tuple[int, int],
    pair: Callable[[str], tuple[int, int]],
    out: TensorDescription,
    batch: int,
    ceil_mode: bool = False,
) -> None:
    """Refuse windows that have no place, or far more of them than the result, before memory is taken for them."""
    places = batch
    numbers = zip(extents, pair("kernel"), pair("stride"), pair("padding"), pair("dilation"))
    for extent, kernel, stride, padding, dilation in numbers:
        if min(kernel, stride, dilation) < 1 or padding < 0:
            raise RuntimeProblem(
                f"a kernel of {kernel} with stride {stride}, padding {padding} and dilation {dilation} is none",
                at=pool.at,
            )
        room = extent + 2 * padding - dilation * (kernel - 1) - 1
        places *= (-(-room // stride) if ceil_mode else room // stride) + 1
    wanted = prod(out.shape[:-1])
    # A few more or less is computed and seen where the result is compared; far more is a number that is broken.
    if places < 1 or places > 4 * wanted + 1024:
        raise RuntimeProblem(
            f"the windows have {places:,} places, and {out} has {wanted:,}: {'x'.join(map(str, out.shape))}",
            at=pool.at,
        )


# Shapes.


def _transpose(fields: Fields) -> Step:
    first, second = int(fields.get("dim0", 0)), int(fields.get("dim1", 0))
    return _moving(fields, lambda values: values.transpose(first, second))


def _moving(fields: Fields, move: Callable[[torch.Tensor], torch.Tensor]) -> Step:
    """An operation that only moves elements; the layout of the result is that of its input."""
    source, out = _id(fields, "in"), _out(fields)

    def run(pool: TensorPool) -> None:
        tensor = pool.on_device(source)
        values = _repeated(pool, move, tensor)
        pool.put(out, values, tensor.data_type, tensor.tiled, out.config)

    return run


def _reshape(fields: Fields) -> Step:
    source, out, shape = _id(fields, "in"), _out(fields), tuple(fields.get("shape", ()))

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        values = _repeated(pool, lambda given: given.reshape(shape), tensor)
        pool.view(out.id, tensor, values)

    return run


def _concat(fields: Fields) -> Step:
    sources = [int(one["global_id"]) for one in fields.get("inputs", [])]
    out, dim = _out(fields), int(fields.get("dim", 0))

    def run(pool: TensorPool) -> None:
        import torch

        tensors = [pool.on_device(source) for source in sources]
        if len({tensor.tiled for tensor in tensors}) > 1:
            layouts = ", ".join(tensor.describe() for tensor in tensors)
            pool.doubt(
                f"concat takes tensors of one layout, and gets {layouts}, which a card may refuse: put a ttnn.to_layout "
                "before"
            )
        values = _repeated(pool, lambda *given: torch.cat(given, dim), *tensors)
        pool.put(out, values, tensors[0].data_type, tensors[0].tiled, out.config)

    return run


def _slice(fields: Fields) -> Step:
    begins, ends, steps = (list(fields.get(name, [])) for name in ("begins", "ends", "step"))

    def cut(values: torch.Tensor) -> torch.Tensor:
        for dim, (begin, end, step) in enumerate(zip(begins, ends, steps, strict=True)):
            positions = range(values.shape[dim])[begin:end:step]
            values = _taken(values, dim, positions)
        return values

    return _moving(fields, cut)


def _taken(values: torch.Tensor, dim: int, positions: range) -> torch.Tensor:
    import torch

    if positions.step > 0:
        count = len(positions)
        if positions.step == 1:
            return values.narrow(dim, positions.start, count)
        index: list[Any] = [slice(None)] * values.dim()
        index[dim] = slice(positions.start, positions.stop, positions.step)
        return values[tuple(index)]
    return values.index_select(dim, torch.tensor(list(positions)))


def _embedding(fields: Fields) -> Step:
    source, weight, out = _id(fields, "input"), _id(fields, "weight"), _out(fields)

    def run(pool: TensorPool) -> None:
        import torch

        indices, table = pool.on_device(source), pool.on_device(weight)
        if not is_integer(indices.data_type):
            raise RuntimeProblem(
                f"embedding looks up whole numbers, and tensor {source} is {indices.describe()}", at=pool.at
            )
        rows = table.values.reshape(-1, table.shape[-1])
        if prod(indices.shape) and int(indices.values.max()) >= rows.shape[0]:
            raise RuntimeProblem(
                f"tensor {source} asks for row {int(indices.values.max())} of a table of {rows.shape[0]}",
                at=pool.at,
            )
        values = torch.nn.functional.embedding(indices.values, rows)
        pool.put(out, values, out.data_type, out.tiled, out.config)

    return run


def _all_gather(fields: Fields) -> Step:
    source, out, dim = _id(fields, "in"), _out(fields), int(fields.get("dim", 0))

    def run(pool: TensorPool) -> None:
        import torch

        tensor = pool.on_device(source)
        assert tensor.storage is not None
        copies = len(tensor.storage.allocations)
        pool.put(out, torch.cat([tensor.values] * copies, dim), tensor.data_type, tensor.tiled, out.config)

    return run


_STEPS: Mapping[str, Callable[[Fields], Step]] = MappingProxyType(
    {
        "GetDeviceOp": _get_device,
        "ToMemoryConfigOp": _to_memory_config,
        "ToLayoutOp": _to_layout,
        "TypecastOp": _typecast,
        "ToDeviceOp": _to_device,
        "FromDeviceOp": _from_device,
        "EmptyOp": _empty,
        "FullOp": _full,
        "EltwiseOp": _eltwise,
        "MatmulOp": _matmul,
        "ReductionOp": _reduction,
        "EmbeddingOp": _embedding,
        "SoftmaxOp": _softmax,
        "TransposeOp": _transpose,
        "Conv2dOp": _conv2d,
        "ConcatOp": _concat,
        "ReshapeOp": _reshape,
        "SliceOp": _slice,
        "MaxPool2dOp": _max_pool2d,
        "DeallocateOp": _deallocate,
        "AllGatherOp": _all_gather,
        "TTLangOp": prepare_tt_lang,
        "GenericOp": prepare_generic,
    }
)
