// The other side of the tests of topics: a stereo camera and a listener of ROS 2 by Cyclone DDS, whose types idlc made
// from the public definitions. It sends pairs whose right image is the left one, moved by --shift px (--send 0: none),
// reads the topics of parallax (--listen 0: none; 2: depth and points alone), and prints the decoded messages as one
// JSON object. --dump FOLDER: writes the bytes of one message of every topic there.
//
//   parallax_ros2_peer --domain 7 --frames 30 --rate 10 --width 320 --height 240
#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "messages.h"

namespace {

using Clock = std::chrono::steady_clock;
using Options = std::map<std::string, std::string>;

constexpr double kFocal_px = 500, kBaseline_m = 0.1;
constexpr std::int64_t kFirstStamp_ns = 1'700'000'000'123'456'789;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "ros2_peer: %s\n", what.c_str());
  std::exit(1);
}
dds_entity_t Check(dds_entity_t entity, const std::string& what) {
  if (entity < 0) Fail(what + ": " + dds_strretcode(-entity));
  return entity;
}

struct Peer {
  Options options;
  dds_entity_t participant = 0;

  std::string Text(const std::string& key) const { return options.at(key); }
  double Number(const std::string& key) const { return std::atof(options.at(key).c_str()); }
  int Count(const std::string& key) const { return std::atoi(options.at(key).c_str()); }

  dds_entity_t Topic(const dds_topic_descriptor_t& type, const std::string& name) const {
    return Check(dds_create_topic(participant, &type, name.c_str(), nullptr, nullptr), name);
  }
  dds_entity_t Writer(const dds_topic_descriptor_t& type, const std::string& name, bool reliable) const {
    dds_qos_t* qos = Qos(reliable);
    const auto writer = Check(dds_create_writer(participant, Topic(type, "rt" + name), qos, nullptr), name);
    dds_delete_qos(qos);
    return writer;
  }
  dds_entity_t Reader(const dds_topic_descriptor_t& type, const std::string& name, bool reliable,
                      bool with_earlier = false) const {
    dds_qos_t* qos = Qos(reliable);
    if (with_earlier) {
      dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
      dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
    }
    const auto reader = Check(
        dds_create_reader(participant, Topic(type, with_earlier ? name : "rt" + name), qos, nullptr), name);
    dds_delete_qos(qos);
    return reader;
  }
  static dds_qos_t* Qos(bool reliable) {
    dds_qos_t* qos = dds_create_qos();
    dds_qset_reliability(qos, reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
                         DDS_MSECS(100));
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
    return qos;
  }
};

// Calls use(sample) for every sample that waits.
template <typename T, typename Use>
void TakeAll(dds_entity_t reader, const Use& use) {
  void* samples[16] = {};
  dds_sample_info_t infos[16];
  int count = 0;
  while ((count = dds_take(reader, samples, infos, 16, 16)) > 0) {
    for (int i = 0; i < count; ++i) {
      if (infos[i].valid_data) use(*static_cast<const T*>(samples[i]));
    }
    dds_return_loan(reader, samples, count);
    std::fill(std::begin(samples), std::end(samples), nullptr);
  }
}

