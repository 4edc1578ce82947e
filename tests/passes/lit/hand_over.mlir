// RUN: ttl-opt %s -p ttl-hand-over | filecheck %s
// RUN: ttl-opt %s -p ttl-hand-over,ttl-hand-over | filecheck %s

// Four sections compute eight tiles each: the block is handed over, and copied, in four parts of eight pages.
// CHECK-LABEL: ttl.operation @double
// CHECK: ttl.dfb_push {{.*}}{ttl.parts = 8 : i64}
// CHECK: ttl.dfb_pop %a_blk explicit :
// CHECK: ttl.dfb_wait %x {ttl.parts = 8 : i64, ttl.why = "its tiles are copied as they come, 8 at a time: sections hand over 8 each"}
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @double(%y: tensor<128x256xbf16, #encoding>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<128x256xbf16, #encoding>
  %c0 = arith.constant 0 : index
  %a = ttl.create_dfb "a" : !ttl.dfb<[4, 8], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[4, 8], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[4, 8], !ttl.tile<32x32, bf16>, 2>
    %x_blk = ttl.dfb_reserve %x : <[4, 8], !ttl.tile<32x32, bf16>, 2>
    ttl.compute_region ins(%a_blk : !ttl.block<[4, 8], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[4, 8], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 4, 8>, subblock = array<i64: 8>, ttl.why = "32 tiles in 4 sections of 8: the registers hold 8 tiles, and each point needs 1"} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      %0 = ttl.tile_read %arg0 {strides = array<i64: 8, 1>, mode = "plain", offset = 0 : i64, unit = "unpack"} : !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      %1 = ttl.tile_compute add %0, %0 at 0 by fpu : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %1 : !ttl.tile<32x32, bf16>
    }
    ttl.dfb_push %x_blk explicit : <[4, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[4, 8], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %blk = ttl.dfb_wait %x : <[4, 8], !ttl.tile<32x32, bf16>, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 4, %c0 size 8] : !ttl.accessor<tensor<128x256xbf16, #encoding>> -> !ttl.slice<[4, 8], !ttl.tile<32x32, bf16>>
    %xf = ttl.copy %blk to %part : !ttl.block<[4, 8], !ttl.tile<32x32, bf16>>, !ttl.slice<[4, 8], !ttl.tile<32x32, bf16>>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[4, 8], !ttl.tile<32x32, bf16>>
  }
}

// One section computes the whole block: there are no parts.
// CHECK-LABEL: ttl.operation @at_once
// CHECK-NOT: ttl.parts
ttl.operation @at_once(%y: tensor<128x256xbf16, #encoding>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<128x256xbf16, #encoding>
  %c0 = arith.constant 0 : index
  %a = ttl.create_dfb "a" : !ttl.dfb<[4, 8], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[4, 8], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[4, 8], !ttl.tile<32x32, bf16>, 2>
    %x_blk = ttl.dfb_reserve %x : <[4, 8], !ttl.tile<32x32, bf16>, 2>
    ttl.compute_region ins(%a_blk : !ttl.block<[4, 8], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[4, 8], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 4, 8>, subblock = array<i64: 4, 8>} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      %0 = ttl.tile_read %arg0 {strides = array<i64: 8, 1>, mode = "plain", offset = 0 : i64, unit = "unpack"} : !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      %1 = ttl.tile_compute add %0, %0 at 0 by fpu : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %1 : !ttl.tile<32x32, bf16>
    }
    ttl.dfb_push %x_blk explicit : <[4, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[4, 8], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %blk = ttl.dfb_wait %x : <[4, 8], !ttl.tile<32x32, bf16>, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 4, %c0 size 8] : !ttl.accessor<tensor<128x256xbf16, #encoding>> -> !ttl.slice<[4, 8], !ttl.tile<32x32, bf16>>
    %xf = ttl.copy %blk to %part : !ttl.block<[4, 8], !ttl.tile<32x32, bf16>>, !ttl.slice<[4, 8], !ttl.tile<32x32, bf16>>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[4, 8], !ttl.tile<32x32, bf16>>
  }
}
