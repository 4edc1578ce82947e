import assert from "node:assert/strict";
import { test } from "node:test";
import { importsTtl } from "../../src/imports";

for (const text of ["import ttl", "import torch, ttl\n", "import numpy as np, ttl as t", "from ttl import block", "x = 1\n    import ttl  # late\n", "import ttl.math\r\n", "from ttl.utils import ulp"]) {
  test(`is of the language: ${JSON.stringify(text)}`, () => assert.equal(importsTtl(text), true));
}

for (const text of ["import ttlib", "from ttlang import x", "x.import_ttl", "# import ttl", "import ttnn", "from . import ttl_helpers", "print('import ttl')", "import foo.ttl"]) {
  test(`is not: ${JSON.stringify(text)}`, () => assert.equal(importsTtl(text), false));
}
