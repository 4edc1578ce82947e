// References to Python objects, and containers that keep their memory.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace ttl::core {

template <typename T>
T *incref(T *object) {
  Py_XINCREF(reinterpret_cast<PyObject *>(object));
  return object;
}

// Replaces a strong reference; the old one goes last, since that may run code.
template <typename T>
void assign(T *&field, T *value) {
  T *old = field;
  field = incref(value);
  Py_XDECREF(reinterpret_cast<PyObject *>(old));
}

template <typename T>
void clear(T *&field) {
  T *old = field;
  field = nullptr;
  Py_XDECREF(reinterpret_cast<PyObject *>(old));
}

template <typename T>
PyObject *as_object(T *object) {
  return reinterpret_cast<PyObject *>(object);
}

// Slots of a type for the collector: `kMembers` are pointers to the members of `T` that hold an object.
template <typename T, auto... kMembers>
int visit_members(PyObject *self, visitproc visit, void *arg) {
  auto *object = reinterpret_cast<T *>(self);
  int result = 0;
  static_cast<void>(
      ((object->*kMembers && (result = visit(as_object(object->*kMembers), arg)) != 0) || ...));
  return result;
}

template <typename T, auto... kMembers>
int clear_members(PyObject *self) {
  (clear(reinterpret_cast<T *>(self)->*kMembers), ...);
  return 0;
}

// The end of an object of a type that the collector knows, which holds nothing but `kMembers`.
template <typename T, auto... kMembers>
void let_go(PyObject *self) {
  PyObject_GC_UnTrack(self);
  clear_members<T, kMembers...>(self);
  Py_TYPE(self)->tp_free(self);
}

inline PyObject *none_or(PyObject *object) { return Py_NewRef(object ? object : Py_None); }

// Takes the first item of a list, which is not empty. The list keeps its memory: these lists are filled again at once.
inline PyObject *pop_front(PyObject *object) {
  auto *list = reinterpret_cast<PyListObject *>(object);
  PyObject *first = list->ob_item[0];
  Py_ssize_t rest = Py_SIZE(list) - 1;
  std::memmove(list->ob_item, list->ob_item + 1, static_cast<size_t>(rest) * sizeof(PyObject *));
  Py_SET_SIZE(list, rest);
  return first;
}

// A queue with two ends that gives no memory back while it is used.
template <typename T>
class Queue {
 public:
  bool empty() const { return !size_; }
  size_t size() const { return size_; }
  T &operator[](size_t i) { return items_[(first_ + i) & (items_.size() - 1)]; }
  T &front() { return (*this)[0]; }
  void push_back(T item) {
    grow();
    (*this)[size_++] = item;
  }
  void push_front(T item) {
    grow();
    first_ = (first_ + items_.size() - 1) & (items_.size() - 1);
    size_++;
    front() = item;
  }
  void pop_front() {
    first_ = (first_ + 1) & (items_.size() - 1);
    size_--;
  }
  void erase(size_t position) {
    for (size_t i = position; i + 1 < size_; i++) (*this)[i] = (*this)[i + 1];
    size_--;
  }
  void clear() { first_ = size_ = 0; }

 private:
  void grow() {
    if (size_ < items_.size()) return;
    std::vector<T> wider(items_.empty() ? 64 : items_.size() * 2);
    for (size_t i = 0; i < size_; i++) wider[i] = (*this)[i];
    items_.swap(wider);
    first_ = 0;
  }
  std::vector<T> items_;  // a power of two
  size_t first_ = 0, size_ = 0;
};

}  // namespace ttl::core
