#ifndef BENCHMARKS_PLAINLMDB_SHIM_H
#define BENCHMARKS_PLAINLMDB_SHIM_H

#include <lmdb.h>

#endif
