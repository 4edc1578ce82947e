// RUN: ttl-opt %s -p ttl-expand --verify-diagnostics
// RUN: not ttl-opt %s -p ttl-expand 2>&1 | filecheck %s

// What the chip does not compute in a type is refused, with the type to convert the blocks to. All refusals are reported at once.
!bytes = tensor<1x1x!ttl.tile<32x32, ui8>>
!shorts = tensor<1x1x!ttl.tile<32x32, ui16>>
!unsigned = tensor<1x1x!ttl.tile<32x32, ui32>>
!integers = tensor<1x1x!ttl.tile<32x32, si32>>
func.func @types_without_the_function(%a: !bytes, %b: !unsigned, %c: !integers) {
  // CHECK: error: a + b: the chip computes nothing in uint8, it only converts it [TTL1450]
  // CHECK: note: convert the blocks first: ttl.math.typecast(x, ttnn.int32)
  // expected-error@+1 {{the chip computes nothing in uint8}}
  %0 = ttl.block_add %a, %a : !bytes, !bytes -> !bytes
  // CHECK: error: a // b: the chip has it for int32 and for floats, not for uint32 [TTL1450]
  // expected-error@+1 {{the chip has it for int32 and for floats, not for uint32}}
  %1 = ttl.block_floordiv %b, %b : !unsigned, !unsigned -> !unsigned
  // CHECK: error: ttl.math.pow: no function of the chip does this with int32 elements [TTL1450]
  // CHECK: note: convert the blocks first: ttl.math.typecast(x, ttnn.float32)
  // expected-error@+1 {{no function of the chip does this with int32 elements}}
  %2 = ttl.block_pow %c, %c : !integers, !integers -> !integers
  func.return
}

// A number that is known only when the kernel runs may be negative, and elements without a sign are not compared with it; sums and
// differences wrap around, whatever its sign.
func.func @numbers_with_a_sign(%n: index, %a: !shorts, %b: !unsigned) {
  // CHECK: error: ttl.math.gt: the number beside uint16 elements is known only when the kernel runs, and may be negative [TTL1452]
  // CHECK-COUNT-5: is known only when the kernel runs, and may be negative [TTL1452]
  // expected-error@+1 {{ttl.math.gt: the number beside uint16 elements}}
  %0 = ttl.block_gt %a, %n : !shorts, index -> !shorts
  // expected-error@+1 {{ttl.math.max: the number beside uint16 elements}}
  %1 = ttl.block_max %a, %n : !shorts, index -> !shorts
  // expected-error@+1 {{a // b: the number beside uint16 elements}}
  %2 = ttl.block_floordiv %a, %n : !shorts, index -> !shorts
  // expected-error@+1 {{ttl.math.gt: the number beside uint32 elements}}
  %3 = ttl.block_gt %b, %n : !unsigned, index -> !unsigned
  // expected-error@+1 {{ttl.math.max: the number beside uint32 elements}}
  %4 = ttl.block_max %b, %n : !unsigned, index -> !unsigned
  // expected-error@+1 {{a // b: the number beside uint32 elements}}
  %5 = ttl.block_floordiv %b, %n : !unsigned, index -> !unsigned
  %6 = ttl.block_sub %b, %n : !unsigned, index -> !unsigned
  func.return
}
