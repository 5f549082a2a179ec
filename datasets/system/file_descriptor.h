// A file that the system has opened, closed at the end.
#pragma once

namespace parallax {

class FileDescriptor {
 public:
  // What open() gave; below 0 where there is none.
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace parallax
