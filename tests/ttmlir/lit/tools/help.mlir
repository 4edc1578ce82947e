// RUN: ttmlir-opt --help | FileCheck %s
// RUN: mkdir -p %t.dir && ttmlir-opt --allow-unregistered-dialect %s -o %t.dir/out.mlir
// RUN: FileCheck %s --input-file=%t.dir/out.mlir --check-prefix=MODULE
// CHECK: usage: ttmlir-opt
// MODULE: "some.op"() : () -> ()
"some.op"() : () -> ()
