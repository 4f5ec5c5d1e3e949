#ifndef FASTMAP_BIG_INTEGERS_INTERNAL_H
#define FASTMAP_BIG_INTEGERS_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>

#include "fastmap_big_integers.h"

/// Remembers the text of a number; makes the table if there is none. False when memory has run out.
bool fastmap_big_integers_add(fastmap_big_integers **table, json_t *node, const char *text, size_t length,
                              bool is_integer);

/// How many there are, to go back to. Both take NULL.
size_t fastmap_big_integers_count(const fastmap_big_integers *table);
void fastmap_big_integers_cut(fastmap_big_integers *table, size_t count);

#endif
