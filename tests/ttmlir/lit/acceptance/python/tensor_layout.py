# RUN: %python %s | FileCheck %s

from ttmlir.dialects import tt
from ttmlir.ir import *

ctx = Context()
tt.register_dialect(ctx)


def getTensorType(
    ctx,
    shape,
    grid=None,
    memorySpace=tt.MemorySpace.DeviceL1,
    collapseIntervals=[(0, -1)],
    oobVal=tt.OOBVal.Undef,
    memLayout=tt.TensorMemoryLayout.None_,
):
    if grid is None:
        if isinstance(memorySpace, tt.MemorySpace):
            grid = [1] * len(shape)
    if isinstance(grid, list) or isinstance(grid, tuple):
        grid = tt.ir.GridAttr.get(ctx, list(grid))
    tensorTy = RankedTensorType.get(shape, F32Type.get(ctx), None, Location.unknown(ctx))
    layout = tt.ir.LayoutAttr.get(ctx, tensorTy, memorySpace, grid, collapseIntervals, oobVal, memLayout)
    return RankedTensorType.get(shape, F32Type.get(ctx), layout, Location.unknown(ctx))


def tilize(tensor, dataType, tileShape=[32, 32]):
    assert len(tileShape) == 2
    return tt.ir.LayoutAttr.with_element_type_(
        ctx,
        tensor.encoding,
        tt.ir.TileType.get(ctx, tileShape[0], tileShape[1], dataType),
    )


def parallelize(tensor, grid, collapseIntervals=[(0, -1)]):
    if isinstance(grid, list) or isinstance(grid, tuple):
        grid = tt.ir.GridAttr.get(ctx, list(grid))
    return tt.ir.LayoutAttr.with_grid_(ctx, tensor.encoding, tensor.shape, grid, collapseIntervals)


t0 = getTensorType(ctx, [2, 3, 64, 128], [2, 4])
# CHECK: tensor<2x3x64x128xf32, #tt.layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), undef, <2x4>, memref<192x32xf32, #tt.memory_space<l1>>>>
print(t0)
# CHECK: #tt.layout<(d0, d1, d2, d3) -> (d0 * 192 + d1 * 64 + d2, d3), undef, <2x4>, memref<6x1x!tt.tile<32x32, bfp_bf8>, #tt.memory_space<l1>>>
print(tilize(t0, tt.DataType.BFP_BFloat8).wrapped())
print(parallelize(t0, [4, 4]).wrapped())

t1 = getTensorType(ctx, [8, 300], [1, 2])
# CHECK: tensor<8x300xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, #tt.memory_space<l1>>>>
print(t1)
t2 = getTensorType(ctx, [8, 96, 32], [2, 1])
# CHECK: tensor<8x96x32xf32, #tt.layout<(d0, d1, d2) -> (d0 * 96 + d1, d2), undef, <2x1>, memref<384x32xf32, #tt.memory_space<l1>>>>
print(t2)
t3 = getTensorType(ctx, [8, 96, 32], [2, 1, 2], collapseIntervals=[(1, -1)])
print(t3)
t4 = getTensorType(ctx, [5, 3, 2, 2, 7, 32, 32], [3, 2, 2, 2])
# CHECK: <3x2x2x2>, memref<4480x
print(t4)
t5 = getTensorType(ctx, [128], [4], collapseIntervals=[(0, -1)])
# CHECK: tensor<128xf32, #tt.layout<(d0) -> (d0), undef, <4>, memref<32xf32, #tt.memory_space<l1>>>>
print(t5)
t6 = getTensorType(
    ctx, [128], [1, 4], collapseIntervals=[(0, -1)], memLayout=tt.TensorMemoryLayout.Interleaved
)
# CHECK: tensor<128xf32, #tt.layout<(d0) -> (0, d0), undef, <1x4>, memref<1x32xf32, #tt.memory_space<l1>>, interleaved>>
print(t6)
# CHECK: memref<1x1x!tt.tile<32x32, f32>
print(tilize(t6, tt.DataType.Float32).wrapped())
