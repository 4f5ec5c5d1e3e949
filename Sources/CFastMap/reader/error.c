#include "reading.h"

const uint8_t *fastmap_fail(fastmap_reading *reading, fastmap_read_error error, const uint8_t *at) {
  reading->error = error;
  reading->error_at = at;
  return NULL;
}

const char *fastmap_read_error_message(fastmap_read_error error) {
  switch (error) {
    case FASTMAP_READ_OK: return "no error";
    case FASTMAP_READ_MEMORY: return "memory has run out";
    case FASTMAP_READ_TOO_LARGE: return "larger than the limit";
    case FASTMAP_READ_TOO_DEEP: return "nested deeper than the limit";
    case FASTMAP_READ_VALUE_EXPECTED: return "expected a value";
    case FASTMAP_READ_NAME_EXPECTED: return "expected a name in quotes";
    case FASTMAP_READ_NAME_OR_END_EXPECTED: return "expected a name in quotes or '}'";
    case FASTMAP_READ_COLON_EXPECTED: return "expected a colon";
    case FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED: return "expected a comma or ']'";
    case FASTMAP_READ_COMMA_OR_BRACE_EXPECTED: return "expected a comma or '}'";
    case FASTMAP_READ_END_EXPECTED: return "expected the end of the text";
    case FASTMAP_READ_LITERAL: return "expected true, false or null";
    case FASTMAP_READ_UNTERMINATED_STRING: return "unterminated string";
    case FASTMAP_READ_CONTROL_CHARACTER: return "control character in a string";
    case FASTMAP_READ_ESCAPE: return "invalid escape";
    case FASTMAP_READ_UNICODE_ESCAPE: return "expected four hexadecimal digits after \\u";
    case FASTMAP_READ_LONE_SURROGATE: return "half of a surrogate pair";
    case FASTMAP_READ_UTF8: return "invalid UTF-8";
    case FASTMAP_READ_NUL: return "\\u0000 in a string";
    case FASTMAP_READ_DUPLICATE_NAME: return "duplicate name in an object";
    case FASTMAP_READ_LEADING_ZERO: return "number with a leading zero";
    case FASTMAP_READ_DIGIT_EXPECTED: return "expected a digit";
    case FASTMAP_READ_NUMBER_OVERFLOW: return "number too large for a double";
  }
  return "unknown error";
}
