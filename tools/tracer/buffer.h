// The device's buffer, which the host empties behind each launch.
#pragma once

#include "frontends/capture/protocol.h"

struct Buffer {
  unsigned long long head;  // also counts what there was no room for
  unsigned long long capacity;
  unsigned char* bytes;
};
