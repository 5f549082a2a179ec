// The program as a node of ROS 2, without ROS: topics by plain DDS with the names, types and settings that ROS
// gives them. Environment: ROS_DOMAIN_ID, ROS_LOCALHOST_ONLY, ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST,
// FASTDDS_DEFAULT_PROFILES_FILE or FASTRTPS_DEFAULT_PROFILES_FILE, ROS_DISTRO (the form of ros_discovery_info
// before Iron).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/formats/ros_messages.h"
#include "datasets/live/dds_participant.h"

namespace parallax {

inline constexpr std::uint64_t kMaxRosDomain = 232;  // ports end there

// "/stereo/left/image_raw"; a leading slash is added. Throws InvalidArgument, in one line that begins with
// `what`, for a name that ROS does not allow.
std::string RosTopicName(std::string_view name, const std::string& what);

// Thread-safe. Its readers and writers may outlive it.
class Ros2Node {
 public:
  // The running node of this program, or a new one named /parallax. domain: nullopt = that of the running node,
  // else ROS_DOMAIN_ID, else 0. Throws Error, InvalidArgument for an invalid domain.
  static std::shared_ptr<Ros2Node> Join(std::optional<int> domain);

  Ros2Node(int domain, std::shared_ptr<DdsParticipant> participant);

  int domain() const { return domain_; }
  // topic and type as ROS writes them. is_reliable: lost pieces are sent again, but writers that offer only best
  // effort are not heard. take: as in DdsParticipant::Read.
  std::unique_ptr<DdsReader> Subscribe(const std::string& topic, std::string_view type, bool is_reliable,
                                       std::function<void(RosMessage)> take);
  // Reliable.
  std::unique_ptr<DdsWriter> Advertise(const std::string& topic, std::string_view type);
  // Stops announcing a reader or writer of this node. To be called after it was destroyed.
  void Forget(const DdsGuid& guid);
  // Why nothing can come on a topic: others write it under another type. One line; empty = no reason is known.
  std::string Fault(const std::string& topic, std::string_view type) const;
  // Image topics that others write at the moment: "/left/image_raw, /right/image_raw"; empty = none.
  std::string ImageTopics() const;

 private:
  // Tells others which readers and writers are this node's.
  void Announce();

  const int domain_;
  const std::shared_ptr<DdsParticipant> participant_;
  std::mutex mutex_;
  RosNode node_;
  std::unique_ptr<DdsWriter> announcer_;
};

// Advice for messages that are lost between processes or hosts, in one line.
std::string LossAdvice(bool is_reliable);

}  // namespace parallax
