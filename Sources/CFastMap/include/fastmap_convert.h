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
/// - slot: all zero; left missing where null leaves the value alone.
enum fastmap_conversion fastmap_convert(fastmap_arena *arena, const fastmap_plan_attribute *attribute,
                                        const fastmap_big_integers *big_integers, const void *value,
                                        fastmap_slot *slot);

#endif
