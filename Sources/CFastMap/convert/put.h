#ifndef FASTMAP_PUT_H
#define FASTMAP_PUT_H

#include "fastmap_convert.h"

// Functions of strict and lenient conversions. Each compiles them into itself, so strict conversions cost no more.
#define FASTMAP_CONVERT_INLINE static inline __attribute__((always_inline))

static inline enum fastmap_conversion fastmap_put_null(const fastmap_plan_attribute *attribute,
                                                       fastmap_slot *slot) {
  slot->tag = attribute->flags & FASTMAP_ATTRIBUTE_KEEPS ? FASTMAP_MISSING : FASTMAP_NULL;
  return FASTMAP_CONVERTED;
}

static inline enum fastmap_conversion fastmap_put_boolean(bool boolean, fastmap_slot *slot) {
  slot->tag = FASTMAP_BOOLEAN;
  slot->integer = boolean;
  return FASTMAP_CONVERTED;
}

static inline enum fastmap_conversion fastmap_put_integer(const fastmap_plan_attribute *attribute,
                                                          int64_t integer, fastmap_slot *slot) {
  if (attribute->flags & FASTMAP_ATTRIBUTE_RANGED &&
      (integer < attribute->least || integer > attribute->greatest))
    return FASTMAP_UNFIT;
  slot->tag = FASTMAP_INTEGER;
  slot->integer = integer;
  return FASTMAP_CONVERTED;
}

/// An integer above INT64_MAX.
static inline enum fastmap_conversion fastmap_put_unsigned(const fastmap_plan_attribute *attribute,
                                                           uint64_t integer, fastmap_slot *slot) {
  if (!(attribute->flags & FASTMAP_ATTRIBUTE_UNSIGNED)) return FASTMAP_UNFIT;
  slot->tag = FASTMAP_UNSIGNED;
  slot->integer = (int64_t)integer;
  return FASTMAP_CONVERTED;
}

#endif
