// Who runs next: kernels in greenlets, one at a time, in a fixed order (see sim/scheduler.py for the rules). A blocked
// kernel switches straight to the next one. Greenlets whose kernel has ended are kept for later kernels and launches.
#include "fields.h"

#include <greenlet.h>

namespace ttl::core {

namespace {

// Idle greenlets of earlier launches, and the greenlet they go back to. Of the main thread: a greenlet that outlives its
// thread is never freed.
constexpr size_t kMostKept = 512;
std::vector<PyObject *> kept;
PyObject *kept_hub = nullptr;
unsigned long main_thread;

PyObject *work_function;

// The kernel for the worker that is switched to next, a strong reference. As an argument of the greenlet it would live
// as long as that does, which is longer than the launch.
thread_local Kernel *starting = nullptr;

Kernel *take_starting() {
  Kernel *kernel = starting;
  starting = nullptr;
  return kernel;
}

Scheduler *scheduler_of(Engine *engine) { return reinterpret_cast<Scheduler *>(engine->ready_hook); }

Engine *engine_of(Scheduler *scheduler) { return reinterpret_cast<Engine *>(scheduler->engine_object); }

// The next kernel in the order, a strong reference; null without error when there is none.
Kernel *take_next(Scheduler *scheduler) {
  auto &ready = *scheduler->ready, &unstarted = *scheduler->unstarted;
  if (scheduler->random) {
    size_t count = ready.size() + unstarted.size();
    if (!count) return nullptr;
    PyObject *drawn = PyObject_CallMethod(scheduler->random, "randrange", "n", static_cast<Py_ssize_t>(count));
    if (!drawn) return nullptr;
    size_t position = PyLong_AsSize_t(drawn);
    Py_DECREF(drawn);
    if (position >= ready.size() + unstarted.size()) {
      if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the random source gave no position in the queue");
      return nullptr;
    }
    auto &queue = position < ready.size() ? ready : unstarted;
    if (position >= ready.size()) position -= ready.size();
    Kernel *kernel = queue[position];
    queue.erase(position);
    return kernel;
  }
  auto &queue = !ready.empty() ? ready : unstarted;
  if (queue.empty()) return nullptr;
  Kernel *kernel = queue.front();
  queue.pop_front();
  return kernel;
}

PyObject *switch_to(PyObject *greenlet, PyObject *argument) {
  PyObject *args = argument ? PyTuple_Pack(1, argument) : nullptr;
  if (argument && !args) return nullptr;
  PyObject *result = PyGreenlet_Switch(reinterpret_cast<PyGreenlet *>(greenlet), args, nullptr);
  Py_XDECREF(args);
  return result;
}

// End an idle worker; takes over the reference. A worker that ends switches to its parent: that must be who asks, and
// not the greenlet it was made by, which may be in the middle of something else.
void end_worker(PyObject *worker) {
  auto *greenlet = reinterpret_cast<PyGreenlet *>(worker);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyGreenlet *me = PyGreenlet_GetCurrent();
  PyObject *thrown = nullptr;
  if (me && PyGreenlet_SetParent(greenlet, me) == 0)
    thrown = PyGreenlet_Throw(greenlet, PyExc_GreenletExit, nullptr, nullptr);
  if (!thrown) PyErr_Clear();
  Py_XDECREF(thrown);
  Py_XDECREF(me);
  Py_DECREF(worker);
  PyErr_Restore(type, value, traceback);
}

// Empties a queue of strong references. What goes may run code, so the queue is in order at every moment.
void empty(Queue<Kernel *> *queue) {
  while (!queue->empty()) {
    Kernel *kernel = queue->front();
    queue->pop_front();
    Py_DECREF(kernel);
  }
}

PyObject *work(PyObject *, PyObject *);

PyObject *new_worker(Scheduler *scheduler) {
  bool traced = PyThreadState_Get()->c_tracefunc || PyThreadState_Get()->c_profilefunc;
  if (!kept.empty() && kept_hub == scheduler->hub && !traced) {
    PyObject *worker = kept.back();
    kept.pop_back();
    return worker;
  }
  return as_object(PyGreenlet_New(work_function, reinterpret_cast<PyGreenlet *>(scheduler->hub)));
}

// A worker without a kernel, strong.
PyObject *idle_worker(Scheduler *scheduler) {
  if (scheduler->idle->empty()) return new_worker(scheduler);
  PyObject *worker = scheduler->idle->back();
  scheduler->idle->pop_back();
  return worker;
}

// Let a kernel run that has a greenlet, or start it in an idle one.
PyObject *run_kernel(Engine *engine, Scheduler *scheduler, Kernel *kernel) {
  assign(engine->current, kernel);
  if (kernel->greenlet) {
    PyObject *greenlet = Py_NewRef(kernel->greenlet);
    PyObject *result = switch_to(greenlet, nullptr);
    Py_DECREF(greenlet);
    return result;
  }
  PyObject *worker = idle_worker(scheduler);
  if (!worker) return nullptr;
  assign(kernel->greenlet, worker);
  assign(starting, kernel);
  PyObject *result = switch_to(worker, nullptr);
  Py_DECREF(worker);
  return result;
}

bool in_main_thread() { return PyThread_get_thread_ident() == main_thread; }

bool holds_blocks(Kernel *kernel) {
  PyObject *buffers = kernel->node ? kernel->node->buffers : nullptr;
  for (Py_ssize_t i = 0; buffers && i < PyList_GET_SIZE(buffers); i++) {
    if (!PyObject_TypeCheck(PyList_GET_ITEM(buffers, i), &BufferType)) continue;
    auto *buffer = reinterpret_cast<Buffer *>(PyList_GET_ITEM(buffers, i));
    if ((buffer->producer == kernel && PyList_GET_SIZE(buffer->held_reserved)) ||
        (buffer->consumer == kernel && PyList_GET_SIZE(buffer->held_waited)))
      return true;
  }
  return false;
}

// Run a kernel's function to its end. False when it failed.
bool finish(Engine *engine, Kernel *kernel) {
  if (!kernel->function || !engine->ready_hook) {
    PyErr_SetString(PyExc_RuntimeError, "the launch is over");
    return false;
  }
  PyObject *function = Py_NewRef(kernel->function);
  PyObject *result = PyObject_CallNoArgs(function);
  Py_DECREF(function);
  if (!result) return false;
  if (result == Py_None && holds_blocks(kernel) && release_at_end(kernel) < 0) {
    Py_DECREF(result);
    return false;
  }
  if (result != Py_None || holds_blocks(kernel)) {
    PyObject *hook = engine->ready_hook;
    PyObject *done = hook ? call_slow(hook, "kernel_ended", kernel, result) : nullptr;
    if (!hook) PyErr_SetString(PyExc_RuntimeError, "the launch is over");
    Py_DECREF(result);
    if (!done) return false;
    Py_DECREF(done);
    return true;
  }
  Py_DECREF(result);
  return true;
}

// Context variables as they were at the call of the operation: entered while a worker runs kernels of a launch.
class Entered {
 public:
  bool enter(PyObject *of) {
    context_ = PyContext_Copy(of);
    return context_ && PyContext_Enter(context_) == 0;
  }
  void exit() {
    if (context_ && PyContext_Exit(context_) < 0) PyErr_Clear();
    clear(context_);
  }
  explicit operator bool() const { return context_ != nullptr; }

