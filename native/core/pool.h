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

template <typename T>
struct Pool {
  static std::vector<T *> free;
};
template <typename T>
std::vector<T *> Pool<T>::free;

// A zeroed instance of `type`, which is the Python class derived from our type, or null with an error set.
template <typename T>
T *make(PyTypeObject *type) {
  auto &free = Pool<T>::free;
  if (free.empty()) return reinterpret_cast<T *>(untracked_new(type, nullptr, nullptr));
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
  release(object);
  auto &free = Pool<T>::free;
  if (free.size() < kMostKept) {
    free.push_back(object);
    return;
  }
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Instances of a Python class without fields of its own are pooled.
template <typename T>
void pool_instances(PyTypeObject *type) {
  if (type->tp_basicsize == sizeof(T)) type->tp_dealloc = pooled_dealloc<T>;
}

}  // namespace ttl::core
