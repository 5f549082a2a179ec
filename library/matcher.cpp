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
#include "pipeline/calibration/rectifier.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/frames/kept_matchers.h"
#include "pipeline/live/decimation.h"
#include "pipeline/live/live_filters.h"
#include "pipeline/types/clone_image.h"

namespace parallax {
namespace {

// A pair on its way. frame: the rig of its map and, where others are matched than came in, the images.
struct Job {
  StereoFrame frame;
  CameraImageView left, right;  // what is matched
  CameraImage left_copy;        // where left must outlive the call
};

// The matchers of one set of parameters on one back end, and what comes before and after them.
class Matching {
 public:
  Matching(std::shared_ptr<const MatchResult::Settings> settings, const Machine& machine)
      : settings_(std::move(settings)),
        matcher_parameters_(ForMatcher(settings_->parameters)),
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
    if (HasLiveFilters(parameters())) filters_ = std::make_unique<LiveFilters>(machine.num_threads);
  }

  const Parameters& parameters() const { return settings_->parameters; }
  const Parameters& matcher_parameters() const { return matcher_parameters_; }
  std::string_view backend() const { return backend_; }
  // Whether After looks at the left image.
  bool keeps_left() const { return filters_ != nullptr; }

  // The images rectified by rig, which may be null, and made smaller, as far as they need it. Throws
  // InvalidArgument if they do not fit each other, and as Rig::Rectify.
  Job Before(const CameraImageView& left, const CameraImageView& right, const Rig* rig) const {
    const int width = WidthOf(left), height = HeightOf(left), decimation = parameters().live.decimation;
    CheckMatcherInput(left, right, width, height);
    Job job{{}, left, right, {}};
    StereoFrame& frame = job.frame;
    if (rig != nullptr && rig->IsRaw(width, height)) {
      RectifiedPair pair = rig->Rectify(left, right);
      frame.left = std::move(pair.left);
      frame.right = std::move(pair.right);
      frame.rig = pair.rig;
      frame.seen = std::move(pair.seen);
    } else {
      if (rig != nullptr) frame.rig = rig->Rectified(width, height);
      if (decimation == 1) return job;
      frame.left = CloneImage(left);
      frame.right = CloneImage(right);
    }
    Decimate(decimation, frame);
    job.left = ViewOf(frame.left);
    job.right = ViewOf(frame.right);
    return job;
  }
  MatcherOptions OptionsFor(const Job& job) const {
    return OptionsFor(WidthOf(job.left), HeightOf(job.left));
  }
  MatcherOptions OptionsFor(int width, int height) const {
    MatcherOptions frame = options_;
    frame.width = width;
    frame.height = height;
    return frame;
  }
  // Makes the result from the pair's map. Called in the order of the pairs.
  MatchResult After(Job job, DisparityMap map) {
    if (job.frame.seen) RemoveUnseen(*job.frame.seen, map);
    if (filters_) filters_->Apply(parameters(), job.left, job.frame.rig, map);
    MatchResult result;
    static_cast<DisparityMap&>(result) = std::move(map);
    result.rectified = {
        std::move(job.frame.left), std::move(job.frame.right), job.frame.rig.value_or(StereoRig{}), {}};
    result.settings = settings_;
    return result;
  }

 private:
  std::shared_ptr<const MatchResult::Settings> settings_;
  Parameters matcher_parameters_;
  std::string_view backend_;
  MatcherOptions options_;
  std::unique_ptr<LiveFilters> filters_;  // where the parameters ask for them
};

// A matcher for images in GPU memory, up to a given size.
struct SizedDeviceMatcher {
  int width = 0, height = 0;
  std::unique_ptr<DeviceMatcher> matcher;
};

// A result with its matcher, whose stream the result may be on.
struct HeldResult {
  std::shared_ptr<DeviceMatcher> streams;
  std::shared_ptr<SizedDeviceMatcher> matcher;
  std::unique_ptr<DeviceResult> result;
};

bool IsGiven(const StereoRig& rig) { return rig.fx_px != 0 || rig.baseline_m != 0; }

}  // namespace

