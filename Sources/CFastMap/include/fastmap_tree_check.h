#ifndef FASTMAP_TREE_CHECK_H
#define FASTMAP_TREE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What jansson lets a program build and JSON does not have: for trees that a caller hands in.

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
  fastmap_tree_step *steps;  ///< to what is wrong; for a name to its object
  size_t step_count;
} fastmap_tree_verdict;

/// Looks at every value of a tree once.
///
/// A value may stand in several places. What is under it is checked once, but an import or export visits it each time. So a
/// tree has a size: 8 bytes a value and those of its strings and names, counted each time. That may be 64 MiB, or 64 times what is in memory
/// if that is more.
///
/// - tree: a json_t that nobody changes; borrowed for the call.
/// - max_depth: arrays and objects within each other.
/// - verdict: to be given to `fastmap_tree_verdict_end`, whatever it is; its names are those of the tree.
/// - Returns: whether nothing is wrong. O(what is in memory); takes memory for what is open and for what is shared. Does not recurse.
bool fastmap_tree_check(const void *tree, size_t max_depth, fastmap_tree_verdict *verdict);

/// Frees the steps.
void fastmap_tree_verdict_end(fastmap_tree_verdict *verdict);

#endif
