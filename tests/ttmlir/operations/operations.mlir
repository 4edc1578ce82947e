// Operations of TT-MLIR: right ones, and below an error those that are refused with it. The error is the start of the message, behind
// the name of the operation. Operands are `%arg0` and so on, in the order of their types; `support/single_operations.py` puts each operation
// into a function that takes them. Elementwise operations and those of ttkernel are made there from their tables.

#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>>
#host_interleaved = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>, interleaved>
#host_tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<system_memory>>>
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
#dram_rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>, interleaved>
#dram_none = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>>
#dram_sharded = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>, height_sharded>
#small_sharded = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<l1_small>>, height_sharded>
#l1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1>>, interleaved>
#l1_sharded = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x1>, memref<8x128xf32, #ttnn.buffer_type<l1>>, height_sharded>
#l1_sharded_cube = #ttnn.ttnn_layout<(d0, d1) -> (0, d0, d1), <1x1x1>, memref<1x64x128xf32, #ttnn.buffer_type<l1>>, height_sharded>
#l1_blocks = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x4>, memref<16x32xf32, #ttnn.buffer_type<l1>>, block_sharded>
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
#metal_host = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<system>>>
!device = !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>
!cb = !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>

// error: Operands are not broadcast compatible
"ttir.add"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: Result shape must match operand shapes after broadcasting
"ttir.add"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<2x64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>

