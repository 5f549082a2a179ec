#include "app/session/heap.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>  // defines __GLIBC__
#include <string>
#include <thread>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "parallax/image.h"

namespace parallax::app {
namespace {

// As malloc_info tells; 0 where there is no such function.
std::size_t NumHeaps() {
  std::size_t num = 0;
#ifdef __GLIBC__
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  malloc_info(0, stream);
  std::fclose(stream);
  const std::string told(text, size);
  std::free(text);
  for (std::size_t at = told.find("<heap nr="); at != std::string::npos; at = told.find("<heap nr=", at + 1))
    ++num;
#endif
  return num;
}

TEST(Heap, ThreadsThatAreStartedFromNowOnShareOne) {
  ShareOneHeap();
  const std::size_t before = NumHeaps();
  std::vector<HostImage<float>> images(4);
  {
    std::vector<std::jthread> threads;
    for (HostImage<float>& image : images) {
      threads.emplace_back([&image] { image = HostImage<float>(200, 100, 1.0f); });
    }
  }
  EXPECT_EQ(NumHeaps(), before);
}

}  // namespace
}  // namespace parallax::app
