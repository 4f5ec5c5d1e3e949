#ifndef FASTMAP_SHAPE_H
#define FASTMAP_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct fastmap_shape fastmap_shape;

typedef struct {
  const char *name;
  uint32_t length;
  const fastmap_shape *shape;  ///< of its value
} fastmap_shape_member;

/// The wanted part of a value: some members of an object, all elements of an array, any other value itself. NULL
/// stands for everything. Shapes may go round in circles.
struct fastmap_shape {
  uint32_t member_count;
  const fastmap_shape_member *members;
  const uint32_t *places;         ///< `place_count` of them: the numbers of members from 1, by hash
  uint32_t place_count;           ///< a power of two, at least twice `member_count`
  bool keeps_reals;               ///< with the option of the same name: keep the text if it is a real
  bool is_whole;                  ///< members that are not named are wanted too, with the shape `others`
  bool tells_empty;               ///< an object with members, none of which is wanted, must not seem empty
  const fastmap_shape *elements;  ///< of each element
  const fastmap_shape *others;    ///< of members that are not named, with `is_whole`
  const char *title;              ///< the place of its objects, for members that are not named; NULL where they do not count
  uint32_t ignored_count;
  const fastmap_shape_member *ignored;  ///< members that do not count either
};

static inline uint32_t fastmap_shape_hash(const char *name, size_t length) {
  if (!length) return 0;
  const unsigned char *bytes = (const unsigned char *)name;
  uint32_t hash = (uint32_t)length * 31 + bytes[0];
  hash = (hash * 31 + bytes[length / 2]) * 31 + bytes[length - 1];
  return hash ^ hash >> 5;
}

/// Fills the places, all zero so far, for members with different names.
static inline void fastmap_shape_settle(uint32_t *places, uint32_t place_count,
                                        const fastmap_shape_member *members, uint32_t member_count) {
  for (uint32_t i = 0; i < member_count; i++) {
    uint32_t place = fastmap_shape_hash(members[i].name, members[i].length) & (place_count - 1);
    while (places[place]) place = (place + 1) & (place_count - 1);
    places[place] = i + 1;
  }
}

/// The member with a name; NULL where it is not wanted.
static inline const fastmap_shape_member *fastmap_shape_find(const fastmap_shape *shape, const char *name,
                                                             size_t length) {
  uint32_t place = fastmap_shape_hash(name, length) & (shape->place_count - 1);
  for (; shape->places[place]; place = (place + 1) & (shape->place_count - 1)) {
    const fastmap_shape_member *member = &shape->members[shape->places[place] - 1];
    if (member->length == length && !memcmp(member->name, name, length)) return member;
  }
  return NULL;
}

#endif
