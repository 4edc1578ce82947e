// RUN: ttl-opt %s -p ttl-expand | filecheck %s
// RUN: ttl-opt %s -p ttl-expand,ttl-expand | filecheck %s

// An operation on blocks that the chip has no function for becomes several that it has. Here %a and %b are blocks of one tile, and
// the lines above an operation say what it becomes; nothing else is written between them. What the chip does not compute at all is
// in not_expanded.mlir.
!block = tensor<1x1x!ttl.tile<32x32, bf16>>
!numbers = tensor<1x1x!ttl.tile<32x32, whole>>

// What is written says why; relu, which the chip has, stays.
// CHECK-LABEL: func.func @several_functions
func.func @several_functions(%a: !block) {
  // CHECK-NEXT: %[[TWO:.*]] = ttl.block_fill {value = 2 : i64
  // CHECK-NEXT: %[[REST:.*]] = ttl.block_mod %a, %[[TWO]]
  // CHECK-NEXT: %[[EVEN:.*]] = ttl.block_sub %a, %[[REST]]
  // CHECK-NEXT: %[[HALF:.*]] = arith.constant 5.000000e-01 : f64
  // CHECK-NEXT: %[[QUOTIENT:.*]] = ttl.block_mul %[[EVEN]], %[[HALF]]
  // CHECK-NEXT: %halves = ttl.block_round %[[QUOTIENT]] {{.*}}ttl.why = "a // b takes 5 functions of the chip: fill, mod, sub, mul, round"
  %two = arith.constant 2 : i64
  %halves = ttl.block_floordiv %a, %two : !block, i64 -> !block
  // CHECK-NEXT: ttl.block_relu %halves
  %positive = ttl.block_relu %halves : !block -> !block
  // ttl.math.signbit is 1 where an element is positive or +0, whose reciprocal is greater than 0.
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-NEXT: %[[POSITIVE:.*]] = ttl.block_gt %a, %[[ZERO]]
  // CHECK-NEXT: %[[RECIPROCAL:.*]] = ttl.block_recip %a
  // CHECK-NEXT: %[[INFINITE:.*]] = ttl.block_gt %[[RECIPROCAL]], %[[ZERO]]
  // CHECK-NEXT: %sign = ttl.block_max %[[POSITIVE]], %[[INFINITE]] {{.*}}ttl.why = "ttl.math.signbit takes 4 functions of the chip: gt, recip, gt, max"
  %sign = ttl.block_signbit %a : !block -> !block
  // CHECK-NEXT: func.return
  func.return
}

// The chip's functions of a block and a number have the number on the right: 2 - a is a function of its own, 2 < a is a > 2.
// CHECK-LABEL: func.func @numbers_on_the_left
func.func @numbers_on_the_left(%a: !block) {
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i64
  // CHECK-NEXT: ttl.block_rsub %a, %[[TWO]]
  %0 = arith.constant 2 : i64
  %difference = ttl.block_sub %0, %a : i64, !block -> !block
  // CHECK-NEXT: %[[LIMIT:.*]] = arith.constant 2 : i64
  // CHECK-NEXT: ttl.block_gt %a, %[[LIMIT]]
  %1 = arith.constant 2 : i64
  %greater = ttl.block_lt %1, %a : i64, !block -> !block
  // CHECK-NEXT: func.return
  func.return
}

// A number that a function takes as a block only fills one.
// CHECK-LABEL: func.func @numbers_as_blocks
func.func @numbers_as_blocks(%a: !block, %b: !block) {
  // CHECK-NEXT: %[[THREE:.*]] = ttl.block_fill {value = 3 : i64, shape = array<i64: 1, 1>
  // CHECK-NEXT: ttl.block_mod %a, %[[THREE]]
  %0 = arith.constant 3 : i64
  %rest = ttl.block_mod %a, %0 : !block, i64 -> !block
  // CHECK-NEXT: %[[ONES:.*]] = ttl.block_fill {value = 1 : i64
  // CHECK-NEXT: ttl.block_where %a, %[[ONES]], %b
  %1 = arith.constant 1 : i64
  %chosen = ttl.block_where %a, %1, %b : !block, i64, !block -> !block
  // CHECK-NEXT: func.return
  func.return
}

