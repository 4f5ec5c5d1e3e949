#include "fastmap_key_parts.h"

enum { DIGITS = 16 };

size_t fastmap_key_part_length(const fastmap_slot *part) {
  if (part->tag == FASTMAP_INTEGER) return 1 + DIGITS;
  size_t length = (size_t)part->length + 2;
  for (uint32_t i = 0; i < part->length; i++) length += part->bytes[i] <= FASTMAP_PART_INTEGER;
  return length;
}

uint8_t *fastmap_key_part_write(uint8_t *bytes, const fastmap_slot *part) {
  if (part->tag == FASTMAP_INTEGER) {
    *bytes++ = FASTMAP_PART_INTEGER;
    uint64_t value = (uint64_t)part->integer ^ (UINT64_C(1) << 63);
    for (int shift = 60; shift >= 0; shift -= 4) *bytes++ = (uint8_t)"0123456789abcdef"[value >> shift & 15];
    return bytes;
  }
  *bytes++ = FASTMAP_PART_STRING;
  for (uint32_t i = 0; i < part->length; i++) {
    uint8_t byte = part->bytes[i];
    if (byte <= FASTMAP_PART_INTEGER) {
      *bytes++ = FASTMAP_PART_INTEGER;
      byte++;
    }
    *bytes++ = byte;
  }
  *bytes++ = FASTMAP_PART_END;
  return bytes;
}

static size_t read_integer(const uint8_t *bytes, size_t length, fastmap_slot *part) {
  if (length < 1 + DIGITS) return 0;
  uint64_t value = 0;
  for (size_t i = 1; i <= DIGITS; i++) {
    uint8_t digit = bytes[i];
    bool is_letter = digit >= 'a' && digit <= 'f';
    if (!is_letter && (digit < '0' || digit > '9')) return 0;
    value = value << 4 | (uint64_t)(is_letter ? digit - 'a' + 10 : digit - '0');
  }
  *part = (fastmap_slot){.tag = FASTMAP_INTEGER, .integer = (int64_t)(value ^ (UINT64_C(1) << 63))};
  return 1 + DIGITS;
}

size_t fastmap_key_part_read(const uint8_t *bytes, size_t length, fastmap_slot *part, uint8_t *text) {
  if (length == 0) return 0;
  if (bytes[0] == FASTMAP_PART_INTEGER) return read_integer(bytes, length, part);
  if (bytes[0] != FASTMAP_PART_STRING) return 0;
  uint32_t count = 0;
  for (size_t i = 1; i < length; i++) {
    uint8_t byte = bytes[i];
    if (byte == FASTMAP_PART_END) {
      *part = (fastmap_slot){.tag = FASTMAP_STRING, .length = count, .bytes = text};
      return i + 1;
    }
    if (byte == FASTMAP_PART_INTEGER) {
      if (++i == length || bytes[i] == 0 || bytes[i] > FASTMAP_PART_STRING) return 0;
      byte = bytes[i] - 1;
    }
    text[count++] = byte;
  }
  return 0;
}
