#ifndef FASTMAP_READER_UNREAD_H
#define FASTMAP_READER_UNREAD_H

#include "fastmap_unread.h"

static inline void fastmap_unread_count(fastmap_unread *unread, fastmap_unread_member *member) {
  member->objects += unread->takes_back ? -1 : 1;
  unread->last = member;
}

/// Counts a member with a name. Returns NULL where it is counted with others.
fastmap_unread_member *fastmap_unread_meet(fastmap_unread *unread, const fastmap_shape *shape, const uint8_t *name,
                                           size_t length);

#endif
