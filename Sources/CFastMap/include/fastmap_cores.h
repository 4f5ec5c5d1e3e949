#ifndef FASTMAP_CORES_H
#define FASTMAP_CORES_H

/// On how many processors this thread may run, at least 1.
unsigned fastmap_core_count(void);

#endif