 private:
  PyObject *context_ = nullptr;
};

// Keeps the error that is set as the failure of the launch, unless there is one already.
void keep_failure(Engine *engine, Scheduler *scheduler) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  if (!scheduler->failure) {
    assign(scheduler->failure, value);
    if (PyObject_SetAttrString(as_object(engine), "failed", as_object(engine->current)) < 0) PyErr_Clear();
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

// What a worker runs: kernel after kernel. Ends when it is told to, or when a kernel fails.
PyObject *work(PyObject *, PyObject *) {
  Kernel *kernel = take_starting();
  if (!kernel) Py_RETURN_NONE;
  PyObject *me = kernel->greenlet;  // alive while it runs
  Entered context;
  for (;;) {
    Engine *engine = incref(kernel->node->engine);
    if (!engine->ready_hook) {  // nothing of the launch is left
      context.exit();
      Py_DECREF(engine);
      Py_DECREF(kernel);
      Py_RETURN_NONE;
    }
    auto *scheduler = reinterpret_cast<Scheduler *>(Py_NewRef(engine->ready_hook));
    bool fine = (context || context.enter(scheduler->context)) && finish(engine, kernel);
    if (!fine) {
      if (PyErr_ExceptionMatches(PyExc_GreenletExit)) {
        PyErr_Clear();
      } else {
        keep_failure(engine, scheduler);
        clear(kernel->greenlet);
      }
      context.exit();
      Py_DECREF(kernel);
      Py_DECREF(scheduler);
      Py_DECREF(engine);
      Py_RETURN_NONE;
    }
    kernel->done = 1;
    clear(kernel->greenlet);
    scheduler->finished++;
    if (scheduler->on_finish) {
      PyObject *told = PyObject_CallOneArg(scheduler->on_finish, as_object(kernel));
      if (!told) PyErr_WriteUnraisable(scheduler->on_finish);
      Py_XDECREF(told);
    }
    Py_DECREF(kernel);
    Kernel *following = take_next(scheduler);
    if (!following && PyErr_Occurred()) keep_failure(engine, scheduler);  // the hub raises it
    if (following && !following->greenlet) {
      assign(following->greenlet, me);
      assign(engine->current, following);
      kernel = following;
      Py_DECREF(scheduler);
      Py_DECREF(engine);
      continue;
    }
    scheduler->idle->push_back(Py_NewRef(me));
    PyObject *target;
    if (following) {
      assign(engine->current, following);
      target = Py_NewRef(following->greenlet);
      Py_DECREF(following);
    } else {
      target = Py_NewRef(scheduler->hub);
    }
    Py_DECREF(scheduler);
    Py_DECREF(engine);
    context.exit();
    // From here on nothing of this launch is held but `target`: the worker may sleep until a later one.
    PyObject *wanted = switch_to(target, nullptr);
    Py_DECREF(target);
    if (!wanted) {
      if (PyErr_ExceptionMatches(PyExc_GreenletExit)) {
        PyErr_Clear();
        Py_RETURN_NONE;
      }
      return nullptr;
    }
    Py_DECREF(wanted);
    kernel = take_starting();
    if (!kernel) Py_RETURN_NONE;
  }
}

PyMethodDef work_method = {"work", work, METH_NOARGS, nullptr};

}  // namespace

int scheduler_suspend(Engine *engine, Kernel *kernel, PyObject *reason) {
  Scheduler *scheduler = scheduler_of(engine);
  if (!scheduler || scheduler->abandoned) {
    PyErr_SetNone(PyExc_GreenletExit);  // a kernel that goes on although the launch is being unwound
    return -1;
  }
  assign(kernel->waiting, reason == Py_None ? nullptr : reason);
  scheduler->switches++;
  Site here;
  kernel->stalled_at = user_site(&here) ? here : Site{};
  if (!kernel->listed) {
    kernel->listed = 1;
    scheduler->stalled->push_back(incref(kernel));
  }
  Kernel *target = take_next(scheduler);
  if (!target && PyErr_Occurred()) return -1;
  PyObject *result = nullptr;
  incref(engine);
  incref(kernel);
  if (!target) {
    result = switch_to(scheduler->hub, nullptr);
  } else if (target == kernel) {
    result = Py_NewRef(Py_None);
  } else if (target->greenlet || !scheduler->idle->empty()) {
    result = run_kernel(engine, scheduler, target);
  } else {
    // The hub starts it: on top of this kernel it would inherit its depth of recursion.
    result = switch_to(scheduler->hub, as_object(target));
  }
  Py_XDECREF(target);
  if (result) {
    assign(engine->current, kernel);
    clear(kernel->waiting);
  }
  Py_DECREF(kernel);
  Py_DECREF(engine);
  if (!result) return -1;
  Py_DECREF(result);
  return 0;
}

int scheduler_wake(Engine *engine, Kernel *kernel) {
  Scheduler *scheduler = scheduler_of(engine);
  if (!scheduler) return 0;
  incref(kernel);
  if (engine->current && kernel->node == engine->current->node) scheduler->ready->push_front(kernel);
  else scheduler->ready->push_back(kernel);
  return 0;
}

int scheduler_pause(Engine *engine, Kernel *kernel) {
  Scheduler *scheduler = scheduler_of(engine);
  if (scheduler && !scheduler->abandoned) scheduler->ready->push_back(incref(kernel));
  return scheduler_suspend(engine, kernel, Py_None);
}

// --- the type -----------------------------------------------------------------------------------------------

static PyObject *scheduler_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *scheduler = reinterpret_cast<Scheduler *>(type->tp_alloc(type, 0));
  if (!scheduler) return nullptr;
  scheduler->ready = new Queue<Kernel *>();
  scheduler->unstarted = new Queue<Kernel *>();
  scheduler->stalled = new Queue<Kernel *>();
  scheduler->idle = new std::vector<PyObject *>();
  return as_object(scheduler);
}

static int scheduler_init(PyObject *self, PyObject *args, PyObject *) {
  PyObject *engine;
  if (!PyArg_ParseTuple(args, "O!", &EngineType, &engine)) return -1;
  auto *scheduler = reinterpret_cast<Scheduler *>(self);
  if (scheduler->engine_object) {
    PyErr_SetString(PyExc_TypeError, "a scheduler is made once");
    return -1;
  }
  scheduler->engine_object = engine;
  assign(reinterpret_cast<Engine *>(engine)->ready_hook, self);
  return 0;
}

// begin(kernels, context, random): what a launch runs, with the random source of a seeded schedule or None.
static PyObject *scheduler_begin(PyObject *self, PyObject *args) {
  auto *scheduler = reinterpret_cast<Scheduler *>(self);
  PyObject *kernels, *context, *random;
  if (!PyArg_ParseTuple(args, "O!OO", &PyList_Type, &kernels, &context, &random)) return nullptr;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(kernels); i++) {
    if (PyObject_TypeCheck(PyList_GET_ITEM(kernels, i), &KernelType)) continue;
    PyErr_SetString(PyExc_TypeError, "begin(kernels, context, random)");
    return nullptr;
  }
  if (!PyContext_CheckExact(context)) {
    PyErr_SetString(PyExc_TypeError, "a context is needed");
    return nullptr;
  }
  PyObject *hub = as_object(PyGreenlet_GetCurrent());
  if (!hub) return nullptr;
  Py_XDECREF(scheduler->hub);
  scheduler->hub = hub;
  if (kept_hub != hub && in_main_thread()) {
    std::vector<PyObject *> old;
    old.swap(kept);
    for (PyObject *each : old) end_worker(each);
    assign(kept_hub, hub);
  }
  assign(scheduler->context, context);
  assign(scheduler->random, random == Py_None ? nullptr : random);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(kernels); i++)
    scheduler->unstarted->push_back(reinterpret_cast<Kernel *>(Py_NewRef(PyList_GET_ITEM(kernels, i))));
  scheduler->total = PyList_GET_SIZE(kernels);
  Py_RETURN_NONE;
}

