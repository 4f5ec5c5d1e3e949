#ifndef FASTMAP_CPOSTGRES_SHIM_H
#define FASTMAP_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#ifndef LIBPQ_HAS_PIPELINING
#error "FastMapPostgres needs libpq 14 or newer: older ones have no pipeline mode"
#endif

#endif
