#ifndef FASTMAP_EVENTS_H
#define FASTMAP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fastmap_reader.h"

// Reads JSON texts of any size as a series of events, and builds no tree. The text may come in any pieces.

/// A reader between two events, for one thread.
typedef struct fastmap_events fastmap_events;

typedef enum {
  FASTMAP_EVENT_MORE,    ///< the text from `consumed` on is to be shown again, with more
  FASTMAP_EVENT_WRONG,   ///< `error` and `error_offset` say why
  FASTMAP_EVENT_FINISH,  ///< the text has ended, after any number of values
  FASTMAP_EVENT_OBJECT,
  FASTMAP_EVENT_ARRAY,
  FASTMAP_EVENT_END,     ///< of the innermost object or array
  FASTMAP_EVENT_NAME,
  FASTMAP_EVENT_STRING,
  FASTMAP_EVENT_INTEGER,
  FASTMAP_EVENT_BIG_INTEGER,  ///< beyond int64
  FASTMAP_EVENT_REAL,
  FASTMAP_EVENT_TRUE,
  FASTMAP_EVENT_FALSE,
  FASTMAP_EVENT_NULL
} fastmap_event_kind;

typedef struct {
  fastmap_event_kind kind;
  fastmap_read_error error;
  const uint8_t *bytes;  ///< a name's or string's text without escapes, or a number's text; valid until the next event
  size_t length;
  uint64_t hash;         ///< of a name, string or number; equal values have equal hashes on every machine
  int64_t integer;
  bool keeps_digits;     ///< whether a double certainly shows all digits of a number; the zero of 5.0 does not count
  uint64_t digits;       ///< the digits of a real that a double may show, too, without zeros at the end; else 0
  double real;           ///< the nearest double of a real
  size_t consumed;
  size_t error_offset;
} fastmap_event;

/// NULL when memory has run out.
fastmap_events *fastmap_events_new(void);

/// NULL is fine.
void fastmap_events_free(fastmap_events *events);

/// Reads the next event. Several values may follow each other, with whitespace between them.
///
/// - bytes: borrowed for the call; the byte at `start` follows the last consumed one.
/// - is_last: whether nothing follows them.
/// - event: offsets from `bytes`. O(length of the event).
void fastmap_events_next(fastmap_events *events, const void *bytes, size_t length, size_t start, bool is_last,
                         fastmap_event *event);

/// The hash of a string event with this text.
uint64_t fastmap_event_text_hash(const void *text, size_t length);

/// The hash of an integer event.
uint64_t fastmap_event_integer_hash(int64_t value);

#endif
