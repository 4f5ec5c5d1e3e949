#ifndef FASTMAP_KEY_PARTS_H
#define FASTMAP_KEY_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "fastmap_slot.h"

/// A key of several parts is one string. Its order by bytes is the order of the parts, and it is UTF-8 without NUL.
///
/// An integer is U+0002 and 16 hexadecimal digits, the smallest integer with all zeros. A string is U+0003, its text, and U+0001.
/// U+0001 at the start of a part ends the parts: the name of a scope follows.
/// In the text, U+0000 is U+0002 U+0001, U+0001 is U+0002 U+0002, and U+0002 is U+0002 U+0003.
enum { FASTMAP_PART_END = 1, FASTMAP_PART_INTEGER = 2, FASTMAP_PART_STRING = 3, FASTMAP_PART_BEHIND = 4 };

/// The bytes of a part, which is an integer or a string.
size_t fastmap_key_part_length(const fastmap_slot *part);

/// Writes a part, and returns the end of its bytes.
uint8_t *fastmap_key_part_write(uint8_t *bytes, const fastmap_slot *part);

/// Reads the part at the start of some bytes.
///
/// - text: room for `length` bytes, which a string part borrows.
/// - Returns: the bytes read; 0 for bytes that are no part.
size_t fastmap_key_part_read(const uint8_t *bytes, size_t length, fastmap_slot *part, uint8_t *text);

#endif
