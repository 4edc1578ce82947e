// Stacks of our own: a switch exchanges registers and what the interpreter keeps per stack, and copies nothing.
// Greenlets share one stack and copy it out and in; for kernels that take turns at every block that is most of a switch.
#include "strands.h"

#include "fields.h"

#include <greenlet.h>

#if defined(__x86_64__) && defined(__linux__) && PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
#define TTL_HAS_STRANDS 1
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace ttl::core {

#ifdef TTL_HAS_STRANDS

// Saves the registers that a function preserves, with the control words of the floating point units, on the stack;
// stores where that is in `*from`, and goes on from `to` in the same way.
extern "C" void ttl_core_switch_stack(void **from, void *to);
asm(R"(
.text
.p2align 4
.hidden ttl_core_switch_stack
.globl ttl_core_switch_stack
.type ttl_core_switch_stack, @function
ttl_core_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ttl_core_switch_stack, .-ttl_core_switch_stack
)");

namespace {

// What the interpreter keeps per stack: exchanged at a switch. References move with it.
struct PerStack {
  _PyCFrame *cframe;
  _PyErr_StackItem *exc_info, exc_state;
  PyObject *context;
  _PyStackChunk *datastack_chunk;
  PyObject **datastack_top, **datastack_limit;
  int recursion_remaining, trash_delete_nesting, tracing;
};

void save(const PyThreadState *thread, PerStack *to) {
  to->cframe = thread->cframe;
  to->exc_info = thread->exc_info;
  to->exc_state = thread->exc_state;
  to->context = thread->context;
  to->datastack_chunk = thread->datastack_chunk;
  to->datastack_top = thread->datastack_top;
  to->datastack_limit = thread->datastack_limit;
  to->recursion_remaining = thread->recursion_remaining;
  to->trash_delete_nesting = thread->trash_delete_nesting;
  to->tracing = thread->tracing;
}

void load(PyThreadState *thread, const PerStack *from) {
  thread->cframe = from->cframe;
  thread->exc_info = from->exc_info;
  thread->exc_state = from->exc_state;
  thread->context = from->context;
  thread->context_ver++;
  thread->datastack_chunk = from->datastack_chunk;
  thread->datastack_top = from->datastack_top;
  thread->datastack_limit = from->datastack_limit;
  thread->recursion_remaining = from->recursion_remaining;
  thread->trash_delete_nesting = from->trash_delete_nesting;
  thread->tracing = from->tracing;
  // A debugger may have been started or left in another strand.
  bool traced = !thread->tracing && (thread->c_tracefunc || thread->c_profilefunc);
  thread->cframe->use_tracing = traced ? 255 : 0;
}

enum State : char { kFresh, kSuspended, kRunning, kEnded };

constexpr size_t kStackSizes[] = {size_t{8} << 20, size_t{1} << 20, size_t{256} << 10};

}  // namespace

struct Strand {
  PyObject_HEAD
  void *sp;
  char *memory;  // null: the thread's own stack
  size_t size;
  PerStack python;
  _PyCFrame base;
  PyCFunction function;
  PyObject *back, *passed;
  State state;
  char idle, thrown;
};

namespace {

// Strong references: to the strand that runs (null: it is the thread's own stack, and nobody has asked for it yet), and
// to the one that ran before, which can go when its stack is no longer used.
thread_local Strand *running = nullptr;
thread_local Strand *left = nullptr;

void drop_left() {
  Strand *gone = left;
  left = nullptr;
  Py_XDECREF(as_object(gone));
}

void jump(Strand *target) {
  PyThreadState *thread = PyThreadState_Get();
  Strand *me = running;
  if (me->state == kRunning) me->state = kSuspended;
  save(thread, &me->python);
  if (target->state == kFresh) {
    target->base = {0, nullptr, &thread->root_cframe};
    target->python = {&target->base, &thread->exc_state, {}, nullptr, nullptr, nullptr, nullptr,
                      thread->recursion_remaining, 0, 0};
  }
  target->state = kRunning;
  left = me;
  running = incref(target);
  load(thread, &target->python);
  ttl_core_switch_stack(&me->sp, target->sp);
  drop_left();
}

// The first function on a strand's stack.
void enter() {
  drop_left();
  Strand *me = running;
  PyObject *result = me->function(nullptr, nullptr);
  auto *back = reinterpret_cast<Strand *>(me->back);
  assign(back->passed, result);  // null with an error set: that goes with us
  Py_XDECREF(result);
  me->state = kEnded;
  jump(back);
  Py_FatalError("a strand that has ended was switched to");
}

bool allocate(Strand *strand) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t size : kStackSizes) {
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) continue;
    if (mprotect(memory, page, PROT_NONE) < 0) {
      munmap(memory, size);
      continue;
    }
    madvise(memory, size, MADV_NOHUGEPAGE);  // a kernel needs a page or two of it
    strand->memory = static_cast<char *>(memory);
    strand->size = size;
    return true;
  }
  PyErr_NoMemory();
  return false;
}

