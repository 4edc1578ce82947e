// The functions that the machine computes element by element, each with its opcode's name. Who includes this defines
//   TTL_F1 (name, expression): of one operand x, with numbers p0 .. p2
//   TTL_BY_EXP (name, Function): of one operand, by way of an exponential
//   TTL_HOT (name, expression): of two operands a and b, each of which may be one number per row; operands and result may be
//     bfloat16 in memory
//   TTL_F2 (name, expression): of two operands, each of which may be one number per row
//   TTL_F1_TABLED, TTL_BY_EXP_TABLED: the same, of those without numbers that take long: of bfloat16 in memory, results are looked up
// and, for functions whose objects are written elsewhere, TTL_F1_OWN and TTL_BY_EXP_OWN (name).

TTL_F1(abs, __builtin_fabsf(x))
TTL_F1(neg, -x)
TTL_F1(exp2, f_exp2(x))
TTL_F1(expm1, f_expm1(x))
TTL_F1(log, f_log(x))
TTL_F1(logp1, f_log1p(x))
TTL_F1(sqrt, __builtin_sqrtf(x))
TTL_F1(square, x * x)
TTL_F1(rsqrt, 1.0f / __builtin_sqrtf(x))
TTL_F1(recip, 1.0f / x)
TTL_F1_TABLED(tan, ::tanf(x))
TTL_F1_TABLED(atan, ::atanf(x))
TTL_F1_TABLED(atanh, ::atanhf(x))
TTL_F1_TABLED(sin, ::sinf(x))
TTL_F1_TABLED(asin, ::asinf(x))
TTL_F1_TABLED(asinh, ::asinhf(x))
TTL_F1_TABLED(cos, ::cosf(x))
TTL_F1_TABLED(acos, ::acosf(x))
TTL_F1_TABLED(acosh, ::acoshf(x))
TTL_F1(relu, f_at_least(x, 0.0f))
TTL_F1(relu_max, f_at_least(f_at_most(x, p0), 0.0f))
TTL_F1(relu_min, f_at_least(f_at_least(x, p0), 0.0f))
TTL_F1(leaky_relu, x < 0.0f ? x * p0 : x)
TTL_F1(elu, f_pick(x > 0.0f, x, f_expm1(x) * p0))
TTL_F1(celu, f_pick(x > 0.0f, x, f_expm1(x * p1) * p0))
TTL_F1(softplus, f_pick(x * p0 > p2, x, f_log1p(f_exp(x * p0)) * p1))
TTL_F1(softsign, x / (1.0f + __builtin_fabsf(x)))
TTL_F1(hardsigmoid, f_at_most(f_at_least(x * (1.0f / 6.0f) + 0.5f, 0.0f), 1.0f))
TTL_F1(clamp, f_min(f_max(x, p0), p1))
TTL_F1(selu, f_pick(x > 0.0f, x, f_expm1(x) * p1) * p0)
TTL_F1(frac, x - __builtin_truncf(x))
TTL_F1(trunc, __builtin_truncf(x))
TTL_F1(rint, __builtin_rintf(x))
TTL_F1(floor, __builtin_floorf(x))
TTL_F1(ceil, __builtin_ceilf(x))
TTL_F1(threshold, x > p0 ? p1 : x)
TTL_F1(sign, f_sign(x))
TTL_F1(signbit, f_signbit(x))
TTL_F1(to_bf16, as_float(rounded_to_bfloat16(x) & 0xffff0000u))
TTL_F1(to_f16, from_float16(to_float16(x)))
TTL_F1(prelu, x < 0.0f ? x * p0 : x)
TTL_F1(hardtanh, f_min(f_max(x, p0), p1))
TTL_F1_OWN(round_scaled)
TTL_F1_OWN(round_unscaled)

TTL_BY_EXP_OWN(exp_scaled)
TTL_BY_EXP(tanh, Tanh)
TTL_BY_EXP(sigmoid, Sigmoid)
TTL_BY_EXP(silu, Silu)
TTL_BY_EXP_TABLED(gelu, Gelu)
TTL_BY_EXP_TABLED(gelu_tanh, GeluTanh)

TTL_HOT(add, a + b)
TTL_HOT(sub, a - b)
TTL_HOT(mul, a * b)
TTL_HOT(truediv, a / b)
TTL_HOT(max, f_max(a, b))
TTL_HOT(min, f_min(a, b))

TTL_F2(floordiv, f_floordiv(a, b))
TTL_F2(mod, f_mod(a, b))
TTL_F2(pow, ::powf(a, b))
TTL_F2(eq, a == b ? 1.0f : 0.0f)
TTL_F2(ne, a != b ? 1.0f : 0.0f)
TTL_F2(lt, a < b ? 1.0f : 0.0f)
TTL_F2(le, a <= b ? 1.0f : 0.0f)
TTL_F2(gt, a > b ? 1.0f : 0.0f)
TTL_F2(ge, a >= b ? 1.0f : 0.0f)
TTL_F2(mask, b == 1.0f ? p0 : a)

#undef TTL_F1_TABLED
#undef TTL_BY_EXP_TABLED
#undef TTL_F1
#undef TTL_F1_OWN
#undef TTL_BY_EXP
#undef TTL_BY_EXP_OWN
#undef TTL_HOT
#undef TTL_F2
