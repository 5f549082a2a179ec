#!/usr/bin/env python3
"""Plays a recording as a ROS 2 node: images, calibration, disparities and points, at the pace of its capture.

replay.py SOURCE [--preset NAME] [--rate FACTOR] [--frames N]

SOURCE: a recording (FILE.mcap) of `parallax run --record` or of ROS 2's own tools, or whatever parallax.open takes.
A recording that holds disparities already is played by `ros2 bag play FILE.mcap` alone; this node matches.

    /left/image_rect, /right/image_rect     sensor_msgs/Image
    /left/camera_info, /right/camera_info   sensor_msgs/CameraInfo     where the frame has a calibration, as what follows
    /disparity                              stereo_msgs/DisparityImage
    /points2                                sensor_msgs/PointCloud2
"""

import argparse
import sys
import time

import numpy as np

import parallax

try:
    import rclpy
    from sensor_msgs.msg import CameraInfo, Image, PointCloud2, PointField
    from stereo_msgs.msg import DisparityImage
except ImportError as error:
    print(f"replay.py: {error}: source ROS 2's setup.bash (packages rclpy, sensor_msgs, stereo_msgs)", file=sys.stderr)
    sys.exit(77)

FRAME_ID = "left_camera_optical_frame"  # x right, y down, z forward
ENCODINGS = {("uint8", 2): "mono8", ("uint16", 2): "mono16", ("uint8", 3): "rgb8", ("float32", 2): "32FC1"}


def stamped(message, stamp_s):
    nanoseconds = round(stamp_s * 1e9)
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(nanoseconds, 1_000_000_000)
    message.header.frame_id = FRAME_ID
    return message


def fill_image(message, pixels):
    pixels = np.ascontiguousarray(pixels)
    message.height, message.width = pixels.shape[:2]
    message.encoding = ENCODINGS[(pixels.dtype.name, pixels.ndim)]
    message.is_bigendian = int(sys.byteorder == "big")
    message.step = pixels.strides[0]
    message.data = pixels.tobytes()
    return message


def camera_info(rig, shape, is_right):
    """Of a rectified camera: cx of the right one is cx + doffs, and its P[3] is -fx * baseline."""
    message = CameraInfo()
    message.height, message.width = shape[:2]
    cx = rig.cx_px + (rig.doffs_px if is_right else 0)
    message.distortion_model = "plumb_bob"
    message.d = [0.0] * 5
    message.k = [rig.fx_px, 0.0, cx, 0.0, rig.fx_px, rig.cy_px, 0.0, 0.0, 1.0]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [rig.fx_px, 0.0, cx, -rig.fx_px * rig.baseline_m if is_right else 0.0]
    message.p += [0.0, rig.fx_px, rig.cy_px, 0.0, 0.0, 0.0, 1.0, 0.0]
    return message


def disparity_image(result, rig, stamp_s):
    """The message counts from the principal points, so that depth = f * t / disparity: doffs is added."""
    message = DisparityImage()
    smallest = rig.doffs_px
    values = np.where(np.isfinite(result.disparity), result.disparity + np.float32(rig.doffs_px), smallest - 1)
    fill_image(stamped(message.image, stamp_s), values.astype(np.float32))
    message.f, message.t = rig.fx_px, rig.baseline_m
    message.min_disparity = smallest
    message.max_disparity = smallest + result.parameters["matching_cost.num_disparities"] - 1
    message.delta_d = 1 / 16
    message.valid_window.width, message.valid_window.height = message.image.width, message.image.height
    return message


def point_cloud(cloud):
    points = np.zeros(len(cloud), dtype=[("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("rgb", "<u4")])
    for axis, name in enumerate("xyz"):
        points[name] = cloud.points[:, axis]
    if cloud.colors is not None:
        red, green, blue = cloud.colors.astype(np.uint32).T
        points["rgb"] = red << 16 | green << 8 | blue
    message = PointCloud2()
    message.height, message.width = 1, len(points)
    for name, (_, offset) in points.dtype.fields.items():
        field = PointField()
        field.name, field.offset, field.datatype, field.count = name, offset, PointField.FLOAT32, 1
        message.fields.append(field)
    message.is_bigendian = False
    message.point_step, message.row_step = points.itemsize, points.nbytes
    message.is_dense = True
    message.data = points.tobytes()
    return message


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="+")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--rate", type=float, default=1.0, help="2: twice as fast as it was recorded; 0: no waiting")
    parser.add_argument("--frames", type=int, help="no more than this")
    arguments, of_ros = parser.parse_known_args()

    rclpy.init(args=of_ros)
    node = rclpy.create_node("parallax_replay")
    publishers = {
        topic: node.create_publisher(kind, topic, 10)
        for topic, kind in (
            ("/left/image_rect", Image),
            ("/right/image_rect", Image),
            ("/left/camera_info", CameraInfo),
            ("/right/camera_info", CameraInfo),
            ("/disparity", DisparityImage),
            ("/points2", PointCloud2),
        )
    }
    matcher = parallax.Matcher(arguments.preset)
    first_stamp, start, num_frames = None, time.monotonic(), 0
    for frame in parallax.open(*arguments.source):
        if not rclpy.ok() or num_frames == arguments.frames:
            break
        result = matcher.compute(frame)
        stamp = frame.timestamp if frame.timestamp is not None else 0.1 * num_frames
        first_stamp = stamp if first_stamp is None else first_stamp
        if arguments.rate > 0:
            time.sleep(max(0.0, start + (stamp - first_stamp) / arguments.rate - time.monotonic()))

        def publish(topic, message):
            publishers[topic].publish(stamped(message, stamp))

        for side, pixels in (("left", frame.left), ("right", frame.right)):
            publish(f"/{side}/image_rect", fill_image(Image(), pixels))
            if frame.rig:
                publish(f"/{side}/camera_info", camera_info(frame.rig, pixels.shape, side == "right"))
        if frame.rig:
            publish("/disparity", disparity_image(result, frame.rig, stamp))
            publish("/points2", point_cloud(result.cloud(frame.rig, frame.left)))
        num_frames += 1
    node.get_logger().info(f"{num_frames} frames played")
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
