// RUN: ttmlir-opt -split-input-file %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file --pass-pipeline='builtin.module(func.func(canonicalize),cse)' %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file --mlir-print-debuginfo %s | FileCheck %s --check-prefix=LOC
// RUN: ttmlir-opt --split-input-file --canonicalize --mlir-print-ir-after-all %s 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: ttmlir-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: not ttmlir-opt --ttnn-layouts %s 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not ttmlir-opt --ttir-to-ttnn-backend-pipeline="mesh-shap=1,1" %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not ttmlir-opt --ttir-to-ttnn-backend-pipeline="mesh-shape=one" %s 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not ttmlir-opt %S 2>&1 | FileCheck %s --check-prefix=FOLDER
// DIALECTS: Available Dialects: affine,
// DIALECTS-SAME: tt,ttir,
// FLAG: error: unknown argument --ttnn-layouts; did you mean --ttnn-layout?
// OPTION: error: the pipeline ttir-to-ttnn-backend-pipeline has no option mesh-shap; its options are
// OPTION-SAME: did you mean mesh-shape?
// VALUE: error: the option mesh-shape of ttir-to-ttnn-backend-pipeline is whole numbers with commas between them, not one
// FOLDER: Is a directory; give the path of a .mlir file
// DUMP: // -----// IR Dump After {{.*}} (canonicalize) //----- //

// LOC: func.func @first(%arg0: i32 loc({{.*}}:26:18)) -> i32 {
// LOC: return %arg0 : i32 loc(#[[RETURN:loc[0-9]*]])
// LOC: } loc(#loc1)
// LOC: #[[RETURN]] = loc({{.*}}:27:3)

// CHECK-LABEL: func.func @first(%arg0: i32) -> i32
// CHECK: return %arg0 : i32
func.func @first(%x: i32) -> i32 {
  return %x : i32
}

// CHECK: // -----
// -----

// CHECK-LABEL: func.func private @second()
func.func private @second()
