#include "app/frames/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "app/frames/frame_reprojection.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/live/recording.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax::app {
namespace {

constexpr std::size_t kFramesToWrite = 4;
// A kill costs at most a chunk: of small frames no more than these, of rare ones those of one second.
constexpr std::size_t kFramesPerChunk = 30;
constexpr std::int64_t kChunk_ns = 1'000'000'000;

enum Channel : std::uint16_t {
  kLeftSeen,
  kRightSeen,
  kParameters,
  kFrameText,
  kRig,
  kLeftInfo,
  kRightInfo,
  kLeftImage,
  kRightImage,
  kDepth,
  kDepthMm,
  kDepthInfo,
  kDisparity,
  kCloud
};

struct Topic {
  Channel channel;
  std::string_view name, type;
};
constexpr Topic kTopics[] = {
    {kLeftSeen, kLeftSeenTopic, kRosImage},
    {kRightSeen, kRightSeenTopic, kRosImage},
    {kParameters, kParametersTopic, kRosString},
    {kFrameText, kFrameTopic, kRosString},
    {kRig, kRigTopic, kRosString},
    {kLeftInfo, kLeftInfoTopic, kRosCameraInfo},
    {kRightInfo, kRightInfoTopic, kRosCameraInfo},
    {kLeftImage, kLeftImageTopic, kRosImage},
    {kRightImage, kRightImageTopic, kRosImage},
    {kDepth, kDepthTopic, kRosImage},
    {kDepthMm, kDepthMmTopic, kRosImage},
    {kDepthInfo, kDepthInfoTopic, kRosCameraInfo},
    {kDisparity, kDisparityTopic, kRosDisparityImage},
    {kCloud, kCloudTopic, kRosPointCloud2},
};

bool Contains(const std::vector<RecordedOutput>& outputs, RecordedOutput output) {
  return std::find(outputs.begin(), outputs.end(), output) != outputs.end();
}

std::vector<RecordedOutput> RecordedOutputs(const std::vector<std::string>& names) {
  std::vector<RecordedOutput> outputs;
  for (const std::string& name : names) {
    const auto found = std::find(std::begin(kRecordedOutputNames), std::end(kRecordedOutputNames), name);
    if (found == std::end(kRecordedOutputNames)) {
      throw InvalidArgument(fmt::format("--record-write: unknown output '{}': use some of {}", name,
                                        fmt::join(kRecordedOutputNames, ", ")));
    }
    outputs.push_back(static_cast<RecordedOutput>(found - std::begin(kRecordedOutputNames)));
  }
  return outputs;
}

bool IsWritten(Channel channel, const std::vector<RecordedOutput>& outputs) {
  switch (channel) {
    case kDepth:
      return Contains(outputs, RecordedOutput::kDepth);
    case kDepthMm:
      return Contains(outputs, RecordedOutput::kDepthMm);
    case kDepthInfo:
      return IsWritten(kDepth, outputs) || IsWritten(kDepthMm, outputs);
    case kDisparity:
      return Contains(outputs, RecordedOutput::kDisparity);
    case kCloud:
      return Contains(outputs, RecordedOutput::kCloud);
    default:
      return true;
  }
}

// Pixels that no camera saw, whose disparities are taken away.
bool HasBorders(const StereoFrame& frame) { return frame.seen && !frame.seen->all; }

McapWriter Begin(const std::string& file, const std::vector<RecordedOutput>& outputs, bool with_rig) {
  std::vector<McapSchema> schemas;
  std::vector<McapChannel> channels;
  for (const Topic& topic : kTopics) {
    if (topic.channel == kRig ? !with_rig : !IsWritten(topic.channel, outputs)) continue;
    const auto schema = std::find_if(schemas.begin(), schemas.end(),
                                     [&](const McapSchema& known) { return known.name == topic.type; });
    const auto schema_id =
        static_cast<std::uint16_t>(schema == schemas.end() ? schemas.size() + 1 : schema->id);
    if (schema == schemas.end())
      schemas.push_back({schema_id, std::string(topic.type), "ros2msg", RosDefinition(topic.type)});
    channels.push_back({topic.channel, schema_id, std::string(topic.name), "cdr"});
  }
  return {file, std::move(schemas), std::move(channels)};
}

}  // namespace

