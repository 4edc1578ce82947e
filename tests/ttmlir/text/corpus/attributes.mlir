#map = affine_map<(d0, d1) -> (d1, d0)>
#foo = #bar.baz<"x", 3>
!ty = !foo.bar<i32, "q">
module @named attributes {x.y = {b = 2 : i64, a = [true, -1 : si8, 255 : ui8], "odd name" = unit}} {
  func.func public @"odd name"(%arg0: (i32) -> i32, %arg1: tuple<i32, f32>, %arg2: complex<f32>) -> ((i32) -> i32) {
    %0:3 = "t.multi"(%arg0) {e = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, f = dense<> : tensor<0xf32>, g = dense<[true, false]> : tensor<2xi1>, h = dense<2> : vector<4xui8>, i = array<i1: true, false>, s = dense<1.5> : tensor<f32>, loc = loc("x":1:2)} : ((i32) -> i32) -> (!ty, tensor<?x4xf32, #foo>, memref<4x?xf32, strided<[?, 1], offset: 3>, 3>)
    "t.use"(%0#1, %0#2) {x = #foo, k = dense<[255, 0, 0, 0]> : tensor<4xui8>, sym = @a::@"b c", st = "tab\09 \E2\82\AC q\"", ty = !ty, opaque = #bar<hello world>} : (tensor<?x4xf32, #foo>, memref<4x?xf32, strided<[?, 1], offset: 3>, 3>) -> ()
    %1 = "t.a"() {m = affine_map<(d0)[s0] -> (d0 floordiv 4, d0 mod s0, d0 - 3, -d0)>} : () -> vector<4x[8]xf32>
    "t.b"() {z} : () -> () loc(fused<"meta">["a.py":1:2, "f"("b.py":3:4)])
    cf.br ^bb1(%arg0 : (i32) -> i32)
  ^bb1(%q: (i32) -> i32):
    return %q : (i32) -> i32
  }
  func.func private @multi() -> (i32, f32)
  func.func @c(%x: f32) -> (i32, f32) {
    %0:2 = call @multi() : () -> (i32, f32)
    return %0#0, %0#1 : i32, f32
  }
  module {
    module @inner {}
  }
}
