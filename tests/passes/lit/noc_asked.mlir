// RUN: ttl-opt %s -p convert-datamovement-to-ttkernel{nocs=read:1} | filecheck %s
// RUN: not ttl-opt %s -p convert-datamovement-to-ttkernel{nocs=read:2} 2>&1 | filecheck %s --check-prefix=TWO
// RUN: not ttl-opt %s -p convert-datamovement-to-ttkernel{nocs=compute:1} 2>&1 | filecheck %s --check-prefix=COMPUTE

// A kernel that only reads memory would be on network 0. The compile option noc.read=1 asks for the other one, and the kernel that
// writes gets what is left.
// TWO: the compile option noc.read=2 is not possible: a node is on two networks, 0 and 1 [TTL1461]
// TWO: legal here: 0, 1
// COMPUTE: the compile option noc.compute is about the data movement kernel compute, which operation copy does not have [TTL1460]
!tile = !ttl.tile<32x32, bf16>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!accessor = !ttl.accessor<tensor<32x32xbf16, #dram>>
ttl.operation @copy(%a: tensor<32x32xbf16, #dram>, %y: tensor<32x32xbf16, #dram>) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : tensor<32x32xbf16, #dram>
  %y_accessor = ttl.tensor_accessor %y : tensor<32x32xbf16, #dram>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !tile, 2>
  %c0 = arith.constant 0 : index
  // CHECK: ttl.datamovement_kernel @read attributes {ttl.processor = "brisc", ttl.noc = 1 : i64}
  ttl.datamovement_kernel @read {
    %blk = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
    %0 = ttl.tensor_slice %a_accessor[%c0, %c0] : !accessor -> !ttl.slice<[1, 1], !tile>
    %xf = ttl.copy %0 to %blk : !ttl.slice<[1, 1], !tile>, !ttl.block<[1, 1], !tile>
    ttl.wait %xf explicit
    ttl.dfb_push %blk explicit : <[1, 1], !tile>
  }
  // CHECK: ttl.datamovement_kernel @write attributes {ttl.processor = "ncrisc", ttl.noc = 0 : i64}
  ttl.datamovement_kernel @write {
    %blk = ttl.dfb_wait %dfb : <[1, 1], !tile, 2>
    %0 = ttl.tensor_slice %y_accessor[%c0, %c0] : !accessor -> !ttl.slice<[1, 1], !tile>
    %xf = ttl.copy %blk to %0 : !ttl.block<[1, 1], !tile>, !ttl.slice<[1, 1], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[1, 1], !tile>
  }
  ttl.compute_kernel @compute {
  }
}
