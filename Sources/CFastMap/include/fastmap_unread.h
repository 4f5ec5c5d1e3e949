#ifndef FASTMAP_UNREAD_H
#define FASTMAP_UNREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fastmap_shape.h"
#include "fastmap_tree_check.h"

// Counts the members of objects that their shapes do not name.

/// More members are only counted together, and so are members with a longer name.
enum { FASTMAP_UNREAD_MOST = 512, FASTMAP_UNREAD_LONGEST_NAME = 255 };

/// A member of the objects with one shape.
typedef struct fastmap_unread_member {
  const fastmap_shape *shape;
  char *token;               ///< its name between quotes
  uint32_t length;           ///< of the token
  bool is_plain;             ///< a text may have the name as it is in the token, and so without escapes
  bool is_ignored;           ///< the shape has it among its ignored members
  int64_t objects;           ///< how many had it; a name that an object repeats counts each time
  uint64_t root;             ///< the root object that was the first to have it
  size_t offset;             ///< where its name stood in the bytes
  fastmap_tree_step *steps;  ///< of a tree, from the root object to the object; else NULL. Their names are the tree's
  size_t step_count;
  struct fastmap_unread_member *next;  ///< the one that followed it
} fastmap_unread_member;

/// The members so far. All zero at the beginning.
typedef struct {
  fastmap_unread_member *members;  ///< `count` of them, in the order they were met
  uint32_t count;
  int64_t others;       ///< how often other members were met
  uint32_t placed;      ///< how many have the caller's root and offset
  bool is_on;           ///< the caller's: whether members of the values to come count
  uint64_t root;        ///< of the trees to come: set by the caller
  bool takes_back;      ///< counts backwards: a value was read in vain
  const uint8_t *bytes;
  fastmap_unread_member *last;
  uint16_t *places;     ///< the numbers of members from 1, by hash
} fastmap_unread;

/// Counts the members of the objects in a tree that a shape does not name.
///
/// - within: a second shape, which must name a member for it to count. Null is not counted then. NULL counts all.
/// - node: a json_t, borrowed for the call.
/// - Returns: false when memory has run out. O(nodes). Does not recurse.
bool fastmap_unread_scan(fastmap_unread *unread, const fastmap_shape *shape, const fastmap_shape *within,
                         const void *node);

/// Frees the members.
void fastmap_unread_end(fastmap_unread *unread);

#endif
