#ifndef FASTMAP_CLMDB_SHIM_H
#define FASTMAP_CLMDB_SHIM_H

#include <lmdb.h>

#endif
