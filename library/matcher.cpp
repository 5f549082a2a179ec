#include "parallax/matcher.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "config/backends.h"
#include "library/settings.h"
#include "parallax/device_images.h"
#include "parallax/error.h"
#include "parallax/pair_queue.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/frames/kept_matchers.h"

namespace parallax {
namespace {

// What a back end is asked for, without a size.
class MatcherMaker {
 public:
  MatcherMaker(std::shared_ptr<const MatchResult::Settings> settings, const Machine& machine)
      : settings_(std::move(settings)),
        backend_(ResolveBackend(machine.backend, settings_->parameters.method)),
        options_{.num_threads = machine.num_threads,
                 .device = machine.device,
                 .memory_limit_bytes = machine.memory_limit_bytes} {
    const auto check = [](int number, const char* name, int largest) {
      if (number >= 0 && number <= largest) return;
      throw InvalidArgument(std::string(name) + " is " + std::to_string(number) + ": use 0 .. " +
                            std::to_string(largest));
    };
    check(machine.num_threads, "num_threads", 1024);
    check(machine.device, "device", 1023);
    if (machine.memory_limit_bytes > 0 && backend_ != "cpu") {
      throw InvalidArgument("memory_limit_bytes is for the back end cpu, not for " + std::string(backend_) +
                            ": leave it out, or use the back end cpu");
    }
  }

  const std::shared_ptr<const MatchResult::Settings>& settings() const { return settings_; }
  const Parameters& parameters() const { return settings_->parameters; }
  std::string_view backend() const { return backend_; }
  // Throws InvalidArgument where the images do not fit each other.
  MatcherOptions OptionsFor(const CameraImageView& left, const CameraImageView& right) const {
    MatcherOptions frame = options_;
    frame.width = WidthOf(left);
    frame.height = HeightOf(left);
    CheckMatcherInput(left, right, frame.width, frame.height);
    return frame;
  }
  MatcherOptions OptionsFor(int width, int height) const {
    MatcherOptions frame = options_;
    frame.width = width;
    frame.height = height;
    return frame;
  }
  MatchResult ResultOf(DisparityMap map) const {
    MatchResult result;
    static_cast<DisparityMap&>(result) = std::move(map);
    result.settings = settings_;
    return result;
  }

 private:
  std::shared_ptr<const MatchResult::Settings> settings_;
  std::string_view backend_;
  MatcherOptions options_;
};

// For images in the memory of a GPU, of up to a size.
struct SizedDeviceMatcher {
  int width = 0, height = 0;
  std::unique_ptr<DeviceMatcher> matcher;
};

// A result with its matcher, whose stream the result may be on.
struct HeldResult {
  std::shared_ptr<SizedDeviceMatcher> matcher;
  std::unique_ptr<DeviceResult> result;
};

}  // namespace

// --- a result ------------------------------------------------------------------

HostImage<float> MatchResult::Depth(const StereoRig& rig) const {
  HostImage<float> depth_m(disparity.width(), disparity.height());
  DepthFromDisparity(disparity, rig, settings->parameters.reprojection, depth_m.View());
  return depth_m;
}

PointCloud MatchResult::Cloud(const StereoRig& rig, const CameraImageView& left) const {
  if (WidthOf(left) != disparity.width() || HeightOf(left) != disparity.height()) {
    throw InvalidArgument("image and disparities differ in size: give the left image that was matched");
  }
  return CloudFromDepth(Depth(rig), left, rig);
}

HostImage<float> MatchResult::Sigma() const { return SigmaOfDisparity(settings->uncertainty, *this); }

HostImage<float> MatchResult::DepthSigma(const StereoRig& rig) const {
  return SigmaOfDepth(Sigma(), Depth(rig), rig);
}

// --- one pair at a time -----------------------------------------------------------

struct Matcher::Inside {
  explicit Inside(MatcherMaker of_matchers)
      : maker(std::move(of_matchers)),
        kept([this](const Parameters& parameters, const MatcherOptions& options) {
          return MakeQueueOfOne(MakeMatcher(maker.backend(), parameters, options), false);
        }) {}

