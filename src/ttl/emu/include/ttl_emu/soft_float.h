// Floats of a data movement kernel, computed as the host computes them and counted as the functions of libgcc that they are on
// the chip. Comes after all other headers: from here on `float` and `double` are these.
#pragma once

#include <cmath>
#include <type_traits>

#include "ttl_emu/common.h"

namespace ttl_emu {
template <typename T>
class Counted {
 public:
  Counted() = default;
  Counted(T value) : value_(value) {}
  template <typename From>
    requires(std::is_arithmetic_v<From> && !std::is_same_v<From, T>)
  explicit Counted(From value) : value_(static_cast<T>(value)) {
    ttl_emu_float(kFloatConvert);
  }
  template <typename From>
  explicit Counted(Counted<From> value) : value_(static_cast<T>(value.plain())) {
    if (!std::is_same_v<From, T>) ttl_emu_float(kFloatConvert);
  }
  T plain() const { return value_; }
  template <typename To>
    requires std::is_integral_v<To>
  explicit operator To() const {
    ttl_emu_float(kFloatConvert);
    return static_cast<To>(value_);
  }
  Counted operator-() const { return -value_; }
  friend Counted operator+(Counted a, Counted b) { return a.after(kFloatAdd, a.value_ + b.value_); }
  friend Counted operator-(Counted a, Counted b) { return a.after(kFloatAdd, a.value_ - b.value_); }
  friend Counted operator*(Counted a, Counted b) { return a.after(kFloatMultiply, a.value_ * b.value_); }
  friend Counted operator/(Counted a, Counted b) { return a.after(kFloatDivide, a.value_ / b.value_); }
  friend bool operator<(Counted a, Counted b) { return a.after(kFloatCompare, a.value_ < b.value_); }
  friend bool operator>(Counted a, Counted b) { return a.after(kFloatCompare, a.value_ > b.value_); }
  friend bool operator<=(Counted a, Counted b) { return a.after(kFloatCompare, a.value_ <= b.value_); }
  friend bool operator>=(Counted a, Counted b) { return a.after(kFloatCompare, a.value_ >= b.value_); }
  friend bool operator==(Counted a, Counted b) { return a.after(kFloatCompare, a.value_ == b.value_); }

 private:
  template <typename R>
  static R after(SoftFloat what, R result) {
    ttl_emu_float(what);
    return result;
  }
  T value_;
};
using CountedFloat = Counted<float>;
using CountedDouble = Counted<double>;
}  // namespace ttl_emu
#define float ttl_emu::CountedFloat
#define double ttl_emu::CountedDouble
