#ifndef FASTMAP_KINDS_H
#define FASTMAP_KINDS_H

#include "batch.h"

/// The mapping of one representation, chosen by a value of it.
typedef struct {
  uint32_t mapping;
  bool is_reference;       ///< the representation has the key alone
  bool is_skipped;         ///< no mapping reads it, and it is left out
  const json_t *refused;   ///< the value, where it is a fault
} fastmap_choice;

/// Chooses the mapping of a representation.
///
/// A mapping with kinds gives way to the kind that the value names. Without a value it reads the representation itself. A kind
/// reads a representation that names it, or that lacks the value. The key alone refers to an object of any kind.
///
/// - owner: the occurrence that owns the object, FASTMAP_NONE at the root.
fastmap_choice fastmap_choose(const fastmap_batch *batch, uint32_t mapping, const json_t *node, uint32_t owner);

#endif
