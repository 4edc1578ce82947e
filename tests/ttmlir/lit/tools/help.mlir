// RUN: ttmlir-opt --help | FileCheck %s
// RUN: not ttmlir-translate --ttmetal-to-flatbuffer %s 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: mkdir -p %t.dir && ttmlir-opt --allow-unregistered-dialect %s -o %t.dir/out.mlir
// RUN: FileCheck %s --input-file=%t.dir/out.mlir --check-prefix=MODULE
// CHECK: usage: ttmlir-opt
// LATER: not there yet: it comes with the compiler to TTMetal and C++
// MODULE: "some.op"() : () -> ()
"some.op"() : () -> ()