// --- a result ------------------------------------------------------------------

const Parameters& MatchResult::parameters() const { return settings->parameters; }

HostImage<float> MatchResult::Depth(const StereoRig& rig) const {
  HostImage<float> depth_m(disparity.width(), disparity.height());
  DepthFromDisparity(disparity, IsGiven(rig) ? rig : rectified.rig, parameters().reprojection,
                     depth_m.View());
  return depth_m;
}

PointCloud MatchResult::Cloud(const StereoRig& rig, const CameraImageView& left) const {
  const CameraImageView image = WidthOf(left) > 0 ? left : ViewOf(rectified.left);
  if (WidthOf(image) != disparity.width() || HeightOf(image) != disparity.height()) {
    throw InvalidArgument("image and disparities differ in size: give the left image that was matched");
  }
  return CloudFromDepth(Depth(rig), image, IsGiven(rig) ? rig : rectified.rig);
}

HostImage<float> MatchResult::Sigma() const { return SigmaOfDisparity(settings->uncertainty, *this); }

HostImage<float> MatchResult::DepthSigma(const StereoRig& rig) const {
  return SigmaOfDepth(Sigma(), Depth(rig), IsGiven(rig) ? rig : rectified.rig);
}

// --- one pair at a time -----------------------------------------------------------

struct Matcher::Inside {
  explicit Inside(Matching all_of_it)
      : matching(std::move(all_of_it)),
        kept([this](const Parameters& parameters, const MatcherOptions& options) {
          return MakeQueueOfOne(MakeMatcher(matching.backend(), parameters, options), false);
        }) {}

  MatchResult Compute(const CameraImageView& left, const CameraImageView& right, const Rig* rig) {
    Job job = matching.Before(left, right, rig);
    const std::scoped_lock lock(mutex);
    MatcherQueue* queue = kept.Find(matching.matcher_parameters(), matching.OptionsFor(job));
    if (queue == nullptr) queue = &kept.Make(matching.matcher_parameters(), matching.OptionsFor(job));
    queue->Submit(job.left, job.right);
    DisparityMap map = queue->Take();
    return matching.After(std::move(job), std::move(map));
  }
  std::unique_ptr<DeviceMatcher> MakeForDevice(int width, int height) const {
    return MakeDeviceMatcher(matching.backend(), matching.parameters(), matching.OptionsFor(width, height));
  }
  // The lock must be held.
  DeviceMatcher& Streams() {
    if (!streams) streams = MakeForDevice(1, 1);
    return *streams;
  }

  Matching matching;
  std::mutex mutex;
  KeptMatchers kept;
  std::shared_ptr<DeviceMatcher> streams;         // matches nothing; has the stream that stays
  std::shared_ptr<SizedDeviceMatcher> on_device;  // from its first pair on
};

Matcher::Matcher(const std::string& preset_or_file, const Machine& machine)
    : inside_(std::make_unique<Inside>(Matching(LoadSettings(preset_or_file), machine))) {}
Matcher::Matcher(const Parameters& parameters, const Machine& machine, const std::string& sigma_preset)
    : inside_(std::make_unique<Inside>(Matching(CheckedSettings(parameters, sigma_preset), machine))) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

const Parameters& Matcher::parameters() const { return inside_->matching.parameters(); }
std::string_view Matcher::backend() const { return inside_->matching.backend(); }

MatchResult Matcher::Compute(const CameraImageView& left, const CameraImageView& right) {
  return inside_->Compute(left, right, nullptr);
}
MatchResult Matcher::Compute(const CameraImageView& left, const CameraImageView& right, const Rig& rig) {
  return inside_->Compute(left, right, &rig);
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
    kept = std::make_shared<SizedDeviceMatcher>(
        SizedDeviceMatcher{widest, highest, inside_->MakeForDevice(widest, highest)});
  }
  const auto held = std::make_shared<HeldResult>(
      HeldResult{inside_->streams, kept, kept->matcher->Enqueue(left, right, stream)});
  return {held, held->result.get()};
}

