// In the place of a header of TT-NN for tiles that are only partly used, which those of the tests are not.
#pragma once
#include <cstdint>
template <auto...>
void pad_last_ktile(uint32_t);
template <auto...>
void pad_last_transposed_ktile(uint32_t);
