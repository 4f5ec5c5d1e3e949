#ifndef FASTMAP_BYTES_H
#define FASTMAP_BYTES_H

#include <stdint.h>
#include <string.h>

// The one place that knows of byte order. LMDB's own numbers are in the machine's; our keys are big-endian, our checksums little-endian.

static inline uint16_t fastmap_native_16(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, at, 2);
  return value;
}

static inline uint32_t fastmap_native_32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

static inline uint64_t fastmap_native_64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

static inline uint64_t fastmap_big_endian_64(const uint8_t *at) {
  uint64_t value = fastmap_native_64(at);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static inline uint32_t fastmap_little_endian_32(const uint8_t *at) {
  uint32_t value = fastmap_native_32(at);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

#endif
