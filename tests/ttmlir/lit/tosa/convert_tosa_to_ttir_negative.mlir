// RUN: ttmlir-opt --convert-tosa-to-ttir --verify-diagnostics %s
// RUN: not ttmlir-opt --convert-tosa-to-ttir %s 2>&1 | FileCheck %s
func.func private @called(tensor<4xf32>) -> tensor<4xf32>
func.func @refused(%a: tensor<4xi32>, %b: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  // CHECK: note: shift has to be 0, and is 2
  // expected-error@+1 {{failed to legalize operation 'tosa.mul' that was explicitly marked illegal}}
  %0 = tosa.mul %a, %a {shift = 2 : i8} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: note: these operations of TOSA are converted to TTIR: abs, add, greater_equal, mul, negate, sub
  // expected-error@+1 {{failed to legalize operation 'tosa.const' that was explicitly marked illegal}}
  %1 = "tosa.const"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  // expected-error@+1 {{failed to legalize operation 'tosa.tanh' that was explicitly marked illegal}}
  %2 = tosa.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: note: beside TOSA there may be TTIR, tensor.empty, functions and returns
  // expected-error@+1 {{failed to legalize operation 'func.call'}}
  %3 = call @called(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %3 : tensor<4xi32>, tensor<4xf32>
}