std::int64_t StampOf(const std_msgs_msg_dds__Header_& header) {
  return header.stamp.sec * std::int64_t{1'000'000'000} + header.stamp.nanosec;
}

float Float(const std::uint8_t* from) {
  float value = 0;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

float Median(std::vector<float> values) {
  if (values.empty()) return NAN;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

struct Received {
  std::size_t count = 0;
  std::set<std::int64_t> stamps;
  std::string text;  // of the first one, as members of a JSON object
  void Add(const std_msgs_msg_dds__Header_& header, const std::string& content) {
    if (count++ == 0) text = content + ", \"frame_id\": \"" + header.frame_id + "\"";
    stamps.insert(StampOf(header));
  }
};

std::string Format(const char* format, auto... values) {
  char text[512];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

std::string ImageText(const sensor_msgs_msg_dds__Image_& image) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i + 4 <= image.data._length; i += 4) {
    const float value = Float(image.data._buffer + i);
    if (std::isfinite(value)) values.push_back(value);
  }
  return Format(
      "\"width\": %u, \"height\": %u, \"encoding\": \"%s\", \"step\": %u, \"num_values\": %zu, "
      "\"median\": %.6f",
      image.width, image.height, image.encoding, image.step, values.size(),
      static_cast<double>(Median(values)));
}

// Of an image of 16 bits; 0 = none there.
unsigned WordInMiddle(const sensor_msgs_msg_dds__Image_& image) {
  const std::size_t at = std::size_t{image.height / 2} * image.step + image.width / 2 * 2;
  return at + 1 < image.data._length ? image.data._buffer[at] + 256U * image.data._buffer[at + 1] : 0;
}

std::string InfoText(const sensor_msgs_msg_dds__CameraInfo_& info) {
  return Format("\"width\": %u, \"height\": %u, \"model\": \"%s\", \"fx\": %.6f, \"cx\": %.6f, \"p3\": %.6f",
                info.width, info.height, info.distortion_model, info.p[0], info.p[2], info.p[3]);
}

std::string CloudText(const sensor_msgs_msg_dds__PointCloud2_& cloud) {
  std::string fields;
  for (std::uint32_t i = 0; i < cloud.fields._length; ++i)
    fields += std::string(i == 0 ? "" : " ") + cloud.fields._buffer[i].name;
  std::vector<float> depths, confidences, sigmas;
  for (std::uint32_t at = 0; at + cloud.point_step <= cloud.data._length; at += cloud.point_step) {
    depths.push_back(Float(cloud.data._buffer + at + 8));
    confidences.push_back(Float(cloud.data._buffer + at + 16));
    sigmas.push_back(Float(cloud.data._buffer + at + 20));
  }
  return Format("\"fields\": \"%s\", \"point_step\": %u, \"num_points\": %zu, ", fields.c_str(),
                cloud.point_step, depths.size()) +
         Format("\"median_z\": %.6f, \"median_confidence\": %.6f, \"median_sigma\": %.6f",
                static_cast<double>(Median(depths)), static_cast<double>(Median(confidences)),
                static_cast<double>(Median(sigmas)));
}

std::string StatusText(const diagnostic_msgs_msg_dds__DiagnosticArray_& message) {
  std::string text;
  for (std::uint32_t i = 0; i < message.status._length; ++i) {
    const auto& status = message.status._buffer[i];
    text += Format("\"level\": %u, \"name\": \"%s\", \"message\": \"%s\", \"hardware_id\": \"%s\"",
                   status.level, status.name, status.message, status.hardware_id);
    for (std::uint32_t j = 0; j < status.values._length; ++j)
      text += Format(", \"%s\": \"%s\"", status.values._buffer[j].key, status.values._buffer[j].value);
  }
  return text;
}

// The bytes of one message as they came; no file without one.
void Dump(dds_entity_t reader, const std::string& file) {
  ddsi_serdata* message = nullptr;
  dds_sample_info_t info;
  if (dds_takecdr(reader, &message, 1, &info, DDS_ANY_STATE) != 1) return;
  std::vector<char> bytes(ddsi_serdata_size(message));
  ddsi_serdata_to_ser(message, 0, bytes.size(), bytes.data());
  ddsi_serdata_unref(message);
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// What the writer of a reader's topic tells in its USER_DATA.
std::string UserDataOfWriter(dds_entity_t reader) {
  dds_instance_handle_t handle = 0;
  if (dds_get_matched_publications(reader, &handle, 1) < 1) return "";
  dds_builtintopic_endpoint_t* writer = dds_get_matched_publication_data(reader, handle);
  if (writer == nullptr) return "";
  void* data = nullptr;
  std::size_t size = 0;
  dds_qget_userdata(writer->qos, &data, &size);
  std::string text(static_cast<const char*>(data), size);
  dds_free(data);
  dds_builtintopic_free_endpoint(writer);
  return text;
}

bool IsMatched(dds_entity_t entity, bool is_writer) {
  if (is_writer) {
    dds_publication_matched_status_t status{};
    return dds_get_publication_matched_status(entity, &status) == 0 && status.current_count > 0;
  }
  dds_subscription_matched_status_t status{};
  return dds_get_subscription_matched_status(entity, &status) == 0 && status.current_count > 0;
}

// A texture that does not repeat.
std::uint8_t TextureAt(int x, int y) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 374761393U + static_cast<std::uint32_t>(y) * 668265263U;
  h = (h ^ (h >> 13)) * 1274126177U;
  return static_cast<std::uint8_t>(h >> 24);
}

std::vector<std::uint8_t> Pixels(int width, int height, int from_x, std::size_t bytes) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) pixels.insert(pixels.end(), bytes, TextureAt(x + from_x, y));
  }
  return pixels;
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer;
  peer.options = {{"--domain", "0"},      {"--frames", "30"},    {"--rate", "10"},    {"--width", "320"},
                  {"--height", "240"},    {"--shift", "16"},     {"--reliable", "0"}, {"--encoding", "mono8"},
                  {"--info", "1"},        {"--distortion", "0"}, {"--fault", "none"}, {"--in", "/stereo"},
                  {"--out", "/parallax"}, {"--wait", "20"},      {"--listen", "1"},   {"--send", "1"},
                  {"--dump", ""}};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!peer.options.contains(argv[i])) Fail(std::string("unknown option ") + argv[i]);
    peer.options[argv[i]] = argv[i + 1];
  }
  const std::string fault = peer.Text("--fault"), in = peer.Text("--in"), out = peer.Text("--out");
  const int width = peer.Count("--width"), height = peer.Count("--height"),
            num_frames = peer.Count("--frames");
  const bool reliable = peer.Count("--reliable") != 0, listens = peer.Count("--listen") != 0,
             sends = peer.Count("--send") != 0;
  const bool listens_to_all = peer.Count("--listen") == 1;
  peer.participant =
      Check(dds_create_participant(static_cast<dds_domainid_t>(peer.Count("--domain")), nullptr, nullptr),
            "domain");

  const std::string sides[2] = {in + "/left", in + "/right"};
  dds_entity_t images[2], infos[2];
  for (int side = 0; side < 2; ++side) {
    const bool wrong = fault == "type" && side == 0;
    images[side] =
        peer.Writer(wrong ? sensor_msgs_msg_dds__CompressedImage__desc : sensor_msgs_msg_dds__Image__desc,
                    sides[side] + "/image_raw", reliable);
    infos[side] = peer.Writer(sensor_msgs_msg_dds__CameraInfo__desc, sides[side] + "/camera_info", true);
  }
  const dds_entity_t nodes =
      peer.Reader(rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc, "ros_discovery_info", true, true);
  dds_entity_t disparity = 0, depth = 0, depth_mm = 0, cloud = 0, info_out[3] = {}, diagnostics = 0;
  std::vector<dds_entity_t> readers;
  std::map<std::string, dds_entity_t> dumped;
  const auto read = [&](const dds_topic_descriptor_t& type, const std::string& topic) {
    if (!peer.Text("--dump").empty()) dumped[topic] = peer.Reader(type, topic, true);
    return readers.emplace_back(peer.Reader(type, topic, true));
  };
  if (listens) {
    depth = read(sensor_msgs_msg_dds__Image__desc, out + "/depth/image_rect");
    cloud = read(sensor_msgs_msg_dds__PointCloud2__desc, out + "/points2");
  }
  if (listens_to_all) {
    disparity = read(stereo_msgs_msg_dds__DisparityImage__desc, out + "/disparity");
    depth_mm = read(sensor_msgs_msg_dds__Image__desc, out + "/depth/image_rect_raw");
    info_out[0] = read(sensor_msgs_msg_dds__CameraInfo__desc, out + "/left/camera_info");
    info_out[1] = read(sensor_msgs_msg_dds__CameraInfo__desc, out + "/right/camera_info");
    info_out[2] = read(sensor_msgs_msg_dds__CameraInfo__desc, out + "/depth/camera_info");
    diagnostics = read(diagnostic_msgs_msg_dds__DiagnosticArray__desc, "/diagnostics");
  }

  const auto all_matched = [&] {
    return (!sends || IsMatched(images[1], true)) &&
           (!sends || fault == "type" || IsMatched(images[0], true)) &&
           std::ranges::all_of(readers, [](dds_entity_t reader) { return IsMatched(reader, false); });
  };
  const auto begin = Clock::now();
  while (!all_matched()) {
    if (Clock::now() - begin > std::chrono::duration<double>(peer.Number("--wait")))
      Fail("nobody to talk to");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  Received got_disparity, got_depth, got_depth_mm, got_cloud, got_info[3], got_status;
  std::string last_status;
  std::string node_text, user_data;
  std::uint32_t num_endpoints = 0;  // of the node; the most so far
  const auto listen = [&] {
    TakeAll<rmw_dds_common_msg_dds__ParticipantEntitiesInfo_>(nodes, [&](const auto& message) {
      for (std::uint32_t i = 0; i < message.node_entities_info_seq._length; ++i) {
        const auto& node = message.node_entities_info_seq._buffer[i];
        if (node.reader_gid_seq._length + node.writer_gid_seq._length < num_endpoints) continue;
        num_endpoints = node.reader_gid_seq._length + node.writer_gid_seq._length;
        node_text = Format("{\"name\": \"%s%s\", \"readers\": %u, \"writers\": %u}", node.node_namespace,
                           node.node_name, node.reader_gid_seq._length, node.writer_gid_seq._length);
      }
    });
    if (!listens) return;
    if (user_data.empty()) user_data = UserDataOfWriter(depth);
    TakeAll<stereo_msgs_msg_dds__DisparityImage_>(disparity, [&](const auto& message) {
      got_disparity.Add(message.header,
                        got_disparity.count
                            ? ""
                            : ImageText(message.image) +
                                  Format(", \"f\": %.6f, \"t\": %.6f, \"min\": %.6f, \"max\": %.6f",
                                         static_cast<double>(message.f), static_cast<double>(message.t),
                                         static_cast<double>(message.min_disparity),
                                         static_cast<double>(message.max_disparity)));
    });
    TakeAll<sensor_msgs_msg_dds__Image_>(depth, [&](const auto& message) {
      got_depth.Add(message.header, got_depth.count ? "" : ImageText(message));
    });
    TakeAll<sensor_msgs_msg_dds__PointCloud2_>(cloud, [&](const auto& message) {
      got_cloud.Add(message.header, got_cloud.count ? "" : CloudText(message));
    });
    TakeAll<sensor_msgs_msg_dds__Image_>(depth_mm, [&](const auto& message) {
      got_depth_mm.Add(message.header, Format("\"encoding\": \"%s\", \"step\": %u, \"in_middle\": %u",
                                              message.encoding, message.step, WordInMiddle(message)));
    });
    TakeAll<diagnostic_msgs_msg_dds__DiagnosticArray_>(diagnostics, [&](const auto& message) {
      got_status.Add(message.header, "");
      last_status = StatusText(message);
    });
    for (int i = 0; i < 3; ++i) {
      TakeAll<sensor_msgs_msg_dds__CameraInfo_>(
          info_out[i], [&, i](const auto& message) { got_info[i].Add(message.header, InfoText(message)); });
    }
  };

  const std::string encoding = peer.Text("--encoding");
  const std::size_t pixel_bytes = encoding == "rgb8" || encoding == "bgr8"                  ? 3
                                  : encoding.ends_with("16") || encoding.starts_with("yuv") ? 2
                                                                                            : 1;
  // right(x) = left(x + shift)
  std::vector<std::uint8_t> pixels[2] = {Pixels(width, height, 0, pixel_bytes),
                                         Pixels(width, height, peer.Count("--shift"), pixel_bytes)};
  std::vector<std::uint8_t> inverted[2] = {pixels[0], pixels[1]};
  for (auto& image : inverted) {
    for (std::uint8_t& value : image) value = static_cast<std::uint8_t>(255 - value);
  }
  std::string frame_id = "front_left_optical", model = "plumb_bob";
  std::string words[] = {encoding};
  double distortion[5] = {peer.Number("--distortion"), 0, 0, 0, 0};
  const auto period = std::chrono::duration<double>(1 / peer.Number("--rate"));
  const auto first = Clock::now();
  std::set<std::int64_t> sent;
  for (int i = 0; i < num_frames; ++i) {
    std::int64_t stamp_ns = kFirstStamp_ns + i * static_cast<std::int64_t>(1e9 * period.count());
    if (fault == "back" && i >= num_frames / 2) stamp_ns -= 3'000'000'000;
    if (fault == "zero") stamp_ns = 0;
    std_msgs_msg_dds__Header_ header{{static_cast<std::int32_t>(stamp_ns / 1'000'000'000),
                                      static_cast<std::uint32_t>(stamp_ns % 1'000'000'000)},
                                     frame_id.data()};
    for (int side = 0; side < 2 && sends; ++side) {
      if (fault == "half" && side == 1) continue;
      sensor_msgs_msg_dds__CameraInfo_ info{};
      info.header = header;
      info.width = static_cast<std::uint32_t>(width);
      info.height = static_cast<std::uint32_t>(height);
      info.distortion_model = model.data();
      info.d = {5, 5, distortion, false};
      info.k[0] = info.k[4] = info.p[0] = info.p[5] = kFocal_px;
      info.k[2] = info.p[2] = width / 2.0;
      info.k[5] = info.p[6] = height / 2.0;
      info.k[8] = info.r[0] = info.r[4] = info.r[8] = info.p[10] = 1;
      info.p[3] = side == 1 ? -kFocal_px * kBaseline_m : 0;
      if (peer.Count("--info") != 0) dds_write(infos[side], &info);
      if (fault == "type" && side == 0) continue;
      // Nearer to the next left image, which is its inverse.
      const bool is_late = fault == "late";
      if (is_late && side == 1)
        std::this_thread::sleep_until(first +
                                      std::chrono::duration_cast<Clock::duration>((i + 0.7) * period));
      std::vector<std::uint8_t>& shown = (is_late && i % 2 == 1 ? inverted : pixels)[side];
      sensor_msgs_msg_dds__Image_ image{};
      image.header = header;
      image.width = info.width;
      image.height = info.height;
      image.encoding = words[0].data();
      image.step = static_cast<std::uint32_t>(static_cast<std::size_t>(width) * pixel_bytes);
      image.data = {static_cast<std::uint32_t>(shown.size()), static_cast<std::uint32_t>(shown.size()),
                    shown.data(), false};
      if (fault == "short") image.data._length /= 2;
      dds_write(images[side], &image);
    }
    sent.insert(stamp_ns);
    const auto next = first + std::chrono::duration_cast<Clock::duration>((i + 1) * period);
    do {
      listen();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (Clock::now() < next);
  }
  for (int i = 0; i < 100; ++i) {
    listen();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  const auto text = [&](const char* name, const Received& got) {
    const bool known = std::ranges::includes(sent, got.stamps);
    return Format("\"%s\": {\"count\": %zu, \"stamps_are_those_sent\": %s", name, got.count,
                  known ? "true" : "false") +
           (got.count > 0 ? ", " + got.text : "") + "}";
  };
  for (const auto& [topic, reader] : dumped) {
    std::string name = topic.substr(1);
    std::ranges::replace(name, '/', '-');
    Dump(reader, peer.Text("--dump") + "/" + name);
  }
  std::string report = Format("{\"sent\": %d, ", num_frames);
  if (listens) {
    report += text("disparity", got_disparity) + ", " + text("depth", got_depth) + ", " +
              text("depth_mm", got_depth_mm) + ", " + text("points", got_cloud) + ", " +
              text("left_info", got_info[0]) + ", " + text("right_info", got_info[1]) + ", " +
              text("depth_info", got_info[2]) + ", " + "\"user_data\": \"" + user_data + "\", " +
              Format("\"num_status\": %zu, ", got_status.count) + "\"status\": {" + last_status + "}, ";
  }
  report += "\"node\": " + (node_text.empty() ? "null" : node_text) + "}";
  std::printf("%s\n", report.c_str());
  dds_delete(peer.participant);
  return 0;
}
