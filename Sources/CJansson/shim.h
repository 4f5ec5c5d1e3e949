#ifndef FASTMAP_CJANSSON_SHIM_H
#define FASTMAP_CJANSSON_SHIM_H

#include <jansson.h>

#if JANSSON_VERSION_HEX < 0x020e00
#error "FastMap needs jansson 2.14 or newer (json_object_getn, json_object_iter_key_len): install libjansson-dev 2.14+ (apt) or jansson (brew)."
#endif

#endif
