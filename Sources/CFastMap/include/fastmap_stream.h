#ifndef FASTMAP_STREAM_H
#define FASTMAP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fastmap_reader.h"

// Texts that arrive piece by piece.

/// Checks one value as `fastmap_skip` does, with its text in any pieces. Each call continues where the last piece ended, so a value
/// costs O(length) in all. The caller need not keep checked bytes.
typedef struct fastmap_skipper fastmap_skipper;

typedef enum {
  FASTMAP_SKIPPER_DONE,   ///< the value ends at `consumed`
  FASTMAP_SKIPPER_MORE,   ///< the value is right so far; from `consumed` on it is to be shown again, with more
  FASTMAP_SKIPPER_WRONG   ///< `error` and `error_offset` are the same as from `fastmap_skip`
} fastmap_skipper_outcome;

/// NULL when memory has run out.
fastmap_skipper *fastmap_skipper_new(void);

/// NULL is fine.
void fastmap_skipper_free(fastmap_skipper *skipper);

/// Begins a value, after whitespace or before it.
///
/// - options: `max_depth`, `outer_depth`, `keeps_reals` and `takes_values` count, nothing else does. NULL for the default.
void fastmap_skipper_begin(fastmap_skipper *skipper, const fastmap_read_options *options);

/// Goes on with the value.
///
/// - bytes: borrowed for the call; the byte at `start` follows the last consumed one.
/// - is_last: whether nothing follows them. An unfinished value is wrong then, and a number at the end whole.
/// - result: offsets from `bytes`; `tree` is NULL.
fastmap_skipper_outcome fastmap_skipper_feed(fastmap_skipper *skipper, const void *bytes, size_t length,
                                             size_t start, bool is_last, fastmap_read_result *result);

/// A place in a text: lines and columns count from 1, columns in Unicode scalars.
typedef struct {
  size_t line;
  size_t column;
} fastmap_place;

/// The place after `bytes`, which begin at `place`. O(length).
fastmap_place fastmap_place_behind(fastmap_place place, const void *bytes, size_t length);

#endif
