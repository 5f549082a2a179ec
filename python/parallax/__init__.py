"""Stereo pairs to disparity, metric depth and point clouds, on a CPU or a GPU, with a score.

    import parallax
    matcher = parallax.Matcher(preset="kitti")
    result = matcher.compute(left, right)       # numpy, uint8 or uint16 (H x W), or RGB
    result.disparity, result.confidence         # px (NaN = none), 0 .. 255

    for frame in parallax.synthetic("drive", frames=3):
        result = matcher.compute(frame)
        print(frame.name, parallax.kitti2015(result.disparity, frame.truth.disparity)["d1_all"])

docs/python.md says more. Errors are parallax.Error; what cannot be is parallax.InvalidArgument, a ValueError.
"""

from ._native import (
    FILLED,
    MISMATCHED,
    NOT_UNIQUE,
    OCCLUDED,
    OUT_OF_RANGE,
    SPECKLE,
    Cloud,
    DeviceArray,
    DeviceDisparityMap,
    DisparityMap,
    Error,
    Frame,
    GroundTruth,
    InvalidArgument,
    Matcher,
    Rig,
    Source,
    __version__,
    backends,
    cloud,
    compare,
    density,
    depth,
    emd,
    eth3d,
    geodesic,
    geodesic_depth,
    kitti2012,
    kitti2015,
    knn,
    middlebury,
    open,
    parameters,
    path,
    presets,
    radius_inliers,
    read_cloud,
    read_disparity,
    read_image,
    sample,
    statistical_inliers,
    synthetic,
    voxel_inliers,
    write_cloud,
    write_disparity,
)

__all__ = [name for name in dir() if not name.startswith("_")]

for _name in __all__:
    _value = globals()[_name]
    if getattr(_value, "__module__", None) == "parallax._native":
        try:
            _value.__module__ = "parallax"
        except AttributeError:  # functions of a compiled module keep their own
            pass
