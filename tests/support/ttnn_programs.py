"""Whole programs of TTIR, and what they are in TTNN."""

from __future__ import annotations

from dataclasses import dataclass

from support.ttmlir_programs import A, T, function, operation


@dataclass(frozen=True)
class Program:
    """A model in TTIR, and what it is in TTNN: the final operations in short, by the names of the arguments."""

    name: str
    text: str
    arguments: str
    final: str
    function: str = "f"


PROGRAMS = [
    Program(
        "multiply",
        function(
            "%a: tensor<64x128xf32>, %b: tensor<64x128xf32>",
            "64x128xf32",
            operation("%0", "multiply", "%a %b", ["64x128xf32"] * 2, "64x128xf32", A),
            "%0",
        ),
        "a b",
        "d a1=L.t(a) a2=D(a1)<2x4> -a1 b1=L.t(b) b2=D(b1)<2x4> -b1 e=e<64x128>.r m=multiply(a2,b2,e) -b2 -a2 out(m; e)",
    ),
    Program(
        "subtract_with_broadcast",
        function(
            "%a: tensor<64x128xbf16>, %b: tensor<1x128xbf16>",
            "64x128xbf16",
            operation(
                "%0",
                "subtract",
                "%a %b",
                ["64x128xbf16", "1x128xbf16"],
                "64x128xbf16",
                A,
                location='loc("sub7")',
            ),
            "%0",
        ),
        "a b",
        "d a1=D(a)<2x4> a2=L.t(a1) -a1 b1=D(b)<1x4> b2=L.t(b1) -b1 e=e<64x128>.r n0=e<1x4>.t n=neg(b2,n0) -b2 "
        "s=add(a2,n,e) -n0 -a2 out(s; e)",
    ),
    Program(
        "chain_of_broadcasts",
        function(
            "%a: tensor<1x1xf32>, %b: tensor<32x64xf32>",
            "32x64xf32",
            operation("%0", "broadcast", "%a", ["1x1xf32"], "1x64xf32", T, "dimension = [1]")
            + operation("%1", "broadcast", "%0", ["1x64xf32"], "32x64xf32", T, "dimension = [0]")
            + operation("%2", "multiply", "%b %1", ["32x64xf32"] * 2, "32x64xf32", T),
            "%2",
        ),
        "a b",
        "d a1=L.t(a) a2=D(a1)<1x1> -a1 b1=L.t(b) b2=D(b1)<1x2> -b1 e=e<1x2>.t m=multiply(b2,a2,e) -b2 -a2 out(m; e)",
    ),
    Program(
        "convolution",
        """func.func @f(%x: tensor<2x3x32x40xbf16>, %w: tensor<8x3x3x3xbf16>, %bias: tensor<1x1x1x8xbf16>) -> tensor<2x8x16x20xbf16> {
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
}""",
        "x w bias",
        "d x1=D(x)<6x2> x2=L.t(x1) -x1 t1=transpose(x2) -x2 t2=transpose(t1) -t1 p=reshape(t2) -t2 e=e<640x8>.r "
        "c=conv2d(p,w,bias,e) -p q=reshape(c) -e t3=transpose(q) -q t4=transpose(t3) -t3 out(t4; t4)",
    ),
    Program(
        "pooling",
        """func.func @f(%x: tensor<2x16x17x20xbf16>) -> tensor<2x16x9x12xbf16> {
  %0 = tensor.empty() : tensor<2x16x9x12xbf16>
  %1 = "ttir.pooling"(%x, %0) <{
    operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#A, #A], pooling_method = #ttir<pooling_method Max>,
    window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 2>,
    base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>,
    padding = array<i64: 0, 0, 0, 0, 1, 1, 2, 2>
  }> : (tensor<2x16x17x20xbf16>, tensor<2x16x9x12xbf16>) -> tensor<2x16x9x12xbf16>
  return %1 : tensor<2x16x9x12xbf16>
}""",
        "x",
        "d x1=D(x)<17x1> x2=L.t(x1) -x1 t1=transpose(x2) -x2 t2=transpose(t1) -t1 p=reshape(t2) -t2 e=e<216x16>.r "
        "c=max_pool2d(p,e) -p q=reshape(c) -e t3=transpose(q) -q t4=transpose(t3) -t3 out(t4; t4)",
    ),
    Program(
        "gather",
        """func.func @f(%w: tensor<448x384xbf16>, %i: tensor<1x2x1xi32>) -> tensor<1x2x384xbf16> {
  %0 = tensor.empty() : tensor<1x2x384xbf16>
  %1 = "ttir.gather"(%w, %i, %0) <{
    collapsed_slice_dims = array<i64: 0>, index_vector_dim = 2 : si64, indices_are_sorted = false, offset_dims = array<i64: 2>,
    operand_batching_dims = array<i64: 0>, operand_constraints = [#A, #A, #A], slice_sizes = array<i64: 1, 384>,
    start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64: 0>
  }> : (tensor<448x384xbf16>, tensor<1x2x1xi32>, tensor<1x2x384xbf16>) -> tensor<1x2x384xbf16>
  return %1 : tensor<1x2x384xbf16>
}""",
        "w i",
        "d i1=L.t(i) i2=D(i1)<1x1> -i1 p=reshape(i2) -i2 q=M(p)<32x32> -p w1=D(w)<448x384> e=e<1x12>.t "
        "g=embedding(q,e,w1) -w1 -q out(g; e)",
    ),
    Program(
        "constants",
        function(
            "%a: tensor<32x32xf32>",
            "32x32xf32",
            '  %k0 = "ttir.constant"() <{value = dense<0.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>\n'
            + operation("%s", "add", "%a %k0", ["32x32xf32"] * 2, "32x32xf32", A)
            + '  %k1 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>\n'
            + operation("%t", "add", "%s %k1", ["32x32xf32"] * 2, "32x32xf32", A)
            + '  %k2 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>\n'
            + operation("%m", "multiply", "%t %k2", ["32x32xf32"] * 2, "32x32xf32", A),
            "%m",
        ),
        "a",
        "d k=full{3.0} z=e<1x1>.t a1=L.t(a) a2=D(a1)<1x1> -a1 e1=e<32x32>.r s=add(a2,z,e1) -a2 -z e2=e<32x32>.r "
        "t=add(s,k,e2) -e1 e3=e<32x32>.r m=multiply(t,k,e3) -e2 -k out(m; e3)",
    ),
    Program(
        "zero_on_the_host",
        """func.func @f() -> tensor<32x32xi32> {
  %0 = "ttir.constant"() <{value = dense<0> : tensor<32x32xi32>}> : () -> tensor<32x32xi32>
  return %0 : tensor<32x32xi32>
}""",
        "",
        "d z=zero() return_z",
    ),
    Program(
        "number_on_the_host",
        """func.func @f() -> tensor<32x32xbf16> {
  %0 = "ttir.constant"() <{value = dense<1.5> : tensor<32x32xbf16>}> : () -> tensor<32x32xbf16>
  return %0 : tensor<32x32xbf16>
}""",
        "",
        "d k=full{1.5} return_k",
    ),
    Program(
        "slice_reads_rows",
        function(
            "%a: tensor<4x32x32xbf16>",
            "4x32x16xbf16",
            operation(
                "%0",
                "index",
                "%a",
                ["4x32x32xbf16"],
                "4x32x16xbf16",
                T,
                "dim = 2 : i32, begin = 0 : i32, end = -1 : i32, step = 2 : i32",
            ),
            "%0",
        ),
        "a",
        "d a1=D(a)<128x32> e1=e<4x1>.t s=slice(a1,e1) -a1 out(s; e1)",
    ),
    Program(
        # The real project gives the relu rows, which one on a card may refuse.
        "slice_before_what_takes_tiles",
        function(
            "%a: tensor<4x32x32xbf16>",
            "4x32x16xbf16",
            operation(
                "%0",
                "index",
                "%a",
                ["4x32x32xbf16"],
                "4x32x16xbf16",
                T,
                "dim = 2 : i32, begin = 0 : i32, end = -1 : i32, step = 2 : i32",
            )
            + operation("%1", "relu", "%0", ["4x32x16xbf16"], "4x32x16xbf16", T),
            "%1",
        ),
        "a",
        "d a1=D(a)<4x1> t1=L.t(a1) -a1 e1=e<4x1>.t s=slice(t1,e1) -t1 e2=e<4x1>.t y=relu(s,e2) -e1 out(y; e2)",
    ),
    Program(
        "inlined",
        """func.func private @h(%a: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
"""
        + operation("%0", "softmax", "%a", ["512x1024xbf16"], "512x1024xbf16", A, "dimension = -1 : si32")
        + operation(
            "%1",
            "sum",
            "%0",
            ["512x1024xbf16"],
            "512x1xbf16",
            A,
            "keep_dim = true, dim_arg = [1 : i32]",
        )
        + """  return %1 : tensor<512x1xbf16>
}
func.func @main(%a: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
  %0 = call @h(%a) : (tensor<512x1024xbf16>) -> tensor<512x1xbf16>
  return %0 : tensor<512x1xbf16>
}""",
        "a",
        "d a1=D(a)<16x32> a2=L.t(a1) -a1 x=softmax(a2) -a2 y=sum(x) -x out(y; y)",
        function="main",
    ),
    Program(
        "rows_then_tiles",
        function(
            "%a: tensor<64x96xf32>",
            "64x96xf32",
            operation("%0", "relu", "%a", ["64x96xf32"], "64x96xf32", A)
            + operation("%1", "relu", "%0", ["64x96xf32"], "64x96xf32", T),
            "%1",
        ),
        "a",
        "d a1=L.t(a) a2=D(a1)<2x3> -a1 e1=e<64x96>.r x=relu(a2,e1) -a2 f=F(x) -e1 g=L.t(f) -f k=D0(g) -g m=M(k)<2x3> -k "
        "e2=e<2x3>.t y=relu(m,e2) -m out(y; e2)",
    ),
    Program(
        "rows_then_tiles_bf16",
        function(
            "%a: tensor<64x96xbf16>",
            "64x96xbf16",
            operation("%0", "relu", "%a", ["64x96xbf16"], "64x96xbf16", A)
            + operation("%1", "relu", "%0", ["64x96xbf16"], "64x96xbf16", T),
            "%1",
        ),
        "a",
        "d a1=D(a)<2x3> a2=L.t(a1) -a1 e1=e<64x96>.r x=relu(a2,e1) -a2 g=L.t(x) -e1 m=M(g)<2x3> -g e2=e<2x3>.t "
        "y=relu(m,e2) -m out(y; e2)",
    ),
    Program(
        "tiles_then_rows",  # the real project dies of the second conversion, which changes nothing
        function(
            "%a: tensor<64x96xf32>",
            "64x96xf32",
            operation("%0", "relu", "%a", ["64x96xf32"], "64x96xf32", T)
            + operation("%1", "relu", "%0", ["64x96xf32"], "64x96xf32", A),
            "%1",
        ),
        "a",
        "d a1=L.t(a) a2=D(a1)<2x3> -a1 e1=e<2x3>.t x=relu(a2,e1) -a2 e2=e<64x96>.r y=relu(x,e2) -e1 out(y; e2)",
    ),
]
