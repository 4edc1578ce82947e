// Objects of the hot path are made by the thousand and die at once: their memory is kept for the next ones.
#pragma once

#include "core.h"

namespace ttl::core {

constexpr size_t kMostKept = 4096;

// What an object refers to goes away; its memory stays. One per type, next to the type.
void release(Block *block);
void release(Transfer *transfer);
void release(Value *value);
void release(Expr *expr);
void release(PipeTransfer *transfer);
void release(Message *message);
struct Send {
  PipeTransfer transfer;
};
struct Receive {
  PipeTransfer transfer;
};
inline void release(Send *send) { release(&send->transfer); }
inline void release(Receive *receive) { release(&receive->transfer); }
inline void release(Slice *slice) { release(&slice->value); }

// Classes made by Python are collected, whatever they hold. Instances live too short for that to pay.
inline PyObject *untracked_new(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *fresh = type->tp_alloc(type, 0);
  if (fresh && PyType_IS_GC(type)) PyObject_GC_UnTrack(fresh);
  return fresh;
}

// Objects that are given all of their fields at once are made whole or not at all: `__new__` sets the fields, so that
// nobody holds one without them, and `__init__` finds them set.
template <newfunc allocate, initproc fill>
PyObject *made_whole(PyTypeObject *type, PyObject *args, PyObject *names) {
  PyObject *fresh = allocate(type, nullptr, nullptr);
  if (fresh && fill(fresh, args, names) < 0) Py_CLEAR(fresh);
  return fresh;
}
inline int already_made(PyObject *, PyObject *, PyObject *) { return 0; }

// `type` is the one class whose instances are kept.
template <typename T>
struct Pool {
  static std::vector<T *> free;
  static PyTypeObject *type;
};
template <typename T>
std::vector<T *> Pool<T>::free;
template <typename T>
PyTypeObject *Pool<T>::type = nullptr;

// A zeroed instance of `type`, which is the Python class derived from our type, or null with an error set.
template <typename T>
T *make(PyTypeObject *type) {
  auto &free = Pool<T>::free;
  if (free.empty() || type != Pool<T>::type) return reinterpret_cast<T *>(untracked_new(type, nullptr, nullptr));
  T *object = free.back();
  free.pop_back();
  std::memset(reinterpret_cast<char *>(object) + sizeof(PyObject), 0, sizeof(T) - sizeof(PyObject));
  // The object has kept its type, and the reference to it.
  _Py_NewReference(as_object(object));
  return object;
}

template <typename T>
void pooled_dealloc(PyObject *self) {
  T *object = reinterpret_cast<T *>(self);
  PyTypeObject *type = Py_TYPE(self);
  if (PyType_IS_GC(type)) PyObject_GC_UnTrack(self);
  release(object);
  auto &free = Pool<T>::free;
  // Instances of classes derived from this one are larger, and of another class: they are not kept.
  if (type == Pool<T>::type && free.size() < kMostKept) {
    free.push_back(object);
    return;
  }
  type->tp_free(self);
  Py_DECREF(type);
}

// The end of an instance that goes to no pool.
template <typename T>
void released(PyObject *self) {
  release(reinterpret_cast<T *>(self));
  Py_TYPE(self)->tp_free(self);
}

// Instances of a Python class without fields of its own are pooled.
template <typename T>
void pool_instances(PyTypeObject *type) {
  if (type->tp_basicsize != sizeof(T) || type == Pool<T>::type) return;
  for (T *each : Pool<T>::free) {  // of a class that this one replaces
    PyTypeObject *old = Py_TYPE(as_object(each));
    old->tp_free(each);
    Py_DECREF(old);
  }
  Pool<T>::free.clear();
  Pool<T>::type = type;
  type->tp_dealloc = pooled_dealloc<T>;
}

}  // namespace ttl::core
