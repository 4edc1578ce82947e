// A record as Python gets it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "machine.h"

namespace ttl::emu {

// Takes over what a run has recorded, before its processors are forgotten.
void keep_record(Machine &machine);
// (lines, spans, transfers, links, banks, names, zones, steps, sections), or None when nothing was recorded:
// lines [(kernel, role, file, line)], spans [(core, role, kernel, started, ended, Span[])], transfers Transfer[],
// links and banks the cycles for which each was busy.
PyObject *recorded(Machine &machine);

}  // namespace ttl::emu
