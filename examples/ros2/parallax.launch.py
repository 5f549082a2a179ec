"""Starts parallax for a stereo camera: ros2 launch parallax.launch.py camera:=/stereo namespace:=/parallax

parallax is an ordinary program here: it takes part in ROS 2 by itself, in the domain of the environment.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess
from launch.substitutions import LaunchConfiguration


def generate_launch_description():
    camera, namespace, preset = (LaunchConfiguration(name) for name in ("camera", "namespace", "preset"))
    source = ["ros2:left=", camera, "/left/image_raw,right=", camera, "/right/image_raw"]
    return LaunchDescription(
        [
            DeclareLaunchArgument("camera", default_value="/stereo"),
            DeclareLaunchArgument("namespace", default_value="/parallax"),
            DeclareLaunchArgument("preset", default_value="robot"),
            ExecuteProcess(
                cmd=["parallax", "run", source, "--config", preset, "--ros2", namespace]
                + ["--write", "none", "--output", "/tmp/parallax", "--overwrite"],
                output="screen",
            ),
        ]
    )