// The other way round, a filled block is a number where a function takes one; and what is computed of fills only is a fill.
// CHECK-LABEL: func.func @fills
func.func @fills(%a: !block) {
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i64
  // CHECK-NEXT: ttl.block_mul %a, %[[TWO]]
  %0 = ttl.block_fill {value = 2 : i64, shape = array<i64: 1, 1>} : -> !numbers
  %product = ttl.block_mul %a, %0 : !block, !numbers -> !block
  // CHECK-NEXT: %[[SUMMAND:.*]] = arith.constant 2 : i64
  // CHECK-NEXT: ttl.block_add %a, %[[SUMMAND]]
  %1 = ttl.block_fill {value = 2 : i64, shape = array<i64: 1, 1>} : -> !numbers
  %sum = ttl.block_add %1, %a : !numbers, !block -> !block
  // CHECK-NEXT: ttl.block_fill {value = 5 : i64
  %2 = ttl.block_fill {value = 2 : i64, shape = array<i64: 1, 1>} : -> !numbers
  %3 = ttl.block_fill {value = 3 : i64, shape = array<i64: 1, 1>} : -> !numbers
  %five = ttl.block_add %2, %3 : !numbers, !numbers -> !numbers
  // CHECK-NEXT: func.return
  func.return
}

// A quotient is a product with the reciprocal, as in the chip's own division; unless the reciprocal is too small for the type.
// CHECK-LABEL: func.func @quotients
func.func @quotients(%a: !block) {
  // CHECK-NEXT: ttl.block_recip %a
  %0 = arith.constant 1 : i64
  %reciprocal = ttl.block_truediv %0, %a : i64, !block -> !block
  // CHECK-NEXT: %[[RECIPROCAL:.*]] = ttl.block_recip %a
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i64
  // CHECK-NEXT: ttl.block_mul %[[RECIPROCAL]], %[[TWO]]
  %1 = arith.constant 2 : i64
  %quotient = ttl.block_truediv %1, %a : i64, !block -> !block
  // CHECK-NEXT: %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f64
  // CHECK-NEXT: ttl.block_mul %a, %[[QUARTER]]
  %2 = arith.constant 4 : i64
  %quarter = ttl.block_truediv %a, %2 : !block, i64 -> !block
  // CHECK-NEXT: %[[LARGE:.*]] = ttl.block_fill {value = 3.000000e+38 : f64
  // CHECK-NEXT: ttl.block_truediv %a, %[[LARGE]]
  %3 = arith.constant 3.000000e+38 : f64
  %small = ttl.block_truediv %a, %3 : !block, f64 -> !block
  // CHECK-NEXT: func.return
  func.return
}

// The chip has the square, powers with any number as their exponent, and powers of two.
// CHECK-LABEL: func.func @powers
func.func @powers(%a: !block) {
  // CHECK-NEXT: ttl.block_square %a
  %0 = arith.constant 2 : i64
  %square = ttl.block_pow %a, %0 : !block, i64 -> !block
  // CHECK-NEXT: %[[SEVEN:.*]] = arith.constant 7 : i64
  // CHECK-NEXT: ttl.block_pow %a, %[[SEVEN]]
  %1 = arith.constant 7 : i64
  %seventh = ttl.block_pow %a, %1 : !block, i64 -> !block
  // CHECK-NEXT: %[[ROOT:.*]] = arith.constant 3.000000e-01 : f64
  // CHECK-NEXT: ttl.block_pow %a, %[[ROOT]]
  %2 = arith.constant 3.000000e-01 : f64
  %root = ttl.block_pow %a, %2 : !block, f64 -> !block
  // CHECK-NEXT: ttl.block_exp2 %a
  %3 = arith.constant 2 : i64
  %of_two = ttl.block_pow %3, %a : i64, !block -> !block
  // CHECK-NEXT: %[[THREE:.*]] = ttl.block_fill {value = 3 : i64
  // CHECK-NEXT: ttl.block_pow %[[THREE]], %a
  %4 = arith.constant 3 : i64
  %of_three = ttl.block_pow %4, %a : i64, !block -> !block
  // CHECK-NEXT: func.return
  func.return
}

