#ifndef FASTMAP_BASE64_H
#define FASTMAP_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How many bytes `length` characters decode to at most. O(1).
size_t fastmap_base64_decoded_max(size_t length);

/// Decodes standard base64 (RFC 4648, section 4), padded in full or not at all. Refuses anything else:
/// whitespace, the alphabet for URLs, bits left over that are not zero. `text` is borrowed for the call.
/// `out` belongs to the caller, has room for `fastmap_base64_decoded_max(length)` bytes and does not overlap
/// `text`. Returns true and sets `out_length`, or false: then `out` holds garbage and `out_length` is
/// untouched. O(length).
bool fastmap_base64_decode(const char *text, size_t length, uint8_t *out, size_t *out_length);

/// How many characters `count` bytes encode to, with padding. O(1). `count` is at most 3/4 of SIZE_MAX.
size_t fastmap_base64_encoded_length(size_t count);

/// Encodes `bytes`, borrowed for the call, as standard base64 with padding. `out` belongs to the caller, has
/// room for `fastmap_base64_encoded_length(count)` characters and does not overlap `bytes`. Returns that
/// number; there is no NUL at the end. O(count).
size_t fastmap_base64_encode(const uint8_t *bytes, size_t count, char *out);

#endif
