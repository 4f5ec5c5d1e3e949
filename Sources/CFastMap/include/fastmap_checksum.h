#ifndef FASTMAP_CHECKSUM_H
#define FASTMAP_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of `bytes`, which are borrowed for the call; NULL is fine when `count` is 0.
/// `seed` is 0, or the result for the bytes that come before: crc(crc(0, a), b) == crc(0, ab).
/// O(count), by the processor's own instruction where it has one.
uint32_t fastmap_crc32c(uint32_t seed, const void *bytes, size_t count);

/// Three checksums at once, which takes little longer than one. `crc` has the seeds and gets the results.
/// `bytes` must not be NULL.
void fastmap_crc32c_of_three(uint32_t crc[3], const void *const bytes[3], const size_t counts[3]);

#endif
