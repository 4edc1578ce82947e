"""Names of TT-NN that this library does not have, with what to use instead where there is something.

Kept so that an error can tell a name that needs the real ``ttnn`` from a misspelt one.
"""

from __future__ import annotations

ABSENT: dict[str, str] = {
        "visualize": "",     "conv3d": "",     "adaptive_avg_pool2d": "",     "grid_sample": "", "fold": "ttnn.reshape and ttnn.permute", "rotate": "",
    "layer_norm_pre_all_gather": "ttnn.layer_norm",
    "layer_norm_post_all_gather": "ttnn.layer_norm", "rms_norm_pre_all_gather": "ttnn.rms_norm",
    "rms_norm_post_all_gather": "ttnn.rms_norm", "sparse_matmul": "ttnn.matmul",     "moe": "", "sampling": "",     "bernoulli": "ttnn.rand", "uniform": "ttnn.rand", "dropout": "",     "paged_update_cache": "", "broadcast": "", "point_to_point": "", "all_to_all_dispatch": "", "all_to_all_combine": "",
    "mesh_partition": "ttnn.from_torch with a mesh mapper", "all_broadcast": "ttnn.all_gather",
    "generic_op": "@ttl.operation", "ProgramDescriptor": "@ttl.operation", "KernelDescriptor": "@ttl.operation",
    "CBDescriptor": "ttl.make_dataflow_buffer_like", "CBFormatDescriptor": "ttl.make_dataflow_buffer_like",
    "SemaphoreDescriptor": "ttl.Semaphore", "TensorAccessorArgs": "", "create_global_semaphore": "ttl.Semaphore",
    "create_global_circular_buffer": "ttl.make_dataflow_buffer_like", "SubDevice": "", "SubDeviceId": "",
                "get_golden_function": "", "register_python_operation": "@ttl.operation", "bcast": "ttnn.add or ttnn.multiply", "BcastOpMath": "",
    "moreh_sum": "ttnn.sum", "moreh_mean": "ttnn.mean", "moreh_softmax": "ttnn.softmax", "moreh_matmul": "ttnn.matmul",
    "polygamma": "", "multigammaln": "ttnn.lgamma",         "normalize_global": "", "normalize_hw": "", "var_hw": "ttnn.var", "std_hw": "ttnn.std", "polyval": "",
    "requantize": "", "complex_tensor": "", "angle": "", "real": "", "imag": "", "conj": "",
    "exp_bw": "", "add_bw": "", "mul_bw": "", "relu_bw": "", "gelu_bw": "", "sum_bw": "", "ema": "", "fill_ones_rm": "", "fill_rm": "",
    "indexed_fill": "", "tosa_gather": "ttnn.gather", "tosa_scatter": "", "plus_one": "ttnn.add", "prefix_scan": "ttnn.cumsum",
    "CONFIG": "",     "untilize_with_halo": "ttnn.untilize", "reduce_to_root": "ttnn.all_reduce", "neighbor_pad_async": "", "CoreType": "",
    "GlobalSemaphore": "", }  # fmt: skip
