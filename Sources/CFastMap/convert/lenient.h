#ifndef FASTMAP_LENIENT_H
#define FASTMAP_LENIENT_H

#include <jansson.h>

#include "fastmap_convert.h"
#include "fastmap_reader.h"

// The values of other types that a lenient attribute reads.

static inline bool fastmap_is_empty_text(const json_t *value) {
  return json_is_string(value) && !json_string_length(value);
}

/// Reads a string as the JSON number that it exactly is. The caller ends `number` with `fastmap_number_in_text_end`.
enum fastmap_conversion fastmap_number_in_text(const json_t *text, fastmap_read_result *number);
void fastmap_number_in_text_end(fastmap_read_result *number);

/// Puts the integer that a JSON number is: `5.0`, `1e3`. Never rounds. FASTMAP_UNFIT for any other number.
///
/// - text: of one number, well-formed. NULL where only the real is known.
enum fastmap_conversion fastmap_put_integral(const fastmap_plan_attribute *attribute, const char *text,
                                             size_t length, double real, fastmap_slot *slot);

/// Puts the text of a number or a boolean. For a real whose text is not known, leaves the node for Swift to write.
enum fastmap_conversion fastmap_put_text_of(fastmap_arena *arena, const fastmap_big_integers *texts,
                                            const json_t *value, fastmap_slot *slot);

#endif
