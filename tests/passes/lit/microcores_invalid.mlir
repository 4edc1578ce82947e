// RUN: ttl-opt %s --split-input-file --verify-diagnostics

// What is refused: microcores that a node does not have, and threads and hints that do not fit.

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{a microcore is one of NOC0, NOC1, UNPACK, MATH, PACK, not NOC2}}
  ttl.tile_proc microcores <NOC0, NOC2> {
    ttl.thread(@NOC0) @read {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{a node has two microcores that move data, not 3}}
  ttl.tile_proc microcores <NOC0, NOC0, NOC1> {
    ttl.thread(@NOC0) @read {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{a node has one MATH, not 2}}
  ttl.tile_proc microcores <NOC0, NOC1, MATH, MATH> {
    ttl.thread(@NOC0) @read {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{a thread is for @NOC1, and the microcores are NOC0, MATH}}
  ttl.tile_proc microcores <NOC0, MATH> {
    ttl.thread(@NOC1) @write {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{2 threads are for @NOC0, but only 1 is declared}}
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC0) @read {
    }
    ttl.thread(@NOC0) @write {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    // expected-error@+1 {{a thread is for @NOC0 or @NOC1, or for @UNPACK, @MATH, @PACK together, which run one program; not for @UNPACK}}
    ttl.thread(@UNPACK) @compute {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    // expected-error@+1 {{which run one program; not for @NOC0, @NOC1}}
    ttl.thread(@NOC0, @NOC1) @move {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{a thread is for @FPU, and the microcores are NOC0, NOC1, UNPACK, MATH, PACK}}
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    // expected-error@+1 {{which run one program; not for @FPU}}
    ttl.thread(@FPU) @compute {
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{runs on NOC0 or NOC1, and not on MATH}}
  ttl.datamovement_kernel @read attributes {microcore_hint = "MATH"} {
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{runs on NOC0 or NOC1, and not on NOC2}}
  ttl.datamovement_kernel @read attributes {microcore_hint = "NOC2"} {
  }
}

// -----

ttl.operation @f() grid <1x1> {
  // expected-error@+1 {{runs on MATH, and not on NOC0}}
  ttl.compute_kernel @compute attributes {microcore_hint = "NOC0"} {
  }
}
