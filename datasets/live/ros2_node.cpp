#include "datasets/live/ros2_node.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "datasets/formats/file_bytes.h"
#include "datasets/system/module.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr std::uint64_t kWantedReceive_bytes = 32 << 20;
constexpr const char* kReceiveLimitFile = "/proc/sys/net/core/rmem_max";

// From Iron on, peers compare the hashes of types (REP 2011) and warn where one is missing.
struct HashedType {
  std::string_view type, hash;
};
constexpr HashedType kHashes[] = {
    {kRosImage, "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47"},
    {kRosCompressedImage, "RIHS01_15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a"},
    {kRosCameraInfo, "RIHS01_b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275"},
    {kRosDisparityImage, "RIHS01_1ec1ff6b5bace919e4544a37f2d96ead9f81783701b7b7a4d97a09325ecf2711"},
    {kRosPointCloud2, "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"},
    {kRosDiagnosticArray, "RIHS01_5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e"},
};

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int DomainOfEnvironment() {
  const std::string text = Variable("ROS_DOMAIN_ID");
  if (text.empty()) return 0;
  const auto domain = ParseCount(text);
  if (!domain || *domain > kMaxRosDomain)
    throw InvalidArgument("ROS_DOMAIN_ID '" + Printable(text) + "' is not a number from 0 to 232");
  return static_cast<int>(*domain);
}

std::uint64_t ReceiveLimit_bytes() {
  std::ifstream file(kReceiveLimitFile);
  std::uint64_t bytes = 0;
  file >> bytes;
  return bytes;
}

// Before Iron, identities had 24 bytes.
std::size_t GidBytes() {
  const std::string distro = Variable("ROS_DISTRO");
  constexpr std::array<std::string_view, 3> kBefore = {"foxy", "galactic", "humble"};
  return std::find(kBefore.begin(), kBefore.end(), distro) != kBefore.end() ? 24 : 16;
}

// "sensor_msgs/msg/Image" is "sensor_msgs::msg::dds_::Image_".
std::string DdsTypeOf(std::string_view type) {
  std::string mangled;
  const std::size_t last = type.rfind('/');
  for (const char c : type.substr(0, last)) mangled += c == '/' ? "::" : std::string(1, c);
  return mangled + "::dds_::" + std::string(type.substr(last + 1)) + "_";
}
// The opposite, for messages.
std::string RosTypeOf(std::string type) {
  const std::size_t inner = type.find("::dds_::");
  if (inner != std::string::npos) type.replace(inner, 8, "::");
  if (type.ends_with('_')) type.pop_back();
  for (std::size_t at = type.find("::"); at != std::string::npos; at = type.find("::", at))
    type.replace(at, 2, "/");
  return Printable(type, 80);
}

DdsTopic TopicOf(const std::string& topic, std::string_view type) {
  DdsTopic found{.name = "rt" + topic, .type = DdsTypeOf(type), .user_data = {}};
  const auto* const hashed = std::find_if(std::begin(kHashes), std::end(kHashes),
                                          [&](const HashedType& known) { return known.type == type; });
  if (hashed != std::end(kHashes)) found.user_data = "typehash=" + std::string(hashed->hash) + ";";
  return found;
}

}  // namespace

std::shared_ptr<DdsParticipant> MakeDdsParticipant(const DdsSettings& settings) {
  static const auto make = reinterpret_cast<decltype(&ParallaxDdsParticipant)>(FunctionOfModule(
      {"libparallax_dds.so", "topics of ROS 2", "libfastrtps2.9",
       "install libfastrtps-dev and libfastcdr-dev, configure with -DPARALLAX_DDS=ON and build again"},
      "ParallaxDdsParticipant"));
  const std::unique_ptr<std::shared_ptr<DdsParticipant>> made(make(settings));
  return *made;
}

std::string RosTopicName(std::string_view name, const std::string& what) {
  std::string topic(name);
  if (!topic.starts_with('/')) topic.insert(0, 1, '/');
  bool valid = topic.size() > 1 && topic.size() < 200;
  for (std::size_t i = 1; i < topic.size() && valid; ++i) {
    const char c = topic[i];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool is_digit = c >= '0' && c <= '9';
    const bool begins = topic[i - 1] == '/';
    valid = is_letter || (is_digit && !begins) || (c == '/' && !begins && i + 1 < topic.size());
  }
  if (!valid) {
    throw InvalidArgument(what + ": '" + Printable(name) +
                          "' is not a name of ROS: letters, digits and _ between slashes, such as "
                          "/stereo/left/image_raw");
  }
  return topic;
}

