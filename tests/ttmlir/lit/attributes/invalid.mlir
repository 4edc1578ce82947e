// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: expected ::mlir::tt::OperandConstraint to be one of: system, dram, l1, scalar, tile
func.func private @a() attributes {c = #tt.operand_constraint<host>}

// -----

// CHECK: error: expected valid keyword
func.func private @a() attributes {c = #ttir.pooling_method<Max>}

// -----

// CHECK: error: expected 2D shape
func.func private @a(memref<4x!tt.tile<32, f32>>)

// -----

// CHECK: error: expected chipIds size to match
func.func private @a() attributes {d = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = 1x2, chipIds = [0]>}

// -----

// CHECK: error: expected positive grid dimensions
func.func private @a() attributes {d = #tt.device<workerGrid = #tt.grid<0x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>}

// -----

// CHECK: error: expected physical grid mapping to have
func.func private @a() attributes {d = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>}
