#include "app/view/play/timeline.h"

#include <algorithm>
#include <cmath>

namespace parallax::app {

Timeline::Timeline(std::size_t num_frames, bool paused)
    : num_frames_(std::max<std::size_t>(1, num_frames)), paused_(paused) {
  if (paused) {
    Order(0);
  } else {
    PlayFrom(0);
  }
}

std::optional<std::size_t> Timeline::shown() const {
  const std::scoped_lock lock(mutex_);
  return shown_;
}

std::size_t Timeline::current() const {
  const std::scoped_lock lock(mutex_);
  return Current();
}

bool Timeline::paused() const {
  const std::scoped_lock lock(mutex_);
  return paused_;
}

Pace Timeline::pace() const {
  const std::scoped_lock lock(mutex_);
  return pace_;
}

bool Timeline::at_end() const {
  const std::scoped_lock lock(mutex_);
  return shown_ == num_frames_ - 1;
}

void Timeline::Order(std::size_t number) {
  ++ticket_;
  ordered_ = next_ = std::min(number, num_frames_ - 1);
  changed_.notify_all();
}

void Timeline::PlayFrom(std::size_t number) {
  ++ticket_;
  ordered_.reset();
  next_ = number;
  start_.reset();
  changed_.notify_all();
}

void Timeline::TogglePause() {
  const std::scoped_lock lock(mutex_);
  paused_ = !paused_;
  if (paused_) {
    // Frames that are still on their way are not shown any more, unless nothing has been shown yet.
    if (shown_) {
      ++ticket_;
      next_.reset();
    } else {
      Order(0);
    }
    return;
  }
  const bool ended = shown_ == num_frames_ - 1 && !ordered_;
  PlayFrom(ended || !shown_ ? 0 : Current() + (ordered_ ? 0 : 1));
}

void Timeline::Seek(std::size_t number) {
  const std::scoped_lock lock(mutex_);
  paused_ = true;
  Order(number);
}

void Timeline::Step(long frames) {
  const std::scoped_lock lock(mutex_);
  paused_ = true;
  const long last = static_cast<long>(num_frames_) - 1;
  Order(static_cast<std::size_t>(std::clamp(static_cast<long>(Current()) + frames, 0L, last)));
}

void Timeline::SetPace(Pace pace) {
  const std::scoped_lock lock(mutex_);
  pace_ = pace;
  start_.reset();
  changed_.notify_all();
}

std::optional<PlayOrder> Timeline::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_ || next_; });
  if (stopped_) return std::nullopt;
  return TakeNext();
}

PlayOrder Timeline::TakeNext() {
  const PlayOrder order{*next_, ticket_, !paused_};
  next_.reset();
  if (!paused_ && order.number + 1 < num_frames_) next_ = order.number + 1;
  return order;
}

bool Timeline::WaitForTurn(const std::atomic<bool>* give_up) {
  constexpr std::chrono::milliseconds kPoll(50);  // a signal handler can set give_up, but not wake
  const auto given_up = [give_up] { return give_up != nullptr && *give_up; };
  std::unique_lock lock(mutex_);
  while (!given_up() && !stopped_ && !has_end() && !next_) changed_.wait_for(lock, kPoll);
  if (given_up() || stopped_) return false;
  if (has_end()) return true;
  shown_ = TakeNext().number;
  ordered_.reset();
  return true;
}

void Timeline::Stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool Timeline::stopped() const {
  const std::scoped_lock lock(mutex_);
  return stopped_;
}

bool Timeline::AwaitDue(const PlayOrder& order, std::optional<double> time_s) {
  std::unique_lock lock(mutex_);
  const auto is_old = [&] { return stopped_ || order.ticket != ticket_; };
  while (!is_old() && order.plays && pace_ == Pace::kSource) {
    const Clock::time_point now = Clock::now();
    if (!start_ || start_->ticket != ticket_) {
      start_ = Start{ticket_, now, time_s.value_or(0), order.number};
      break;
    }
    const double number_of_frames = static_cast<double>(order.number) - static_cast<double>(start_->number);
    double since_s = number_of_frames * period_s_;
    if (time_s && *time_s > start_->time_s && number_of_frames > 0) {
      since_s = *time_s - start_->time_s;
      period_s_ = since_s / number_of_frames;
    }
    constexpr double kLongest_s = 3600;  // faulty times
    if (!(since_s >= 0 && since_s < kLongest_s)) {
      start_.reset();
      break;
    }
    const double late_s = std::chrono::duration<double>(now - start_->at).count() - since_s;
    if (late_s >= 0) {
      // Late by whole frames: the next ones are left out.
      const auto too_late = static_cast<std::size_t>(late_s / std::max(period_s_, 1e-4));
      if (next_ && too_late > 0) next_ = std::min(*next_ + too_late, num_frames_ - 1);
      break;
    }
    changed_.wait_for(lock, std::chrono::duration<double>(-late_s));
  }
  return !is_old();
}

bool Timeline::IsWanted(const PlayOrder& order) const {
  const std::scoped_lock lock(mutex_);
  return !stopped_ && order.ticket == ticket_;
}

void Timeline::SetShown(const PlayOrder& order) {
  const std::scoped_lock lock(mutex_);
  shown_ = order.number;
  if (order.ticket == ticket_) ordered_.reset();
}

}  // namespace parallax::app
