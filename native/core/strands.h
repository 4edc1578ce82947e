// Stacks of our own for kernels, where the interpreter is known well enough; elsewhere greenlets serve (scheduler.cpp).
#pragma once

#include "core.h"

namespace ttl::core {

// A C stack and what the interpreter keeps per stack. Its `gr_frame` and `throw` are those of a greenlet.
struct Strand;
extern PyTypeObject StrandType;

bool strands_setup();
// Whether kernels of a launch that begins now may run in strands.
bool strands_serve();
// The stack that runs now, borrowed; null with an error set.
PyObject *strand_current();
// A strand that runs `function`, and goes on in `back` when that returns; new.
PyObject *strand_new(PyCFunction function, PyObject *back);
// Goes on in another strand; returns when someone switches back, with what they passed. New; null with an error set.
PyObject *strand_switch(PyObject *strand, PyObject *passed);
// A strand that waits for work and holds nothing can be freed as it is.
void strand_set_idle(PyObject *strand, bool idle);
// Frees the stack of an idle strand of a thread that ends: without the interpreter, the object itself stays.
void strand_abandon(PyObject *strand);

inline bool is_strand(PyObject *object) { return Py_TYPE(object) == &StrandType; }

}  // namespace ttl::core
