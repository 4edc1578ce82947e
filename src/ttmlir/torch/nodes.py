"""The nodes of an exported graph: the function, its arguments, and the reason if a node is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ttmlir.torch.row import AtenValue


def overload_of(node: Any) -> str:
    """``add.Tensor`` for ``aten.add.Tensor``; operators of others have their namespace in front."""
    text = str(node.target)
    return text.removeprefix("aten.")


def bound_arguments(node: Any, values: Mapping[Any, Any]) -> list[Any]:
    """All arguments of a call in the order of the schema, with defaults; nodes as the values that they have become."""
    bound = []
    for index, argument in enumerate(node.target._schema.arguments):
        if index < len(node.args):
            given = node.args[index]
        elif argument.name in node.kwargs:
            given = node.kwargs[argument.name]
        else:
            given = argument.default_value if argument.has_default_value() else None
        bound.append(_valued(given, values))
    return bound


def _valued(given: Any, values: Mapping[Any, Any]) -> Any:
    import torch

    if isinstance(given, torch.fx.Node):
        return values[given]
    if isinstance(given, list | tuple):
        return [_valued(one, values) for one in given]
    return given


def flat(argument: Any) -> list[Any]:
    """Return an argument as a list: its members if it is a list."""
    return list(argument) if isinstance(argument, list | tuple) else [argument]


def plain(argument: Any) -> Any:
    """Return an argument for a call of torch: known tensors in place of values."""
    if isinstance(argument, AtenValue):
        return argument.known
    return [plain(one) for one in argument] if isinstance(argument, list | tuple) else argument


def is_random(node: Any) -> bool:
    """Whether the result is drawn at random."""
    import torch

    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def is_of_aten(node: Any) -> bool:
    """Whether it is a function of torch's own, which gives the same result in every call."""
    return getattr(node.target, "namespace", "") in ("aten", "prims")


def no_row(node: Any) -> tuple[str, str]:
    """Return why a function without a row is refused, and the way out."""
    if is_random(node):
        return "it draws random numbers, but a model must give equal results for equal inputs", (
            "the random numbers as an input, or module.eval() if they are for training"
        )
    if node.target._schema.is_mutable:
        return "it writes into a tensor", "the function without the underscore at its end"
    if "linalg" in str(node.target):
        return "there is no such decomposition of matrices", (
            "torch.linalg.inv, solve, det, cholesky and solve_triangular of small matrices, which are computed row by row; or compute "
            "this part outside of the model and pass its result as an input"
        )
    if "fft" in str(node.target):
        return (
            "complex numbers are not supported",
            "products with the matrices of cosines and sines of the transform",
        )
    return "TTIR has no operation for it", (
        "functions of docs/ttmlir/from-pytorch.md; or write this part in TT-Lang (ttmlir.torch.tt_lang_operation), or outside "
        "of the model"
    )