void free_stack(Strand *strand) {
  if (strand->memory) munmap(strand->memory, strand->size);
  strand->memory = nullptr;
  PyObjectArenaAllocator arenas;
  PyObject_GetArenaAllocator(&arenas);
  for (_PyStackChunk *chunk = strand->python.datastack_chunk; chunk;) {
    _PyStackChunk *previous = chunk->previous;
    arenas.free(arenas.ctx, chunk, chunk->size);
    chunk = previous;
  }
  strand->python.datastack_chunk = nullptr;
}

Strand *new_strand() {
  auto *strand = PyObject_New(Strand, &StrandType);
  if (strand) std::memset(reinterpret_cast<char *>(strand) + sizeof(PyObject), 0, sizeof(Strand) - sizeof(PyObject));
  return strand;
}

bool may_free(const Strand *strand) { return strand->state == kFresh || strand->state == kEnded || strand->idle; }

}  // namespace

bool strands_setup() {
  PyGreenlet_Import();
  return !PyErr_Occurred() && _PyGreenlet_API;
}

bool strands_serve() {
  PyThreadState *thread = PyThreadState_Get();
  if (thread->c_tracefunc || thread->c_profilefunc) return false;
  PyGreenlet *current = PyGreenlet_GetCurrent();
  // Who uses greenlets may switch between them in kernels, too: to them all of that is one stack.
  PyGreenlet *parent = current ? PyGreenlet_GetParent(current) : nullptr;
  bool main = current && !parent;
  Py_XDECREF(parent);
  Py_XDECREF(current);
  if (!main) PyErr_Clear();
  PyObject *name = main ? PyUnicode_FromString("gevent") : nullptr;
  PyObject *gevent = name ? PyImport_GetModule(name) : nullptr;
  Py_XDECREF(name);
  bool serve = main && !gevent && !PyErr_Occurred();
  PyErr_Clear();
  Py_XDECREF(gevent);
  return serve;
}

PyObject *strand_current() {
  if (running) return as_object(running);
  running = new_strand();
  if (running) running->state = kRunning;
  return as_object(running);
}

PyObject *strand_new(PyCFunction function, PyObject *back) {
  Strand *strand = new_strand();
  if (!strand) return nullptr;
  strand->function = function;
  strand->back = Py_NewRef(back);
  if (!allocate(strand)) {
    Py_DECREF(as_object(strand));
    return nullptr;
  }
  // Stacks begin at different lines of the cache: they are used at the same depth.
  static size_t made = 0;
  auto *top = reinterpret_cast<uintptr_t *>(strand->memory + strand->size - 64 * (made++ % 32)) - 2;
  *--top = 0;                                    // where `enter` would return to
  *--top = reinterpret_cast<uintptr_t>(&enter);  // the stack is as after a call
  for (int i = 0; i < 6; i++) *--top = 0;
  uint32_t mxcsr;
  uint16_t control;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(control));
  *--top = static_cast<uintptr_t>(control) << 32 | mxcsr;
  strand->sp = top;
  return as_object(strand);
}

