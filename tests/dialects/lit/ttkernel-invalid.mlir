// RUN: ttl-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect
// What the verifiers of the ttkernel dialect refuse, one mistake in each piece.

// expected-error@+1 {{a circular buffer holds at least one page, not 0}}
%cb = "test.buffer"() : () -> !ttkernel.cb<0, f32>

// -----

// expected-error@+1 {{f64 is not an element type of the language}}
%cb = "test.buffer"() : () -> !ttkernel.cb<1, f64>

// -----

// expected-error@+1 {{there are 2 ttkernel.circular_buffer @a_dfb}}
ttkernel.program @f() grid <1x1> {
  ttkernel.circular_buffer @a_dfb index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @a_dfb index 1 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
}

// -----

// expected-error@+1 {{expects parent op 'ttkernel.program'}}
ttkernel.declare_semaphore @ready id 0 = 0

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{the number and the value of a semaphore are not negative: -1, 0}}
  ttkernel.declare_semaphore @ready id -1 = 0
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{a tensor of a launch has a #ttl.encoding, not none}}
  ttkernel.tensor_arg @a index 0 : tensor<32x32xbf16>
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{a buffer is made by user or compiler, not chance}}
  ttkernel.circular_buffer @a_dfb index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by chance
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{a buffer has a number and at least one page of at least one byte, not 0, 0 and 2048}}
  ttkernel.circular_buffer @a_dfb index 0 pages 0 of 2048 bytes : !ttl.tile<32x32, bf16> by user
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{the thread of a kernel is tensix or noc, not vector}}
  ttkernel.kernel @compute vector {
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{the processor of a kernel is ncrisc or brisc, not trisc}}
  ttkernel.kernel @read noc on trisc {
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{there are NoC 0 and NoC 1, not 2}}
  ttkernel.kernel @read noc on ncrisc noc 2 {
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{a compute kernel runs on no processor that moves data}}
  ttkernel.kernel @compute tensix on ncrisc {
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{a data movement kernel has no configuration}}
  ttkernel.kernel @read noc config {math_fidelity = "HiFi4"} {
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  // expected-error@+1 {{an argument is there twice: address(a), address(a)}}
  ttkernel.kernel @read noc common ["address(a)", "address(a)"] {
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  ttkernel.kernel @compute tensix {
    // expected-error@+1 {{there is no circular buffer @a_dfb}}
    %cb = ttkernel.get_cb @a_dfb : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  ttkernel.circular_buffer @a_dfb index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    // expected-error@+1 {{@a_dfb is a !ttkernel.cb<2, !ttl.tile<32x32, bf16>>, not a !ttkernel.cb<3, !ttl.tile<32x32, bf16>>}}
    %cb = ttkernel.get_cb @a_dfb : !ttkernel.cb<3, !ttl.tile<32x32, bf16>>
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  ttkernel.kernel @read noc {
    // expected-error@+1 {{the kernel has no accessor of @a}}
    %a = ttkernel.accessor @a
    // expected-error@+1 {{there is no semaphore @ready}}
    %ready = ttkernel.get_semaphore @ready
    // expected-error@+1 {{the kernel has no argument address(a)}}
    %address = ttkernel.common_arg "address(a)"
  }
}

// -----

ttkernel.program @f() grid <1x1> {
  ttkernel.kernel @read noc {
    // expected-error@+1 {{tile_regs_acquire is for tensix kernels, and @read is noc}}
    ttkernel.tile_regs_acquire
  }
}

// -----

%cb = "test.buffer"() : () -> !ttkernel.cb<2, f32>
// expected-error@+1 {{cb_pop_front takes 2 operands (cb, pages), not 1}}
ttkernel.cb_pop_front %cb : <2, f32>

// -----

%cb = "test.buffer"() : () -> !ttkernel.cb<2, f32>
// expected-error@+1 {{'ttkernel.cb_pop_front' op cb_pop_front takes 2 operands (cb, pages), not 1}}
"ttkernel.cb_pop_front"(%cb) : (!ttkernel.cb<2, f32>) -> ()

// -----

%i = arith.constant 0 : index
// expected-error@+1 {{'ttkernel.cb_pop_front' op cb is a circular buffer, not index}}
"ttkernel.cb_pop_front"(%i, %i) : (index, index) -> ()

// -----

%i = arith.constant 0 : i32
// expected-error@+1 {{'ttkernel.abs_tile' op d is index, not i32}}
"ttkernel.abs_tile"(%i) : (i32) -> ()

// -----

// expected-error@+1 {{'ttkernel.get_absolute_logical_x' op the results are index, not none}}
"ttkernel.get_absolute_logical_x"() : () -> ()

// -----

%i = arith.constant 0 : index
// expected-error@+1 {{'ttkernel.fill_tile' op the constant value is missing}}
ttkernel.fill_tile %i

// -----

%i = arith.constant 0 : index
// expected-error@+1 {{'ttkernel.fill_tile' op value is a constant of kind float, not 1 : i64}}
ttkernel.fill_tile %i {value = 1 : i64}

// -----

// expected-error@+1 {{unregistered operation 'ttkernel.add_tile' found in dialect ('ttkernel') that does not allow unknown operations; did you mean ttkernel.add_tiles?}}
ttkernel.add_tile

// -----

%i = arith.constant 0 : index
// expected-error@+1 {{'ttkernel.dprint' op there is text around 1 operands: 2 pieces, not 1}}
ttkernel.dprint ["i"](%i : index)

// -----

%cb = "test.buffer"() : () -> !ttkernel.cb<2, f32>
// expected-error@+1 {{'ttkernel.dprint' op a number is printed, not !ttkernel.cb<2, f32>}}
ttkernel.dprint ["", ""](%cb : !ttkernel.cb<2, f32>)

// -----

// expected-error@+1 {{'ttkernel.dprint' op unpack, math or pack prints, not brisc}}
ttkernel.dprint ["here"] on "brisc"
