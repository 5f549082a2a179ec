// std::source_location for Clang before 16, which has none: in this layout of libstdc++ that GCC's objects use, so that
// the kernels' places are right. A place in a file that Clang compiles stays empty.
#pragma once

#include <cstdint>

#if !__has_builtin(__builtin_source_location)
namespace std {

struct source_location {
  static constexpr source_location current() noexcept { return {}; }
  constexpr uint_least32_t line() const noexcept { return impl_ == nullptr ? 0 : impl_->line; }
  constexpr const char* file_name() const noexcept { return impl_ == nullptr ? "" : impl_->file_name; }

 private:
  struct Impl {
    const char* file_name;
    const char* function_name;
    unsigned line;
    unsigned column;
  };
  const Impl* impl_ = nullptr;
};

}  // namespace std
#endif
