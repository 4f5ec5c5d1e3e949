#include "fastmap_fingerprint.h"

#include "fastmap_decimal.h"

/// The four words of SipHash, and the number of words that were added.
typedef struct {
  uint64_t v0, v1, v2, v3;
  uint64_t count;
} state;

static inline uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

static inline void rounds(state *s, int count) {
  for (int i = 0; i < count; i++) {
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 = rotate(s->v2, 32);
  }
}

static state begin(fastmap_fingerprint key) {
  // The paper's first key word is its bytes 0 to 7: the low half here.
  return (state){
    .v0 = 0x736f6d6570736575 ^ key.low,
    .v1 = 0x646f72616e646f6d ^ key.high ^ 0xee,
    .v2 = 0x6c7967656e657261 ^ key.low,
    .v3 = 0x7465646279746573 ^ key.high,
  };
}

static inline void add(state *s, uint64_t word) {
  s->v3 ^= word;
  rounds(s, 2);
  s->v0 ^= word;
  s->count++;
}

/// Up to eight bytes as a number, the lowest first, on machines of either byte order.
static inline uint64_t word_of(const uint8_t *bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; i++) word |= (uint64_t)bytes[i] << (8 * i);
  return word;
}

static fastmap_fingerprint finish(state *s) {
  s->v2 ^= 0xee;
  rounds(s, 4);
  uint64_t low = s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
  s->v1 ^= 0xdd;
  rounds(s, 4);
  return (fastmap_fingerprint){.high = s->v0 ^ s->v1 ^ s->v2 ^ s->v3, .low = low};
}

/// The words of some bytes as SipHash pads them, with the length in the last one.
static inline void add_bytes(state *s, const uint8_t *bytes, size_t length) {
  size_t whole = length / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) add(s, word_of(bytes + i, 8));
  add(s, word_of(bytes + whole, length - whole) | (uint64_t)length << 56);
}

fastmap_fingerprint fastmap_fingerprint_bytes(fastmap_fingerprint key, const void *bytes, size_t length) {
  state s = begin(key);
  add_bytes(&s, bytes, length);
  return finish(&s);
}

/// The key of a decimal, as texts of one value are equal.
static void add_decimal(state *s, const fastmap_slot *slot) {
  fastmap_decimal_value value;
  uint8_t key[FASTMAP_DECIMAL_KEY];
  fastmap_decimal_read_slot(slot, &value);
  add_bytes(s, key, fastmap_decimal_key(&value, key));
}

/// The value of a slot.
static inline void add_value(state *s, const fastmap_slot *slot) {
  switch ((fastmap_kind)slot->tag) {
    case FASTMAP_KIND_STRING:
    case FASTMAP_KIND_DATA:
    case FASTMAP_KIND_JSON: add_bytes(s, slot->bytes, slot->length); break;
    case FASTMAP_KIND_DECIMAL: add_decimal(s, slot); break;
    case FASTMAP_KIND_TARGETS:
      for (uint32_t j = 0; j < slot->length; j++) add(s, slot->targets[j]);
      break;
    case FASTMAP_KIND_BOOLEAN:
    case FASTMAP_KIND_INTEGER:
    case FASTMAP_KIND_UNSIGNED:
    case FASTMAP_KIND_NUMBER:
    case FASTMAP_KIND_DATE:
    case FASTMAP_KIND_TARGET: add(s, (uint64_t)slot->integer); break;
    case FASTMAP_KIND_NODE:
    case FASTMAP_KIND_NULL:
    case FASTMAP_KIND_MISSING: break;
  }
}

fastmap_fingerprint fastmap_fingerprint_row(
  fastmap_fingerprint key, const fastmap_slot *slots, const uint64_t *names, uint32_t count
) {
  state s = begin(key);
  for (uint32_t i = 0; i < count; i++) {
    const fastmap_slot *slot = slots + i;
    if (slot->tag == FASTMAP_MISSING) continue;
    add(&s, names[i]);
    // The length of the value that follows, or the nanoseconds: no two rows give the same words.
    uint64_t length = slot->tag == FASTMAP_DECIMAL ? 0 : slot->length;
    add(&s, slot->tag | (uint64_t)slot->policy << 8 | length << 32);
    add_value(&s, slot);
  }
  add(&s, s.count);
  return finish(&s);
}

fastmap_fingerprint fastmap_fingerprint_content(
  fastmap_fingerprint key, const fastmap_slot *slots, const uint64_t *names, const uint32_t *order, uint32_t count
) {
  state s = begin(key);
  for (uint32_t i = 0; i < count; i++) {
    const fastmap_slot *slot = slots + order[i];
    uint64_t length = 0;
    switch ((fastmap_kind)slot->tag) {
      case FASTMAP_KIND_MISSING:
      case FASTMAP_KIND_NULL:
      case FASTMAP_KIND_NODE: continue;
      case FASTMAP_KIND_TARGETS:
        if (slot->length == 0) continue;
        length = slot->length;
        break;
      case FASTMAP_KIND_STRING:
      case FASTMAP_KIND_DATA:
      case FASTMAP_KIND_JSON:
      case FASTMAP_KIND_DATE: length = slot->length; break;
      case FASTMAP_KIND_BOOLEAN:
      case FASTMAP_KIND_INTEGER:
      case FASTMAP_KIND_UNSIGNED:
      case FASTMAP_KIND_NUMBER:
      case FASTMAP_KIND_DECIMAL:
      case FASTMAP_KIND_TARGET: break;
    }
    add(&s, names[order[i]]);
    add(&s, slot->tag | length << 32);
    add_value(&s, slot);
  }
  add(&s, s.count);
  return finish(&s);
}
