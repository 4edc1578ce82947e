"""``ttir-load-system-desc`` and ``ttir-implicit-device``: the machine for which a module is compiled."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from tt_model.attributes.tt import DeviceAttr
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.system_desc import read_system_desc
from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.known_systems import default_system, system, system_names
from tt_model.layouts.mesh import rows_and_columns
from tt_model.layouts.system_desc import SystemRecord
from tt_model.layouts.values import LayoutError, dimensions_text
from tt_model.operations.emission import about_module
from ttl.ir.failure import NotLegalized, Remarks, without_effect

SYSTEM_DESC = "tt.system_desc"
DEVICE = "tt.device"
# The mesh for which a module is written: an attribute of this project. Modules from StableHLO with shardings have it.
MESH_SHAPE = "tt.mesh_shape"


@dataclass(frozen=True)
class LoadSystemDesc(ModulePass):
    """Give the module the description of a system, ``tt.system_desc``.

    Expects: any module. ``path``: a ``.ttsys`` file as ``ttrt query`` writes it, or the name of a known system, such as
    ``n150``, ``n300`` or ``default``. Guarantees: with a path, the module has that description instead of any other;
    without a path, it keeps its own, or gets the default one (one wormhole_b0 chip of 8x8 cores).
    """

    name = "ttir-load-system-desc"
    path: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.path and SYSTEM_DESC in op.attributes:
            return
        desc = _described(op, self.path) if self.path else default_system()
        _set(op, SYSTEM_DESC, SystemDescAttr(desc))


def _described(module: ModuleOp, path: str) -> SystemRecord:
    """The system at a path. Raises ``NotLegalized`` if the file cannot be read."""
    if path in system_names():
        return system(path)

    try:
        return read_system_desc(path)
    except FlatbufferError as problem:
        names = ", ".join(system_names())
        way_out = f"give the path of a .ttsys file, or the name of a known system: {names}"
        raise NotLegalized([about_module(module, str(problem), way_out)]) from None


@dataclass(frozen=True)
class ImplicitDevice(ModulePass):
    """Give the module a device, ``tt.device``: the chips of its system as one grid.

    Expects: a module with ``tt.system_desc``. ``mesh-shape``: the number of chips along each dimension of the mesh
    (``2``, ``1,2``, ``2,1,1``); without it, the mesh of ``tt.mesh_shape``, or one chip. Guarantees: the module has a
    ``tt.device``; an existing one is kept.
    """

    name = "ttir-implicit-device"
    mesh_shape: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if DEVICE in op.attributes:
            self._say_that_it_is_kept(op)
            return
        desc = op.attributes.get(SYSTEM_DESC)
        if not isinstance(desc, SystemDescAttr):
            what = f"has no {SYSTEM_DESC}" if desc is None else f"has a {SYSTEM_DESC} of another kind: {desc}"
            report = about_module(
                op,
                f"'builtin.module' op {what}",
                "run --ttir-load-system-desc before --ttir-implicit-device",
            )
            raise NotLegalized([report])
        try:
            device = DeviceRecord.of(desc.data, self._mesh_of(op))
        except LayoutError as problem:
            report = about_module(op, f"'builtin.module' op has no device: {problem}")
            raise NotLegalized([report]) from None
        _set(op, DEVICE, DeviceAttr(device))

    def _say_that_it_is_kept(self, op: ModuleOp) -> None:
        """Raise ``Remarks`` if the module's device has another mesh than the option."""
        device = op.attributes[DEVICE]
        own = device.data.mesh_shape if isinstance(device, DeviceAttr) else ()
        if self.mesh_shape and rows_and_columns(self.mesh_shape) != rows_and_columns(own):
            asked = ",".join(map(str, self.mesh_shape))
            kept = f"of the mesh {dimensions_text(own)}" if own else "of one chip"
            raise Remarks(
                [
                    without_effect(
                        f"mesh-shape={asked}", f"the module has a {DEVICE} {kept}, which is not replaced"
                    )
                ]
            )

    def _mesh_of(self, op: ModuleOp) -> tuple[int, ...]:
        """Return the mesh of the option, or that of the module. Raises ``LayoutError`` if they differ."""
        written = op.attributes.get(MESH_SHAPE)
        if not isinstance(written, DenseArrayBase):
            return self.mesh_shape
        own = tuple(int(extent) for extent in written.get_values())
        if self.mesh_shape and rows_and_columns(self.mesh_shape) != rows_and_columns(own):
            raise LayoutError(
                f"the model is written for a mesh {dimensions_text(own)} ({MESH_SHAPE}), and mesh-shape asks for "
                f"{dimensions_text(self.mesh_shape)}"
            )
        return own


def _set(module: ModuleOp, name: str, value: Attribute) -> None:
    """Set an attribute of a module, and sort the module's attributes by name."""
    attributes = {**module.attributes, name: value}
    module.attributes.clear()
    module.attributes.update(sorted(attributes.items()))
