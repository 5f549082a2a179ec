// The library's errors. Only the program's main prints one and turns it into an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace parallax {

// Something failed: a file, a device, a frame. The text states the place, the value and the remedy.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller made an invalid request (a parameter out of range, images of different size).
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

}  // namespace parallax
