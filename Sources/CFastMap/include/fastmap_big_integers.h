#ifndef FASTMAP_BIG_INTEGERS_H
#define FASTMAP_BIG_INTEGERS_H

#include <stdbool.h>
#include <stddef.h>

/// The digits of the integers that neither an int64 nor a double holds. In the tree they are reals. With `keeps_reals`, the
/// texts of all other reals too, also of reals beyond double, and of `-0`.
typedef struct fastmap_big_integers fastmap_big_integers;

/// The digits of `node`, as the text had them and not NUL-terminated, if it is an integer beyond int64;
/// else NULL. Valid as long as the tree. `big_integers` may be NULL. O(1).
const char *fastmap_big_integer_text(const fastmap_big_integers *big_integers, const void *node,
                                     size_t *length);

/// The text of `node` as `fastmap_read` found it, not NUL-terminated, if it is a number whose text was kept: see
/// `keeps_reals`. NULL for any other node. Valid as long as the tree. `big_integers` may be NULL. O(1).
const char *fastmap_number_text(const fastmap_big_integers *big_integers, const void *node, size_t *length);

/// Remembers the text of a number that a program has made. The table is made if there is none. False when memory has run out.
bool fastmap_number_text_add(fastmap_big_integers **big_integers, void *node, const char *text, size_t length,
                             bool is_integer);

/// Frees the numbers of a tree read without an arena, before or after the tree is released. NULL is fine.
void fastmap_big_integers_free(fastmap_big_integers *big_integers);

#endif
