#include "sim/engine/heap.h"
#include "tools/heddle/cli.h"

int main(int argc, char** argv) {
  heddle::keep_memory();
  heddle::reserve_heap(heddle::kMainHeap);
  return heddle::cli::run_command_line(argc, argv);
}