std::string_view TopicOf(RecordedOutput output) {
  constexpr Channel kChannels[] = {kDepth, kDepthMm, kDisparity, kCloud};
  return kTopics[kChannels[static_cast<std::size_t>(output)]].name;
}

void Recorder::Check(const RecordOptions& options, bool replace) {
  RecordedOutputs(options.outputs);
  const std::filesystem::path ending = std::filesystem::path(options.file).extension();
  if (!ending.empty() && ending != ".mcap")
    throw InvalidArgument(options.file + ": recordings are MCAP files: name it FILE.mcap");
  std::error_code error;
  if (!options.file.empty() && !replace && std::filesystem::exists(options.file, error)) {
    throw InvalidArgument(
        options.file + ": already exists: name another file with --record, or replace it with --overwrite");
  }
}

Recorder::Recorder(const RecordOptions& options)
    : file_(options.file),
      outputs_(RecordedOutputs(options.outputs)),
      show_filled_(options.show_filled),
      parameters_(options.parameters),
      writer_(Begin(file_, outputs_, options.with_rig)),
      frames_(kFramesToWrite),
      thread_([this] { WriteFrames(); }) {}

Recorder::~Recorder() { Finish(); }

bool Recorder::IsRequested(RecordedOutput output) const { return Contains(outputs_, output); }

void Recorder::Record(std::shared_ptr<const MatchedFrame> frame, std::string rig) {
  frames_.Push({std::move(frame), std::move(rig)});
}

void Recorder::Finish() {
  frames_.Close();
  if (thread_.joinable()) thread_.join();
}

void Recorder::WriteFrames() {
  while (const auto next = frames_.Pop()) {
    ++num_taken_;
    if (failure_) continue;
    try {
      WriteFrame(*next->first, next->second);
    } catch (const std::exception&) {
      failure_ = std::current_exception();
    }
  }
  try {
    if (NumInFile() > 0) writer_.Finish();  // else there is no file
  } catch (const std::exception&) {
    if (!failure_) failure_ = std::current_exception();
  }
}

void Recorder::WriteFrame(const MatchedFrame& matched, const std::string& rig) {
  const StereoFrame& frame = matched.frame;
  const CameraImageView left = ViewOf(frame.left), right = ViewOf(frame.right);
  const int width = WidthOf(left), height = HeightOf(left);
  const std::int64_t time_ns = RecordedTime_ns(frame, matched.index);
  const auto write = [&](Channel channel, const RosMessage& message) {
    writer_.Write(channel, static_cast<std::uint64_t>(time_ns), message);
  };
  if (num_taken_ == 1) write(kParameters, EncodeText(parameters_));
  if (HasBorders(frame)) WriteSeen(frame, time_ns);
  write(kFrameText, EncodeText(TextOf({.name = frame.name,
                                       .timestamp_s = frame.timestamp_s,
                                       .rig = frame.rig,
                                       .num_disparities_hint = frame.num_disparities_hint,
                                       .has_borders = HasBorders(frame),
                                       .turn_urad = frame.seen ? frame.seen->turn_urad : RightTurn_urad{}})));
  if (!rig.empty()) write(kRig, EncodeText(rig));
  write(kLeftInfo, EncodeCameraInfo({time_ns, frame.frame_id}, width, height, frame.rig, StereoSide::kLeft));
  write(kRightInfo,
        EncodeCameraInfo({time_ns, frame.frame_id}, width, height, frame.rig, StereoSide::kRight));
  write(kLeftImage, EncodeImage({time_ns, frame.frame_id}, left));
  write(kRightImage, EncodeImage({time_ns, frame.frame_id}, right));
  WriteOutputs(matched, time_ns);
  // The first frame is a chunk of its own, so that the file is there as soon as there is something in it.
  if (num_in_chunk_++ == 0) chunk_begin_ns_ = time_ns;
  if (num_taken_ == 1 || num_in_chunk_ == kFramesPerChunk || time_ns - chunk_begin_ns_ >= kChunk_ns) {
    writer_.EndChunk();
    num_in_chunk_ = 0;
  }
}

