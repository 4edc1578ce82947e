"""The state of a conversion of one block to TTNN: the new values of old ones, the device, and builders of operations.

New operations are kept outside of the block until all are built. If an operation is refused, the module stays
unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tt_model.attributes.tt import DataTypeAttr, DeviceAttr, DeviceType
from tt_model.attributes.ttnn import (
    TTNNLayoutAttr,
    TTNNMemoryConfigAttr,
    TTNNMeshShapeAttr,
    TTNNPageLayoutAttr,
    TTNNShapeAttr,
)
from tt_model.layouts.enums import PageLayout, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.dialects import build
from tt_model.operations.elementwise import TTIRElementwiseOp
from tt_model.operations.explanation import EXPLANATION
from tt_model.operations.operation import RowOperation
from tt_model.operations.result_shapes import broadcast_shapes
from tt_model.operations.row import SEGMENTS
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttnn import TTNNGetDeviceOp
from ttl.ir.conversion import BlockConversion
from ttl.ir.refusals import Refused

DEVICE = "tt.device"


def layout_of(type: Attribute) -> TTNNLayout:
    """The layout of a tensor. Raises ``Refused`` if the tensor has no layout."""
    encoding = type.encoding if isinstance(type, TensorType) else None
    if not isinstance(encoding, TTNNLayoutAttr):
        raise Refused(
            f"the tensor {type} has no ttnn.ttnn_layout",
            "what works: the passes ttir-load-system-desc, ttir-implicit-device and ttnn-layout in front of this one, "
            "or --ttir-to-ttnn-backend-pipeline, which has all of them",
        )
    return encoding.data


@lru_cache(maxsize=4096)
def with_layout(type: TensorType[Any], layout: TTNNLayout) -> TensorType[Any]:
    """Return the type of the same tensor in another layout."""
    return TensorType(type.element_type, type.shape, TTNNLayoutAttr(layout))


@lru_cache(maxsize=4096)
def with_shape(type: TensorType[Any], shape: tuple[int, ...]) -> TensorType[Any]:
    """A tensor of another shape with the same encoding."""
    return TensorType(type.element_type, shape, type.encoding)


@lru_cache(maxsize=4096)
def _properties_of(layout: TTNNLayout) -> tuple[Attribute, Attribute, Attribute]:
    page = PageLayout.Tile if layout.is_tiled else PageLayout.RowMajor
    return (
        DataTypeAttr(layout.data_type),
        TTNNPageLayoutAttr(page),
        TTNNMemoryConfigAttr(layout.memory_config),
    )


def data_type_attribute(layout: TTNNLayout) -> Attribute:
    """The ``dtype`` of an operation whose result has this layout."""
    return _properties_of(layout)[0]


def page_layout_attribute(layout: TTNNLayout) -> Attribute:
    """The ``layout`` of an operation whose result has this layout."""
    return _properties_of(layout)[1]


def memory_config_attribute(layout: TTNNLayout) -> Attribute:
    """The ``memory_config`` of an operation whose result has this layout."""
    return _properties_of(layout)[2]


@lru_cache(maxsize=4096)
def _shape_attribute(shape: tuple[int, ...]) -> Attribute:
    return TTNNShapeAttr(shape)


class Conversion(BlockConversion):
    """The conversion of one block."""

    def __init__(self, source: Block, module: ModuleOp) -> None:
        super().__init__(Block())
        self.source = source
        self.module = module
        self.location = module.location
        self._known_device = device_in(source)
        self._device: SSAValue | None = None
        self._widened: dict[SSAValue, SSAValue] = {}
        self._explanation = EXPLANATION.get()

    # Values.

    def use(self, value: SSAValue) -> SSAValue:
        """Return the value that replaces a value."""
        return self.became.get(value, value)

    def stand_in(self, value: SSAValue) -> SSAValue:
        return value

    def become(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        super().become(old, new)
        if self._explanation is not None:
            for before, after in zip(old, new, strict=True):
                self._explanation.became(before, after)

    def because(self, value: SSAValue, reason: str) -> None:
        """Record the reason of a value's layout in the explanation, if there is one."""
        if self._explanation is not None:
            self._explanation.because(value, f"convert-ttir-to-ttnn: {reason}")

    def whole(self, value: SSAValue) -> SSAValue:
        """Return the replacement of a value in its full shape: a product with ones replaces a folded broadcast."""
        new = self.use(value)
        if shape_of(new) == shape_of(value):
            return new
        return self._widen(value, tensor_type_of(value))

    def broadcast(self, op: TTIRElementwiseOp) -> list[SSAValue]:
        """The inputs of an elementwise operation.

        TTNN repeats them to their common shape by itself. If that is smaller than the result, one of them is widened.
        """
        result = tensor_type_of(op.result)
        inputs = self.uses(op.inputs)
        if _common(inputs) == result.get_shape():
            return inputs
        for position, value in enumerate(op.inputs):
            type = tensor_type_of(inputs[position])
            if type.get_shape() == result.get_shape():
                continue
            shape = tensor_type_of(value).get_shape()
            if shape == result.get_shape():
                inputs[position] = self.whole(value)
            else:
                wide = layout_of(result).with_element(layout_of(type).element)
                inputs[position] = self._widen(
                    value, TensorType(type.element_type, result.get_shape(), TTNNLayoutAttr(wide))
                )
            if _common(inputs) == result.get_shape():
                break
        return inputs

    def _widen(self, value: SSAValue, type: TensorType[Any]) -> SSAValue:
        if (known := self._widened.get(value)) is not None and known.type == type:
            return known
        ones = self.make("ttnn.full", [self.device()], [type], {"fillValue": 1.0}).result
        empty = self.empty(type)
        wide = self.make("ttnn.multiply", [[self.use(value), ones], empty], [type]).result
        for part in (ones, empty, wide):
            self.because(part, "its user does not broadcast this operand, so a product with ones does it")
        self._widened[value] = wide
        return wide

    # Operations.

    def make(
        self,
        name: str,
        operands: Sequence[SSAValue | Sequence[SSAValue] | None],
        result_types: Sequence[Attribute],
        attributes: Mapping[str, Any] | None = None,
    ) -> RowOperation:
        """Build an operation of TTNN, with the location of the operation that is converted."""
        try:
            op = build(name, operands, result_types, attributes, location=self.location)
        except (
            ValueError,
            VerifyException,
        ) as problem:  # for example a product of extents that is too large for its attribute
            raise Refused(
                f"'{name}' cannot hold its numbers: {problem}", "what works: smaller extents and parameters"
            ) from problem
        self.move(op)
        return op

    def empty(self, type: TensorType[Any]) -> SSAValue:
        """Build a ``ttnn.empty``. If the layout has no memory layout, it has no device and lies on the host."""
        is_on_device = layout_of(type).memory_layout is not TensorMemoryLayout.None_
        device = self.device() if is_on_device else None
        return self.make("ttnn.empty", [device], [type], empty_attributes(type)).result

    def opposite(self, value: SSAValue, init: SSAValue | None = None) -> SSAValue:
        """Negate a value. The library's ``neg`` takes no unsigned integers: those are subtracted from zero.

        The zero is the difference of the value and itself.
        """
        type = tensor_type_of(value)
        into = self.empty(type) if init is None else init
        if not isinstance(type.element_type, IntegerType):
            return self.make("ttnn.neg", [[value], into], [into.type]).result
        zero = self.make("ttnn.subtract", [[value, value], self.empty(type)], [type]).result
        self.because(zero, "the library's neg does not take unsigned integers: they are subtracted from zero")
        return self.make("ttnn.subtract", [[zero, value], into], [into.type]).result

    def device(self) -> SSAValue:
        """Return the ``ttnn.get_device`` of the block. The first call builds it, at the location of its operation."""
        if self._known_device is not None and self._known_device in self.became:
            return self.use(self._known_device)
        if self._device is not None:
            return self._device
        device = self.module.attributes.get(DEVICE)
        if not isinstance(device, DeviceAttr):
            raise Refused(
                f"the module has no attribute {DEVICE}",
                "what works: the passes ttir-load-system-desc and ttir-implicit-device in front of this one",
            )
        new = build(
            "ttnn.get_device",
            [],
            [DeviceType(device.data)],
            {"mesh_shape": TTNNMeshShapeAttr((1, 1))},
            location=self.location,
        )
        first = self.block.first_op
        if first is None:
            self.block.add_op(new)
        else:
            self.block.insert_op_before(new, first)
        self._device = new.result
        return new.result

    def keep(self, op: Operation) -> Sequence[SSAValue]:
        """Copy an operation to its place among the new ones, and return the results of the copy."""
        kept = op.clone(self.became)
        self.move(kept)
        return kept.results

    # The end.

    def commit(self) -> None:
        """Replace the old operations of the block by the new ones."""
        new = list(self.block.ops)
        for op in new:
            op.detach()  # type: ignore[no-untyped-call]
        for op in reversed(list(self.source.ops)):
            self.source.erase_op(op, safe_erase=False)
        self.source.add_ops(new)

    def abandon(self) -> None:
        """Leave the block as it was."""
        for op in reversed(list(self.block.ops)):
            op.drop_all_references()


def attributes_of(op: RowOperation) -> dict[str, Any]:
    """The inherent attributes that an operation of TTIR shares with its equivalent in TTNN."""
    beside = ("operand_constraints", SEGMENTS)
    return {name: value for name, value in op.properties.items() if name not in beside}


def empty_attributes(type: TensorType[Any]) -> dict[str, Attribute]:
    """Return the attributes of a ``ttnn.empty`` of a type."""
    layout = layout_of(type)
    attributes = {
        "shape": _shape_attribute(type.get_shape()),
        "dtype": data_type_attribute(layout),
        "layout": page_layout_attribute(layout),
    }
    if layout.memory_layout is not TensorMemoryLayout.None_:
        attributes["memory_config"] = memory_config_attribute(layout)
    return attributes


def device_in(block: Block) -> SSAValue | None:
    return next((op.result for op in block.ops if isinstance(op, TTNNGetDeviceOp)), None)


def _common(values: Sequence[SSAValue]) -> tuple[int, ...] | None:
    shape: tuple[int, ...] | None = ()
    for value in values:
        shape = None if shape is None else broadcast_shapes(shape, shape_of(value))
    return shape
