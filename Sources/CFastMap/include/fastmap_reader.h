#ifndef FASTMAP_READER_H
#define FASTMAP_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fastmap_big_integers.h"
#include "fastmap_shape.h"
#include "fastmap_tree_arena.h"
#include "fastmap_unread.h"

// Reads JSON text to jansson trees. Texts of RFC 8259 are accepted, all others are refused. Any value may be the
// root. A byte order mark is refused; `start` can step over it. Nothing recurses.

/// The fault of a text. `fastmap_read_error_message` has the words.
typedef enum {
  FASTMAP_READ_OK = 0,
  FASTMAP_READ_MEMORY,             ///< memory has run out
  FASTMAP_READ_TOO_LARGE,          ///< longer than `max_length`
  FASTMAP_READ_TOO_DEEP,           ///< more arrays and objects within each other than `max_depth`
  FASTMAP_READ_VALUE_EXPECTED,
  FASTMAP_READ_NAME_EXPECTED,      ///< after a comma in an object
  FASTMAP_READ_NAME_OR_END_EXPECTED,
  FASTMAP_READ_COLON_EXPECTED,
  FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED,
  FASTMAP_READ_COMMA_OR_BRACE_EXPECTED,
  FASTMAP_READ_END_EXPECTED,       ///< something follows the value
  FASTMAP_READ_LITERAL,            ///< begins like true, false or null and goes on differently
  FASTMAP_READ_UNTERMINATED_STRING,
  FASTMAP_READ_CONTROL_CHARACTER,  ///< in a string, unescaped
  FASTMAP_READ_ESCAPE,             ///< a backslash before anything that it may not precede
  FASTMAP_READ_UNICODE_ESCAPE,     ///< \u without four hexadecimal digits
  FASTMAP_READ_LONE_SURROGATE,     ///< \ud800 to \udfff that are not a pair; with `takes_values` only where it is built
  FASTMAP_READ_UTF8,
  FASTMAP_READ_NUL,                ///< \u0000, with `rejects_nul`
  FASTMAP_READ_DUPLICATE_NAME,     ///< with `rejects_duplicates`
  FASTMAP_READ_LEADING_ZERO,
  FASTMAP_READ_DIGIT_EXPECTED,     ///< after a minus sign, a decimal point or an exponent's e
  FASTMAP_READ_NUMBER_OVERFLOW     ///< with a fraction or an exponent, and too large for a double; never with `keeps_reals` or `takes_values`
} fastmap_read_error;

enum { FASTMAP_READ_DEFAULT_DEPTH = 512 };

/// How to read. All zero is the default.
typedef struct {
  size_t start;             ///< offset of the first byte to read
  size_t max_length;        ///< longest text, or value with `one_value`, in bytes; 0 for no limit
  uint32_t max_depth;       ///< arrays and objects within each other; 0 for FASTMAP_READ_DEFAULT_DEPTH
  uint32_t outer_depth;     ///< how many of them are open around the text that is read
  bool one_value;           ///< stop after the first value, whatever follows
  bool rejects_duplicates;  ///< else the last member of a name counts, in the first one's place
  bool rejects_nul;         ///< else \u0000 is a character like any other, in names too
  bool takes_values;        ///< judge values only where they are built: a real may lie beyond double, and is then in the tree the
                            ///< largest one, with its text kept; half of a surrogate pair is read over where it is not built
  bool keeps_reals;         ///< keep the texts of reals for `fastmap_number_text`; with a shape, the ones it marks. A real may lie
                            ///< beyond double: in the tree it is the largest one, and its text is kept
  const fastmap_shape *shape;  ///< members that it does not name are checked and left out; NULL, or with
                               ///< `rejects_duplicates`: none are
  fastmap_unread *unread;      ///< counts these members; NULL for no count. After an error, to read once more with
                               ///< `takes_back` undoes the count
} fastmap_read_options;

typedef struct {
  void *tree;           ///< a json_t *; NULL after an error
  fastmap_big_integers *big_integers;  ///< NULL where there are none; owned like the tree
  size_t consumed;      ///< offset after the value; unchanged by an error
  size_t error_offset;  ///< of the fault; the text's length if only its end is wrong, and more could help
  fastmap_read_error error;
} fastmap_read_result;

/// Reads one JSON text, or one value of a longer one, to a jansson tree.
///
/// An integer beyond int64 becomes the nearest real (the largest one, where it is beyond all reals), and
/// `fastmap_big_integer_text` has its digits. `-0` is the integer 0, as jansson has it, and where texts are kept, its text is,
/// too; `-0.0` is a real.
/// A number with a fraction or an exponent becomes the real nearest to it, in all cases.
///
/// With `one_value`, a number at the very end of `bytes` may be the beginning of a longer one. `consumed` is then
/// `length`, and only the caller knows whether there is more.
///
/// - arena: owns the tree and `big_integers` until it is reset. NULL: the caller owns them, and calls
///   `fastmap_tree_release` and `fastmap_big_integers_free`.
/// - bytes: UTF-8, borrowed for the call; the tree keeps no pointer into them.
/// - options: NULL for the default.
/// - Returns: whether there is a tree. After an error the arena is as it was. O(length).
bool fastmap_read(fastmap_tree_arena *arena, const void *bytes, size_t length,
                  const fastmap_read_options *options, fastmap_read_result *result);

/// Checks the text as `fastmap_read` does and builds nothing: same verdict, same offsets, `tree` is NULL.
/// Only duplicate names are not noticed. With `keeps_reals` or `takes_values`, a real beyond double may stand anywhere; with
/// `takes_values`, half of a surrogate pair may, too.
bool fastmap_skip(const void *bytes, size_t length, const fastmap_read_options *options,
                  fastmap_read_result *result);

/// The text for the error in messages: "expected a comma or ']'". Static.
const char *fastmap_read_error_message(fastmap_read_error error);

#endif