static PyObject *over() {
  PyErr_SetString(PyExc_RuntimeError, "the launch is over, or was not begun");
  return nullptr;
}

// Run kernels until none is ready. Whether all have ended; the caller looks at failures and deadlocks.
static PyObject *scheduler_advance(PyObject *self, PyObject *) {
  auto *scheduler = reinterpret_cast<Scheduler *>(self);
  Engine *engine = engine_of(scheduler);
  if (!engine || !scheduler->hub) return over();
  incref(engine);
  PyObject *wanted = nullptr;
  while (!scheduler->failure && scheduler->finished < scheduler->total) {
    Kernel *kernel;
    if (wanted && PyObject_TypeCheck(wanted, &KernelType)) {
      kernel = reinterpret_cast<Kernel *>(wanted);
      wanted = nullptr;
    } else {
      clear(wanted);
      kernel = take_next(scheduler);
    }
    if (!kernel && !PyErr_Occurred() && scheduler->stalled->size() && release_when_stalled(engine, scheduler) > 0)
      continue;
    if (!kernel) break;
    wanted = run_kernel(engine, scheduler, kernel);
    Py_DECREF(kernel);
    if (!wanted) break;
  }
  Py_XDECREF(wanted);
  Py_DECREF(engine);
  if (PyErr_Occurred()) return nullptr;
  return PyBool_FromLong(!scheduler->failure && scheduler->finished >= scheduler->total);
}