PyObject *strand_switch(PyObject *object, PyObject *passed) {
  auto *target = reinterpret_cast<Strand *>(object);
  if (target == running) return Py_NewRef(passed ? passed : Py_None);
  if (target->state != kFresh && target->state != kSuspended) {
    PyErr_SetString(PyExc_RuntimeError, "the kernel has ended");
    return nullptr;
  }
  assign(target->passed, passed);
  jump(target);
  Strand *me = running;
  PyObject *got = me->passed;
  me->passed = nullptr;
  bool thrown = me->thrown;
  me->thrown = 0;
  if (thrown && !PyErr_Occurred()) PyErr_SetNone(PyExc_GreenletExit);
  if (PyErr_Occurred()) {
    Py_XDECREF(got);
    return nullptr;
  }
  return got ? got : Py_NewRef(Py_None);
}

void strand_set_idle(PyObject *strand, bool idle) {
  if (is_strand(strand)) reinterpret_cast<Strand *>(strand)->idle = idle;
}

void strand_abandon(PyObject *object) {
  if (!is_strand(object)) return;
  auto *strand = reinterpret_cast<Strand *>(object);
  if (may_free(strand)) free_stack(strand);
}

namespace {

// throw(GreenletExit): end what runs in the strand, and come back.
PyObject *strand_throw(PyObject *self, PyObject *) {
  auto *strand = reinterpret_cast<Strand *>(self);
  if (strand->state != kSuspended || !strand->memory) Py_RETURN_NONE;
  PyObject *me = strand_current();
  if (!me) return nullptr;
  assign(strand->back, me);
  strand->thrown = 1;
  return strand_switch(self, nullptr);
}

PyObject *strand_frame(PyObject *self, void *) {
  auto *strand = reinterpret_cast<Strand *>(self);
  if (strand->state != kSuspended) Py_RETURN_NONE;
  PyThreadState *thread = PyThreadState_Get();
  _PyCFrame *now = thread->cframe;
  thread->cframe = strand->python.cframe;
  PyFrameObject *frame = PyThreadState_GetFrame(thread);
  thread->cframe = now;
  return frame ? as_object(frame) : Py_NewRef(Py_None);
}

void strand_dealloc(PyObject *self) {
  auto *strand = reinterpret_cast<Strand *>(self);
  // Frames that nobody ended are left where they are: what they refer to may run anything.
  if (may_free(strand)) free_stack(strand);
  clear(strand->back);
  clear(strand->passed);
  PyObject_Free(self);
}

PyGetSetDef strand_getset[] = {{"gr_frame", strand_frame, nullptr, "The innermost frame, while suspended.", nullptr}, {}};
PyMethodDef strand_methods[] = {{"throw", strand_throw, METH_O, nullptr}, {}};

}  // namespace

PyTypeObject StrandType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Strand",
    .tp_basicsize = sizeof(Strand),
    .tp_dealloc = strand_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A stack of its own that kernels run on.",
    .tp_methods = strand_methods,
    .tp_getset = strand_getset,
};

#else

struct Strand {
  PyObject_HEAD
};
PyTypeObject StrandType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Strand",
    .tp_basicsize = sizeof(Strand),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

bool strands_setup() { return true; }
bool strands_serve() { return false; }
PyObject *strand_current() { return nullptr; }
PyObject *strand_new(PyCFunction, PyObject *) { return nullptr; }
PyObject *strand_switch(PyObject *, PyObject *) { return nullptr; }
void strand_set_idle(PyObject *, bool) {}
void strand_abandon(PyObject *) {}

#endif

}  // namespace ttl::core
