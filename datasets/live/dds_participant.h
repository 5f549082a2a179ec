// A participant of DDS: topics in and out, as bytes. Fast DDS makes it, in the module of datasets/dds/, which is
// loaded when a source or an option names ROS 2. What ROS adds is in datasets/live/ros2_node.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace parallax {

// The identity of a participant, a reader or a writer.
using DdsGuid = std::array<std::uint8_t, 16>;

struct DdsSettings {
  int domain = 0;
  std::string user_data;            // of the participant, for others
  std::string profiles_file;        // Fast DDS's XML, whose default participant is made; empty = none
  bool only_this_host = false;      // other hosts neither see it nor are seen
  std::uint32_t receive_bytes = 0;  // of a socket's buffer; 0 = the system's usual size
};

struct DdsTopic {
  std::string name;       // "rt/stereo/left/image_raw"
  std::string type;       // "sensor_msgs::msg::dds_::Image_"
  std::string user_data;  // of the reader or writer, for others
  bool is_reliable = false;
  bool keeps_last = false;  // its last message also goes to readers that come later
  int depth = 5;            // messages kept
};

// Ends when it is destroyed.
class DdsReader {
 public:
  virtual ~DdsReader() = default;
  virtual DdsGuid guid() const = 0;
  // Messages that were sent after the first one and did not arrive whole.
  virtual std::size_t num_lost() const = 0;
};

// Its destructor waits a little until readers have what was written. Thread-safe.
class DdsWriter {
 public:
  virtual ~DdsWriter() = default;
  virtual DdsGuid guid() const = 0;
  virtual bool HasReaders() const = 0;
  // Publishes a message, which begins with the four bytes of its encoding (datasets/formats/ros_cdr.h). Does
  // not wait for readers.
  virtual void Write(std::span<const std::uint8_t> message) = 0;
};

// Thread-safe. Readers and writers keep it alive.
class DdsParticipant {
 public:
  virtual ~DdsParticipant() = default;
  virtual DdsGuid guid() const = 0;
  // take: gets each message, in a thread of the library's; not after the reader is gone.
  virtual std::unique_ptr<DdsReader> Read(const DdsTopic& topic,
                                          std::function<void(std::vector<std::uint8_t>)> take) = 0;
  virtual std::unique_ptr<DdsWriter> Write(const DdsTopic& topic) = 0;
  // The types under which others write a topic at the moment, each once.
  virtual std::vector<std::string> TypesOf(const std::string& topic_name) const = 0;
  // The topics of a type that others write at the moment.
  virtual std::vector<std::string> TopicsOf(const std::string& type) const = 0;
};

// Loads the module at the first call. Throws Error if it cannot be loaded, the profiles cannot be read, or the
// participant cannot be made.
std::shared_ptr<DdsParticipant> MakeDdsParticipant(const DdsSettings& settings);

}  // namespace parallax

// Never null; throws parallax::Error.
extern "C" std::shared_ptr<parallax::DdsParticipant>* ParallaxDdsParticipant(
    const parallax::DdsSettings& settings);
