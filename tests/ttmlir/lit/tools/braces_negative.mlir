// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s
// expected-error@+1 {{expected '}' in attribute dictionary}}
func.func @f() attributes {a = 1 : i32 {
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{expected '}' in attribute dictionary}}
  "ttir.relu"() <{a = 1 : i32 : () -> ()
  return
}
