#ifndef FASTMAP_JOIN_KEY_H
#define FASTMAP_JOIN_KEY_H

#include "paths.h"

/// Joins the parts of a key, once they are read. Returns whether the walk goes on.
bool fastmap_join_key(reading *reading);

#endif