std::shared_ptr<Ros2Node> Ros2Node::Join(std::optional<int> domain) {
  static std::mutex mutex;
  static std::weak_ptr<Ros2Node> running;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Ros2Node> node = running.lock();
  if (node && (!domain || *domain == node->domain())) return node;
  DdsSettings settings;
  settings.domain = domain ? *domain : DomainOfEnvironment();
  settings.user_data = "enclave=/;";
  settings.profiles_file = Variable("FASTDDS_DEFAULT_PROFILES_FILE");
  if (settings.profiles_file.empty()) settings.profiles_file = Variable("FASTRTPS_DEFAULT_PROFILES_FILE");
  settings.only_this_host =
      Variable("ROS_LOCALHOST_ONLY") == "1" || Variable("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST";
  settings.receive_bytes = static_cast<std::uint32_t>(std::min(ReceiveLimit_bytes(), kWantedReceive_bytes));
  node = std::make_shared<Ros2Node>(settings.domain, MakeDdsParticipant(settings));
  running = node;
  return node;
}

Ros2Node::Ros2Node(int domain, std::shared_ptr<DdsParticipant> participant)
    : domain_(domain), participant_(std::move(participant)) {
  node_.name_space = "/";
  node_.name = "parallax";
  node_.participant = participant_->guid();
  announcer_ = participant_->Write({.name = "ros_discovery_info",
                                    .type = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_",
                                    .user_data = {},
                                    .is_reliable = true,
                                    .keeps_last = true,
                                    .depth = 1});
  Announce();
}

void Ros2Node::Announce() { announcer_->Write(EncodeNode(node_, GidBytes())); }

std::unique_ptr<DdsReader> Ros2Node::Subscribe(const std::string& topic, std::string_view type,
                                               bool is_reliable, std::function<void(RosMessage)> take) {
  DdsTopic asked = TopicOf(topic, type);
  asked.is_reliable = is_reliable;
  std::unique_ptr<DdsReader> reader = participant_->Read(asked, std::move(take));
  const std::scoped_lock lock(mutex_);
  node_.readers.push_back(reader->guid());
  Announce();
  return reader;
}

std::unique_ptr<DdsWriter> Ros2Node::Advertise(const std::string& topic, std::string_view type) {
  DdsTopic reliable = TopicOf(topic, type);
  reliable.is_reliable = true;
  std::unique_ptr<DdsWriter> writer = participant_->Write(reliable);
  const std::scoped_lock lock(mutex_);
  node_.writers.push_back(writer->guid());
  Announce();
  return writer;
}

void Ros2Node::Forget(const DdsGuid& guid) {
  const std::scoped_lock lock(mutex_);
  std::erase(node_.readers, guid);
  std::erase(node_.writers, guid);
  Announce();
}

std::string Ros2Node::Fault(const std::string& topic, std::string_view type) const {
  const std::vector<std::string> types = participant_->TypesOf("rt" + topic);
  if (types.empty() || std::find(types.begin(), types.end(), DdsTypeOf(type)) != types.end()) return "";
  return topic + ": carries " + RosTypeOf(types.front()) + ", not " + std::string(type) +
         ": name a topic of images, or one that ends in /compressed for JPEG and PNG";
}

std::string Ros2Node::ImageTopics() const {
  std::string list;
  for (const std::string_view type : {kRosImage, kRosCompressedImage}) {
    for (const std::string& topic : participant_->TopicsOf(DdsTypeOf(type))) {
      if (topic.starts_with("rt/")) list += (list.empty() ? "" : ", ") + Printable(topic.substr(2), 80);
    }
  }
  return list;
}

std::string LossAdvice(bool is_reliable) {
  return "allow larger buffers, sysctl -w net.core.rmem_max=" + std::to_string(kWantedReceive_bytes) +
         " (now " + std::to_string(ReceiveLimit_bytes()) + "), or " +
         (is_reliable ? "send fewer or smaller images: the publisher gave them up before they were here"
                      : "ask for lost pieces again with reliable=1 in the source");
}

}  // namespace parallax
