// RUN: not ttl-opt %s -p convert-datamovement-to-ttkernel 2>&1 | filecheck %s
// RUN: not ttl-opt %s -p ttl-target{chip=blackhole},convert-datamovement-to-ttkernel 2>&1 | filecheck %s --check-prefix=BLACKHOLE

// What a transfer can start at depends on the chip and on the memory.
// CHECK: row_major.mlir:21:10: error: a row-major slice of a starts at element 4, byte 8 of a row, and a read from DRAM starts at multiples of 32 bytes [TTL1411]
// BLACKHOLE: error: a row-major slice of a starts at element 16, byte 32 of a row, and a read from DRAM starts at multiples of 64 bytes [TTL1411]
// BLACKHOLE: error: a row-major slice of a starts at element 4, byte 8 of a row, and a read from DRAM starts at multiples of 64 bytes [TTL1411]
#encoding = #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>
ttl.operation @f(%a: tensor<4x64xbf16, #encoding>) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : tensor<4x64xbf16, #encoding>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[16], bf16, 2>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  ttl.datamovement_kernel @read {
    %blk = ttl.dfb_reserve %dfb : <[16], bf16, 2>
    %s = ttl.tensor_slice %a_accessor[%c0, %c16 size 16] : !ttl.accessor<tensor<4x64xbf16, #encoding>> -> !ttl.slice<[1, 16], bf16>
    %x = ttl.copy %s to %blk : !ttl.slice<[1, 16], bf16>, !ttl.block<[16], bf16>
    ttl.wait %x explicit
    %t = ttl.tensor_slice %a_accessor[%c0, %c4 size 16] : !ttl.accessor<tensor<4x64xbf16, #encoding>> -> !ttl.slice<[1, 16], bf16>
    %z = ttl.copy %t to %blk : !ttl.slice<[1, 16], bf16>, !ttl.block<[16], bf16>
    ttl.wait %z explicit
    ttl.dfb_push %blk with : <[16], bf16>
  }
}
