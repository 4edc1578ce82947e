"""``stablehlo.custom_call``: operations of TT-Lang, and marks without a meaning on one device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from tt_model.operations.conditions.verify_tt_lang import roles_of
from tt_model.stablehlo.reading import attribute, text
from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.collectives import mesh_shard
from ttmlir.transforms.from_stablehlo.distribution import MESH_SHARD
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer

TT_LANG = "tt.tt_lang_op"
FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes"
# Calls that only say how a tensor might be cut for several devices.
_MARKS = frozenset(("Sharding", "annotate_device_placement"))
_WAY_OUT = f"what works: @{TT_LANG} with {FRONTEND_ATTRIBUTES} = {{kernel_id, version_tag, arg_roles, shard_spec}}; write the part in StableHLO's operations, or in TT-Lang"


def custom_call(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a custom call by its target."""
    target = text(op, "call_target_name")
    if target == TT_LANG:
        return _tt_lang(op, w)
    if target == MESH_SHARD:
        return mesh_shard(op, w)
    if target in _MARKS and [one.type for one in op.operands] == [one.type for one in op.results]:
        return w.operands(op)
    raise Refused(f"the custom call '@{target}' is not supported on this device", _WAY_OUT)


def _tt_lang(op: Operation, w: Writer) -> Sequence[SSAValue]:
    given = attribute(op, FRONTEND_ATTRIBUTES)
    said = given.data if isinstance(given, DictionaryAttr) else {}
    words = {name: value.data for name, value in said.items() if isinstance(value, StringAttr)}
    kernel_id, roles = words.get("kernel_id", ""), roles_of(words.get("arg_roles", ""))
    if not kernel_id or not roles:
        raise Refused(f"its {FRONTEND_ATTRIBUTES} have no kernel_id or no arg_roles: {given}", _WAY_OUT)
    if wrong := [role for role in roles if role not in ("in", "out")]:
        raise Refused(
            f"arg_roles '{words['arg_roles']}' has '{wrong[0]}', which is neither in nor out", _WAY_OUT
        )
    counts = roles.count("in"), roles.count("out")
    if counts != (len(op.operands), len(op.results)):
        raise Refused(
            f"arg_roles '{words['arg_roles']}' has {counts[0]} in and {counts[1]} out, and it has {len(op.operands)} operands "
            f"and {len(op.results)} results",
            _WAY_OUT,
        )
    types = [w.result(op, index) for index in range(len(op.results))]
    return w.make(
        "ttir.tt_lang_op",
        [w.operands(op), [w.empty(type) for type in types]],
        types,
        kernel_id=kernel_id,
        version_tag=words.get("version_tag", ""),
        arg_roles=",".join(roles),
        shard_spec=words.get("shard_spec", ""),
    )


CALLS: Mapping[str, Rule] = MappingProxyType({"stablehlo.custom_call": custom_call})
