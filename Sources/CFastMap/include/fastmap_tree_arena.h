#ifndef FASTMAP_TREE_ARENA_H
#define FASTMAP_TREE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/// Memory for jansson trees: handed out in order, taken back all at once, used again for the next batch.
///
/// jansson's allocation hooks are process-wide. The first arena puts its own in front of the previous hooks,
/// which go on serving everybody else: only `fastmap_read` allocates from an arena, and only on its own
/// thread. All arenas are in one range of addresses. When jansson frees a piece of one, the hook sees this and
/// does nothing. So a borrower of a node may count its references up and down as usual.
///
/// A tree in an arena is read, not changed: jansson would allocate memory for a change outside of the arena.
/// One thread at a time may use an arena, and may hand it to another, with its trees. Every thread knows the range of all
/// arenas; only reading into an arena depends on the thread.
typedef struct fastmap_tree_arena fastmap_tree_arena;

/// Makes an empty arena; NULL when memory has run out. Memory is taken when the first tree is read.
fastmap_tree_arena *fastmap_tree_arena_new(void);

/// Ends the life of every tree in the arena and keeps the memory, up to 16 MiB, for the next ones. O(1) for
/// each megabyte; no tree is walked.
void fastmap_tree_arena_reset(fastmap_tree_arena *arena);

/// Ends the life of every tree in the arena, and of the arena. NULL is fine.
///
/// Its memory is lent to the system, which takes it when it needs some and else leaves it for the next arena:
/// its pages then need not be made again. Memory that the process has lent already counts, and memory beyond
/// 256 MiB goes back at once.
void fastmap_tree_arena_free(fastmap_tree_arena *arena);

/// How many bytes of arenas that have ended are lent to the system, in the whole process: at most 256 MiB.
size_t fastmap_tree_arena_lent(void);

/// How many bytes the trees in the arena take: the same for the same texts, whatever it held before. O(1) for each
/// doubling of its size.
size_t fastmap_tree_arena_used(const fastmap_tree_arena *arena);

/// How many bytes the arena has from the system, at most.
size_t fastmap_tree_arena_capacity(const fastmap_tree_arena *arena);

/// Whether a node's memory belongs to an arena, any arena. False if other code replaced the hooks, or
/// if no range of addresses was available. The tree was then made with jansson's usual allocation, and still belongs
/// to its arena.
bool fastmap_tree_arena_holds(const void *node);

/// json_decref for a tree of any depth: jansson's own recurses and takes 100 bytes of stack a level.
/// For trees read without an arena. NULL is fine.
void fastmap_tree_release(void *tree);

#endif
