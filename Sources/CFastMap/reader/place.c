#include "fastmap_stream.h"

// Three plain loops: the compiler makes vectors of the first and the last.
fastmap_place fastmap_place_behind(fastmap_place place, const void *bytes, size_t length) {
  const uint8_t *p = bytes, *end = p + length;
  size_t lines = 0, scalars = 0;
  for (const uint8_t *q = p; q < end; q++) lines += *q == '\n';
  if (lines) {
    const uint8_t *last = end;
    while (last[-1] != '\n') last--;
    p = last;
    place = (fastmap_place){.line = place.line + lines, .column = 1};
  }
  for (; p < end; p++) scalars += (*p & 0xc0) != 0x80;
  place.column += scalars;
  return place;
}