// A mask is 1 where an element is replaced. A block is compared with 1; what a comparison gives is 0 or 1 already.
// CHECK-LABEL: func.func @masks
func.func @masks(%a: !block, %b: !block) {
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i64
  // CHECK-NEXT: %[[IS_ONE:.*]] = ttl.block_eq %b, %[[ONE]]
  // CHECK-NEXT: %[[ZEROS:.*]] = ttl.block_fill {value = 0 : i64
  // CHECK-NEXT: ttl.block_where %[[IS_ONE]], %[[ZEROS]], %a
  %by_block = ttl.block_mask %a, %b : !block, !block -> !block
  // CHECK-NEXT: %[[LIMIT:.*]] = arith.constant 2.500000e-01 : f64
  // CHECK-NEXT: %is_less = ttl.block_lt %a, %[[LIMIT]]
  %0 = arith.constant 2.500000e-01 : f64
  %is_less = ttl.block_lt %a, %0 : !block, f64 -> !block
  // CHECK-NEXT: %[[NOTHING:.*]] = ttl.block_fill {value = 0 : i64
  // CHECK-NEXT: ttl.block_where %is_less, %[[NOTHING]], %a
  %by_comparison = ttl.block_mask %a, %is_less : !block, !block -> !block
  // CHECK-NEXT: %[[INFINITY:.*]] = ttl.block_fill {value = 0x7ff0000000000000 : f64
  // CHECK-NEXT: ttl.block_where %is_less, %[[INFINITY]], %a
  %infinite = ttl.block_mask_posinf %a, %is_less : !block, !block -> !block
  // CHECK-NEXT: func.return
  func.return
}

// The quotient of integers is 0 where the divisor is; what the chip gives there does not matter (ttl.as_is).
// CHECK-LABEL: func.func @integers
!integers = tensor<1x1x!ttl.tile<32x32, si32>>
func.func @integers(%a: !integers, %b: !integers) {
  // CHECK-NEXT: %[[ANY:.*]] = ttl.block_floordiv %a, %b {ttl.as_is}
  // CHECK-NEXT: %[[ZEROS:.*]] = ttl.block_fill {value = 0 : i64
  // CHECK-NEXT: ttl.block_where %b, %[[ANY]], %[[ZEROS]]
  %quotient = ttl.block_floordiv %a, %b : !integers, !integers -> !integers
  // CHECK-NEXT: func.return
  func.return
}

// A number that is known only when the kernel runs is an operand where the chip's function takes a number in a register, and
// fills a block where it does not.
// CHECK-LABEL: func.func @known_when_the_kernel_runs
!floats = tensor<1x1x!ttl.tile<32x32, f32>>
!unsigned = tensor<1x1x!ttl.tile<32x32, ui16>>
func.func @known_when_the_kernel_runs(%n: index, %a: !floats, %b: !integers, %c: !unsigned) {
  // CHECK-NEXT: ttl.block_add %a, %n
  %0 = ttl.block_add %a, %n : !floats, index -> !floats
  // CHECK-NEXT: ttl.block_rsub %a, %n
  %1 = ttl.block_sub %n, %a : index, !floats -> !floats
  // CHECK-NEXT: ttl.block_gt %a, %n
  %2 = ttl.block_lt %n, %a : index, !floats -> !floats
  // CHECK-NEXT: %[[DIVISOR:.*]] = ttl.block_fill %n
  // CHECK-NEXT: ttl.block_truediv %a, %[[DIVISOR]]
  %3 = ttl.block_truediv %a, %n : !floats, index -> !floats
  // CHECK-NEXT: %[[DIVIDEND:.*]] = ttl.block_fill %n
  // CHECK-NEXT: ttl.block_truediv %[[DIVIDEND]], %a
  %4 = ttl.block_truediv %n, %a : index, !floats -> !floats
  // CHECK-NEXT: ttl.block_add %b, %n
  %5 = ttl.block_add %n, %b : index, !integers -> !integers
  // CHECK-NEXT: %[[FACTOR:.*]] = ttl.block_fill %n
  // CHECK-NEXT: ttl.block_mul %b, %[[FACTOR]]
  %6 = ttl.block_mul %b, %n : !integers, index -> !integers
  // CHECK-NEXT: %[[LESS:.*]] = ttl.block_fill %n
  // CHECK-NEXT: ttl.block_sub %c, %[[LESS]]
  %7 = ttl.block_sub %c, %n : !unsigned, index -> !unsigned
  // CHECK-NEXT: func.return
  func.return
}
