#ifndef FASTMAP_FINGERPRINT_H
#define FASTMAP_FINGERPRINT_H

#include "fastmap_slot.h"

/// A secret of a store, or a result: 128 bits.
typedef struct {
  uint64_t high;
  uint64_t low;
} fastmap_fingerprint;

/// The fingerprint of some bytes: SipHash-2-4 with 128 bits (Aumasson and Bernstein, 2012), the same on every machine.
fastmap_fingerprint fastmap_fingerprint_bytes(fastmap_fingerprint key, const void *bytes, size_t length);

/// The fingerprint of a row: of the fields that are not missing, their names, values, targets and policies.
///
/// @param names For each field, a number that stands for its name.
fastmap_fingerprint fastmap_fingerprint_row(
  fastmap_fingerprint key, const fastmap_slot *slots, const uint64_t *names, uint32_t count);

/// The fingerprint of the stored values and targets after a whole row was written, without policies. A missing field,
/// null and an empty list are the same.
///
/// @param names For each field, a number that stands for its name.
/// @param order The fields in an order that does not depend on the mapping.
fastmap_fingerprint fastmap_fingerprint_content(
  fastmap_fingerprint key, const fastmap_slot *slots, const uint64_t *names, const uint32_t *order, uint32_t count);

#endif
