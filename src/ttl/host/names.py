"""Names that the library does not have: the error about one, the nearest name that it has, and modules below ``ttnn``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from types import ModuleType
from typing import Any

from ttl.diag import spelling
from ttl.diag.model import Diagnostic
from ttl.diag.remedies import Rename
from ttl.host.errors import Code, MissingNameError, placed

# Names of TT-NN that this library does not have, with an alternative if there is one: so an error can distinguish a
# name that needs the real ``ttnn`` from a misspelt one.
ABSENT: dict[str, str] = {
    "visualize": "", "conv3d": "", "adaptive_avg_pool2d": "", "grid_sample": "",
    "fold": "ttnn.reshape and ttnn.permute", "rotate": "", "layer_norm_pre_all_gather": "ttnn.layer_norm",
    "layer_norm_post_all_gather": "ttnn.layer_norm", "rms_norm_pre_all_gather": "ttnn.rms_norm",
    "rms_norm_post_all_gather": "ttnn.rms_norm", "sparse_matmul": "ttnn.matmul", "moe": "", "sampling": "",
    "bernoulli": "ttnn.rand", "uniform": "ttnn.rand", "dropout": "", "paged_update_cache": "",
    "all_to_all_dispatch": "", "all_to_all_combine": "", "DataFormat": "ttnn.bfloat16 or another element type",
    "create_global_circular_buffer": "ttl.make_dataflow_buffer_like", "SubDevice": "", "SubDeviceId": "",
    "get_golden_function": "", "register_python_operation": "@ttl.operation", "bcast": "ttnn.add or ttnn.multiply",
    "BcastOpMath": "", "moreh_sum": "ttnn.sum", "moreh_mean": "ttnn.mean", "moreh_softmax": "ttnn.softmax",
    "moreh_matmul": "ttnn.matmul", "polygamma": "", "multigammaln": "ttnn.lgamma", "normalize_global": "",
    "normalize_hw": "", "var_hw": "ttnn.var", "std_hw": "ttnn.std", "polyval": "", "requantize": "",
    "complex_tensor": "", "angle": "", "real": "", "imag": "", "conj": "", "exp_bw": "", "add_bw": "", "mul_bw": "",
    "relu_bw": "", "gelu_bw": "", "sum_bw": "", "ema": "", "fill_ones_rm": "", "fill_rm": "", "indexed_fill": "",
    "tosa_gather": "ttnn.gather", "tosa_scatter": "", "plus_one": "ttnn.add", "prefix_scan": "ttnn.cumsum",
    "CONFIG": "", "untilize_with_halo": "ttnn.untilize", "reduce_to_root": "ttnn.all_reduce",
    "neighbor_pad_async": "", "GlobalSemaphore": "ttnn.create_global_semaphore",
}  # fmt: skip
# Modules of the real library, below ``ttnn``, that have nothing of their own here.
EMPTY = (
    "_ttnn", "operations", "types", "core", "tensor", "distributed", "graph", "cluster", "profiler", "tracer",
    "database", "decorators", "events", "model_preprocessing", "fabric", "reports",
)  # fmt: skip


# Those whose ``instead`` is the same function under another name.
SAME = frozenset({"moreh_sum", "moreh_mean", "moreh_softmax", "moreh_matmul", "tosa_gather"})

# Names below ``ttnn._ttnn``, the bindings, from which older programs import classes.
OF_BINDINGS = ("multi_device", "device", "tensor", "operations", "types", "events")


def nearest(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return advice with the nearest known names; empty if no name is near."""
    near = _near(name, known)[:count]
    return (f"nearest here: {', '.join(near)}",) if near else ()


def renamed(name: str, known: Iterable[str]) -> Rename | None:
    """The known name that was probably meant: ``name`` is a misspelling of it, or an older name of the same function. None if there is no such name."""
    meant = spelling.meant(name, known)
    return None if meant is None else Rename(description=f"write {meant}", older=name, current=meant)


def _near(name: str, known: Iterable[str], least: float = 0.5) -> list[str]:
    """Return known names similar to ``name``, the most similar first."""
    scored = sorted(((_likeness(name, other, least), other) for other in known), reverse=True)
    return [other for score, other in scored if score >= least]


def _likeness(name: str, other: str, least: float) -> float:
    """Return the similarity of two names, 1 for equal ones; parts between underscores count as much as letters.

    Below ``least`` the result may be any smaller number.
    """
    parts, others = set(name.lower().split("_")), set(other.lower().split("_"))
    common = len(parts & others) / max(len(parts | others), 1)
    compared = SequenceMatcher(None, name.lower(), other.lower())
    # With every test module that imports ttnn, pytest looks up names of its own in ttnn; they resemble none of its 400
    # names, and an upper bound shows that quickly.
    at_most = compared.quick_ratio()
    if max(at_most, 0.5 * at_most + 0.5 * common) < least:
        return 0.0
    letters = compared.ratio()
    return max(letters, 0.5 * letters + 0.5 * common)


class Submodule(ModuleType):
    """A module below ``ttnn``. A name that it lacks is an error of ours (TTL1001), which is an AttributeError, too."""

    def __init__(
        self, name: str, names: Mapping[str, Any], doc: str, elsewhere: ModuleType | None = None
    ) -> None:
        super().__init__(f"ttnn.{name}", doc)
        self.__dict__.update(names)
        self.__dict__["__all__"] = sorted(names)
        self.__dict__["__path__"] = []
        self.__dict__["_elsewhere"] = elsewhere

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # Names of the library itself are also found in the modules where the real one keeps them.
        elsewhere = self.__dict__["_elsewhere"]
        if elsewhere is not None and not name.startswith("_") and hasattr(elsewhere, name):
            return getattr(elsewhere, name)
        raise MissingNameError(missing(self.__name__, name, self.__dict__["__all__"]))


def missing(module: str, name: str, known: Iterable[str]) -> Diagnostic:
    """The error for a name that a module below ``ttnn`` does not have here."""
    return placed(
        Code.ABSENT_NAME,
        f"{module}.{name} is not part of the library that stands in for TT-NN here",
        help=nearest(name, known),
    )
