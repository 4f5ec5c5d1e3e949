#ifndef FASTMAP_OUTER_H
#define FASTMAP_OUTER_H

#include "paths.h"

/// Reads the fields whose values are outside of the representation, or else at their own names inside of it. Returns whether the
/// walk goes on.
bool fastmap_read_outer(reading *reading, const json_t *node);

/// The value from which a path outside of an object leads. NULL where there is none.
///
/// - owner: the occurrence that owns the object.
const json_t *fastmap_outer_node(const fastmap_batch *batch, uint32_t owner, uint32_t origin);

#endif
