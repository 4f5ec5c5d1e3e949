#ifndef FASTMAP_FUZZ_COMPARE_H
#define FASTMAP_FUZZ_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

/// Whether two trees are the same: kinds, order and bytes of names, bytes of strings, bits of reals. Stricter
/// than json_equal, which takes no notice of order, stops at a NUL in a name and has 0.0 equal -0.0. With
/// `as_reals`, an integer on the left is compared as the real that it converts to.
bool is_same_tree(json_t *left, json_t *right, bool as_reals);

#endif
