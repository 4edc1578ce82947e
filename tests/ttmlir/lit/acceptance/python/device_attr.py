# RUN: %python %s | FileCheck %s

from ttmlir.dialects import tt
from ttmlir.ir import *

ctx = Context()
tt.register_dialect(ctx)


def updiv(n, d):
    return (n + d - 1) // d


def inferMeshShape(gridShape, physGridShape):
    return gridShape[:-2] + [updiv(g, p) for g, p in zip(gridShape[-2:], physGridShape)]


def createDeviceAttr(
    gridShape,
    workerGridMapping=None,
    l1Map=None,
    dramMap=None,
    physGridShape=[8, 8],
    startDeviceIdx=0,
    meshShape=None,
):
    meshShape = meshShape if meshShape is not None else inferMeshShape(gridShape, physGridShape=physGridShape)
    totalDevices = 1
    for dim in meshShape:
        totalDevices *= dim
    workerGridMapping = workerGridMapping or AffineMap.get_identity(len(gridShape), ctx)
    l1Map = l1Map or AffineMap.get(2, 0, [AffineDimExpr.get(i, ctx) for i in (0, 1)] * 2, ctx)
    dramMap = dramMap or l1Map
    return tt.ir.DeviceAttr.get(
        ctx,
        gridShape,
        workerGridMapping,
        l1Map,
        dramMap,
        meshShape,
        list(range(startDeviceIdx, startDeviceIdx + totalDevices)),
    )


d0 = AffineDimExpr.get(0, ctx)
d1 = AffineDimExpr.get(1, ctx)
d2 = AffineDimExpr.get(2, ctx)
c0 = AffineConstantExpr.get(0, ctx)
c2 = AffineConstantExpr.get(2, ctx)
c8 = AffineConstantExpr.get(8, ctx)


def floordiv(a, b):
    return AffineFloorDivExpr.get(a, b)


def mod(a, b):
    return AffineModExpr.get(a, b)


def amap(ndims, results):
    return AffineMap.get(ndims, 0, results, ctx)


print("=== From SystemDesc ===")
# CHECK: #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1), dramMap = {{.*}}, meshShape = 1x1, chipIds = [0]>
print(tt.ir.DeviceAttr.from_system_desc(ctx, tt.ir.SystemDescAttr.get_default(ctx), [1, 1]))
print("=== Simple single device ===")
# CHECK: #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>
print(createDeviceAttr([8, 8], amap(2, [c0, d0, d1])))
print("=== Data parallel over batch ===")
# CHECK: #tt.device<workerGrid = #tt.grid<2x8x8, (d0, d1, d2) -> (d0, d1, d2)>,
# CHECK-SAME: meshShape = 2x1x1, chipIds = [0, 1]>
print(createDeviceAttr([2, 8, 8]))
print("=== Data parallel over 2d ===")
# CHECK: #tt.device<workerGrid = #tt.grid<8x16, (d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)>,
# CHECK-SAME: meshShape = 1x2, chipIds = [0, 1]>
print(createDeviceAttr([8, 16], amap(2, [floordiv(d1, c8), d0, mod(d1, c8)])))
# CHECK: #tt.device<workerGrid = #tt.grid<16x16, (d0, d1) -> ((d0 floordiv 8) * 2 + d1 floordiv 8, d0, d1 mod 8)>,
# CHECK-SAME: meshShape = 2x2, chipIds = [4, 5, 6, 7]>
print(
    createDeviceAttr(
        [16, 16], amap(2, [floordiv(d0, c8) * c2 + floordiv(d1, c8), d0, mod(d1, c8)]), startDeviceIdx=4
    )
)
print("=== Reinterpreted Grids (Transpose) ===")
# CHECK: #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d1, d0)>
print(createDeviceAttr([8, 8], amap(2, [c0, d1, d0])))
# CHECK: #tt.device<workerGrid = #tt.grid<1x64, (d0, d1) -> (0, d0 * 8 + d1 floordiv 8, d1 mod 8)>
print(createDeviceAttr([1, 64], amap(2, [c0, d0 * c8 + floordiv(d1, c8), mod(d1, c8)]), meshShape=[1]))
# CHECK: #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, (d0 + d1) mod 8)>
print(createDeviceAttr([8, 8], amap(2, [c0, d0, mod(d0 + d1, c8)])))
