emitc.include <"cstdint">
emitc.include "x.h"
emitc.global static const @tab : !emitc.array<2x3xi32> = dense<[[1,2,3],[4,5,6]]>
emitc.global extern @ext : f32
emitc.verbatim "// hi"
emitc.declare_func @h
emitc.func @h(%a: i32, %b: !emitc.ptr<f32>) -> i32 attributes {specifiers = ["static", "inline"]} {
  emitc.return %a : i32
}
emitc.func private @ext_fn(i32) -> f32 attributes {specifiers = ["extern"]}
func.func @two(%a: i32, %x: f32) -> (i32, f32) {
  %0 = "emitc.constant"() {value = 42 : i32} : () -> i32
  %1 = "emitc.constant"() {value = 1.5 : f32} : () -> f32
  %2 = "emitc.constant"() {value = 0.1 : f64} : () -> f64
  %k1 = "emitc.constant"() {value = 1.0e10 : f32} : () -> f32
  %k2 = "emitc.constant"() {value = 0xFF800000 : f32} : () -> f32
  %k5 = "emitc.constant"() {value = 0.0 : f32} : () -> f32
  %3 = "emitc.constant"() {value = true} : () -> i1
  %4 = "emitc.constant"() {value = 5 : index} : () -> index
  %5 = "emitc.constant"() {value = -1 : i64} : () -> i64
  %6 = "emitc.constant"() {value = 4294967295 : ui32} : () -> ui32
  %7 = "emitc.constant"() {value = #emitc.opaque<"MEM">} : () -> !emitc.opaque<"T">
  %8 = "emitc.variable"() {value = #emitc.opaque<"">} : () -> i32
  %9 = "emitc.variable"() {value = 3 : i32} : () -> i32
  emitc.assign %0 : i32 to %8 : i32
  %10 = emitc.add %8, %9 : (i32, i32) -> i32
  %11 = emitc.cast %10 : i32 to f32
  %12 = emitc.call_opaque "f"(%10, %11) {args = [1 : index, 3 : i32, #emitc.opaque<"X">, 0 : index, 2.0 : f32, true, dense<[1,2]> : tensor<2xi32>, i32], template_args = [i32, 4 : i32, #emitc.opaque<"Y">]} : (i32, f32) -> i32
  emitc.call_opaque "g"() : () -> ()
  %13:2 = emitc.call_opaque "pair"(%12) : (i32) -> (i32, f32)
  %14 = emitc.cmp lt, %12, %13#0 : (i32, i32) -> i1
  %15 = emitc.logical_not %14 : i1
  %16 = emitc.conditional %15, %0, %12 : i32
  %17 = emitc.literal "M_PI" : f32
  %18 = emitc.mul %17, %11 : (f32, f32) -> f32
  %19 = emitc.apply "&"(%8) : (i32) -> !emitc.ptr<i32>
  %20 = emitc.apply "*"(%19) : (!emitc.ptr<i32>) -> i32
  %c0 = "emitc.constant"() {value = 0 : index} : () -> index
  %c1 = "emitc.constant"() {value = 1 : index} : () -> index
  emitc.for %i = %c0 to %4 step %c1 {
    %n = emitc.call_opaque "body"(%i) : (index) -> i32
    emitc.for %j = %c0 to %i step %c1 {
      emitc.call_opaque "inner"(%j, %n) : (index, i32) -> ()
      emitc.verbatim "#pragma x"
    }
    emitc.if %14 {
      emitc.call_opaque "t"() : () -> ()
    } else {
      %m = emitc.call_opaque "e"() : () -> i32
    }
  }
  emitc.if %14 {
    emitc.call_opaque "t"() : () -> ()
  }
  %21 = emitc.get_global @tab : !emitc.array<2x3xi32>
  %22 = emitc.subscript %21[%c0, %c1] : (!emitc.array<2x3xi32>, index, index) -> i32
  %23 = emitc.expression : i32 {
    %a1 = emitc.add %0, %12 : (i32, i32) -> i32
    %a2 = emitc.mul %a1, %16 : (i32, i32) -> i32
    %a3 = emitc.sub %a2, %10 : (i32, i32) -> i32
    emitc.yield %a3 : i32
  }
  emitc.call_opaque "use"(%23) : (i32) -> ()
  %24 = emitc.expression : i32 {
    %a1 = emitc.call_opaque "side"(%0) : (i32) -> i32
    %a2 = emitc.mul %a1, %16 : (i32, i32) -> i32
    emitc.yield %a2 : i32
  }
  emitc.call_opaque "use"(%24) : (i32) -> ()
  %pf = emitc.call_opaque "p"() : () -> !emitc.ptr<f32>
  %25 = emitc.call @h(%0, %pf) : (i32, !emitc.ptr<f32>) -> i32
  %26 = func.call @one(%25) : (i32) -> i32
  func.return %26, %11 : i32, f32
}
func.func @one(%a: i32) -> i32 {
  %v = "emitc.variable"() {value = #emitc.opaque<"">} : () -> !emitc.array<4xf32>
  %w = "emitc.variable"() {value = #emitc.opaque<"{1,2}">} : () -> !emitc.ptr<!emitc.opaque<"ns::T">>
  %t = "emitc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %u = emitc.unary_minus %a : (i32) -> i32
  %x = emitc.bitwise_not %a : (i32) -> i32
  %y = emitc.bitwise_right_shift %a, %u : (i32, i32) -> i32
  %z = emitc.logical_and %a, %u : i32, i32
  func.return %a : i32
}
func.func @none() {
  func.return
}
module @inner { func.func @x() -> () { func.return } }
