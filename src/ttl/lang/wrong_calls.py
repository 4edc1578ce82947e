"""Calls of public functions whose arguments do not fit their signatures: the findings that replace Python's message."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from typing import Any

from ttl.diag import Diagnostic, error, plan_names, spelling
from ttl.diag.remedies import Rename
from ttl.rules.newer_names import ARGUMENTS, not_here

# Parameters that only older programs pass.
_OLDER = frozenset({"acc", "buffer_factor", "src_core", "dst_core", "dst_core_range", "options",
                    "fp32_dest_acc_en", "dst_full_sync_en", "math_fidelity", "accumulation", "memory_space", "tiled"})  # fmt: skip
# Parameters of other libraries, with their names here.
_PARAMETERS = {"axis": "dims", "axes": "dims", "dim": "dims"}


def wrong_call(function: Callable[..., Any], said: str) -> Diagnostic:
    """The finding for a call of a public function whose arguments do not fit; ``said`` is Python's message."""
    name, signature = _public_name(function), _signature(function)
    reason = said.partition("() ")[2] or said
    reason = re.sub(r"takes (from )?[\d to]*positional arguments? but", "", reason).strip()
    shown = str(signature)
    advice = [f"it is called as {name}{shown}"]
    remedy = None
    unknown = re.search(r"unexpected keyword argument '(\w+)'", said)
    if unknown is not None:
        newer = not_here(f"{unknown[1]}= of {name}", unknown[1], ARGUMENTS)
        if newer is not None:
            return newer
        if unknown[1] in plan_names.ARGUMENTS:
            advice.insert(0, plan_names.ARGUMENTS[unknown[1]])
        reason = f"it has no argument {unknown[1]}"
        names = list(signature.parameters)
        same = _PARAMETERS.get(unknown[1])
        meant = same if same in names else spelling.meant(unknown[1], names)
        near = [meant] if meant else difflib.get_close_matches(unknown[1], names, n=1)
        if near:
            advice.insert(0, f"did you mean {near[0]}=?")
        if meant:
            remedy = Rename(older=unknown[1], current=meant)
    elif re.match(r"\d+ (was|were) given", reason):
        # Python's count includes self, a user's does not.
        wanted = [p for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
        reason = f"too many arguments, it takes {len(wanted) or 'none'}"
    else:
        reason = reason.replace("required positional argument", "argument")
    return error("TTL0223", f"{name}(): {reason}", help=tuple(advice)).remedied_by(remedy)


def _public_name(function: Callable[..., Any]) -> str:
    if isinstance(function, type):
        return f"ttl.{function.__name__}"
    owner = getattr(function, "__self__", None)
    qualified = str(getattr(function, "__qualname__", function))
    public = next((kind for kind in type(owner).__mro__ if _is_public(kind)), None)
    if public is not None:
        return f"{public.__name__}.{qualified.rpartition('.')[2]}"
    if qualified.endswith(".__init__"):
        return f"ttl.{qualified.removesuffix('.__init__')}"
    module = str(getattr(function, "__module__", ""))
    if module.startswith("ttl.host."):
        return f"ttnn.{qualified}"
    return f"{module}.{qualified}" if module in ("ttl.math", "ttl.block") else f"ttl.{qualified}"


def _is_public(kind: type) -> bool:
    return kind.__module__.startswith("ttl.lang.") and not kind.__name__.startswith("_")


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function without annotations, ``self`` and the parameters of older programs."""
    signature = inspect.signature(function)
    kept = [
        parameter.replace(annotation=parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name not in _OLDER and parameter.name != "self"
    ]
    return signature.replace(parameters=kept, return_annotation=signature.empty)