void* Matcher::stream() {
  const std::scoped_lock lock(inside_->mutex);
  return inside_->Streams().stream();
}

void Matcher::Order(void* stream, void* after) {
  const std::scoped_lock lock(inside_->mutex);
  inside_->Streams().Order(stream, after);
}

// --- several pairs at a time --------------------------------------------------------

struct PairQueue::Inside {
  Inside(Matching all_of_it, int in_flight)
      : matching(std::move(all_of_it)),
        num_in_flight(in_flight),
        kept([this](const Parameters& parameters, const MatcherOptions& options) {
          const int number = num_in_flight > 0 ? num_in_flight
                                               : UsualFramesInFlight(matching.backend(), parameters, options);
          return MakeMatcherQueue(matching.backend(), parameters, options, number);
        }) {
    if (num_in_flight < 0) {
      throw InvalidArgument("num_in_flight is " + std::to_string(num_in_flight) + ": use 0 or more");
    }
  }
  void KeepOldest() {
    Job job = std::move(jobs.front());
    jobs.pop_front();
    done.push_back(matching.After(std::move(job), queue->Take()));
  }
  void Submit(const CameraImageView& left, const CameraImageView& right, const Rig* rig) {
    Job job = matching.Before(left, right, rig);
    MatcherQueue* fitting = kept.Find(matching.matcher_parameters(), matching.OptionsFor(job));
    if (fitting == nullptr || fitting != queue) {  // pairs come out in order: those of another size first
      while (!jobs.empty()) KeepOldest();
      queue = nullptr;
      queue =
          fitting != nullptr ? fitting : &kept.Make(matching.matcher_parameters(), matching.OptionsFor(job));
    }
    while (queue->in_flight() >= queue->capacity()) KeepOldest();
    if (matching.keeps_left() && WidthOf(ViewOf(job.frame.left)) == 0) {
      job.left_copy = CloneImage(job.left);
      job.left = ViewOf(job.left_copy);
    }
    jobs.push_back(std::move(job));  // before the queue has the pair: every pair in it needs its job
    try {
      queue->Submit(jobs.back().left, jobs.back().right);
    } catch (...) {
      jobs.pop_back();
      throw;
    }
  }

  Matching matching;
  const int num_in_flight;
  KeptMatchers kept;
  MatcherQueue* queue = nullptr;  // of the pairs in flight, in kept
  std::deque<Job> jobs;           // these
  std::deque<MatchResult> done;   // older than these
};

PairQueue::PairQueue(const std::string& preset_or_file, const Machine& machine, int num_in_flight)
    : inside_(std::make_unique<Inside>(Matching(LoadSettings(preset_or_file), machine), num_in_flight)) {}
PairQueue::PairQueue(const Parameters& parameters, const Machine& machine, int num_in_flight,
                     const std::string& sigma_preset)
    : inside_(std::make_unique<Inside>(Matching(CheckedSettings(parameters, sigma_preset), machine),
                                       num_in_flight)) {}
PairQueue::~PairQueue() = default;
PairQueue::PairQueue(PairQueue&&) noexcept = default;
PairQueue& PairQueue::operator=(PairQueue&&) noexcept = default;

void PairQueue::Submit(const CameraImageView& left, const CameraImageView& right) {
  inside_->Submit(left, right, nullptr);
}
void PairQueue::Submit(const CameraImageView& left, const CameraImageView& right, const Rig& rig) {
  inside_->Submit(left, right, &rig);
}

MatchResult PairQueue::Collect() {
  Inside& in = *inside_;
  if (in_flight() == 0) throw Error("no pair is in flight: submit one first");
  if (in.done.empty()) in.KeepOldest();
  MatchResult result = std::move(in.done.front());
  in.done.pop_front();
  return result;
}

bool PairQueue::IsFull() const {
  return inside_->queue != nullptr && inside_->queue->in_flight() >= inside_->queue->capacity();
}

std::size_t PairQueue::in_flight() const { return inside_->done.size() + inside_->jobs.size(); }

}  // namespace parallax
