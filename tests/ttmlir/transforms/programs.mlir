// Whole programs of TTIR. Above each stand its name and what it becomes in TTNN, in the notation of support/ttnn_notation.py.
// #A and #T are operand constraints: on the device in any layout, and in tiles.

// multiply: d a1=L.t(a) a2=D(a1)<2x4> -a1 b1=L.t(b) b2=D(b1)<2x4> -b1 e=e<64x128>.r m=multiply(a2,b2,e) -b2 -a2 out(m; e)
func.func @f(%a: tensor<64x128xf32>, %b: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %init_of_0 = tensor.empty() : tensor<64x128xf32>
  %0 = "ttir.multiply"(%a, %b, %init_of_0) <{operand_constraints = [#A, #A, #A], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// subtract_with_broadcast: d a1=D(a)<2x4> a2=L.t(a1) -a1 b1=D(b)<1x4> b2=L.t(b1) -b1 e=e<64x128>.r n0=e<1x4>.t n=neg(b2,n0) -b2 s=add(a2,n,e) -n0 -a2 out(s; e)
func.func @f(%a: tensor<64x128xbf16>, %b: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
  %init_of_0 = tensor.empty() : tensor<64x128xbf16>
  %0 = "ttir.subtract"(%a, %b, %init_of_0) <{operand_constraints = [#A, #A, #A], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16> loc("sub7")
  return %0 : tensor<64x128xbf16>
}

// chain_of_broadcasts: d a1=L.t(a) a2=D(a1)<1x1> -a1 b1=L.t(b) b2=D(b1)<1x2> -b1 e=e<1x2>.t m=multiply(b2,a2,e) -b2 -a2 out(m; e)
func.func @f(%a: tensor<1x1xf32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %init_of_0 = tensor.empty() : tensor<1x64xf32>
  %0 = "ttir.broadcast"(%a, %init_of_0) <{operand_constraints = [#T, #T], dimension = [1]}> : (tensor<1x1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %init_of_1 = tensor.empty() : tensor<32x64xf32>
  %1 = "ttir.broadcast"(%0, %init_of_1) <{operand_constraints = [#T, #T], dimension = [0]}> : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %init_of_2 = tensor.empty() : tensor<32x64xf32>
  %2 = "ttir.multiply"(%b, %1, %init_of_2) <{operand_constraints = [#T, #T, #T], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}

// convolution: d x1=D(x)<6x2> x2=L.t(x1) -x1 t1=transpose(x2) -x2 t2=transpose(t1) -t1 p=reshape(t2) -t2 e=e<640x8>.r c=conv2d(p,w,bias,e) -p q=reshape(c) -e t3=transpose(q) -q t4=transpose(t3) -t3 out(t4; t4)
func.func @f(%x: tensor<2x3x32x40xbf16>, %w: tensor<8x3x3x3xbf16>, %bias: tensor<1x1x1x8xbf16>) -> tensor<2x8x16x20xbf16> {
  %0 = tensor.empty() : tensor<2x8x16x20xbf16>
  %1 = "ttir.convolution"(%x, %w, %bias, %0) <{
    batch_group_count = 1 : i64, feature_group_count = 1 : i64,
    convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3,
      kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3,
      output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>,
    input_dilation = array<i64: 1, 1>, operand_constraints = [#A, #A, #A, #A], padding = array<i64: 1, 1, 1, 1>,
    weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 2>
  }> : (tensor<2x3x32x40xbf16>, tensor<8x3x3x3xbf16>, tensor<1x1x1x8xbf16>, tensor<2x8x16x20xbf16>) -> tensor<2x8x16x20xbf16>
  return %1 : tensor<2x8x16x20xbf16>
}

// pooling: d x1=D(x)<17x1> x2=L.t(x1) -x1 t1=transpose(x2) -x2 t2=transpose(t1) -t1 p=reshape(t2) -t2 e=e<216x16>.r c=max_pool2d(p,e) -p q=reshape(c) -e t3=transpose(q) -q t4=transpose(t3) -t3 out(t4; t4)
func.func @f(%x: tensor<2x16x17x20xbf16>) -> tensor<2x16x9x12xbf16> {
  %0 = tensor.empty() : tensor<2x16x9x12xbf16>
  %1 = "ttir.pooling"(%x, %0) <{
    operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#A, #A], pooling_method = #ttir<pooling_method Max>,
    window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 2>,
    base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>,
    padding = array<i64: 0, 0, 0, 0, 1, 1, 2, 2>
  }> : (tensor<2x16x17x20xbf16>, tensor<2x16x9x12xbf16>) -> tensor<2x16x9x12xbf16>
  return %1 : tensor<2x16x9x12xbf16>
}

// gather: d i1=L.t(i) i2=D(i1)<1x1> -i1 p=reshape(i2) -i2 q=M(p)<32x32> -p w1=D(w)<448x384> e=e<1x12>.t g=embedding(q,e,w1) -w1 -q out(g; e)
func.func @f(%w: tensor<448x384xbf16>, %i: tensor<1x2x1xi32>) -> tensor<1x2x384xbf16> {
  %0 = tensor.empty() : tensor<1x2x384xbf16>
  %1 = "ttir.gather"(%w, %i, %0) <{
    collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : si64, indices_are_sorted = false, offset_dims = array<i64: 2>,
    operand_batching_dims = array<i64: 0>, operand_constraints = [#A, #A, #A], slice_sizes = array<i64: 1, 384>,
    start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64: 0>
  }> : (tensor<448x384xbf16>, tensor<1x2x1xi32>, tensor<1x2x384xbf16>) -> tensor<1x2x384xbf16>
  return %1 : tensor<1x2x384xbf16>
}

// constants: d k=full{3.0} z=e<1x1>.t a1=L.t(a) a2=D(a1)<1x1> -a1 e1=e<32x32>.r s=add(a2,z,e1) -a2 -z e2=e<32x32>.r t=add(s,k,e2) -e1 e3=e<32x32>.r m=multiply(t,k,e3) -e2 -k out(m; e3)
func.func @f(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %k0 = "ttir.constant"() <{value = dense<0.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %init_of_s = tensor.empty() : tensor<32x32xf32>
  %s = "ttir.add"(%a, %k0, %init_of_s) <{operand_constraints = [#A, #A, #A], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %k1 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %init_of_t = tensor.empty() : tensor<32x32xf32>
  %t = "ttir.add"(%s, %k1, %init_of_t) <{operand_constraints = [#A, #A, #A], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %k2 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %init_of_m = tensor.empty() : tensor<32x32xf32>
  %m = "ttir.multiply"(%t, %k2, %init_of_m) <{operand_constraints = [#A, #A, #A], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %m : tensor<32x32xf32>
}

// zero_on_the_host: d z=zero() return_z
func.func @f() -> tensor<32x32xi32> {
  %0 = "ttir.constant"() <{value = dense<0> : tensor<32x32xi32>}> : () -> tensor<32x32xi32>
  return %0 : tensor<32x32xi32>
}

// number_on_the_host: d k=full{1.5} return_k
func.func @f() -> tensor<32x32xbf16> {
  %0 = "ttir.constant"() <{value = dense<1.5> : tensor<32x32xbf16>}> : () -> tensor<32x32xbf16>
  return %0 : tensor<32x32xbf16>
}

// slice_reads_rows: d a1=D(a)<128x32> e1=e<4x1>.t s=slice(a1,e1) -a1 out(s; e1)
func.func @f(%a: tensor<4x32x32xbf16>) -> tensor<4x32x16xbf16> {
  %init_of_0 = tensor.empty() : tensor<4x32x16xbf16>
  %0 = "ttir.index"(%a, %init_of_0) <{operand_constraints = [#T, #T], dim = 2 : i32, begin = 0 : i32, end = -1 : i32, step = 2 : i32}> : (tensor<4x32x32xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  return %0 : tensor<4x32x16xbf16>
}

// The real project gives the relu rows, which one on a card may refuse.
// slice_before_what_takes_tiles: d a1=D(a)<4x1> t1=L.t(a1) -a1 e1=e<4x1>.t s=slice(t1,e1) -t1 e2=e<4x1>.t y=relu(s,e2) -e1 out(y; e2)
func.func @f(%a: tensor<4x32x32xbf16>) -> tensor<4x32x16xbf16> {
  %init_of_0 = tensor.empty() : tensor<4x32x16xbf16>
  %0 = "ttir.index"(%a, %init_of_0) <{operand_constraints = [#T, #T], dim = 2 : i32, begin = 0 : i32, end = -1 : i32, step = 2 : i32}> : (tensor<4x32x32xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  %init_of_1 = tensor.empty() : tensor<4x32x16xbf16>
  %1 = "ttir.relu"(%0, %init_of_1) <{operand_constraints = [#T, #T], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  return %1 : tensor<4x32x16xbf16>
}

// inlined: d a1=D(a)<16x32> a2=L.t(a1) -a1 x=softmax(a2) -a2 y=sum(x) -x out(y; y)
func.func private @h(%a: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
  %init_of_0 = tensor.empty() : tensor<512x1024xbf16>
  %0 = "ttir.softmax"(%a, %init_of_0) <{operand_constraints = [#A, #A], dimension = -1 : si32}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %init_of_1 = tensor.empty() : tensor<512x1xbf16>
  %1 = "ttir.sum"(%0, %init_of_1) <{operand_constraints = [#A, #A], keep_dim = true, dim_arg = [1 : i32]}> : (tensor<512x1024xbf16>, tensor<512x1xbf16>) -> tensor<512x1xbf16>
  return %1 : tensor<512x1xbf16>
}
func.func @main(%a: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
  %0 = call @h(%a) : (tensor<512x1024xbf16>) -> tensor<512x1xbf16>
  return %0 : tensor<512x1xbf16>
}

// rows_then_tiles: d a1=L.t(a) a2=D(a1)<2x3> -a1 e1=e<64x96>.r x=relu(a2,e1) -a2 f=F(x) -e1 g=L.t(f) -f k=D0(g) -g m=M(k)<2x3> -k e2=e<2x3>.t y=relu(m,e2) -m out(y; e2)
func.func @f(%a: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %init_of_0 = tensor.empty() : tensor<64x96xf32>
  %0 = "ttir.relu"(%a, %init_of_0) <{operand_constraints = [#A, #A], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  %init_of_1 = tensor.empty() : tensor<64x96xf32>
  %1 = "ttir.relu"(%0, %init_of_1) <{operand_constraints = [#T, #T], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %1 : tensor<64x96xf32>
}

// rows_then_tiles_bf16: d a1=D(a)<2x3> a2=L.t(a1) -a1 e1=e<64x96>.r x=relu(a2,e1) -a2 g=L.t(x) -e1 m=M(g)<2x3> -g e2=e<2x3>.t y=relu(m,e2) -m out(y; e2)
func.func @f(%a: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
  %init_of_0 = tensor.empty() : tensor<64x96xbf16>
  %0 = "ttir.relu"(%a, %init_of_0) <{operand_constraints = [#A, #A], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16>
  %init_of_1 = tensor.empty() : tensor<64x96xbf16>
  %1 = "ttir.relu"(%0, %init_of_1) <{operand_constraints = [#T, #T], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %1 : tensor<64x96xbf16>
}

// The real project dies of the second conversion, which changes nothing.
// tiles_then_rows: d a1=L.t(a) a2=D(a1)<2x3> -a1 e1=e<2x3>.t x=relu(a2,e1) -a2 e2=e<64x96>.r y=relu(x,e2) -e1 out(y; e2)
func.func @f(%a: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %init_of_0 = tensor.empty() : tensor<64x96xf32>
  %0 = "ttir.relu"(%a, %init_of_0) <{operand_constraints = [#T, #T], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  %init_of_1 = tensor.empty() : tensor<64x96xf32>
  %1 = "ttir.relu"(%0, %init_of_1) <{operand_constraints = [#A, #A], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %1 : tensor<64x96xf32>
}
