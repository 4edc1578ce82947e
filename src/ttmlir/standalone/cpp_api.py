"""The C++ functions of the library at two dates: their names, and their parameters in order.

Parameters have their Python names. A call is written up to the last parameter that it passes; earlier ones that it
does not pass get the text of their default.

``2024-11`` is the library that the dialects of that date were written for: the calls that its converter wrote where these were
right, else those of its runtime. ``0.81`` is the library in the wheel of that number, by the symbols that its shared objects export.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from tt_model.operations.elementwise import TTNNElementwiseOp
from tt_model.operations.ttnn import TTNN

CppApi = Literal["2024-11", "0.81"]
CPP_APIS: tuple[CppApi, ...] = get_args(CppApi)

_PARAMETER = re.compile(r"(?P<type>.*?)\s(?P<name>\w+)(?:\s=\s(?P<default>.*))?")


@dataclass(frozen=True, slots=True)
class CppParameter:
    """A parameter. ``default`` is the C++ expression for calls that do not pass it; None if every call passes it."""

    name: str
    type: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class CppFunction:
    """A function.

    ``is_tensor``: it returns a tensor; otherwise it returns an object whose first part is a tensor. ``is_whole``: calls
    write all parameters.
    """

    name: str
    parameters: tuple[CppParameter, ...]
    is_tensor: bool = True
    is_whole: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CppLibrary:
    """The library of a date.

    ``functions`` are keyed by their Python names; ``into`` are the functions with a parameter for the output tensor.
    ``namespace`` is that of enumerations and of memory configurations, ``shape`` makes a shape of its extents, ``device`` is the
    type of a device.
    """

    functions: Mapping[str, CppFunction]
    into: frozenset[str] = frozenset()
    namespace: str
    shape: str
    device: str
    memory_layouts: frozenset[str]


def _function(name: str, *parameters: str, is_tensor: bool = True, is_whole: bool = False) -> CppFunction:
    parsed = []
    for text in parameters:
        match = _PARAMETER.fullmatch(text)
        assert match is not None, text
        parsed.append(CppParameter(match["name"], match["type"], match["default"]))
    return CppFunction(name, tuple(parsed), is_tensor, is_whole)


def _all(names: str, *parameters: str) -> dict[str, CppFunction]:
    return {name: _function(f"ttnn::{name}", *parameters) for name in names.split()}


def _optional(type_: str, *names: str) -> tuple[str, ...]:
    return tuple(f"const std::optional<{type_}>& {name} = std::nullopt" for name in names)


_TENSOR = "const ttnn::Tensor& input_tensor"
_PAIR = ("const ttnn::Tensor& input_tensor_a", "const ttnn::Tensor& input_tensor_b")
_ELEMENTWISE = [kind.ROW for kind in TTNN.classes.values() if issubclass(kind, TTNNElementwiseOp)]
# Functions of one tensor; those with further parameters are listed again below.
_UNARY = " ".join(row.mnemonic for row in _ELEMENTWISE if row.takes == 1)
# Comparisons, and logical functions.
_COMPARISONS = " ".join(row.mnemonic for row in _ELEMENTWISE if row.takes == 2 and row.exact and row.jumps)
_FAST = "bool fast_and_approximate_mode = false"


def _in_place(
    number: str, of_updating: tuple[str, ...] = (), of_filling: tuple[str, ...] = ()
) -> dict[str, CppFunction]:
    """Functions that write into an existing tensor; ``of_updating`` and ``of_filling`` are the last parameters of the two."""
    cache = ("const ttnn::Tensor& cache", "const ttnn::Tensor& input")
    return {
        **_all("copy", "const ttnn::Tensor& input_a", "const ttnn::Tensor& input_b"),
        **_all(
            "update_cache",
            *cache,
            f"{number} update_index",
            f"{number} batch_offset",
            *of_updating,
        ),
        **_all("fill_cache", *cache, f"{number} batch_idx", *of_filling),
    }


def _of_2024() -> CppLibrary:
    config = _optional("ttnn::MemoryConfig", "memory_config")
    result = (*config, *_optional("ttnn::Tensor", "output_tensor"))
    dtype = _optional("const ttnn::DataType", "dtype")
    dims = "const std::optional<std::variant<int, std::vector<int>>>& dim = std::nullopt"
    device = "ttnn::Device* device"
    reference = "std::optional<std::reference_wrapper<ttnn::Device>> device = std::nullopt"
    pair = "std::array<uint32_t, 2>"
    window = (
        f"{pair} kernel_size",
        f"{pair} stride",
        f"{pair} padding",
        f"{pair} dilation",
    )
    created = (
        *_optional("ttnn::DataType", "dtype"),
        *_optional("ttnn::Layout", "layout"),
        reference,
        *config,
    )
    functions = {
        **_all(_UNARY, _TENSOR, *result),
        **_all("exp gelu rsqrt", _TENSOR, _FAST, *result),
        **_all("leaky_relu", _TENSOR, "float negative_slope", *result),
        **_all("clamp", _TENSOR, "float min", "float max", *config),
        **_all(f"add subtract multiply divide {_COMPARISONS}", *_PAIR, *dtype, *result),
        **_all("maximum minimum fmod", *_PAIR, *config),
        **_all(
            "where",
            *(f"const ttnn::Tensor& {name}" for name in ("predicate", "true_value", "false_value")),
            *result,
        ),
        **_all("sum mean max", _TENSOR, dims, "bool keepdim = true", *config),
        **_all(
            "matmul",
            *_PAIR,
            "bool transpose_a = false",
            "bool transpose_b = false",
            *config,
            *dtype,
        ),
        **_all("softmax", _TENSOR, "int dim", *config),
        **_all("transpose", _TENSOR, "int64_t dim1", "int64_t dim2", *config),
        **_all("reshape", _TENSOR, "const std::vector<int32_t>& shape"),
        **_all(
            "slice",
            _TENSOR,
            *(f"const std::vector<int32_t>& {name}" for name in ("slice_start", "slice_end", "slice_step")),
            *result,
        ),
        **_all("concat", "const std::vector<ttnn::Tensor>& tensors", "int dim", *config),
        **_all(
            "embedding",
            _TENSOR,
            "const ttnn::Tensor& weight",
            "const std::optional<int>& padding_idx = std::nullopt",
            "const std::optional<ttnn::Layout>& layout = std::nullopt",
            "ttnn::operations::embedding::EmbeddingsType embeddings_type "
            "= ttnn::operations::embedding::EmbeddingsType::GENERIC",
            *dtype,
            *result,
        ),
        "conv2d": _function(
            "ttnn::conv2d",
            _TENSOR,
            "const ttnn::Tensor& weight_tensor",
            device,
            *(
                f"uint32_t {name}"
                for name in ("in_channels", "out_channels", "batch_size", "input_height", "input_width")
            ),
            *window,
            "uint32_t groups",
            *_optional("const ttnn::Tensor", "bias_tensor"),
            *_optional("const ttnn::operations::conv::conv2d::Conv2dConfig", "conv_config"),
            *config,
            is_tensor=False,
        ),
        **_all(
            "max_pool2d",
            _TENSOR,
            *(f"uint32_t {name}" for name in ("batch_size", "input_h", "input_w", "channels")),
            *window,
            *config,
        ),
        **_all("all_gather", _TENSOR, "uint32_t dim", "uint32_t num_links = 1", *config),
        **_all(
            "reduce_scatter",
            _TENSOR,
            "uint32_t dim",
            "ttnn::operations::reduction::ReduceType math_op = ttnn::operations::reduction::ReduceType::Sum",
            "uint32_t num_links = 1",
            *config,
        ),
        **_all("typecast to_dtype", _TENSOR, "const ttnn::DataType& dtype"),
        "to_device": _function(
            "ttnn::to_device", "const ttnn::Tensor& tensor", device, *config, is_whole=True
        ),
        **_all("from_device", "const ttnn::Tensor& tensor"),
        "to_layout": _function(
            "ttnn::to_layout",
            "const ttnn::Tensor& tensor",
            "ttnn::Layout layout",
            *_optional("ttnn::DataType", "dtype"),
            *config,
            "ttnn::Device* device = static_cast<::ttnn::Device *>(nullptr)",
            is_whole=True,
        ),
        "to_memory_config": _function(
            "ttnn::to_memory_config",
            "const ttnn::Tensor& tensor",
            "const ttnn::MemoryConfig& memory_config",
            "std::optional<ttnn::DataType> dtype = std::nullopt",
            is_whole=True,
        ),
        **_all(
            "empty",
            "const ttnn::Shape& shape",
            "const ttnn::DataType& dtype",
            "const ttnn::Layout& layout",
            "ttnn::Device* device = nullptr",
            "const ttnn::MemoryConfig& memory_config = ttnn::MemoryConfig()",
        ),
        **_all("zeros", "const ttnn::Shape& shape", *created),
        **_all("full", "const ttnn::Shape& shape", "float fill_value", *created),
        **_all("deallocate", "ttnn::Tensor& tensor", "bool force"),
        **_in_place("uint32_t"),
    }
    return CppLibrary(
        functions=MappingProxyType(functions),
        into=frozenset({"add", "subtract", "multiply", "logical_and", "logical_or", "logical_xor"}),
        namespace="ttnn",
        shape="ttnn::Shape(tt::tt_metal::LegacyShape({{{}, }}))",
        device="ttnn::Device",
        memory_layouts=frozenset(
            {"INTERLEAVED", "SINGLE_BANK", "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"}
        ),
    )


def _of_081() -> CppLibrary:
    metal = "tt::tt_metal"
    mesh = f"{metal}::distributed::MeshDevice"
    config = _optional(f"{metal}::MemoryConfig", "memory_config")
    stated = _optional(f"const {metal}::MemoryConfig", "memory_config")
    result = (*config, *_optional("ttnn::Tensor", "output_tensor"))
    cores = _optional(f"{metal}::CoreRangeSet", "sub_core_grids")
    sub_device = _optional(f"ttsl::StrongType<unsigned char, {metal}::SubDeviceIdTag>", "sub_device_id")
    dtype = _optional(f"const {metal}::DataType", "dtype")
    compute = "ttnn::ComputeKernelConfig"
    activations = tuple(
        "std::span<const ttnn::operations::unary::BasicUnaryWithParam<float, int, unsigned int>> "
        f"{name} = {{}}"
        for name in ("activations", "input_tensor_a_activations", "input_tensor_b_activations")
    )
    fast = _optional("bool", "fast_and_approximate_mode")
    dims = "const std::optional<std::variant<int, long, ttsl::SmallVector<int, 8>>>& dim = std::nullopt"
    reduced = (
        _TENSOR,
        dims,
        "bool keepdim = false",
        *config,
        *_optional(compute, "compute_kernel_config"),
        "float scalar = 1.0f",
        "bool correction = true",
        *cores,
        "bool fast_and_approximate_mode = false",
    )
    pair = "std::array<unsigned int, 2>"
    padding = "std::variant<std::array<unsigned int, 2>, std::array<unsigned int, 4>> padding"
    slicing = "ttnn::operations::op_slicing::Op2DSliceConfig"
    programs = ", ".join(
        f"ttnn::operations::matmul::MatmulMultiCore{kind}ProgramConfig"
        for kind in (
            "",
            "Reuse",
            "ReuseMultiCast",
            "ReuseMultiCast1D",
            "ReuseMultiCastDRAMSharded",
            "ReuseMultiCastBatchedDRAMSharded",
        )
    )
    numbers = tuple(
        f"std::optional<unsigned int> {name} = std::nullopt"
        for name in ("chunks_per_sync", "num_workers_per_link", "num_buffers_per_channel")
    )
    links = (
        "std::optional<unsigned int> num_links = std::nullopt",
        "std::optional<tt::tt_fabric::Topology> topology = std::nullopt",
        *numbers,
    )
    axis = "std::optional<unsigned int> cluster_axis = std::nullopt"
    queue = "std::optional<ttsl::StrongType<unsigned char, ttnn::QueueIdTag>> queue_id = std::nullopt"
    shape = f"const {metal}::Shape& shape"
    pointer = f"{mesh}* device"
    functions = {
        **_all(_UNARY, _TENSOR, *result, *cores),
        **_all("exp log log1p rsqrt sqrt gelu", _TENSOR, _FAST, *result, *cores),
        **_all(
            "sigmoid",
            _TENSOR,
            "int vector_mode = 4",
            "ttnn::operations::unary::SigmoidMode mode = ttnn::operations::unary::SigmoidMode::ACCURATE",
            *result,
            *cores,
        ),
        **_all("leaky_relu", _TENSOR, "float negative_slope", *result, *cores),
        **_all(
            "clamp",
            _TENSOR,
            "std::optional<std::variant<float, int>> min",
            "std::optional<std::variant<float, int>> max",
            *result,
        ),
        **_all(
            "add subtract multiply divide", *_PAIR, *dtype, *result, *activations, *fast, *cores, *sub_device
        ),
        **_all(_COMPARISONS, *_PAIR, *dtype, *result, *activations, *cores, *sub_device),
        **_all("maximum minimum", *_PAIR, *dtype, *result, *activations),
        **_all("fmod", *_PAIR, *config, *cores, *sub_device),
        **_all(
            "where",
            "const ttnn::Tensor& predicate",
            "const std::variant<float, int, ttnn::Tensor>& true_value",
            "const std::variant<float, int, ttnn::Tensor>& false_value",
            *result,
            *cores,
        ),
        **_all("sum mean", *reduced, f"const std::optional<{metal}::Layout>& output_layout = std::nullopt"),
        **_all("max", *reduced),
        "matmul": _function(
            "ttnn::operations::matmul::matmul",
            *_PAIR,
            "bool transpose_a = false",
            "bool transpose_b = false",
            *stated,
            f"std::optional<const {metal}::DataType> dtype = std::nullopt",
            f"const std::optional<const std::variant<{programs}>>& program_config = std::nullopt",
            "const std::optional<const std::variant<std::string, ttnn::operations::unary::BasicUnaryWithParam<float>>>& "
            "activation = std::nullopt",
            f"std::optional<const {compute}> compute_kernel_config = std::nullopt",
            "std::optional<const ttnn::types::CoreGrid> core_grid = std::nullopt",
            *_optional(f"const {metal}::Tile", "output_tile"),
            "std::optional<ttnn::Tensor> optional_output_tensor = std::nullopt",
            *_optional(f"const {metal}::experimental::GlobalCircularBuffer", "global_cb"),
            *sub_device,
            f"const std::vector<std::shared_ptr<{metal}::experimental::PrefetcherPipe>>& pipes = {{}}",
        ),
        **_all(
            "softmax",
            _TENSOR,
            "int dim",
            *config,
            f"std::optional<const {compute}> compute_kernel_config = std::nullopt",
            "bool numeric_stable = true",
        ),
        **_all("transpose", _TENSOR, "long dim1", "long dim2", *config, "float pad_value = 0.0f"),
        **_all(
            "reshape",
            _TENSOR,
            shape,
            *config,
            "const std::optional<std::variant<unsigned int, float>>& pad_value = std::nullopt",
            "ttnn::TileReshapeMapMode reshape_tile_mode = ttnn::TileReshapeMapMode::CACHE",
            *cores,
            "bool skip_padding_fill = false",
        ),
        "slice": _function(
            "ttnn::slice<int>",
            _TENSOR,
            *(f"std::span<const int> {name}" for name in ("slice_start", "slice_end", "slice_step")),
            *result,
            "const std::optional<float>& pad_value = std::nullopt",
            *cores,
        ),
        **_all(
            "concat",
            "const std::vector<ttnn::Tensor>& tensors",
            "int dim",
            *result,
            "unsigned int groups = 1",
            *cores,
        ),
        **_all(
            "embedding",
            _TENSOR,
            "const ttnn::Tensor& weight",
            "const std::optional<int>& padding_idx = std::nullopt",
            f"const std::optional<{metal}::Layout>& layout = std::nullopt",
            "ttnn::prim::EmbeddingsType embeddings_type = ttnn::prim::EmbeddingsType::GENERIC",
            f"std::optional<const {metal}::DataType> dtype = std::nullopt",
            *result,
        ),
        "conv2d": _function(
            "ttnn::conv2d",
            _TENSOR,
            "const ttnn::Tensor& weight_tensor",
            pointer,
            *(
                f"unsigned int {name}"
                for name in ("in_channels", "out_channels", "batch_size", "input_height", "input_width")
            ),
            f"{pair} kernel_size",
            f"{pair} stride",
            padding,
            f"{pair} dilation",
            "unsigned int groups",
            *dtype,
            *_optional("const ttnn::Tensor", "bias_tensor"),
            *_optional("const ttnn::prim::Conv2dConfig", "conv_config"),
            *_optional(f"const {compute}", "compute_config"),
            *stated,
            *_optional(f"const {slicing}", "slice_config"),
            "bool return_output_dim = false",
            "bool return_weights_and_bias = false",
            is_tensor=False,
        ),
        "max_pool2d": _function(
            "ttnn::operations::pool::max_pool2d",
            _TENSOR,
            *(f"unsigned int {name}" for name in ("batch_size", "input_h", "input_w", "channels")),
            f"{pair} kernel_size",
            f"{pair} stride",
            padding,
            f"{pair} dilation",
            "bool ceil_mode",
            *stated,
            *_optional(slicing, "dram_slice_config"),
            f"std::optional<const {metal}::TensorMemoryLayout> applied_shard_scheme = std::nullopt",
            "bool deallocate_input = false",
            "bool reallocate_halo_output = true",
            "bool return_indices = false",
            f"{metal}::DataType dtype = {metal}::DataType::BFLOAT16",
            f"{metal}::Layout output_layout = {metal}::Layout::ROW_MAJOR",
            "bool config_tensor_in_dram = false",
            is_tensor=False,
        ),
        **_all(
            "all_gather",
            _TENSOR,
            "int dim",
            axis,
            *result,
            *sub_device,
            *cores,
            *links,
            "bool use_l1_small_for_semaphores = false",
        ),
        **_all(
            "reduce_scatter",
            _TENSOR,
            "int dim",
            axis,
            *sub_device,
            *config,
            *_optional(f"{metal}::MemoryConfig", "intermediate_memory_config"),
            *_optional("ttnn::Tensor", "output_tensor"),
            *links,
            *_optional(compute, "compute_kernel_config"),
            "bool use_l1_small_for_semaphores = false",
        ),
        **_all("typecast", _TENSOR, f"const {metal}::DataType& dtype", *result, *cores),
        **_all("to_dtype", _TENSOR, f"const {metal}::DataType& dtype"),
        "to_device": _function(
            "ttnn::operations::core::to_device", "const ttnn::Tensor& tensor", pointer, *config, queue
        ),
        "from_device": _function(
            "ttnn::operations::core::from_device", "const ttnn::Tensor& tensor", "bool blocking = true", queue
        ),
        **_all(
            "to_layout",
            "const ttnn::Tensor& tensor",
            f"{metal}::Layout layout",
            *_optional(f"{metal}::DataType", "dtype"),
            *config,
            *cores,
            "float pad_value = 0.0f",
        ),
        **_all(
            "to_memory_config",
            "const ttnn::Tensor& tensor",
            f"const {metal}::MemoryConfig& memory_config",
            f"std::optional<{metal}::DataType> dtype = std::nullopt",
            *_optional("ttnn::Tensor", "output_tensor"),
        ),
        **_all(
            "zeros",
            shape,
            *_optional(f"{metal}::DataType", "dtype"),
            *_optional(f"{metal}::Layout", "layout"),
            f"std::optional<std::reference_wrapper<{mesh}>> device = std::nullopt",
            *config,
        ),
        "full": _function(
            "ttnn::full_impl<float>",
            shape,
            "float fill_value",
            *_optional(f"{metal}::DataType", "dtype"),
            *_optional(f"{metal}::Layout", "layout"),
            f"{pointer} = nullptr",
            *config,
            "std::optional<ttnn::Tensor> output_tensor = std::nullopt",
        ),
        "deallocate": _function(
            "ttnn::operations::core::deallocate", "ttnn::Tensor& tensor", "bool force = true"
        ),
        **_in_place(
            "unsigned int",
            of_updating=(f"std::optional<const {compute}> compute_kernel_config = std::nullopt",),
            of_filling=("unsigned int update_idx = 0",),
        ),
    }
    return CppLibrary(
        functions=MappingProxyType(functions),
        namespace=metal,
        shape="tt::tt_metal::Shape({{{}}})",
        device=mesh,
        memory_layouts=frozenset({"INTERLEAVED", "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"}),
    )


LIBRARIES: Mapping[CppApi, CppLibrary] = MappingProxyType({"2024-11": _of_2024(), "0.81": _of_081()})


def given(function: CppFunction, names: Iterable[str]) -> tuple[CppParameter, ...]:
    """Return the parameters that a call writes: up to the last one it passes.

    Raises ``KeyError`` for an unknown name.
    """
    if function.is_whole:
        return function.parameters
    wanted = set(names)
    positions = {parameter.name: index for index, parameter in enumerate(function.parameters)}
    last = max((positions[name] for name in wanted), default=-1)
    return function.parameters[: last + 1]
