#ifndef FASTMAP_CHECKSUM_H
#define FASTMAP_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of `bytes`, which are borrowed for the call; NULL is fine when `count` is 0.
/// `seed` is 0, or the result for the bytes that come before: crc(crc(0, a), b) == crc(0, ab).
/// O(count), by the processor's own instruction where it has one.
uint32_t fastmap_crc32c(uint32_t seed, const void *bytes, size_t count);

#endif
