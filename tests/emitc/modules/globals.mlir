func.func @f(%a: i32, %b: i32, %i: index) -> i32 {
  %e = emitc.expression : i32 {
    %1 = emitc.add %a, %b : (i32, i32) -> i32
    emitc.yield %1 : i32
  }
  %v = "emitc.variable"() {value = #emitc.opaque<"">} : () -> i32
  emitc.assign %e : i32 to %v : i32
  %e2 = emitc.expression : i32 {
    %1 = emitc.add %a, %b : (i32, i32) -> i32
    emitc.yield %1 : i32
  }
  %c = emitc.cast %e2 : i32 to f32
  %e3 = emitc.expression : index {
    %1 = emitc.add %i, %i : (index, index) -> index
    emitc.yield %1 : index
  }
  %e4 = emitc.expression : i32 {
    %1 = emitc.bitwise_or %a, %b : (i32, i32) -> i32
    %2 = emitc.bitwise_and %1, %b : (i32, i32) -> i32
    %3 = emitc.bitwise_left_shift %2, %b : (i32, i32) -> i32
    %4 = emitc.bitwise_not %3 : (i32) -> i32
    %5 = emitc.cmp three_way, %4, %a : (i32, i32) -> i32
    %6 = emitc.rem %5, %a : (i32, i32) -> i32
    emitc.yield %6 : i32
  }
  emitc.for %k = %i to %e3 step %i {
  }
  func.return %e4 : i32
}
func.func private @ext(i32) -> i32
emitc.global @g : i32 = 3
emitc.global const @g2 : f32 = 2.0
emitc.global @g3 : !emitc.opaque<"T"> = #emitc.opaque<"{}">
emitc.global @g4 : !emitc.array<2xf32> = dense<1.0>
func.func @gg(%c: i1) {
  emitc.if %c {
  }
  emitc.if %c {
  } else {
  }
  %g = emitc.get_global @g : i32
  %h = emitc.add %g, %g : (i32, i32) -> i32
  func.return
}