static PyObject *scheduler_suspend_method(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 2 || !PyObject_TypeCheck(args[0], &KernelType)) {
    PyErr_SetString(PyExc_TypeError, "suspend(kernel, reason)");
    return nullptr;
  }
  auto *kernel = reinterpret_cast<Kernel *>(args[0]);
  Engine *engine = engine_of(reinterpret_cast<Scheduler *>(self));
  if (!engine || !reinterpret_cast<Scheduler *>(self)->hub) return over();
  if (scheduler_suspend(engine, kernel, args[1]) < 0) return nullptr;
  Py_RETURN_NONE;
}
static PyObject *scheduler_wake_method(PyObject *self, PyObject *kernel) {
  if (!PyObject_TypeCheck(kernel, &KernelType)) {
    PyErr_SetString(PyExc_TypeError, "wake(kernel)");
    return nullptr;
  }
  Engine *engine = engine_of(reinterpret_cast<Scheduler *>(self));
  if (!engine) return over();
  scheduler_wake(engine, reinterpret_cast<Kernel *>(kernel));
  Py_RETURN_NONE;
}
static PyObject *scheduler_pause_method(PyObject *self, PyObject *kernel) {
  if (!PyObject_TypeCheck(kernel, &KernelType)) {
    PyErr_SetString(PyExc_TypeError, "pause(kernel)");
    return nullptr;
  }
  Engine *engine = engine_of(reinterpret_cast<Scheduler *>(self));
  if (!engine || !reinterpret_cast<Scheduler *>(self)->hub) return over();
  if (scheduler_pause(engine, reinterpret_cast<Kernel *>(kernel)) < 0) return nullptr;
  Py_RETURN_NONE;
}
// The blocks that kernels hold that have waited since this was last asked: one list for each buffer, oldest block
// first; by kernel what is reserved before what was waited for.
static PyObject *scheduler_held_by_stalled(PyObject *self, PyObject *) {
  auto &stalled = *reinterpret_cast<Scheduler *>(self)->stalled;
  PyObject *result = PyList_New(0);
  while (result && !stalled.empty()) {
    Kernel *kernel = stalled.front();
    stalled.pop_front();
    kernel->listed = 0;
    PyObject *buffers = kernel->node && !kernel->done ? kernel->node->buffers : nullptr;
    for (int waited = 0; result && waited < 2; waited++) {
      for (Py_ssize_t i = 0; buffers && i < PyList_GET_SIZE(buffers); i++) {
        if (!PyObject_TypeCheck(PyList_GET_ITEM(buffers, i), &BufferType)) continue;
        auto *buffer = reinterpret_cast<Buffer *>(PyList_GET_ITEM(buffers, i));
        if ((waited ? buffer->consumer : buffer->producer) != kernel) continue;
        PyObject *held = waited ? buffer->held_waited : buffer->held_reserved;
        if (!PyList_GET_SIZE(held) || PyList_Append(result, held) == 0) continue;
        clear(result);
        break;
      }
    }
    Py_DECREF(kernel);
  }
  return result;
}

