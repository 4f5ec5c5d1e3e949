#ifndef FASTMAP_READING_H
#define FASTMAP_READING_H

#include <jansson.h>

#include "../arena/big_integers.h"
#include "double.h"
#include "fastmap_reader.h"
#include "scan.h"

enum { FASTMAP_SMALL_STACK = 64, FASTMAP_SMALL_TEXT = 512 };

/// Bytes that grow when they must, and most often need not.
typedef struct {
  uint8_t *bytes;  ///< `small`, or from malloc
  size_t capacity;
  uint8_t small[FASTMAP_SMALL_TEXT];
} fastmap_scratch;

/// One reading, without its current place. Functions pass the place on, because a pointer kept in memory costs as much as
/// the work on a byte. Functions that read return where they end, NULL after an error.
typedef struct {
  const uint8_t *end;
  uint32_t max_depth;
  bool rejects_duplicates;
  bool rejects_nul;
  bool takes_overflow;  ///< a real may lie beyond double, and then keeps its text
  bool takes_halves;    ///< half of a surrogate pair may stand in a string that is not built
  const uint8_t *half;  ///< the last one that was read over; NULL for none

  uint32_t depth;
  uint32_t capacity;
  json_t **open;  ///< arrays and objects around the innermost open one, which is not among them
  json_t *small_open[FASTMAP_SMALL_STACK];
  json_t *root;

  const fastmap_shape *shape;  ///< of the root; NULL for everything
  const fastmap_shape **shapes;  ///< of the open arrays and objects
  uint32_t shape_capacity;
  const fastmap_shape *small_shapes[FASTMAP_SMALL_STACK];

  fastmap_unread *unread;  ///< NULL for no count

  fastmap_scratch name;  ///< decoded, for names with an escape
  fastmap_scratch text;
  fastmap_big_integers **big_integers;

  fastmap_read_error error;
  const uint8_t *error_at;
} fastmap_reading;

/// Notes a fault and its place. Returns NULL, which is false in a function that returns a bool.
const uint8_t *fastmap_fail(fastmap_reading *reading, fastmap_read_error error, const uint8_t *at);

/// How many arrays and objects may be open within each other in the value that is read.
uint32_t fastmap_depth_left(const fastmap_read_options *options);

/// The byte at `p`; a NUL, which is never right where this is asked, at the end.
FASTMAP_INLINE uint8_t fastmap_peek(const fastmap_reading *reading, const uint8_t *p) {
  return p < reading->end ? *p : 0;
}

/// Reads true, false or null at `p`.
const uint8_t *fastmap_read_literal(fastmap_reading *reading, const uint8_t *p, const char *literal);

/// A string as the text has it, between its quotes.
typedef struct {
  const uint8_t *bytes;
  size_t length;
  bool is_escaped;
} fastmap_text;

/// Reads over all that is not plain ASCII at `p`: one escape, or a run of other characters.
const uint8_t *fastmap_read_special(fastmap_reading *reading, const uint8_t *p, bool *is_escaped);

/// Reads the string that begins with the quote at `p`.
FASTMAP_INLINE const uint8_t *fastmap_read_string(fastmap_reading *reading, const uint8_t *p,
                                                  fastmap_text *text) {
  text->bytes = ++p;
  text->is_escaped = false;
  for (;;) {
    p = fastmap_skip_plain(p, reading->end);
    if (p == reading->end) return fastmap_fail(reading, FASTMAP_READ_UNTERMINATED_STRING, p);
    if (*p == '"') break;
    p = fastmap_read_special(reading, p, &text->is_escaped);
    if (!p) return NULL;
  }
  text->length = (size_t)(p - text->bytes);
  return p + 1;
}

/// Replaces the escapes of a string that was read. False when memory has run out.
bool fastmap_decode(fastmap_text *text, fastmap_scratch *scratch);

/// Reads the value at `p`, after whitespace: all of it into `root`, the parts that `shape` wants, or none.
const uint8_t *fastmap_read_tree(fastmap_reading *reading, const uint8_t *p);
const uint8_t *fastmap_read_shape(fastmap_reading *reading, const uint8_t *p);
const uint8_t *fastmap_read_shape_with_texts(fastmap_reading *reading, const uint8_t *p);
const uint8_t *fastmap_skip_tree(fastmap_reading *reading, const uint8_t *p);

#endif
