// RUN: ttmlir-opt --help | FileCheck %s
// RUN: not ttmlir-translate --ttnn-to-flatbuffer %s 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: mkdir -p %t.dir && ttmlir-opt --allow-unregistered-dialect %s -o %t.dir/out.mlir
// RUN: FileCheck %s --input-file=%t.dir/out.mlir --check-prefix=MODULE
// CHECK: usage: ttmlir-opt
// LATER: second half
// MODULE: "some.op"() : () -> ()
"some.op"() : () -> ()
