#include <jansson.h>
#include <stdlib.h>

#include "fastmap_tree_arena.h"

// References to the nodes that are still to be released.
typedef struct {
  json_t **nodes;
  size_t count, capacity;
} references;

// Takes a reference of its own. Without memory it takes none, and jansson recurses there.
static void put(references *pile, json_t *node) {
  if (!json_is_array(node) && !json_is_object(node)) return;
  if (pile->count == pile->capacity) {
    size_t capacity = pile->capacity ? pile->capacity * 2 : 64;
    json_t **nodes = realloc(pile->nodes, capacity * sizeof *nodes);
    if (!nodes) return;
    pile->nodes = nodes;
    pile->capacity = capacity;
  }
  pile->nodes[pile->count++] = json_incref(node);
}

static void put_children(references *pile, json_t *node) {
  for (size_t i = 0; i < json_array_size(node); i++) put(pile, json_array_get(node, i));
  for (void *member = json_object_iter(node); member; member = json_object_iter_next(node, member))
    put(pile, json_object_iter_value(member));
}

void fastmap_tree_release(void *tree) {
  references pile = {0};
  json_t *node = tree;
  while (node) {
    // A node with no other owner is freed here; its children survive it, because the pile holds them.
    if (node->refcount == 1) put_children(&pile, node);
    json_decref(node);
    node = pile.count ? pile.nodes[--pile.count] : NULL;
  }
  free(pile.nodes);
}
