// An owned file descriptor, closed by the destructor.
#pragma once

namespace parallax {

class FileDescriptor {
 public:
  // The result of open(); below 0 if there is none.
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace parallax