static PyObject *scheduler_give_up(PyObject *self, PyObject *) {
  reinterpret_cast<Scheduler *>(self)->abandoned = 1;
  Py_RETURN_NONE;
}

// Let go of everything; idle greenlets stay for the next launch.
static PyObject *scheduler_close(PyObject *self, PyObject *) {
  auto *scheduler = reinterpret_cast<Scheduler *>(self);
  std::vector<PyObject *> idle;
  idle.swap(*scheduler->idle);
  for (PyObject *each : idle) {
    if (kept.size() < kMostKept && kept_hub == scheduler->hub && !scheduler->failure && !scheduler->abandoned) {
      kept.push_back(each);
      continue;
    }
    end_worker(each);
  }
  empty(scheduler->ready);
  empty(scheduler->unstarted);
  empty(scheduler->stalled);
  clear(scheduler->random);
  clear(scheduler->context);
  clear(scheduler->on_finish);
  clear(scheduler->failure);  // its traceback holds frames, those hold blocks, and blocks the launch
  // When a thread ends, greenlet takes references to its main greenlet that the collector does not see for leaked ones.
  clear(scheduler->hub);
  Py_RETURN_NONE;
}

static int scheduler_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *scheduler = reinterpret_cast<Scheduler *>(self);
  for (auto *queue : {scheduler->ready, scheduler->unstarted, scheduler->stalled})
    for (size_t i = 0; i < queue->size(); i++) Py_VISIT((*queue)[i]);
  Py_VISIT(scheduler->hub);
  Py_VISIT(scheduler->failure);
  Py_VISIT(scheduler->context);
  Py_VISIT(scheduler->on_finish);
  return 0;
}
static int scheduler_clear(PyObject *self) {
  auto *scheduler = reinterpret_cast<Scheduler *>(self);
  empty(scheduler->ready);
  empty(scheduler->unstarted);
  empty(scheduler->stalled);
  clear(scheduler->failure);
  clear(scheduler->context);
  clear(scheduler->random);
  clear(scheduler->on_finish);
  return 0;
}
static void scheduler_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *scheduler = reinterpret_cast<Scheduler *>(self);
  scheduler_clear(self);
  for (PyObject *each : *scheduler->idle) Py_DECREF(each);
  clear(scheduler->hub);
  delete scheduler->ready;
  delete scheduler->unstarted;
  delete scheduler->stalled;
  delete scheduler->idle;
  Py_TYPE(self)->tp_free(self);
}
static PyMemberDef scheduler_members[] = {TTL_INT(Scheduler, finished), TTL_INT(Scheduler, total),
                                          TTL_INT(Scheduler, switches), {}};
