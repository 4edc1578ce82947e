// RUN: ttmlir-opt --convert-ttkernel-to-emitc %s | FileCheck %s
// RUN: ttmlir-opt --convert-ttkernel-to-emitc %s | ttmlir-translate -mlir-to-cpp | FileCheck %s --check-prefix=CPP
// Two tiles of another core are read into a circular buffer.

#l1_ = #tt.memory_space<l1>
!cb = !ttkernel.cb<cb_in1, 4096, memref<1x2x!tt.tile<32x32, bf16>, #l1_>, 2048, 1>

// CHECK-LABEL: func.func @read()
// CHECK-NEXT: %[[V:.*]] = "emitc.variable"() <{value = #emitc.opaque<"::tt::CB::c_in1">}> : () -> !emitc.lvalue<!emitc.opaque<"::tt::CB">>
// CHECK-NEXT: %[[CB:.*]] = "emitc.load"(%[[V]])
// CPP: void read() {
// CPP-NEXT:   ::tt::CB v1 = ::tt::CB::c_in1;
// CPP-NEXT:   ::tt::CB v2 = v1;
// CPP-NEXT:   int32_t v3 = 2;
// CPP-NEXT:   int32_t v4 = 1;
// CPP-NEXT:   int32_t v5 = 3;
// CPP-NEXT:   int32_t v6 = 8192;
// CPP-NEXT:   int32_t v7 = 4096;
// CPP-NEXT:   cb_reserve_back(v2, v3);
// CPP-NEXT:   int64_t v8 = get_noc_addr(v4, v5, v6);
// CPP-NEXT:   noc_async_read(v8, v7, v7);
// CPP-NEXT:   noc_async_read_barrier();
// CPP-NEXT:   cb_push_back(v2, v3);
// CPP-NEXT:   return;
// CPP-NEXT: }
func.func @read(%cb: !cb) {
  %two = arith.constant 2 : i32
  %x = arith.constant 1 : i32
  %y = arith.constant 3 : i32
  %from = arith.constant 8192 : i32
  %to = arith.constant 4096 : i32
  "ttkernel.cb_reserve_back"(%cb, %two) : (!cb, i32) -> ()
  // CHECK: %[[NOC:.*]] = "emitc.call_opaque"({{.*}}) <{callee = "get_noc_addr"}> : (i32, i32, i32) -> i64
  %noc = "ttkernel.get_noc_addr_xy"(%x, %y, %from) : (i32, i32, i32) -> !ttkernel.noc_addr
  // CHECK-NEXT: "emitc.call_opaque"(%[[NOC]], {{.*}}) <{callee = "noc_async_read"}>
  "ttkernel.noc_async_read"(%noc, %to, %to) : (!ttkernel.noc_addr, i32, i32) -> ()
  "ttkernel.noc_async_read_barrier"() : () -> ()
  "ttkernel.cb_push_back"(%cb, %two) : (!cb, i32) -> ()
  // CHECK: return
  "ttkernel.return"() : () -> ()
}
