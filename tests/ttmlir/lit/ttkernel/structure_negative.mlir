// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What is asked of every operation: counts, attributes, types.

// CHECK: error: 'ttkernel.add_tiles_init' op expected 2 operands, but found 1
func.func @f(%arg0: !ttkernel.cb<cb_in0, 1024, memref<4x8xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.add_tiles_init"(%arg0) : (!ttkernel.cb<cb_in0, 1024, memref<4x8xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// -----

// CHECK: error: 'ttkernel.exp_tile' op operand #0 must be 32-bit signless integer, but got 'i64'
func.func @f(%arg0: i64) {
  "ttkernel.exp_tile"(%arg0) : (i64) -> ()
  return
}

// -----

// CHECK: error: 'ttkernel.pack_set_data_type' op attribute 'data_type' failed to satisfy constraint: TT DataTypes
func.func @f() {
  "ttkernel.pack_set_data_type"() <{data_type = 12 : i32}> : () -> ()
  return
}

// -----

// CHECK: error: 'ttkernel.builtin' op requires attribute 'kind'
func.func @f() {
  "ttkernel.builtin"() <{op = @add}> : () -> ()
  return
}

// -----

// CHECK: error: 'ttkernel.exp_tile_init' op requires zero operands
func.func @f(%arg0: i32) {
  "ttkernel.exp_tile_init"(%arg0) : (i32) -> ()
  return
}

// -----

// CHECK: error: 'ttkernel.mem_zeros_size' op requires one result
func.func @f() {
  "ttkernel.mem_zeros_size"() : () -> ()
  return
}
