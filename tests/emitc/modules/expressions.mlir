func.func @f(%a: i32, %b: i32, %c: i1, %p: !emitc.ptr<i32>, %q: !emitc.array<4xi32>, %s: !emitc.size_t, %ss: !emitc.ssize_t, %d: !emitc.ptrdiff_t, %o: !emitc.opaque<"x">, %t: tuple<i32, f32>, %u8: ui8, %i16: i16) {
  %e = emitc.expression : i32 {
    %1 = emitc.add %a, %b : (i32, i32) -> i32
    emitc.yield %1 : i32
  }
  %m = emitc.mul %e, %b : (i32, i32) -> i32
  %e2 = emitc.expression : i1 {
    %1 = emitc.cmp eq, %a, %b : (i32, i32) -> i1
    emitc.yield %1 : i1
  }
  emitc.if %e2 {
    emitc.verbatim "x;\ny;"
  }
  %e3 = emitc.expression : i32 {
    %1 = emitc.add %a, %b : (i32, i32) -> i32
    %2 = emitc.call_opaque "pure"(%1, %a) : (i32, i32) -> i32
    emitc.yield %2 : i32
  }
  emitc.call_opaque "use"(%e3, %e3) : (i32, i32) -> ()
  %e4 = emitc.expression noinline : i32 {
    %1 = emitc.sub %a, %b : (i32, i32) -> i32
    %2 = emitc.sub %a, %1 : (i32, i32) -> i32
    emitc.yield %2 : i32
  }
  emitc.call_opaque "use"(%e4) : (i32) -> ()
  %e5 = emitc.expression : i32 {
    %1 = emitc.cast %a : i32 to i32
    %2 = emitc.unary_minus %1 : (i32) -> i32
    %3 = emitc.conditional %c, %2, %b : i32
    emitc.yield %3 : i32
  }
  emitc.call_opaque "use"(%e5) : (i32) -> ()
  %cl = emitc.expression : i32 {
    %1 = emitc.call_opaque "cc"(%a) : (i32) -> i32
    emitc.yield %1 : i32
  }
  %r = emitc.subscript %q[%s] : (!emitc.array<4xi32>, !emitc.size_t) -> i32
  emitc.assign %a : i32 to %r : i32
  %x = emitc.literal "N" : i32
  %z = emitc.add %x, %r : (i32, i32) -> i32
  %f1 = "emitc.constant"() {value = -0.0 : f32} : () -> f32
  %f2 = "emitc.constant"() {value = 0x7FC00000 : f32} : () -> f32
  %f3 = "emitc.constant"() {value = 3.1415926535897931 : f64} : () -> f64
  %f4 = "emitc.constant"() {value = 1.0e-30 : f32} : () -> f32
  %f5 = "emitc.constant"() {value = 123456.789 : f32} : () -> f32
  %f6 = "emitc.constant"() {value = 1.0e+200 : f64} : () -> f64
  %f7 = "emitc.constant"() {value = -7 : si8} : () -> si8
  %f8 = "emitc.constant"() {value = 200 : ui8} : () -> ui8
  %f9 = "emitc.constant"() {value = dense<true> : tensor<2xi1>} : () -> tensor<2xi1>
  %g1 = "emitc.constant"() {value = dense<[[1,2],[3,4]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  func.return
}
