// What the build on the device writes about a kernel's circular buffers: 64 of bfloat16 tiles.
#pragma once

#include <cstdint>

#define TTL_EACH(value) {value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, \
                         value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, \
                         value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, \
                         value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value}
constexpr unsigned char unpack_src_format[64] = TTL_EACH(5), unpack_dst_format[64] = TTL_EACH(5);
constexpr unsigned char pack_src_format[64] = TTL_EACH(5), pack_dst_format[64] = TTL_EACH(5);
constexpr uint8_t unpack_tile_num_faces[64] = TTL_EACH(4), unpack_partial_face[64] = {}, unpack_tile_face_r_dim[64] = TTL_EACH(16);
constexpr uint8_t unpack_num_faces_r_dim[64] = TTL_EACH(2), unpack_num_faces_c_dim[64] = TTL_EACH(2), unpack_narrow_tile[64] = {};
constexpr uint8_t unpack_tile_r_dim[64] = TTL_EACH(32), unpack_tile_c_dim[64] = TTL_EACH(32);
constexpr uint16_t unpack_tile_size[64] = TTL_EACH(2048), pack_tile_size[64] = TTL_EACH(2048);
constexpr uint8_t pack_tile_num_faces[64] = TTL_EACH(4), pack_partial_face[64] = {}, pack_tile_face_r_dim[64] = TTL_EACH(16);
constexpr uint8_t pack_num_faces_r_dim[64] = TTL_EACH(2), pack_num_faces_c_dim[64] = TTL_EACH(2), pack_narrow_tile[64] = {};
constexpr uint8_t pack_tile_r_dim[64] = TTL_EACH(32), pack_tile_c_dim[64] = TTL_EACH(32);
#undef TTL_EACH
