#ifndef BENCHMARKS_PLAINJANSSON_SHIM_H
#define BENCHMARKS_PLAINJANSSON_SHIM_H

#include <jansson.h>

#endif
