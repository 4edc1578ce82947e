"""What only one kind of kernel can do, in IR that no front end made (specification, "Kernel")."""

from __future__ import annotations

from support.kernel_builder import Builder
from ttl.check.kinds import check
from ttl.dialects import ttl as dialect


def found(builder: Builder) -> list[tuple[str, int]]:
    """Code and line of what is found, but for TTL1453: tensors and slices of the builder come from an operation of the tests."""
    return [
        (each.code, each.primary.span.line if each.primary else 0)
        for each in check(builder.operation, builder.context())
        if each.code != "TTL1453"
    ]


def test_a_data_movement_kernel_computes_nothing() -> None:
    builder = Builder()
    dfb = builder.dfb("x_dfb")
    with builder.kernel("data movement"):
        block = builder.wait(dfb)
        value = builder.read(block)
        read = builder.line
        builder.store(block, value)
        stored = builder.line
        builder.negated(builder.fill())
        computed = builder.line
    assert found(builder) == [("TTL0312", read), ("TTL0313", stored), ("TTL0331", computed)]


def test_a_compute_kernel_moves_nothing() -> None:
    builder = Builder()
    dfb, net = builder.dfb(), builder.net(dialect.PipeAttr([0, 0], [0, 0]))
    with builder.kernel():
        builder.copy(builder.wait(dfb), builder.slice())
        copied = builder.line
        with builder.if_pipe(net, "src"):
            asked = builder.line
    assert found(builder) == [("TTL0501", copied), ("TTL0610", asked)]


def test_each_kind_does_what_it_can() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        builder.negated(builder.read(builder.wait(dfb)))
    assert found(builder) == []
