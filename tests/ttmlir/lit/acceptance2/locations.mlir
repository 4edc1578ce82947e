// RUN: ttmlir-opt --mlir-print-debuginfo --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
// P2: where each operation that a pass puts in says it comes from; arguments keep their places.

// CHECK: func.func @p2(%arg0: tensor<64x128xbf16, #ttnn_layout> loc("{{.*}}":30:{{[0-9]+}}), %arg1: tensor<1x128xbf16, #ttnn_layout1> loc("{{.*}}":30:{{[0-9]+}}))
// CHECK-NEXT: "ttnn.get_device"{{.*}} loc(#[[IN0:loc[0-9]+]])
// CHECK-NEXT: "ttnn.to_device"{{.*}} loc(#[[IN0]])
// CHECK-NEXT: "ttnn.to_layout"{{.*}} loc(#[[IN0]])
// CHECK-NEXT: "ttnn.deallocate"{{.*}} loc(#[[IN0]])
// CHECK-NEXT: "ttnn.to_device"{{.*}} loc(#[[IN1:loc[0-9]+]])
// CHECK-NEXT: "ttnn.to_layout"{{.*}} loc(#[[IN1]])
// CHECK-NEXT: "ttnn.deallocate"{{.*}} loc(#[[IN1]])
// CHECK-NEXT: "ttnn.empty"{{.*}} loc(#[[EMPTY:loc[0-9]+]])
// CHECK-NEXT: "ttnn.empty"{{.*}} loc(#[[SUB:loc[0-9]+]])
// CHECK-NEXT: "ttnn.neg"{{.*}} loc(#[[SUB]])
// CHECK-NEXT: "ttnn.deallocate"{{.*}} loc(#[[SUB]])
// CHECK-NEXT: "ttnn.add"{{.*}} loc(#[[SUB]])
// CHECK-NEXT: "ttnn.deallocate"{{.*}} loc(#[[SUB]])
// CHECK-NEXT: "ttnn.deallocate"{{.*}} loc(#[[SUB]])
// CHECK-NEXT: "ttnn.from_device"{{.*}} loc(#[[RETURN:loc[0-9]+]])
// CHECK-NEXT: "ttnn.deallocate"{{.*}} loc(#[[RETURN]])
// CHECK-NEXT: "ttnn.to_layout"{{.*}} loc(#[[RETURN]])
// CHECK-NEXT: "ttnn.deallocate"{{.*}} loc(#[[RETURN]])
// CHECK-NEXT: return {{.*}} loc(#[[RETURN]])
// CHECK-DAG: #[[IN0]] = loc("sub7_in_0_layout")
// CHECK-DAG: #[[IN1]] = loc("sub7_in_1_layout")
// CHECK-DAG: #[[EMPTY]] = loc("em")
// CHECK-DAG: #[[SUB]] = loc("sub7")
// CHECK-DAG: #[[RETURN]] = loc("ret")
#any_device = #tt.operand_constraint<any_device>
func.func @p2(%a: tensor<64x128xbf16>, %b: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
  %0 = tensor.empty() : tensor<64x128xbf16> loc("em")
  %1 = "ttir.subtract"(%a, %b, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16> loc("sub7")
  return %1 : tensor<64x128xbf16> loc("ret")
}
