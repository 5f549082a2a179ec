// Reads the bytes that ros2_peer has dumped with npm's ROS 2 reader and the message definitions of ROS 2 Jazzy, which
// share nothing with ours, and prints them as one JSON object; of bytes their number, of floats how many are numbers.
//
//     node decode.mjs FOLDER
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(`${process.env.PARALLAX_NODE_MODULES}/x.js`);
const { ros2jazzy } = require("@foxglove/rosmsg-msgs-common");
const { MessageReader } = require("@foxglove/rosmsg2-serialization");

const types = {
  disparity: "stereo_msgs/DisparityImage",
  image_rect: "sensor_msgs/Image",
  image_rect_raw: "sensor_msgs/Image",
  camera_info: "sensor_msgs/CameraInfo",
  points2: "sensor_msgs/PointCloud2",
  diagnostics: "diagnostic_msgs/DiagnosticArray",
};
const plain = (key, value) => {
  if (value?.encoding === "32FC1") {
    const floats = new Float32Array(new Uint8Array(value.data).buffer);
    return { ...value, encoding: "floats", numbers: floats.filter(Number.isFinite).length };
  }
  if (value instanceof Uint8Array) return value.length;
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
};

const decoded = {};
for (const file of readdirSync(process.argv[2])) {
  const root = ros2jazzy[types[file.split("-").at(-1)]];
  const reader = new MessageReader([root, ...Object.values(ros2jazzy).filter((other) => other !== root)]);
  const bytes = readFileSync(join(process.argv[2], file));
  decoded[file.replace(/^parallax-/, "")] = reader.readMessage(new Uint8Array(bytes));
}
console.log(JSON.stringify(decoded, plain));
