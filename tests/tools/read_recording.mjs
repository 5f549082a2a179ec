// Reads a recording with the MCAP and ROS 2 readers of npm, which share nothing with ours, and prints every message as
// a line of JSON; bytes as base64. Reads through the index, and counts the same messages once more from front to
// back, with all checksums.
//
//     node read_recording.mjs FILE.mcap
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

// Packages are looked for beside the folder named here, not beside this file.
const require = createRequire(`${process.env.PARALLAX_NODE_MODULES}/x.js`);
const { McapIndexedReader, McapStreamReader } = require("@mcap/core");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader } = require("@foxglove/rosmsg2-serialization");
const fzstd = require("fzstd");

const bytes = new Uint8Array(await readFile(process.argv[2]));
const readable = {
  size: async () => BigInt(bytes.length),
  read: async (offset, length) => bytes.slice(Number(offset), Number(offset + length)),
};
const decompressHandlers = {
  zstd: (compressed, size) => fzstd.decompress(compressed, new Uint8Array(Number(size))),
};
const plain = (key, value) => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value)) return Array.from(value);
  return typeof value === "bigint" ? Number(value) : value;
};

const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
const decoders = new Map();
let count = 0;
for await (const message of reader.readMessages()) {
  const channel = reader.channelsById.get(message.channelId);
  const schema = reader.schemasById.get(channel.schemaId);
  if (schema.encoding !== "ros2msg" || channel.messageEncoding !== "cdr") throw new Error("not ROS 2's encodings");
  if (!decoders.has(schema.id)) {
    decoders.set(schema.id, new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true })));
  }
  const decoded = decoders.get(schema.id).readMessage(message.data);
  console.log(JSON.stringify({ topic: channel.topic, type: schema.name, time: message.logTime, ...decoded }, plain));
  ++count;
}
if (BigInt(count) !== reader.statistics.messageCount) throw new Error("the statistics count other messages");

const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true });
stream.append(bytes);
for (let record; (record = stream.nextRecord()) !== undefined; ) {
  if (record.type === "Message") --count;
}
if (!stream.done() || count !== 0) throw new Error("from front to back there are other messages");