  const MatcherMaker maker;
  std::mutex mutex;
  KeptMatchers kept;
  std::shared_ptr<SizedDeviceMatcher> on_device;  // from its first pair on
};

Matcher::Matcher(const std::string& preset_or_file, const Machine& machine)
    : inside_(std::make_unique<Inside>(MatcherMaker(LoadSettings(preset_or_file), machine))) {}
Matcher::Matcher(const Parameters& parameters, const Machine& machine)
    : inside_(std::make_unique<Inside>(MatcherMaker(CheckedSettings(parameters), machine))) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

const Parameters& Matcher::parameters() const { return inside_->maker.parameters(); }
std::string_view Matcher::backend() const { return inside_->maker.backend(); }

MatchResult Matcher::Compute(const CameraImageView& left, const CameraImageView& right) {
  const MatcherOptions frame = inside_->maker.OptionsFor(left, right);
  const std::scoped_lock lock(inside_->mutex);
  MatcherQueue* queue = inside_->kept.Find(parameters(), frame);
  if (queue == nullptr) queue = &inside_->kept.Make(parameters(), frame);
  queue->Submit(left, right);
  return inside_->maker.ResultOf(queue->Take());
}

MatchResult Matcher::Compute(const CameraImageView& left, const CameraImageView& right, const Rig& rig) {
  if (!rig.IsRaw(WidthOf(left), HeightOf(left))) {
    MatchResult result = Compute(left, right);
    result.rectified.rig = rig.Rectified(WidthOf(left), HeightOf(left));
    return result;
  }
  RectifiedPair pair = rig.Rectify(left, right);
  MatchResult result = Compute(ViewOf(pair.left), ViewOf(pair.right));
  rig.RemoveUnseen(result);
  result.rectified = std::move(pair);
  return result;
}

std::shared_ptr<DeviceResult> Matcher::Enqueue(const DeviceCameraImageView& left,
                                               const DeviceCameraImageView& right, void* stream) {
  const auto [width, height] =
      std::visit([](const auto& view) { return std::pair(view.width, view.height); }, left);
  const std::scoped_lock lock(inside_->mutex);
  std::shared_ptr<SizedDeviceMatcher>& kept = inside_->on_device;
  if (!kept || width > kept->width || height > kept->height) {
    const int widest = std::max(width, kept ? kept->width : 1);
    const int highest = std::max(height, kept ? kept->height : 1);
    kept = std::make_shared<SizedDeviceMatcher>(SizedDeviceMatcher{
        widest, highest,
        MakeDeviceMatcher(backend(), parameters(), inside_->maker.OptionsFor(widest, highest))});
  }
  const auto held =
      std::make_shared<HeldResult>(HeldResult{kept, kept->matcher->Enqueue(left, right, stream)});
  return {held, held->result.get()};
}

// --- several pairs at a time --------------------------------------------------------

struct PairQueue::Inside {
  Inside(MatcherMaker of_matchers, int in_flight)
      : maker(std::move(of_matchers)),
        num_in_flight(in_flight),
        kept([this](const Parameters& parameters, const MatcherOptions& options) {
          const int number =
              num_in_flight > 0 ? num_in_flight : UsualFramesInFlight(maker.backend(), parameters, options);
          return MakeMatcherQueue(maker.backend(), parameters, options, number);
        }) {
    if (num_in_flight < 0) {
      throw InvalidArgument("num_in_flight is " + std::to_string(num_in_flight) + ": use 0 or more");
    }
  }
  void KeepOldest() { done.push_back(queue->Take()); }

  const MatcherMaker maker;
  const int num_in_flight;
  KeptMatchers kept;
  MatcherQueue* queue = nullptr;  // of the pairs in flight, in kept
  std::deque<DisparityMap> done;  // older than these
};

PairQueue::PairQueue(const std::string& preset_or_file, const Machine& machine, int num_in_flight)
    : inside_(std::make_unique<Inside>(MatcherMaker(LoadSettings(preset_or_file), machine), num_in_flight)) {}
PairQueue::PairQueue(const Parameters& parameters, const Machine& machine, int num_in_flight)
    : inside_(std::make_unique<Inside>(MatcherMaker(CheckedSettings(parameters), machine), num_in_flight)) {}
PairQueue::~PairQueue() = default;
PairQueue::PairQueue(PairQueue&&) noexcept = default;
PairQueue& PairQueue::operator=(PairQueue&&) noexcept = default;

void PairQueue::Submit(const CameraImageView& left, const CameraImageView& right) {
  Inside& in = *inside_;
  const MatcherOptions frame = in.maker.OptionsFor(left, right);
  MatcherQueue* fitting = in.kept.Find(in.maker.parameters(), frame);
  if (fitting == nullptr || fitting != in.queue) {  // pairs come out in order: those of another size first
    while (in.queue != nullptr && in.queue->in_flight() > 0) in.KeepOldest();
    in.queue = nullptr;
    in.queue = fitting != nullptr ? fitting : &in.kept.Make(in.maker.parameters(), frame);
  }
  while (in.queue->in_flight() >= in.queue->capacity()) in.KeepOldest();
  in.queue->Submit(left, right);
}

MatchResult PairQueue::Collect() {
  Inside& in = *inside_;
  if (in_flight() == 0) throw Error("no pair is in flight: submit one first");
  if (in.done.empty()) in.KeepOldest();
  DisparityMap map = std::move(in.done.front());
  in.done.pop_front();
  return in.maker.ResultOf(std::move(map));
}

bool PairQueue::IsFull() const {
  return inside_->queue != nullptr && inside_->queue->in_flight() >= inside_->queue->capacity();
}

std::size_t PairQueue::in_flight() const {
  return inside_->done.size() + (inside_->queue != nullptr ? inside_->queue->in_flight() : 0);
}

}  // namespace parallax
