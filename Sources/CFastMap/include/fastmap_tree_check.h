#ifndef FASTMAP_TREE_CHECK_H
#define FASTMAP_TREE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Checks trees that a caller hands in: jansson lets a program build trees that are no JSON.

/// Why a tree is no JSON value, or too much of one.
typedef enum {
  FASTMAP_TREE_OK = 0,
  FASTMAP_TREE_MEMORY,        ///< memory has run out
  FASTMAP_TREE_TOO_DEEP,      ///< more arrays and objects within each other than `max_depth`
  FASTMAP_TREE_CYCLE,         ///< an array or an object that contains itself
  FASTMAP_TREE_TOO_LARGE,     ///< its shared parts, each time that they are met, are too much
  FASTMAP_TREE_UTF8,          ///< a string that is not UTF-8
  FASTMAP_TREE_NAME_UTF8,     ///< the name of a member that is not UTF-8
  FASTMAP_TREE_NOT_FINITE     ///< a real that is infinite or not a number
} fastmap_tree_fault;

/// One step from the root of a tree inwards.
typedef struct {
  const char *name;  ///< of a member, not NUL-terminated; NULL for an element
  size_t length;     ///< of the name
  size_t index;      ///< of an element
} fastmap_tree_step;

typedef struct {
  fastmap_tree_fault fault;
  uint8_t byte;              ///< with FASTMAP_TREE_UTF8 and NAME_UTF8: the first that is wrong
  size_t offset;             ///< of that byte
  uint64_t size, max_size;   ///< of the tree, see `fastmap_tree_check`; known at the end
  fastmap_tree_step *steps;  ///< to the fault; for a name, to its object
  size_t step_count;
} fastmap_tree_verdict;

/// Looks at every value of a tree once.
///
/// A value may stand in several places. Its contents are checked once, but an import or export visits them each time.
/// So a tree has a size: 8 bytes a value, and the bytes of its strings and names, counted each time. The limit is
/// 64 MiB or 64 times the size in memory, whichever is greater.
///
/// - tree: an unchanging json_t, borrowed for the call.
/// - max_depth: arrays and objects within each other.
/// - verdict: must be given to `fastmap_tree_verdict_end` in any case; its names belong to the tree.
/// - Returns: whether there is no fault. O(size in memory); takes memory for open and for shared values. Does not
///   recurse.
bool fastmap_tree_check(const void *tree, size_t max_depth, fastmap_tree_verdict *verdict);

/// Frees the steps.
void fastmap_tree_verdict_end(fastmap_tree_verdict *verdict);

#endif