"ttir.all_gather"(%arg0, %arg1) <{dim = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
// error: Invalid dimension for all gather op.
"ttir.all_gather"(%arg0, %arg1) <{dim = 2 : si32, operand_constraints = []}> : (tensor<1x32xbf16>, tensor<1x128xbf16>) -> tensor<1x128xbf16>
// error: cluster_axis is 2: a mesh has the axes 0 (down its rows) and 1 (along its columns)
"ttir.all_gather"(%arg0, %arg1) <{dim = 1 : si32, cluster_axis = 2 : ui32, operand_constraints = []}> : (tensor<1x32xbf16>, tensor<1x128xbf16>) -> tensor<1x128xbf16>
// error: result has shape (4, 12), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttir.all_gather"(%arg0, %arg1) <{dim = -1 : si32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
// error: result has shape (5, 16), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttir.all_gather"(%arg0, %arg1) <{dim = -1 : si32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
// error: result has shape (16), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttir.all_gather"(%arg0, %arg1) <{dim = -1 : si32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<16xf32>) -> tensor<16xf32>

"ttir.all_reduce"(%arg0, %arg1) <{cluster_axis = 1 : ui32, reduce_type = 0 : i32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: Input and output shapes must be the same
"ttir.all_reduce"(%arg0, %arg1) <{reduce_type = 0 : i32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
// error: reduce_type is 1: chips combine by 0 (sum), 2 (max), 3 (min)
"ttir.all_reduce"(%arg0, %arg1) <{reduce_type = 1 : i32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// error: cluster_axis is 3: a mesh has the axes
"ttir.all_reduce"(%arg0, %arg1) <{reduce_type = 0 : i32, cluster_axis = 3 : ui32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>

"ttir.alloc"() <{address = 4096 : i64, memory_space = #tt.memory_space<l1>, size = 32768 : i64}> : () -> tensor<64x128xf32, #metal_l1>
// error: Result type missing layout attribute
"ttir.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32>
// error: Alloc size must be non-zero
"ttir.alloc"() <{address = 4096 : i64, size = 0 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32, #metal_l1>
// error: Input tensor layout memory space must match alloc memory space
"ttir.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<dram>}> : () -> tensor<64x128xf32, #metal_l1>
// error: Allocating from system memory space must have address set to 0
"ttir.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<system>}> : () -> tensor<64x128xf32, #metal_host>
// error: Allocating from a device memory space must have address set to a non-zero value
"ttir.alloc"() <{address = 0 : i64, size = 32768 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32, #metal_l1>

"ttir.broadcast"(%arg0, %arg1) <{dimension = [0], operand_constraints = []}> : (tensor<1x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: result has shape (64, 32), to which the input (64) does not repeat
"ttir.broadcast"(%arg0, %arg1) <{dimension = [0], operand_constraints = []}> : (tensor<64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>

"ttir.clamp"(%arg0, %arg1) <{min = -1.0 : f32, max = 1.0 : f32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: input and output must have same shape.
"ttir.clamp"(%arg0, %arg1) <{min = 0.0 : f32, max = 1.0 : f32, operand_constraints = []}> : (tensor<64x64xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>

"ttir.concat"(%arg0, %arg1, %arg2) <{dim = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32>
// error: Invalid dimension 2 for concatenation.
"ttir.concat"(%arg0, %arg1, %arg2) <{dim = 2 : si32, operand_constraints = []}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: Invalid dimension -3 for concatenation.
"ttir.concat"(%arg0, %arg1, %arg2) <{dim = -3 : si32, operand_constraints = []}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: All input tensors must have the same rank.
"ttir.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32, operand_constraints = []}> : (tensor<32x32xf32>, tensor<32x64x1xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: All input tensors must have the same dimensions, except for dimension 0.
"ttir.concat"(%arg0, %arg1, %arg2) <{dim = -2 : si32, operand_constraints = []}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: At least one input tensor is needed
"ttir.concat"(%arg0) <{dim = 0 : si32, operand_constraints = []}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
// error: result has shape (4, 12), and operands and attributes make (4, 11)
"ttir.concat"(%arg0, %arg1, %arg2) <{dim = -1 : si32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>

"ttir.constant"() <{value = dense<1> : tensor<64x128xi32>}> : () -> tensor<64x128xf32>
// error: failed to verify that all of {value, result} have same shape
"ttir.constant"() <{value = dense<1.0> : tensor<3x2xf32>}> : () -> tensor<2x3xf32>

"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
"ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
// error: Input must be at least a 3D tensor
"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<32x32xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
// error: Weight must be a 4D tensor
"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
// error: Bias must be a 4D tensor
"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
// error: groups is 0: 1 is the least
"ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 0 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>
// error: the input has 5 channels, and filters of 4 with groups 1 take 4
"ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x5xbf16>, tensor<6x4x3x3xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>
// error: 6 filters do not divide into the 4 of groups
"ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 4 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x1x3x3xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>
// error: the bias is (1, 1, 1, 5), and the result has 6 channels: it is (1, 1, 1, 6)
"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x5xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>
// error: the window along width has stride 0: 1 is the least
"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 0 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>
// error: a window of size 3 with dilation 4 does not fit along height: the extent is 8, with a padding of 0 before and 0 after
"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 4 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>
// error: result has shape (1, 6, 7, 6), and operands and attributes make (1, 6, 6, 6)
"ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<1x6x7x6xbf16>) -> tensor<1x6x7x6xbf16>
// error: result has shape (1, 6, 6, 5), and operands and attributes make (1, 6, 6, 6)
"ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x6x6x5xbf16>) -> tensor<1x6x6x5xbf16>
// error: result has shape (1, 6, 6, 6), and operands and attributes make (1, 4, 6, 6)
"ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 2 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>
// error: result has shape (1, 6, 6, 6), and operands and attributes make (1, 6, 7, 6)
"ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 1 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x8x8x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x6x6x6xbf16>) -> tensor<1x6x6x6xbf16>

"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
// error: Convolution input and output must have the same number of spatial dimensions
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
// error: Convolution input and kernel must have the same number of spatial dimensions
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
// error: Input tensor must have the same number of spatial dimensions
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
// error: Weight tensor must have the same number of spatial dimensions
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
// error: Bias must be a 4D tensor
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
// error: Window strides must have the same number of elements
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
// error: padding has 2 numbers, and with 2 spatial dimensions it has 4
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: the input dimensions of convolution_layout are [1, 1, 2, 3]: they name each from 0 to 3 once
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 1, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: input_dilation is [0, 1]: 1 is the least
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 0, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: the input has 5 channels, and filters of 4 with feature_group_count 1 take 4
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x5x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: 6 filters do not divide into the 4 of feature_group_count
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 4 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x1x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: the bias is (1, 1, 1, 5), and the result has 6 channels
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x5xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: a batch of 2 and 6 filters do not both divide into the 3 of batch_group_count
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 3 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: the window along dimension 3 has stride 0: 1 is the least
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 0>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: a window of size 3 with dilation 4 does not fit along dimension 2
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 4, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: result has shape (2, 6, 6, 7), and operands and attributes make (2, 6, 6, 6)
"ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<2x6x6x7xbf16>) -> tensor<2x6x6x7xbf16>
// error: result has shape (2, 6, 6, 6), and operands and attributes make (2, 6, 13, 6)
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 2, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>
// error: result has shape (2, 6, 6, 6), and operands and attributes make (1, 6, 6, 6)
"ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 2 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<2x4x8x8xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<2x6x6x6xbf16>) -> tensor<2x6x6x6xbf16>

"ttir.dealloc"(%arg0) : (tensor<64x128xf32, #metal_l1>) -> ()

"ttir.embedding"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<32xf32>, tensor<512x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
// error: Weight must be a 2D tensor
"ttir.embedding"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<32xf32>, tensor<512xf32>, tensor<32x512xf32>) -> tensor<32x512xf32>
// error: Output must have one dimension more than input
"ttir.embedding"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<32xf32>, tensor<64x512xf32>, tensor<32xf32>) -> tensor<32xf32>
// error: result has shape (32, 64), and operands and attributes make (32, 128)
"ttir.embedding"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<32xf32>, tensor<512x128xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>

"ttir.fill"(%arg0) <{value = dense<1.0> : tensor<64x128xf32>, operand_constraints = []}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
// error: failed to verify that all of {value, result} have same shape
"ttir.fill"(%arg0) <{value = dense<1.0> : tensor<3x2xf32>, operand_constraints = []}> : (tensor<2x3xf32>) -> tensor<2x3xf32>

"ttir.fill_cache"(%arg0, %arg1) <{batch_offset = 1 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x4x32x32xf32>) -> tensor<2x4x64x32xf32>
// error: cache and input have four dimensions
"ttir.fill_cache"(%arg0, %arg1) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<64x32xf32>, tensor<1x4x32x32xf32>) -> tensor<64x32xf32>
// error: input has shape
"ttir.fill_cache"(%arg0, %arg1) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x8x32x32xf32>) -> tensor<2x4x64x32xf32>
// error: 32 positions of user 2 are written
"ttir.fill_cache"(%arg0, %arg1) <{batch_offset = 2 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x4x32x32xf32>) -> tensor<2x4x64x32xf32>
// error: 96 positions of user 0 are written, and the cache has 64 of 2 users
"ttir.fill_cache"(%arg0, %arg1) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x4x96x32xf32>) -> tensor<2x4x64x32xf32>

"ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : si64, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>
// error: slice_sizes is [1, 129]: one extent for each dimension of the input (512, 128)
"ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 129>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>
// error: collapsed_slice_dims names dimension 2, and the input has 2
"ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 2>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>
// error: offset_dims is [1, 2]: a slice keeps 1 of its dimensions
"ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 1, 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>
// error: start_indices (1, 32) has no vectors of 2 numbers along dimension 2
"ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0, 1>, index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>
// error: offset_dims is [3], and the result has 3 dimensions
"ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 3>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>
// error: result has shape (1, 32, 128), and operands and attributes make (1, 32, 64)
"ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>

"ttir.generic"(%arg0, %arg1, %arg2) <{grid = #tt.grid<1x1>, indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#tt.iterator_type<parallel>, #tt.iterator_type<parallel>], operand_cb_mapping = array<i64: 0, -1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({
^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):
  "ttir.yield"() : () -> ()
}) : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: The number of input and output operands and region/block arguments must match
"ttir.generic"(%arg0, %arg1) <{grid = #tt.grid<1x1>, indexing_maps = [], iterator_types = [], operand_cb_mapping = array<i64: -1, -1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({
^bb0(%arg9: memref<64x128xf32>):
  "ttir.yield"() : () -> ()
}) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: CB index out of bounds
"ttir.generic"(%arg0, %arg1, %arg2) <{grid = #tt.grid<1x1>, indexing_maps = [], iterator_types = [], operand_cb_mapping = array<i64: -1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({
^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):
  "ttir.yield"() : () -> ()
}) : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: indexing_maps has 1 maps for 2 operands: each input and output has one
"ttir.generic"(%arg0, %arg1) <{grid = #tt.grid<1x1>, indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], operand_cb_mapping = array<i64: -1, -1>, iterator_types = [#tt.iterator_type<parallel>, #tt.iterator_type<parallel>], operand_constraints = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({
^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):
  "ttir.yield"() : () -> ()
}) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: indexing_maps has 2 dimensions and 1 results for operand #1: there are 2 iterator_types
"ttir.generic"(%arg0, %arg1) <{grid = #tt.grid<1x1>, indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], operand_cb_mapping = array<i64: -1, -1>, iterator_types = [#tt.iterator_type<parallel>, #tt.iterator_type<parallel>], operand_constraints = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({
^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):
  "ttir.yield"() : () -> ()
}) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>

"ttir.get_dimension_size"(%arg0) <{dimension = 1 : i32}> : (tensor<64x128xf32>) -> tensor<1xi32>
// error: Invalid dimension 2. Operand tensor rank is 2
"ttir.get_dimension_size"(%arg0) <{dimension = 2 : i32}> : (tensor<13x21xf32>) -> tensor<1xi32>
// error: result has shape (2), and operands and attributes make (1)
"ttir.get_dimension_size"(%arg0) <{dimension = 1 : i32}> : (tensor<4x8xf32>) -> tensor<2xi32>

"ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = -1 : i32, step = 4 : i32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
// error: Input must be at least a 1D tensor
"ttir.index"(%arg0, %arg1) <{dim = 0 : i32, begin = 0 : i32, end = 1 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
// error: Output tensor must have the same element type as the input tensor
"ttir.index"(%arg0, %arg1) <{dim = 0 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
// error: Output tensor must have the same rank as the input tensor
"ttir.index"(%arg0, %arg1) <{dim = 0 : i32, begin = 0 : i32, end = 1 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
// error: Invalid dimension index 2. Input tensor rank is 2
"ttir.index"(%arg0, %arg1) <{dim = 2 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Invalid dimension index -1. Input tensor rank is 2
"ttir.index"(%arg0, %arg1) <{dim = -1 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Invalid begin index for dimension 1. Expected value in range [-8, 8), got -9. Input shape: (4, 8)
"ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = -9 : i32, end = 8 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Invalid end index for dimension 1. Expected value in range [-8, 8], got 9. Input shape: (4, 8)
"ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = 9 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Step value for dimension 1 cannot be zero
"ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = 8 : i32, step = 0 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: For positive step, begin index must be less than or equal to end index for dimension 1. Got begin: 5, end: 3, step: 2, input shape: (4, 8)
"ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 5 : i32, end = 3 : i32, step = 2 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Mismatch in dimension 1 of the output tensor: expected size 4, but got 3
"ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = 8 : i32, step = 2 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x3xbf16>) -> tensor<4x3xbf16>
// error: result has shape (5, 4), and operands and attributes make (4, 4)
"ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>

"ttir.kernel"(%arg0, %arg1, %arg2) <{op = @add, kind = @eltwise, operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>

"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<7x64x128xf32>, tensor<128x96xf32>, tensor<7x64x96xf32>) -> tensor<7x64x96xf32>
// error: Input A must be at least a 1D tensor
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<bf16>, tensor<128xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
// error: Input B must be at least a 1D tensor
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<128xbf16>, tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
// error: Input A[-1](128) and B[-2](64) must have matching inner dimensions
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<64x128xbf16>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
// error: Batch dimensions of input A(7,2) and B(3) are not broadcast compatible
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<7x2x64x128xbf16>, tensor<3x128x64xbf16>, tensor<7x2x64x64xbf16>) -> tensor<7x2x64x64xbf16>
// error: Scalar output is not supported, output must be at least a 1D tensor
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<128xbf16>, tensor<128xbf16>, tensor<bf16>) -> tensor<bf16>
// error: Scalar output must be a 1D tensor of size 1
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<128xbf16>, tensor<128xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
// error: Output shape rank(3) must match the expected output shape rank(2)
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
// error: Output shape dimension[1](63) doesn't match the expected output shape dimension[1](64)
"ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x63xbf16>) -> tensor<64x63xbf16>

"ttir.max"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
// error: dim_arg names dimension 2, and the input (4, 8) has 2 dimensions
"ttir.max"(%arg0, %arg1) <{keep_dim = false, dim_arg = [2 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// error: dim_arg names a dimension twice: [1, -1], where the input has 2
"ttir.max"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32, -1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// error: result has shape (8), and operands and attributes make (4)
"ttir.max"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
// error: result has shape (4, 1), and operands and attributes make (4)
"ttir.max"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
// error: result has shape (1, 8), and operands and attributes make (4, 1)
"ttir.max"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
// error: result has shape (8), and operands and attributes make (4, 1)
"ttir.max"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>

"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 2 : si32, stride_width = 2 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x2x2x8xbf16>) -> tensor<1x2x2x8xbf16>
// error: Input tensor rank must be 4. Recieved input with rank 3. Shape: (4, 4, 8)
"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
// error: Kernel height 5 is greater than input height 4.
"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 5 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
// error: Kernel width 6 is greater than input width 4.
"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 6 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
// error: the window along height has stride 0: 1 is the least
"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 0 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
// error: a window of size 2 with dilation 4 does not fit along width
"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 4 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
// error: result has shape (1, 3, 4, 8), and operands and attributes make (1, 3, 3, 8)
"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x3x4x8xbf16>) -> tensor<1x3x4x8xbf16>
// error: result has shape (1, 1, 2, 8), and operands and attributes make (1, 2, 3, 8)
"ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = true, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 3 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x1x2x8xbf16>) -> tensor<1x1x2x8xbf16>

"ttir.mean"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
// error: dim_arg names dimension 2, and the input (4, 8) has 2 dimensions
"ttir.mean"(%arg0, %arg1) <{keep_dim = false, dim_arg = [2 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// error: dim_arg names a dimension twice: [1, -1], where the input has 2
"ttir.mean"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32, -1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// error: result has shape (8), and operands and attributes make (4)
"ttir.mean"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
// error: result has shape (4, 1), and operands and attributes make (4)
"ttir.mean"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
// error: result has shape (1, 8), and operands and attributes make (4, 1)
"ttir.mean"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
// error: result has shape (8), and operands and attributes make (4, 1)
"ttir.mean"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>

"ttir.mesh_shard"(%arg0, %arg1) <{shard_dims = array<i64: 0, 1>, shard_direction = #tt.shard_direction<shard_to_full>, shard_shape = array<i64: 2, 4>, shard_type = #tt.shard_type<devices>, operand_constraints = []}> : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<128x512xf32>
// error: input is of f32 and the result of bf16
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<replicate>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1>, shard_dims = array<i64: -1, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: shard_type is maximal, which cuts nothing, and shard_shape is [2]
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<maximal>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2>, shard_dims = array<i64: -1, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// error: shard_shape has 1 extents, and the input tensor has 2 dimensions
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2>, shard_dims = array<i64: 0, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// error: shard_dims has 1 entries: one for the rows of the mesh
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_dims = array<i64: 0>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
// error: shard_dims names dimension 2, and the tensor has 2
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_dims = array<i64: 2, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
// error: shard_shape is [0, 1]: a dimension is in 0 parts, and 1 is the least
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 0, 1>, shard_dims = array<i64: 0, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
// error: shard_shape cuts dimension 0 into 2 parts, and shard_dims does not name it
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_dims = array<i64: 1, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
// error: shard_shape cuts nothing: use the type replicate
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1>, shard_dims = array<i64: 0, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// error: input is 4x8 and the result 2x8: with shard_type identity the shape stays
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<identity>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1>, shard_dims = array<i64: -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
// error: dimension 0 of 4x8 does not divide into 3 parts
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 3, 1>, shard_dims = array<i64: 0, -1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
// error: input 4x8 by shard_shape [1, 2] makes 4x4, and the result is 2x8
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2>, shard_dims = array<i64: -1, 1>, operand_constraints = []}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
// error: an operand constraint is dram|tile|interleaved: the host distributes tensors, in rows
"ttir.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_dims = array<i64: 0, -1>, operand_constraints = [#tt.operand_constraint<dram|tile|interleaved>]}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>

"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: At least one input tensor is needed
"ttir.pooling"() <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
// error: All input tensors must have the same rank
"ttir.pooling"(%arg0, %arg1, %arg2, %arg3) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 2, 2>}> : (tensor<4x8xbf16>, tensor<4x8x1xbf16>, tensor<4x8xbf16>, tensor<4x8x1xbf16>) -> (tensor<4x8xbf16>, tensor<4x8x1xbf16>)
// error: Window strides must have the same number of elements
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Window dilations must have the same number of elements
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Window dimensions must have the same number of elements
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: Padding must have the same number of elements
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// error: 1 inputs have 2 results: each input has one
"ttir.pooling"(%arg0, %arg1, %arg2) <{pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 2>}> : (tensor<4x8xbf16>, tensor<3x7xbf16>, tensor<3x7xbf16>) -> (tensor<3x7xbf16>, tensor<3x7xbf16>)
// error: base_dilations has 1 numbers, and the input has 2
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<3x7xbf16>) -> tensor<3x7xbf16>
// error: base_dilations is [0, 1]: 1 is the least
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 0, 1>, window_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<3x7xbf16>) -> tensor<3x7xbf16>
// error: the window along dimension 0 has stride 0
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 0, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<3x7xbf16>) -> tensor<3x7xbf16>
// error: a window of size 2 with dilation 4 does not fit
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 4, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<3x7xbf16>) -> tensor<3x7xbf16>
// error: result has shape (3, 8), and operands and attributes make (3, 7)
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<3x8xbf16>) -> tensor<3x8xbf16>
// error: result has shape (3, 7), and operands and attributes make (3, 14)
"ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<3x7xbf16>) -> tensor<3x7xbf16>

"ttir.reduce_scatter"(%arg0, %arg1) <{cluster_axis = 0 : ui32, reduce_type = 2 : i32, scatter_dim = 1 : si32, operand_constraints = []}> : (tensor<64x256xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: scatter_dim is 2, and the input tensor has 2 dimensions
"ttir.reduce_scatter"(%arg0, %arg1) <{scatter_dim = 2 : si32, reduce_type = 0 : i32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// error: reduce_type is 4: chips combine by
"ttir.reduce_scatter"(%arg0, %arg1) <{scatter_dim = 1 : si32, reduce_type = 4 : i32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// error: cluster_axis is 2: a mesh has
"ttir.reduce_scatter"(%arg0, %arg1) <{scatter_dim = 1 : si32, reduce_type = 0 : i32, cluster_axis = 2 : ui32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// error: result has shape (4, 3), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttir.reduce_scatter"(%arg0, %arg1) <{scatter_dim = 1 : si32, reduce_type = 0 : i32, operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>

// error: expected type of operand #1 ('tensor<64x128xf32>') to match type of corresponding result ('tensor<64x128xbf16>')
"ttir.relu"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xbf16>

"ttir.reshape"(%arg0, %arg1) <{shape = [-1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<8192xf32>) -> tensor<8192xf32>
// error: Shape attribute size must match output tensor rank
"ttir.reshape"(%arg0, %arg1) <{shape = [2 : i32, 4 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<8xf32>) -> tensor<8xf32>
// error: Shape attribute must be non-empty
"ttir.reshape"(%arg0, %arg1) <{shape = [], operand_constraints = []}> : (tensor<f32>, tensor<f32>) -> tensor<f32>
// error: Shape attribute must have at most 5 elements
"ttir.reshape"(%arg0, %arg1) <{shape = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 2 : i32, 4 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<1x1x1x1x2x4xf32>) -> tensor<1x1x1x1x2x4xf32>
// error: Input and output tensors must have the same number of elements
"ttir.reshape"(%arg0, %arg1) <{shape = [2 : i32, 5 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
// error: Shape attribute must have at most one -1 element
"ttir.reshape"(%arg0, %arg1) <{shape = [-1 : i32, -1 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
// error: All dimensions must be positive
"ttir.reshape"(%arg0, %arg1) <{shape = [-4 : i32, -2 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
// error: Shape attribute must match the output tensor shape
"ttir.reshape"(%arg0, %arg1) <{shape = [2 : i32, 4 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>

"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, -64 : i32], ends = [64 : i32, 128 : i32], step = [2 : i32, 1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
// error: Input must be at least a 1D tensor
"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32], ends = [0 : i32], step = [1 : i32], operand_constraints = []}> : (tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
// error: Begins, ends, and step attributes must have the same number of elements as the input tensor rank
"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 128 : i32, 0 : i32], step = [1 : i32, 1 : i32, 1 : i32], operand_constraints = []}> : (tensor<3x128xbf16>, tensor<1x128xbf16>) -> tensor<1x128xbf16>
// error: Output tensor must have the same element type as the input tensor
"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [1 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<3x128xbf16>, tensor<1x128xf32>) -> tensor<1x128xf32>
// error: Output tensor must have the same rank as the input tensor
"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [1 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<3x128xbf16>, tensor<1x128x1xbf16>) -> tensor<1x128x1xbf16>
// error: Invalid begin index for dimension 0. Expected value in range [-10, 10), got 10. Input shape: (10, 128)
"ttir.slice"(%arg0, %arg1) <{begins = [10 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: Invalid end index for dimension 1. Expected value in range [-128, 128], got -129. Input shape: (10, 128)
"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, -129 : i32], step = [3 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: Step value for dimension 1 cannot be zero
"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [3 : i32, 0 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: For positive step, begin index must be less than or equal to end index for dimension 0. Got begin: 6, end: 2 (-8), step: 1, input shape: (10, 128)
"ttir.slice"(%arg0, %arg1) <{begins = [6 : i32, 0 : i32], ends = [-8 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: For negative step, begin index must be greater than or equal to end index for dimension 0. Got begin: 2 (-8), end: 6, step: -1, input shape: (10, 128)
"ttir.slice"(%arg0, %arg1) <{begins = [-8 : i32, 0 : i32], ends = [6 : i32, 128 : i32], step = [-1 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: Mismatch in dimension 1 of the output tensor: expected size 128, but got 126
"ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [3 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x126xbf16>) -> tensor<4x126xbf16>

"ttir.softmax"(%arg0, %arg1) <{dimension = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: Input and output shapes must be the same
"ttir.softmax"(%arg0, %arg1) <{dimension = -1 : si32, operand_constraints = []}> : (tensor<512x1024xbf16>, tensor<512x1023xbf16>) -> tensor<512x1023xbf16>
// error: Dimension attribute must be within the bounds of the input tensor
"ttir.softmax"(%arg0, %arg1) <{dimension = 2 : si32, operand_constraints = []}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>

"ttir.squeeze"(%arg0, %arg1) <{dim = -2 : si32, operand_constraints = []}> : (tensor<64x1x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: Invalid dimension 3 for squeezing.
"ttir.squeeze"(%arg0, %arg1) <{dim = 3 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
// error: Invalid dimension -4 for squeezing.
"ttir.squeeze"(%arg0, %arg1) <{dim = -4 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
// error: Dimension 1 in the input tensor must be 1.
"ttir.squeeze"(%arg0, %arg1) <{dim = 1 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
// error: Output tensor must have at least one dimension.
"ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
// error: Output tensor rank must be one less than the input tensor rank.
"ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<1x2x64xf32>) -> tensor<1x2x64xf32>
// error: Dimensions of the output tensor must be the same as the input tensor except for dimension 0.
"ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<2x63xf32>) -> tensor<2x63xf32>

"ttir.sum"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
// error: dim_arg names dimension 2, and the input (4, 8) has 2 dimensions
"ttir.sum"(%arg0, %arg1) <{keep_dim = false, dim_arg = [2 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// error: dim_arg names a dimension twice: [1, -1], where the input has 2
"ttir.sum"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32, -1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// error: result has shape (8), and operands and attributes make (4)
"ttir.sum"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
// error: result has shape (4, 1), and operands and attributes make (4)
"ttir.sum"(%arg0, %arg1) <{keep_dim = false, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
// error: result has shape (1, 8), and operands and attributes make (4, 1)
"ttir.sum"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
// error: result has shape (8), and operands and attributes make (4, 1)
"ttir.sum"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>

"ttir.to_layout"(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
// error: Input and output shapes must be the same
"ttir.to_layout"(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>

"ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
// error: Input must be at least a 2D tensor
"ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = []}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
// error: Input must have the same rank as output
"ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<64x2x1xf32>) -> tensor<64x2x1xf32>
// error: Dimension 0 attribute must be within the bounds of the input tensor
"ttir.transpose"(%arg0, %arg1) <{dim0 = 2 : si32, dim1 = 0 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
// error: Dimension 1 attribute must be within the bounds of the input tensor
"ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = -3 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
// error: Input-output transpose dimension mismatch.
"ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
// error: result has shape (3, 8, 4), and operands and attributes make (2, 8, 4)
"ttir.transpose"(%arg0, %arg1) <{dim0 = 1 : si32, dim1 = -1 : si32, operand_constraints = []}> : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<3x8x4xf32>

"ttir.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "pkg.add::v1", version_tag = "1", arg_roles = "in,in,out", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: requires a kernel_id that is not empty
"ttir.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = " ", version_tag = "1", arg_roles = "in,in,out", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: requires arg_roles that are not empty
"ttir.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has the role 'inout' for operand #1: a role is 'in' or 'out'
"ttir.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,inout,out", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has 3 operands and 2 arg_roles ('in,out')
"ttir.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has arg_roles 'in,out,in': all 'in' come before the first 'out'
"ttir.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out,in", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has 1 results and 2 operands of the role 'out'
"ttir.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out,out", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has no operand of the role 'out'
"ttir.tt_lang_op"(%arg0, %arg1) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,in", shard_spec = "", operand_constraints = []}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> ()

"ttir.unsqueeze"(%arg0, %arg1) <{dim = 1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1x128xf32>) -> tensor<64x1x128xf32>
// error: Dimension attribute must be within the bounds of the input tensor
"ttir.unsqueeze"(%arg0, %arg1) <{dim = 3 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
// error: Dimension attribute must be within the bounds of the input tensor
"ttir.unsqueeze"(%arg0, %arg1) <{dim = -4 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
// error: Output tensor must have one more dimension than input tensor
"ttir.unsqueeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
// error: Dimension added must be of size 1
"ttir.unsqueeze"(%arg0, %arg1) <{dim = 1 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x2x64xf32>) -> tensor<2x2x64xf32>
// error: All dimensions of the input tensor must be the same in the output tensor
"ttir.unsqueeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<1x2x63xf32>) -> tensor<1x2x63xf32>

"ttir.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xi32>) -> tensor<2x4x64x32xf32>
// error: cache and input have four dimensions
"ttir.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xi32>) -> tensor<64x32xf32>
// error: input has shape
"ttir.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x8x2x32xf32>, tensor<1xi32>) -> tensor<2x4x64x32xf32>
// error: input has 2 users, and the cache 2, and batch_offset is 1
"ttir.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 1 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xi32>) -> tensor<2x4x64x32xf32>
// error: update_index is tensor<2xi32>
"ttir.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<2xi32>) -> tensor<2x4x64x32xf32>
// error: update_index is tensor<1xf32>
"ttir.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32, operand_constraints = []}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xf32>) -> tensor<2x4x64x32xf32>

"ttnn.all_gather"(%arg0) <{dim = 1 : si32, num_links = 1 : si32}> : (tensor<64x128xf32>) -> tensor<64x256xf32>
// error: Invalid dimension for all gather op.
"ttnn.all_gather"(%arg0) <{dim = 2 : si32}> : (tensor<1x32xbf16>) -> tensor<1x128xbf16>
// error: cluster_axis is 2: a mesh has the axes 0 (down its rows) and 1 (along its columns)
"ttnn.all_gather"(%arg0) <{dim = 1 : si32, cluster_axis = 2 : ui32}> : (tensor<1x32xbf16>) -> tensor<1x128xbf16>
// error: result has shape (4, 12), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttnn.all_gather"(%arg0) <{dim = -1 : si32}> : (tensor<4x8xf32>) -> tensor<4x12xf32>
// error: result has shape (5, 16), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttnn.all_gather"(%arg0) <{dim = -1 : si32}> : (tensor<4x8xf32>) -> tensor<5x16xf32>
// error: result has shape (16), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttnn.all_gather"(%arg0) <{dim = -1 : si32}> : (tensor<4x8xf32>) -> tensor<16xf32>

"ttnn.alloc"() <{address = 4096 : i64, buffer_type = #ttnn.buffer_type<l1>, size = 32768 : i64}> : () -> tensor<64x128xf32, #l1>
// error: Result type missing layout attribute
"ttnn.alloc"() <{address = 4096 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<l1>}> : () -> tensor<64x128xf32>
// error: Alloc size must be non-zero
"ttnn.alloc"() <{address = 4096 : i64, size = 0 : i64, buffer_type = #ttnn.buffer_type<l1>}> : () -> tensor<64x128xf32, #l1>
// error: Input tensor layout memory space must match alloc memory space
"ttnn.alloc"() <{address = 4096 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<dram>}> : () -> tensor<64x128xf32, #l1>
// error: Allocating from system memory space must have address set to 0
"ttnn.alloc"() <{address = 4096 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<system_memory>}> : () -> tensor<64x128xf32, #host>
// error: Allocating from a device memory space must have address set to a non-zero value
"ttnn.alloc"() <{address = 0 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<l1>}> : () -> tensor<64x128xf32, #l1>

"ttnn.clamp"(%arg0) <{min = -1.0 : f32, max = 1.0 : f32}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
// error: expects one tensor as input.
"ttnn.clamp"(%arg0, %arg1) <{min = 0.0 : f32, max = 1.0 : f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// error: generates one tensor as output.
"ttnn.clamp"(%arg0) <{min = 0.0 : f32, max = 1.0 : f32}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// error: input and output must have same shape.
"ttnn.clamp"(%arg0) <{min = 0.0 : f32, max = 1.0 : f32}> : (tensor<4xf32>) -> tensor<4xbf16>

"ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32>
// error: Invalid dimension 2 for concatenation.
"ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 2 : si32}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: Invalid dimension -3 for concatenation.
"ttnn.concat"(%arg0, %arg1, %arg2) <{dim = -3 : si32}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: All input tensors must have the same rank.
"ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<32x32xf32>, tensor<32x64x1xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: All input tensors must have the same dimensions, except for dimension 0.
"ttnn.concat"(%arg0, %arg1, %arg2) <{dim = -2 : si32}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
// error: At least one input tensor is needed
"ttnn.concat"(%arg0) <{dim = 0 : si32}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
// error: result has shape (4, 12), and operands and attributes make (4, 11)
"ttnn.concat"(%arg0, %arg1, %arg2) <{dim = -1 : si32}> : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>

"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 64 : i32, out_channels = 64 : i32, batch_size = 1 : i32, input_height = 32 : i32, input_width = 32 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x1x900x64xbf16>, !device) -> tensor<1x1x900x64xbf16>
// error: Input must be at least a 3D tensor
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<32x32xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>, !device) -> tensor<1x30x30x64xbf16>
// error: Weight must be a 4D tensor
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>, !device) -> tensor<1x30x30x64xbf16>
// error: Bias must be a 4D tensor
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<64xbf16>, tensor<1x30x30x64xbf16>, !device) -> tensor<1x30x30x64xbf16>
// error: Bias must only have data on the final dimenstion
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x2x64xbf16>, tensor<1x30x30x64xbf16>, !device) -> tensor<1x30x30x64xbf16>
// error: the input is (1, 1, 63, 4), and batch_size, input_height, input_width and in_channels are (1, 8, 8, 4)
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x63x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: the weight is (6, 4, 3, 2), and out_channels, in_channels by groups, kernel_height and kernel_width are (6, 4, 3, 3)
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x4x3x2xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: groups is 0: 1 is the least
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 0 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: the input has 4 channels, and filters of 1 with groups 3 take 3
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 3 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x1x3x3xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: 6 filters do not divide into the 4 of groups
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 4 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x1x3x3xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: the bias is (1, 1, 1, 5), and the result has 6 channels
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x5xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: the window along width has stride 0: 1 is the least
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{stride_height = 1 : i32, stride_width = 0 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: a window of size 3 with dilation 4 does not fit along height: the extent is 8, with a padding of 0 before and 0 after
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 4 : i32, dilation_width = 1 : i32, groups = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<1x1x36x6xbf16>, !device) -> tensor<1x1x36x6xbf16>
// error: result has shape (1, 1, 35, 6), and operands and attributes make (1, 1, 36, 6)
"ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{stride_height = 1 : i32, stride_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32, padding_height = 0 : i32, padding_width = 0 : i32, batch_size = 1 : i32, input_height = 8 : i32, input_width = 8 : i32, in_channels = 4 : i32, out_channels = 6 : i32, kernel_height = 3 : i32, kernel_width = 3 : i32}> : (tensor<1x1x64x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x1x1x6xbf16>, tensor<1x1x35x6xbf16>, !device) -> tensor<1x1x35x6xbf16>

"ttnn.copy"(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
// error: result has shape
"ttnn.copy"(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>

"ttnn.deallocate"(%arg0) <{force = false}> : (tensor<64x128xf32>) -> ()

"ttnn.embedding"(%arg0, %arg1, %arg2) : (tensor<32xf32>, tensor<32x128xf32>, tensor<512x128xf32>) -> tensor<32x128xf32>
// error: Weight must be a 2D tensor
"ttnn.embedding"(%arg0, %arg1, %arg2) : (tensor<32xf32>, tensor<32x512xf32>, tensor<512xf32>) -> tensor<32x512xf32>
// error: Output must have one dimension more than input
"ttnn.embedding"(%arg0, %arg1, %arg2) : (tensor<32xf32>, tensor<32xf32>, tensor<64x512xf32>) -> tensor<32xf32>
// error: result has shape (32, 64), and operands and attributes make (32, 128)
"ttnn.embedding"(%arg0, %arg1, %arg2) : (tensor<32xf32>, tensor<32x64xf32>, tensor<512x128xf32>) -> tensor<32x64xf32>

"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (!device) -> tensor<64x128xf32, #dram>
// error: Result type missing layout attribute
"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (!device) -> tensor<64x128xf32>
// error: Shape attribute 64x127 must match the shape of the output tensor 64x128
"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x127>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (!device) -> tensor<64x128xf32, #dram>
// error: Layout attribute row_major must match
"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (!device) -> tensor<64x128xf32, #dram>
// error: Data type attribute bf16 must match
"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<bf16>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (!device) -> tensor<64x128xf32, #dram>
// error: Memory config attribute (interleaved, l1) must match
"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <l1>, <<2x4>>>}> : (!device) -> tensor<64x128xf32, #dram>
// error: Attribute dtype must be present
"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (!device) -> tensor<64x128xf32, #dram>
// error: Attribute memory_config must be present where there is a device
"ttnn.empty"(%arg0) <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>}> : (!device) -> tensor<64x128xf32, #dram>
// error: Attribute memory_config must be absent where there is no device
"ttnn.empty"() <{shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : () -> tensor<64x128xf32, #dram>

"ttnn.fill_cache"(%arg0, %arg1) <{batch_offset = 1 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x4x32x32xf32>) -> tensor<2x4x64x32xf32>
// error: cache and input have four dimensions
"ttnn.fill_cache"(%arg0, %arg1) <{batch_offset = 0 : i32}> : (tensor<64x32xf32>, tensor<1x4x32x32xf32>) -> tensor<64x32xf32>
// error: input has shape
"ttnn.fill_cache"(%arg0, %arg1) <{batch_offset = 0 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x8x32x32xf32>) -> tensor<2x4x64x32xf32>
// error: 32 positions of user 2 are written
"ttnn.fill_cache"(%arg0, %arg1) <{batch_offset = 2 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x4x32x32xf32>) -> tensor<2x4x64x32xf32>
// error: 96 positions of user 0 are written, and the cache has 64 of 2 users
"ttnn.fill_cache"(%arg0, %arg1) <{batch_offset = 0 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x4x96x32xf32>) -> tensor<2x4x64x32xf32>

"ttnn.from_device"(%arg0) : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #host>
// error: result has shape (4, 9), and operands and attributes make (4, 8)
"ttnn.from_device"(%arg0) : (tensor<4x8xf32, #dram>) -> tensor<4x9xf32, #host>

"ttnn.full"(%arg0) <{fillValue = 2.5 : f32}> : (!device) -> tensor<64x128xf32, #dram>

"ttnn.generic"(%arg0, %arg1) <{program = #ttnn.program<[#ttnn.compute_kernel<{source = "void kernel_main() {}"}>], [#ttnn.kernel_cb<{buffer_index = 0}>], {}>}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has a program without kernels
"ttnn.generic"(%arg0, %arg1) <{program = #ttnn.program<[], [], {}>}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has a program that cannot be read: a kernel is 7 : i64
"ttnn.generic"(%arg0, %arg1) <{program = #ttnn.program<[7 : i64], [], {}>}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has a program whose kernel #0 has no source
"ttnn.generic"(%arg0, %arg1) <{program = #ttnn.program<[#ttnn.read_kernel<{}>], [], {}>}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has 2 operands, and kernel #0 names the tensors [2]
"ttnn.generic"(%arg0, %arg1) <{program = #ttnn.program<[#ttnn.compute_kernel<{source = "x", tensor_indices = [2 : i64]}>], [], {}>}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: requires tensors in tiles, and operand #0 is of type
"ttnn.generic"(%arg0, %arg1) <{program = #ttnn.program<[#ttnn.write_kernel<{source = "x", tensor_indices = [1 : i64]}>], [], {}>}> : (tensor<64x128xf32, #dram_rows>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: requires tensors on the device, and operand #0 is of type
"ttnn.generic"(%arg0, %arg1) <{program = #ttnn.program<[#ttnn.write_kernel<{source = "x", tensor_indices = [1 : i64]}>], [], {}>}> : (tensor<64x128xf32, #host_tiles>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>

"ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !device

"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xf32>, tensor<128x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
// error: Input A must be at least a 1D tensor
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<bf16>, tensor<128xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
// error: Input B must be at least a 1D tensor
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<128xbf16>, tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
// error: Input A[-1](128) and B[-2](64) must have matching inner dimensions
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xbf16>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
// error: Batch dimensions of input A(7,2) and B(3) are not broadcast compatible
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<7x2x64x128xbf16>, tensor<3x128x64xbf16>, tensor<7x2x64x64xbf16>) -> tensor<7x2x64x64xbf16>
// error: Scalar output is not supported, output must be at least a 1D tensor
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<128xbf16>, tensor<128xbf16>, tensor<bf16>) -> tensor<bf16>
// error: Scalar output must be a 1D tensor of size 1
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<128xbf16>, tensor<128xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
// error: Output shape rank(3) must match the expected output shape rank(2)
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
// error: Output shape dimension[1](63) doesn't match the expected output shape dimension[1](64)
"ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x63xbf16>) -> tensor<64x63xbf16>

"ttnn.max"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<64x128xf32>) -> tensor<64xf32>
// error: dim_arg names dimension 2, and the input (4, 8) has 2 dimensions
"ttnn.max"(%arg0) <{keep_dim = false, dim_arg = [2 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>
// error: dim_arg names a dimension twice: [1, -1], where the input has 2
"ttnn.max"(%arg0) <{keep_dim = false, dim_arg = [1 : i32, -1 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>
// error: result has shape (8), and operands and attributes make (4)
"ttnn.max"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<8xf32>
// error: result has shape (4, 1), and operands and attributes make (4)
"ttnn.max"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<4x1xf32>
// error: result has shape (1, 8), and operands and attributes make (4, 1)
"ttnn.max"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<1x8xf32>
// error: result has shape (8), and operands and attributes make (4, 1)
"ttnn.max"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<8xf32>
// error: result has shape (4), and operands and attributes make (4, 1)
"ttnn.max"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>

"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 2 : si32, stride_width = 2 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x4x8xbf16>, !device) -> tensor<1x1x4x8xbf16>
// error: Maxpool2d currently only supports an input type of bfloat16. Recieved f32.
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: Kernel height 5 is greater than input height 4.
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 5 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: Kernel width 5 is greater than input width 4.
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 5 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: Input tensor rank must be 4. Recieved input with rank 3.
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x16x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: Maxpool input must be in the form (1, 1, N*H*W, C)
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x4x4x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: Maxpool shape (1, 1, 16, 8) at dim -2 must be equal to N*H*W (32), got 16
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 2 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: Maxpool shape (1, 1, 16, 8) at dim -3 must be equal to C (4), got 8
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 4 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: the window along height has stride 0: 1 is the least
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, padding_height = 0 : si32, padding_width = 0 : si32, stride_height = 0 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: a window of size 2 with dilation 4 does not fit along width
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, padding_height = 0 : si32, padding_width = 0 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 4 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !device) -> tensor<1x1x9x8xbf16>
// error: result has shape (1, 1, 8, 8), and operands and attributes make (1, 1, 9, 8)
"ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, padding_height = 0 : si32, padding_width = 0 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x8x8xbf16>, !device) -> tensor<1x1x8x8xbf16>

"ttnn.mean"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<64x128xf32>) -> tensor<64xf32>
// error: dim_arg names dimension 2, and the input (4, 8) has 2 dimensions
"ttnn.mean"(%arg0) <{keep_dim = false, dim_arg = [2 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>
// error: dim_arg names a dimension twice: [1, -1], where the input has 2
"ttnn.mean"(%arg0) <{keep_dim = false, dim_arg = [1 : i32, -1 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>
// error: result has shape (8), and operands and attributes make (4)
"ttnn.mean"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<8xf32>
// error: result has shape (4, 1), and operands and attributes make (4)
"ttnn.mean"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<4x1xf32>
// error: result has shape (1, 8), and operands and attributes make (4, 1)
"ttnn.mean"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<1x8xf32>
// error: result has shape (8), and operands and attributes make (4, 1)
"ttnn.mean"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<8xf32>
// error: result has shape (4), and operands and attributes make (4, 1)
"ttnn.mean"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>

"ttnn.mesh_shard"(%arg0, %arg1) <{shard_dims = array<i64: 0, 1>, shard_direction = #tt.shard_direction<shard_to_full>, shard_shape = array<i64: 2, 4>, shard_type = #tt.shard_type<devices>}> : (tensor<64x128xf32>, !device) -> tensor<128x512xf32>
// error: input is of f32 and the result of bf16
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<replicate>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1>, shard_dims = array<i64: -1, -1>}> : (tensor<4x8xf32>, !device) -> tensor<4x8xbf16>
// error: shard_type is maximal, which cuts nothing, and shard_shape is [2]
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<maximal>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2>, shard_dims = array<i64: -1, -1>}> : (tensor<4x8xf32>, !device) -> tensor<4x8xf32>
// error: shard_shape has 1 extents, and the input tensor has 2 dimensions
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2>, shard_dims = array<i64: 0, -1>}> : (tensor<4x8xf32>, !device) -> tensor<4x8xf32>
// error: shard_dims has 1 entries: one for the rows of the mesh
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_dims = array<i64: 0>}> : (tensor<4x8xf32>, !device) -> tensor<2x8xf32>
// error: shard_dims names dimension 2, and the tensor has 2
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_dims = array<i64: 2, -1>}> : (tensor<4x8xf32>, !device) -> tensor<2x8xf32>
// error: shard_shape is [0, 1]: a dimension is in 0 parts, and 1 is the least
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 0, 1>, shard_dims = array<i64: 0, -1>}> : (tensor<4x8xf32>, !device) -> tensor<2x8xf32>
// error: shard_shape cuts dimension 0 into 2 parts, and shard_dims does not name it
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_dims = array<i64: 1, -1>}> : (tensor<4x8xf32>, !device) -> tensor<2x8xf32>
// error: shard_shape cuts nothing: use the type replicate
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1>, shard_dims = array<i64: 0, -1>}> : (tensor<4x8xf32>, !device) -> tensor<4x8xf32>
// error: input is 4x8 and the result 2x8: with shard_type identity the shape stays
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<identity>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1>, shard_dims = array<i64: -1>}> : (tensor<4x8xf32>, !device) -> tensor<2x8xf32>
// error: dimension 0 of 4x8 does not divide into 3 parts
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 3, 1>, shard_dims = array<i64: 0, -1>}> : (tensor<4x8xf32>, !device) -> tensor<1x8xf32>
// error: input 4x8 by shard_shape [1, 2] makes 4x4, and the result is 2x8
"ttnn.mesh_shard"(%arg0, %arg1) <{shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2>, shard_dims = array<i64: -1, 1>}> : (tensor<4x8xf32>, !device) -> tensor<2x8xf32>

"ttnn.reduce_scatter"(%arg0) <{scatter_split_dim = 1 : si32, math_op = 0 : i32, num_links = 2 : si32}> : (tensor<64x256xf32>) -> tensor<64x128xf32>
// error: result has shape (4, 3), and the input (4, 8): along dimension 1 one is a multiple of the other
"ttnn.reduce_scatter"(%arg0) <{math_op = 0 : i32, scatter_split_dim = 1 : si32}> : (tensor<4x8xf32>) -> tensor<4x3xf32>
// error: scatter_split_dim is 2, and the input tensor has 2 dimensions
"ttnn.reduce_scatter"(%arg0) <{math_op = 0 : i32, scatter_split_dim = 2 : si32}> : (tensor<4x8xf32>) -> tensor<4x4xf32>

// error: expected the number of tensor results (1) to be equal to the number of output tensors (2)
"ttnn.relu"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 1, 2>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>

"ttnn.reshape"(%arg0) <{shape = [8192 : i32]}> : (tensor<64x128xf32>) -> tensor<8192xf32>
// error: Shape attribute size must match output tensor rank
"ttnn.reshape"(%arg0) <{shape = [2 : i32, 4 : i32]}> : (tensor<2x4xf32>) -> tensor<8xf32>
// error: Shape attribute must be non-empty
"ttnn.reshape"(%arg0) <{shape = []}> : (tensor<f32>) -> tensor<f32>
// error: Shape attribute must have at most 5 elements
"ttnn.reshape"(%arg0) <{shape = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 2 : i32, 4 : i32]}> : (tensor<2x4xf32>) -> tensor<1x1x1x1x2x4xf32>
// error: Input and output tensors must have the same number of elements
"ttnn.reshape"(%arg0) <{shape = [2 : i32, 5 : i32]}> : (tensor<2x4xf32>) -> tensor<2x5xf32>
// error: Shape attribute must have at most one -1 element
"ttnn.reshape"(%arg0) <{shape = [-1 : i32, -1 : i32]}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
// error: All dimensions must be positive
"ttnn.reshape"(%arg0) <{shape = [-4 : i32, -2 : i32]}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
// error: Shape attribute must match the output tensor shape
"ttnn.reshape"(%arg0) <{shape = [2 : i32, 4 : i32]}> : (tensor<2x4xf32>) -> tensor<4x2xf32>

"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, -64 : i32], ends = [64 : i32, 128 : i32], step = [2 : i32, 1 : i32]}> : (tensor<64x128xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
// error: Input must be at least a 1D tensor
"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32], ends = [0 : i32], step = [1 : i32]}> : (tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
// error: Begins, ends, and step attributes must have the same number of elements as the input tensor rank
"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 128 : i32, 0 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<3x128xbf16>, tensor<1x128xbf16>) -> tensor<1x128xbf16>
// error: Output tensor must have the same element type as the input tensor
"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [1 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<3x128xbf16>, tensor<1x128xf32>) -> tensor<1x128xf32>
// error: Output tensor must have the same rank as the input tensor
"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [1 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<3x128xbf16>, tensor<1x128x1xbf16>) -> tensor<1x128x1xbf16>
// error: Invalid begin index for dimension 0. Expected value in range [-10, 10), got 10. Input shape: (10, 128)
"ttnn.slice"(%arg0, %arg1) <{begins = [10 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: Invalid end index for dimension 1. Expected value in range [-128, 128], got -129. Input shape: (10, 128)
"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, -129 : i32], step = [3 : i32, 1 : i32]}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: Step value for dimension 1 cannot be zero
"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [3 : i32, 0 : i32]}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: For positive step, begin index must be less than or equal to end index for dimension 0. Got begin: 6, end: 2 (-8), step: 1, input shape: (10, 128)
"ttnn.slice"(%arg0, %arg1) <{begins = [6 : i32, 0 : i32], ends = [-8 : i32, 128 : i32], step = [1 : i32, 1 : i32]}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: For negative step, begin index must be greater than or equal to end index for dimension 0. Got begin: 2 (-8), end: 6, step: -1, input shape: (10, 128)
"ttnn.slice"(%arg0, %arg1) <{begins = [-8 : i32, 0 : i32], ends = [6 : i32, 128 : i32], step = [-1 : i32, 1 : i32]}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
// error: Mismatch in dimension 1 of the output tensor: expected size 128, but got 126
"ttnn.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [3 : i32, 1 : i32]}> : (tensor<10x128xbf16>, tensor<4x126xbf16>) -> tensor<4x126xbf16>

"ttnn.softmax"(%arg0) <{dimension = 1 : si32}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
// error: Input and output shapes must be the same
"ttnn.softmax"(%arg0) <{dimension = -1 : si32}> : (tensor<512x1024xbf16>) -> tensor<512x1023xbf16>
// error: Dimension attribute must be within the bounds of the input tensor
"ttnn.softmax"(%arg0) <{dimension = 2 : si32}> : (tensor<512x1024xbf16>) -> tensor<512x1024xbf16>

"ttnn.sum"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<64x128xf32>) -> tensor<64xf32>
// error: dim_arg names dimension 2, and the input (4, 8) has 2 dimensions
"ttnn.sum"(%arg0) <{keep_dim = false, dim_arg = [2 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>
// error: dim_arg names a dimension twice: [1, -1], where the input has 2
"ttnn.sum"(%arg0) <{keep_dim = false, dim_arg = [1 : i32, -1 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>
// error: result has shape (8), and operands and attributes make (4)
"ttnn.sum"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<8xf32>
// error: result has shape (4, 1), and operands and attributes make (4)
"ttnn.sum"(%arg0) <{keep_dim = false, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<4x1xf32>
// error: result has shape (1, 8), and operands and attributes make (4, 1)
"ttnn.sum"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<1x8xf32>
// error: result has shape (8), and operands and attributes make (4, 1)
"ttnn.sum"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<8xf32>
// error: result has shape (4), and operands and attributes make (4, 1)
"ttnn.sum"(%arg0) <{keep_dim = true, dim_arg = [1 : i32]}> : (tensor<4x8xf32>) -> tensor<4xf32>

"ttnn.to_device"(%arg0, %arg1) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #host>, !device) -> tensor<64x128xf32, #dram>
// error: result has shape (4, 9), and operands and attributes make (4, 8)
"ttnn.to_device"(%arg0, %arg1) : (tensor<4x8xf32, #host>, !device) -> tensor<4x9xf32, #dram>

"ttnn.to_layout"(%arg0, %arg1) <{layout = #ttnn.layout<tile>, dtype = #tt.supportedDataTypes<f32>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #host>, !device) -> tensor<64x128xf32, #dram>
// error: result has shape (4, 9), and operands and attributes make (4, 8)
"ttnn.to_layout"(%arg0) <{layout = #ttnn.layout<tile>}> : (tensor<4x8xf32>) -> tensor<4x9xf32>

"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #l1_sharded>
// error: Input tensor type missing layout attribute
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32>) -> tensor<64x128xf32, #dram>
// error: Output tensor type missing layout attribute
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32>
// error: System memory space only supports undef memory layout
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #host_interleaved>
// error: Device memory space only supports interleaved or sharded memory layouts
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram_none>
// error: Device DRAM memory space only supports interleaved memory layout
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram_sharded>
// error: Sharded tensors layout must reside in L1
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #small_sharded>
// error: Shard shape must be 2D
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #l1_sharded_cube>
// error: Shard shape (16, 32) must divide tile shape (32, 32) evenly
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #l1_blocks>
// error: result has shape (4, 9), and operands and attributes make (4, 8)
"ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <l1>, <<2x4>>>}> : (tensor<4x8xf32, #dram>) -> tensor<4x9xf32, #l1>

"ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<64x128xf32>) -> tensor<128x64xf32>
// error: Input must be at least a 2D tensor
"ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<64xf32>) -> tensor<64xf32>
// error: Input must have the same rank as output
"ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<2x64xf32>) -> tensor<64x2x1xf32>
// error: Dimension 0 attribute must be within the bounds of the input tensor
"ttnn.transpose"(%arg0) <{dim0 = 2 : si32, dim1 = 0 : si32}> : (tensor<2x64xf32>) -> tensor<64x2xf32>
// error: Dimension 1 attribute must be within the bounds of the input tensor
"ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = -3 : si32}> : (tensor<2x64xf32>) -> tensor<64x2xf32>
// error: Input-output transpose dimension mismatch.
"ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<2x64xf32>) -> tensor<2x64xf32>
// error: result has shape (3, 8, 4), and operands and attributes make (2, 8, 4)
"ttnn.transpose"(%arg0) <{dim0 = 1 : si32, dim1 = -1 : si32}> : (tensor<2x4x8xf32>) -> tensor<3x8x4xf32>

"ttnn.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "pkg.add::v1", version_tag = "1", arg_roles = "in,in,out", shard_spec = "", kernel_artifact = "{\22format_version\22: 2}"}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: requires a kernel_id that is not empty
"ttnn.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = " ", version_tag = "1", arg_roles = "in,in,out", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: requires arg_roles that are not empty
"ttnn.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has the role 'inout' for operand #1: a role is 'in' or 'out'
"ttnn.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,inout,out", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has 3 operands and 2 arg_roles ('in,out')
"ttnn.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has arg_roles 'in,out,in': all 'in' come before the first 'out'
"ttnn.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out,in", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has 1 results and 2 operands of the role 'out'
"ttnn.tt_lang_op"(%arg0, %arg1, %arg2) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out,out", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: has no operand of the role 'out'
"ttnn.tt_lang_op"(%arg0, %arg1) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,in", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #dram>) -> ()
// error: requires tensors in tiles, and operand #0 is of type
"ttnn.tt_lang_op"(%arg0, %arg1) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out", shard_spec = ""}> : (tensor<64x128xf32, #dram_rows>, tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram>
// error: requires tensors on the device, and operand #1 is of type
"ttnn.tt_lang_op"(%arg0, %arg1) <{kernel_id = "p.k::v1", version_tag = "1", arg_roles = "in,out", shard_spec = ""}> : (tensor<64x128xf32, #dram>, tensor<64x128xf32, #host_tiles>) -> tensor<64x128xf32, #host_tiles>

"ttnn.typecast"(%arg0) <{dtype = #tt.supportedDataTypes<bf16>}> : (tensor<64x128xf32>) -> tensor<64x128xbf16>
// error: result has shape (4, 9), and operands and attributes make (4, 8)
"ttnn.typecast"(%arg0) <{dtype = #tt.supportedDataTypes<bf16>}> : (tensor<4x8xf32>) -> tensor<4x9xbf16>

"ttnn.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xi32>) -> tensor<2x4x64x32xf32>
// error: cache and input have four dimensions
"ttnn.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32}> : (tensor<64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xi32>) -> tensor<64x32xf32>
// error: input has shape
"ttnn.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x8x2x32xf32>, tensor<1xi32>) -> tensor<2x4x64x32xf32>
// error: input has 2 users, and the cache 2, and batch_offset is 1
"ttnn.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 1 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xi32>) -> tensor<2x4x64x32xf32>
// error: update_index is tensor<2xi32>
"ttnn.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<2xi32>) -> tensor<2x4x64x32xf32>
// error: update_index is tensor<1xf32>
"ttnn.update_cache"(%arg0, %arg1, %arg2) <{batch_offset = 0 : i32}> : (tensor<2x4x64x32xf32>, tensor<1x4x2x32xf32>, tensor<1xf32>) -> tensor<2x4x64x32xf32>

"ttmetal.alloc"() <{address = 4096 : i64, memory_space = #tt.memory_space<l1>, size = 32768 : i64}> : () -> tensor<64x128xf32, #metal_l1>
// error: Result type missing layout attribute
"ttmetal.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32>
// error: Alloc size must be non-zero
"ttmetal.alloc"() <{address = 4096 : i64, size = 0 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32, #metal_l1>
// error: Input tensor layout memory space must match alloc memory space
"ttmetal.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<dram>}> : () -> tensor<64x128xf32, #metal_l1>
// error: Allocating from system memory space must have address set to 0
"ttmetal.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<system>}> : () -> tensor<64x128xf32, #metal_host>
// error: Allocating from a device memory space must have address set to a non-zero value
"ttmetal.alloc"() <{address = 0 : i64, size = 32768 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32, #metal_l1>

"ttmetal.dealloc"(%arg0) : (tensor<64x128xf32, #metal_l1>) -> ()

"ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg9: !cb):
  "ttkernel.return"() : () -> ()
}) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
// error: Input tensor missing layout attribute
"ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg9: !cb):
  "ttkernel.return"() : () -> ()
}) : (tensor<64x128xf32>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
// error: Input tensor must be in device memory space, got system
"ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg9: !cb):
  "ttkernel.return"() : () -> ()
}) : (tensor<64x128xf32, #metal_host>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
// error: The number of core ranges must match the number of regions: 0 core ranges, 1 regions
"ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg9: !cb):
  "ttkernel.return"() : () -> ()
}) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
// error: The number of kernel configs must match the number of regions: 0 kernel configs, 1 regions
"ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg9: !cb):
  "ttkernel.return"() : () -> ()
}) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
// error: Block inputs must be CBType, got 'i32' in region #0
"ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%arg9: i32):
  "ttkernel.return"() : () -> ()
}) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>

"ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
// error: Input tensor missing layout attribute
"ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
// error: Input tensor must be in device memory space, got system
"ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32, #metal_host>, tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
// error: Output tensor must be in system memory space, got l1
"ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>

"ttmetal.host_write"(%arg0) <{value = dense<1.0> : tensor<64x128xf32>}> : (tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
// error: Output tensor missing layout attribute
"ttmetal.host_write"(%arg0) <{value = dense<0.0> : tensor<64x128xf32>}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
// error: Output tensor must be in device memory space, got system
"ttmetal.host_write"(%arg0) <{value = dense<0.0> : tensor<64x128xf32>}> : (tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
