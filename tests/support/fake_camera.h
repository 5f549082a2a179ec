// Cameras that are none: pictures, losses and times as a test writes them down.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "datasets/live/live_device.h"
#include "parallax/error.h"

namespace parallax::test {

inline LivePicture PictureAt(double time_s, int side = 0, int width = 8, int height = 4, int level = 0) {
  return {HostImage<std::uint8_t>(width, height, static_cast<std::uint8_t>(level)), time_s, side};
}

// What a fake camera does each time it is asked; the script is shared by all that are opened one after
// another.
class FakeCamera final : public LiveDevice {
 public:
  // next: the answer to the n-th question, over all openings; may throw; nullopt: nothing came, after a
  // while.
  using Script = std::function<std::optional<LivePicture>(std::size_t n)>;
  struct State {
    Script next;
    std::atomic<std::size_t> num_asked = 0, num_open = 0;
    std::optional<std::size_t> ends_after;  // questions
  };

  explicit FakeCamera(std::shared_ptr<State> state) : state_(std::move(state)) { ++state_->num_open; }
  ~FakeCamera() override { --state_->num_open; }
  std::optional<LivePicture> Next(std::chrono::milliseconds longest) override {
    if (HasEnded()) return std::nullopt;
    auto picture = state_->next(state_->num_asked++);
    if (!picture) std::this_thread::sleep_for(std::min(longest, std::chrono::milliseconds(5)));
    return picture;
  }
  bool HasEnded() const override { return state_->ends_after && state_->num_asked >= *state_->ends_after; }

 private:
  std::shared_ptr<State> state_;
};

inline LiveFeed FeedOf(const std::string& label, const std::shared_ptr<FakeCamera::State>& state) {
  return {.label = label,
          .num_streams = 1,
          .open = [state] { return std::make_unique<FakeCamera>(state); },
          .device = std::make_unique<FakeCamera>(state)};
}

}  // namespace parallax::test
