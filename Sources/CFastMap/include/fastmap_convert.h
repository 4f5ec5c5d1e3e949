#ifndef FASTMAP_CONVERT_H
#define FASTMAP_CONVERT_H

#include "fastmap_arena.h"
#include "fastmap_big_integers.h"
#include "fastmap_plan.h"
#include "fastmap_slot.h"

enum fastmap_conversion { FASTMAP_CONVERTED, FASTMAP_UNFIT, FASTMAP_NO_MEMORY };

/// Reads one value as an attribute's type.
///
/// - value: a json_t, borrowed; a string or a node is borrowed from it, data is put into `arena`.
/// - big_integers: of the value's tree; may be NULL.
/// - slot: all zero; left missing where null leaves the value alone. FASTMAP_NODE for a value that Swift converts: one of
///   FASTMAP_TYPE_NODE, or a real whose text is not known, for a lenient string.
enum fastmap_conversion fastmap_convert(fastmap_arena *arena, const fastmap_plan_attribute *attribute,
                                        const fastmap_big_integers *big_integers, const void *value,
                                        fastmap_slot *slot);

/// Whether a value stands for no target in a lenient relationship: `[]`, `""` and `false` for one target, and `{}` for a list.
/// `[]` stands for an object without members.
bool fastmap_is_empty_relationship(const fastmap_plan_relationship *relationship, const void *value);

#endif
