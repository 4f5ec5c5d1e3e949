#ifndef CFASTMAP_H
#define CFASTMAP_H

#include "fastmap_arena.h"
#include "fastmap_base64.h"
#include "fastmap_big_integers.h"
#include "fastmap_checksum.h"
#include "fastmap_convert.h"
#include "fastmap_cores.h"
#include "fastmap_date.h"
#include "fastmap_decimal.h"
#include "fastmap_events.h"
#include "fastmap_fingerprint.h"
#include "fastmap_key_parts.h"
#include "fastmap_page.h"
#include "fastmap_pages.h"
#include "fastmap_plan.h"
#include "fastmap_reader.h"
#include "fastmap_shape.h"
#include "fastmap_scan.h"
#include "fastmap_slot.h"
#include "fastmap_stream.h"
#include "fastmap_tree_arena.h"
#include "fastmap_tree_check.h"
#include "fastmap_unread.h"
#include "fastmap_walk.h"

#endif
