// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// Every operation of ttnn that has a place of its own, read, printed and read again.

#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>>
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
#l1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1>>, interleaved>
#l1_sharded = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x1>, memref<8x128xf32, #ttnn.buffer_type<l1>>, height_sharded>

// CHECK-LABEL: func.func @abs(
// CHECK: "ttnn.abs"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @abs(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.abs"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @add(
// CHECK: "ttnn.add"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @add(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.add"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @cbrt(
// CHECK: "ttnn.cbrt"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @cbrt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.cbrt"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @ceil(
// CHECK: "ttnn.ceil"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @ceil(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.ceil"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @cos(
// CHECK: "ttnn.cos"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @cos(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.cos"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @div(
// CHECK: "ttnn.div"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @div(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.div"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @eq(
// CHECK: "ttnn.eq"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @eq(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.eq"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @exp(
// CHECK: "ttnn.exp"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @exp(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.exp"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @expm1(
// CHECK: "ttnn.expm1"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @expm1(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.expm1"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @floor(
// CHECK: "ttnn.floor"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @floor(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.floor"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @ge(
// CHECK: "ttnn.ge"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @ge(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.ge"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @gelu(
// CHECK: "ttnn.gelu"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @gelu(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.gelu"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @gt(
// CHECK: "ttnn.gt"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @gt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.gt"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @isfinite(
// CHECK: "ttnn.isfinite"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @isfinite(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.isfinite"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @le(
// CHECK: "ttnn.le"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @le(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.le"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @leaky_relu(
// CHECK: "ttnn.leaky_relu"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, parameter = 1.000000e-01 : f32}>
func.func @leaky_relu(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.leaky_relu"(%arg0, %arg1) <{parameter = 0.1 : f32, operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @log(
// CHECK: "ttnn.log"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @log(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.log"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @log1p(
// CHECK: "ttnn.log1p"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @log1p(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.log1p"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_and(
// CHECK: "ttnn.logical_and"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @logical_and(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.logical_and"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_not(
// CHECK: "ttnn.logical_not"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @logical_not(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.logical_not"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_or(
// CHECK: "ttnn.logical_or"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @logical_or(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.logical_or"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_xor(
// CHECK: "ttnn.logical_xor"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @logical_xor(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.logical_xor"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @lt(
// CHECK: "ttnn.lt"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @lt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.lt"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @maximum(
// CHECK: "ttnn.maximum"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @maximum(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.maximum"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @minimum(
// CHECK: "ttnn.minimum"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @minimum(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.minimum"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @multiply(
// CHECK: "ttnn.multiply"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @multiply(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.multiply"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @ne(
// CHECK: "ttnn.ne"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @ne(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.ne"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @neg(
// CHECK: "ttnn.neg"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @neg(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.neg"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @reciprocal(
// CHECK: "ttnn.reciprocal"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @reciprocal(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.reciprocal"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @relu(
// CHECK: "ttnn.relu"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @relu(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.relu"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @remainder(
// CHECK: "ttnn.remainder"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @remainder(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.remainder"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @rsqrt(
// CHECK: "ttnn.rsqrt"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @rsqrt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.rsqrt"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK: "ttnn.sigmoid"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @sigmoid(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.sigmoid"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sign(
// CHECK: "ttnn.sign"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @sign(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.sign"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sin(
// CHECK: "ttnn.sin"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @sin(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.sin"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sqrt(
// CHECK: "ttnn.sqrt"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>}>
func.func @sqrt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttnn.sqrt"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @subtract(
// CHECK: "ttnn.subtract"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>}>
func.func @subtract(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.subtract"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @where(
// CHECK: "ttnn.where"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 3, 1>}>
func.func @where(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>, %arg3: tensor<64x128xf32>) {
  %0 = "ttnn.where"(%arg0, %arg1, %arg2, %arg3) <{operandSegmentSizes = array<i32: 3, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @all_gather(
// CHECK: "ttnn.all_gather"({{%.*}}) <{dim = 1 : si32, num_links = 1 : si32}>
func.func @all_gather(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.all_gather"(%arg0) <{dim = 1 : si32, num_links = 1 : si32}> : (tensor<64x128xf32>) -> tensor<64x256xf32>
  return
}

// CHECK-LABEL: func.func @alloc(
// CHECK: "ttnn.alloc"() <{address = 4096 : i64, buffer_type = #l1_, size = 32768 : i64}>
func.func @alloc() {
  %0 = "ttnn.alloc"() <{address = 4096 : i64, buffer_type = #ttnn.buffer_type<l1>, size = 32768 : i64}> : () -> tensor<64x128xf32, #l1>
  return
}

// CHECK-LABEL: func.func @clamp(
// CHECK: "ttnn.clamp"({{%.*}}) <{max = 1.000000e+00 : f32, min = -1.000000e+00 : f32}>
func.func @clamp(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.clamp"(%arg0) <{min = -1.0 : f32, max = 1.0 : f32}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @concat(
// CHECK: "ttnn.concat"({{%.*}}, {{%.*}}, {{%.*}}) <{dim = 1 : si32}>
func.func @concat(%arg0: tensor<64x128xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64x192xf32>) {
  %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32>
  return
}

// CHECK-LABEL: func.func @conv2d(
// CHECK: "ttnn.conv2d"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{batch_size = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32, in_channels = 64 : i32, input_height = 32 : i32, input_width = 32 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32, out_channels = 64 : i32, padding_height = 0 : i32, padding_width = 0 : i32, stride_height = 1 : i32, stride_width = 1 : i32}>
func.func @conv2d(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<1x1x1x64xbf16>, %arg3: tensor<1x1x900x64xbf16>, %arg4: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 64 : i32, out_channels = 64 : i32, batch_size = 1 : i32, input_height = 32 : i32, input_width = 32 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x1x900x64xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x900x64xbf16>
  return
}

// CHECK-LABEL: func.func @deallocate(
// CHECK: "ttnn.deallocate"({{%.*}}) <{force = false}>
func.func @deallocate(%arg0: tensor<64x128xf32>) {
  "ttnn.deallocate"(%arg0) <{force = false}> : (tensor<64x128xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @embedding(
// CHECK: "ttnn.embedding"({{%.*}}, {{%.*}}, {{%.*}})
func.func @embedding(%arg0: tensor<32xf32>, %arg1: tensor<32x128xf32>, %arg2: tensor<512x128xf32>) {
  %0 = "ttnn.embedding"(%arg0, %arg1, %arg2) : (tensor<32xf32>, tensor<32x128xf32>, tensor<512x128xf32>) -> tensor<32x128xf32>
  return
}

// CHECK-LABEL: func.func @empty(
// CHECK: "ttnn.empty"({{%.*}}) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>, shape = #ttnn.shape<64x128>}>
func.func @empty(%arg0: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (!tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<64x128xf32, #dram>
  return
}

// CHECK-LABEL: func.func @from_device(
// CHECK: "ttnn.from_device"({{%.*}})
func.func @from_device(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.from_device"(%arg0) : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #host>
  return
}

// CHECK-LABEL: func.func @full(
// CHECK: "ttnn.full"({{%.*}}) <{fillValue = 2.500000e+00 : f32}>
func.func @full(%arg0: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.full"(%arg0) <{fillValue = 2.5 : f32}> : (!tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<64x128xf32, #dram>
  return
}

// CHECK-LABEL: func.func @get_device(
// CHECK: "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}>
func.func @get_device() {
  %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>
  return
}

// CHECK-LABEL: func.func @matmul(
// CHECK: "ttnn.matmul"({{%.*}}, {{%.*}}, {{%.*}})
func.func @matmul(%arg0: tensor<64x128xf32>, %arg1: tensor<128x96xf32>, %arg2: tensor<64x96xf32>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xf32>, tensor<128x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  return
}

// CHECK-LABEL: func.func @max(
// CHECK: "ttnn.max"({{%.*}}) <{dim_arg = [1 : i32], keep_dim = false}>
func.func @max(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.max"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<64x128xf32>) -> tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @mean(
// CHECK: "ttnn.mean"({{%.*}}) <{dim_arg = [1 : i32], keep_dim = false}>
func.func @mean(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.mean"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<64x128xf32>) -> tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @sum(
// CHECK: "ttnn.sum"({{%.*}}) <{dim_arg = [1 : i32], keep_dim = false}>
func.func @sum(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.sum"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<64x128xf32>) -> tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @max_pool2d(
// CHECK: "ttnn.max_pool2d"({{%.*}}, {{%.*}}, {{%.*}}) <{batch_size = 1 : si32, ceil_mode = false, channels = 8 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, padding_height = 0 : si32, padding_width = 0 : si32, stride_height = 2 : si32, stride_width = 2 : si32}>
func.func @max_pool2d(%arg0: tensor<1x1x16x8xbf16>, %arg1: tensor<1x1x4x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 2 : si32, stride_width = 2 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x4x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x4x8xbf16>
  return
}

// CHECK-LABEL: func.func @reduce_scatter(
// CHECK: "ttnn.reduce_scatter"({{%.*}}) <{math_op = 0 : i32, num_links = 2 : si32, scatter_split_dim = 1 : si32}>
func.func @reduce_scatter(%arg0: tensor<64x256xf32>) {
  %0 = "ttnn.reduce_scatter"(%arg0) <{scatter_split_dim = 1 : si32, math_op = 0 : i32, num_links = 2 : si32}> : (tensor<64x256xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @reshape(
// CHECK: "ttnn.reshape"({{%.*}}) <{shape = [8192 : i32]}>
func.func @reshape(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.reshape"(%arg0) <{shape = [8192 : i32]}> : (tensor<64x128xf32>) -> tensor<8192xf32>
  return
}

// CHECK-LABEL: func.func @slice(
// CHECK: "ttnn.slice"({{%.*}}, {{%.*}}) <{begins = [0 : i32, -64 : i32], ends = [64 : i32, 128 : i32], step = [2 : i32, 1 : i32]}>
func.func @slice(%arg0: tensor<64x128xf32>, %arg1: tensor<32x64xf32>) {
  %0 = "ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, -64 : i32], ends = [64 : i32, 128 : i32], step = [2 : i32, 1 : i32]}> : (tensor<64x128xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return
}

// CHECK-LABEL: func.func @softmax(
// CHECK: "ttnn.softmax"({{%.*}}) <{dimension = 1 : si32}>
func.func @softmax(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.softmax"(%arg0) <{dimension = 1 : si32}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @to_device(
// CHECK: "ttnn.to_device"({{%.*}}, {{%.*}}) <{memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}>
func.func @to_device(%arg0: tensor<64x128xf32, #host>, %arg1: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.to_device"(%arg0, %arg1) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #host>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<64x128xf32, #dram>
  return
}

// CHECK-LABEL: func.func @to_layout(
// CHECK: "ttnn.to_layout"({{%.*}}, {{%.*}}) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}>
func.func @to_layout(%arg0: tensor<64x128xf32, #host>, %arg1: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.to_layout"(%arg0, %arg1) <{layout = #ttnn.layout<tile>, dtype = #tt.supportedDataTypes<f32>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #host>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<64x128xf32, #dram>
  return
}

// CHECK-LABEL: func.func @to_memory_config(
// CHECK: "ttnn.to_memory_config"({{%.*}}) <{memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}>
func.func @to_memory_config(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #l1_sharded>
  return
}

// CHECK-LABEL: func.func @transpose(
// CHECK: "ttnn.transpose"({{%.*}}) <{dim0 = 0 : si32, dim1 = 1 : si32}>
func.func @transpose(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<64x128xf32>) -> tensor<128x64xf32>
  return
}

// CHECK-LABEL: func.func @typecast(
// CHECK: "ttnn.typecast"({{%.*}}) <{dtype = #tt.supportedDataTypes<bf16>}>
func.func @typecast(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.typecast"(%arg0) <{dtype = #tt.supportedDataTypes<bf16>}> : (tensor<64x128xf32>) -> tensor<64x128xbf16>
  return
}
