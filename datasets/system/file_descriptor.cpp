#include "datasets/system/file_descriptor.h"

#include <unistd.h>

namespace parallax {

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

}  // namespace parallax
