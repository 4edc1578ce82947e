#map = affine_map<(d0, d1) -> (d0, d1)>
module attributes {z.x = #map, b.c = 3 : i32, z.s = "a\22\0Ab"} {
  func.func @f(%a: tensor<2x3xf32> {x.y = 1 : i32}, %b: memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>, 3>) -> (tensor<2x3xf32> {z.w}) attributes {foo.x = 3.0 : f32} {
    %c = arith.constant 3 : i32
    %c1 = arith.constant 3 : i32
    %cst = arith.constant 3.0e-3 : f32
    %cst2 = arith.constant dense<[[1.0,2.0,3.0],[3.0,0.1,1.0e10]]> : tensor<2x3xf32>
    %k = arith.constant dense<7> : tensor<4xi64>
    %t = arith.constant true
    %x, %y = "foo.bar"(%c, %t) <{a = 1 : i8, c = 2 : i64, b = dense<1> : tensor<2xi1>}> {zz = 0x7FC00000 : f32, aa = [1, 2, 3.5, "x", @f, @f::@g, unit, f32, #map], q = array<i32: 1, -2>, p = array<f32: 1.5>, o= array<i64>} : (i32, i1) -> (i32, f32)
    %z = "foo.baz"(%x, %y) ({
    ^bb0(%q: i32, %r: tensor<*xf32>):
      %w = "foo.in"(%q) : (i32) -> i32
      "foo.br"(%w)[^bb1] : (i32) -> ()
    ^bb1:
      "foo.yield"() : () -> ()
    }, {
      %w = "foo.in"(%c) : (i32) -> i32
    }) : (i32, f32) -> i32
    %e = tensor.empty() : tensor<2x3xf32>
    %i0 = arith.constant 0 : index
    %i8 = arith.constant 8 : index
    %add = arith.addf %a, %e : tensor<2x3xf32>
    %fm = arith.addf %a, %e fastmath<fast> : tensor<2x3xf32>
    scf.for %i = %i0 to %i8 step %i8 {
      %u = arith.addi %i, %i : index
      func.call @g() : () -> ()
    }
    %l = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i0)
    call @g() : () -> ()
    return %add : tensor<2x3xf32>
  }
  func.func private @g()
  func.func private @h(tensor<2xf32> {a.b}, i32) -> (i32, f32)
}
