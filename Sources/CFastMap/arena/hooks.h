#ifndef FASTMAP_HOOKS_H
#define FASTMAP_HOOKS_H

#include "runs.h"

/// Puts our allocation hooks in front of jansson's, the first time.
void fastmap_hooks_install(void);

/// Lets jansson allocate from an arena on this thread; false if somebody replaced the hooks, or there is no range.
bool fastmap_hooks_enter(fastmap_tree_arena *arena);
void fastmap_hooks_leave(void);

#endif
