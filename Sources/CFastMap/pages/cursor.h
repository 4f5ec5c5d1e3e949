#ifndef FASTMAP_PAGES_CURSOR_H
#define FASTMAP_PAGES_CURSOR_H

#include "fastmap_pages.h"

/// Goes to the entry of a key, with a cursor that checks nothing: FOUND, NONE or FAULT.
///
/// A sweep asks for ascending keys, and begins where the cursor stands. The next entry of the same page is tried first.
fastmap_page_answer fastmap_page_find(fastmap_page_cursor *cursor, const void *key, size_t length, bool is_sweep);

#endif