static PyGetSetDef scheduler_getset[] = {TTL_OBJECT(Scheduler, failure), TTL_OBJECT(Scheduler, on_finish), {}};
static PyMethodDef scheduler_methods[] = {
    {"begin", scheduler_begin, METH_VARARGS, nullptr},
    {"advance", scheduler_advance, METH_NOARGS, nullptr},
    {"suspend", reinterpret_cast<PyCFunction>(scheduler_suspend_method), METH_FASTCALL, nullptr},
    {"wake", scheduler_wake_method, METH_O, nullptr},
    {"pause", scheduler_pause_method, METH_O, nullptr},
    {"held_by_stalled", scheduler_held_by_stalled, METH_NOARGS, nullptr},
    {"give_up", scheduler_give_up, METH_NOARGS, nullptr},
    {"close", scheduler_close, METH_NOARGS, nullptr},
    {}};
PyTypeObject SchedulerType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Scheduler",
    .tp_basicsize = sizeof(Scheduler),
    .tp_dealloc = scheduler_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "Runs the kernels of a launch.",
    .tp_traverse = scheduler_traverse,
    .tp_clear = scheduler_clear,
    .tp_methods = scheduler_methods,
    .tp_members = scheduler_members,
    .tp_getset = scheduler_getset,
    .tp_init = scheduler_init,
    .tp_new = scheduler_new,
};

bool scheduler_setup() {
  PyGreenlet_Import();
  if (PyErr_Occurred() || !_PyGreenlet_API) return false;
  PyObject *threading = PyImport_ImportModule("threading");
  PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", nullptr) : nullptr;
  PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : nullptr;
  if (ident) main_thread = PyLong_AsUnsignedLong(ident);
  Py_XDECREF(ident);
  Py_XDECREF(thread);
  Py_XDECREF(threading);
  if (PyErr_Occurred()) return false;
  work_function = PyCFunction_New(&work_method, nullptr);
  return work_function != nullptr;
}

}  // namespace ttl::core