void Recorder::WriteSeen(const StereoFrame& frame, std::int64_t time_ns) {
  if (frame.seen == seen_) return;
  seen_ = frame.seen;
  for (const auto& [channel, mask] : {std::pair(kLeftSeen, &seen_->left), {kRightSeen, &seen_->right}})
    writer_.Write(channel, static_cast<std::uint64_t>(time_ns), EncodeImage(time_ns, mask->ConstView()));
}

void Recorder::WriteOutputs(const MatchedFrame& matched, std::int64_t time_ns) {
  const StereoFrame& frame = matched.frame;
  const HostImageView<const float> disparity = matched.map.disparity();
  const auto write = [&](Channel channel, const RosMessage& message) {
    writer_.Write(channel, static_cast<std::uint64_t>(time_ns), message);
  };
  if (IsRequested(RecordedOutput::kDisparity)) {
    const MatchingCostParameters& searched = matched.parameters.matching_cost;
    write(kDisparity, EncodeDisparity({time_ns, frame.frame_id}, disparity, frame.rig, searched.min_disparity,
                                      searched.num_disparities));
  }
  const bool with_depth = IsRequested(RecordedOutput::kDepth),
             with_mm = IsRequested(RecordedOutput::kDepthMm);
  const bool with_cloud = IsRequested(RecordedOutput::kCloud);
  if (!with_depth && !with_mm && !with_cloud) return;
  if (!frame.rig) {
    ++num_without_calibration_;
    return;
  }
  const FrameReprojection reprojection(matched, with_cloud, show_filled_);
  if (with_depth || with_mm) {
    write(kDepthInfo, EncodeCameraInfo({time_ns, frame.frame_id}, disparity.width, disparity.height,
                                       frame.rig, StereoSide::kLeft));
  }
  if (with_depth) write(kDepth, EncodeDepth({time_ns, frame.frame_id}, reprojection.depth_m()));
  if (with_mm) write(kDepthMm, EncodeDepthInMm({time_ns, frame.frame_id}, reprojection.depth_m()));
  if (with_cloud) write(kCloud, EncodeCloud({time_ns, frame.frame_id}, reprojection.cloud()));
}

// If a full disk refuses a chunk, the frames in it are lost. A frame can be replayed if its last image is in the
// file.
std::size_t Recorder::NumInFile() const { return writer_.NumMessages(kRightImage); }

std::string Recorder::Text() const {
  if (num_taken_ == 0) return file_ + " was not written: there was no frame to record";
  const std::size_t num_frames = NumInFile();
  if (num_frames == 0) return file_ + " was not written";
  return fmt::format("recorded {} frame{} in {} ({:.1f} MB)", num_frames, num_frames == 1 ? "" : "s", file_,
                     static_cast<double>(writer_.size_bytes()) / 1e6);
}

void Recorder::ThrowOnLoss() const {
  if (failure_) {
    try {
      std::rethrow_exception(failure_);
    } catch (const std::exception& error) {
      throw Error(fmt::format("{}; {} of {} frames are missing from the recording", error.what(),
                              num_taken_ - NumInFile(), num_taken_));
    }
  }
  if (num_without_calibration_ > 0) {
    throw Error(
        fmt::format("{}: {} frames have no depth or cloud, because they have no calibration: give one with "
                    "--rig, or leave both out of --record-write",
                    file_, num_without_calibration_));
  }
}

}  // namespace parallax::app
