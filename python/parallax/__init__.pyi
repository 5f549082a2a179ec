"""Stereo pairs to disparity, metric depth and point clouds, on a CPU or a GPU, with a score."""

from os import PathLike
from typing import Any, Iterator, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Path = Union[str, "PathLike[str]"]
_Image = NDArray[Any]  # uint8 or uint16 (H x W), or uint8 (H x W x 3, RGB)
_Float = NDArray[np.float32]
_Floating = NDArray[np.floating[Any]]
_Byte = NDArray[np.uint8]
_Index = NDArray[np.int32]
_Points = Union[_Floating, "Cloud"]
_Value = Union[bool, int, float, str]

__version__: str
NOT_UNIQUE: int
OCCLUDED: int
MISMATCHED: int
OUT_OF_RANGE: int
SPECKLE: int
FILLED: int
OUT_OF_LIMITS: int

# --- the interface, which __init__.py reads too: names, signatures and words ------------------------------
class Error(RuntimeError):
    """Something failed: a file, a device, a frame."""

class InvalidArgument(Error, ValueError):
    """An invalid request. Also a ValueError."""

class PairWarning(UserWarning):
    """The first pairs of a Matcher look as if their disparities were wrong: one line with the remedy."""

# --- cameras -----------------------------------------------------------------

class StereoRig:
    """The geometry of a rectified pair: depth = fx_px * baseline_m / (disparity + doffs_px)."""

    def __init__(
        self, fx_px: float, cx_px: float, cy_px: float, baseline_m: float, doffs_px: float = 0.0
    ) -> None: ...
    @property
    def fx_px(self) -> float:
        """Focal length of both cameras, px."""
    @property
    def cx_px(self) -> float:
        """Principal point of the left camera, px."""
    @property
    def cy_px(self) -> float:
        """Principal point of both cameras, px."""
    @property
    def baseline_m(self) -> float:
        """Distance between the cameras, metres."""
    @property
    def doffs_px(self) -> float:
        """cx of the right camera minus cx_px, px."""

class RectifiedPair:
    """Two images whose rows correspond, and their geometry."""

    @property
    def left(self) -> Optional[_Image]:
        """Of the pixel type of the raw image; None where the image that was given is rectified."""
    @property
    def right(self) -> Optional[_Image]:
        """As left."""
    @property
    def rig(self) -> Optional[StereoRig]:
        """For depth and clouds; None where no rig was given."""

class Rig:
    """Two cameras as a calibration describes them. Rig(StereoRig) is a pair that is rectified already."""

    def __init__(self, rectified: StereoRig) -> None: ...
    @staticmethod
    def load(name: _Path, *, width_px: int = 0, height_px: int = 0, zoom: float = 1.0) -> Rig:
        """Reads a calibration of parallax, OpenCV, ROS, Kalibr, mrcal, KITTI, EuRoC or Middlebury.

        name: a file, "LEFT,RIGHT", or EuRoC's folder mav0. width_px, height_px: of the rectified images,
        0 = as the cameras'. zoom: 1 = the largest view in which every pixel was seen by its camera; less
        (from 0.1) shows more of the scene, with borders that no camera saw; more (to 10) shows a smaller
        part, larger; 0 = everything that either camera saw."""
    def is_raw(self, width: int, height: int) -> bool:
        """Whether images of this size, px, must be rectified."""
    def rectified(self, width: int, height: int) -> StereoRig:
        """The geometry of the rectified pair, for images of this size, px."""
    def rectify(self, left: _Image, right: _Image) -> RectifiedPair:
        """Rectifies raw images: uint8 or uint16 (H x W), or uint8 (H x W x 3, RGB)."""

class Calibration:
    """Two cameras as boards show them, with a verdict and with how sure every number is."""

    @property
    def rig(self) -> Rig:
        """The cameras, for Matcher.compute. parallax.Error where the verdict is "refused"."""
    def save(self, path: _Path) -> None:
        """Writes a rig.yaml, which Rig.load and `--rig` read. parallax.Error where the verdict is "refused"."""
    @property
    def verdict(self) -> str:
        """"good", "usable" (with warnings) or "refused" (with causes)."""
    @property
    def causes(self) -> list[str]:
        """Why the verdict is "refused", one line each; empty otherwise."""
    @property
    def warnings(self) -> list[str]:
        """What would make it better, one line each."""
    @property
    def width_px(self) -> int:
        """Of the images, px."""
    @property
    def height_px(self) -> int:
        """Of the images, px."""
    @property
    def rms_left_px(self) -> float:
        """Distance of the corners from where the left camera alone expects them, px, root mean square."""
    @property
    def rms_right_px(self) -> float:
        """The same of the right camera."""
    @property
    def rms_px(self) -> float:
        """The same of both cameras together."""
    @property
    def corner_noise_px(self) -> float:
        """One standard deviation of a coordinate of a corner, px."""
    @property
    def outlier_percent(self) -> float:
        """Corners that were left out, percent."""
    @property
    def epipolar_median_px(self) -> float:
        """Difference between the rows of a corner in the two rectified images, px, median."""
    @property
    def epipolar_p95_px(self) -> float:
        """The same, 95th percentile."""
    @property
    def baseline_m(self) -> float:
        """Distance between the cameras, metres."""
    @property
    def boards(self) -> list[dict[str, Any]]:
        """The pairs that were used: dicts of name, rms_px, tilt_degrees and distance_m."""
    @property
    def rejected(self) -> list[dict[str, str]]:
        """The pairs that were not used: dicts of name and reason."""
    @property
    def coverage_left(self) -> _Index:
        """Corners in each cell of the left image, int32 (10 x 10), top row first."""
    @property
    def coverage_right(self) -> _Index:
        """The same of the right image."""
    @property
    def depth_errors(self) -> list[dict[str, float]]:
        """One standard deviation of a depth, metres, by distance: dicts of distance_m, calibration_m (of the
        calibration), matching_m (of 0.25 px of disparity) and total_m."""
    @property
    def lens(self) -> str:
        """The lens model: "plumb_bob with 5 coefficients"."""
    @property
    def lens_trials(self) -> list[dict[str, Any]]:
        """The models that were tried: dicts of lens, held_out_px (rms of pairs it was not fitted to, px) and
        problem (why it was not taken; empty = none)."""
    @property
    def parameters(self) -> dict[str, dict[str, float]]:
        """Every number of the cameras, in the unit that its name ends with: dicts of value and sigma (one
        standard deviation), in the order of covariance."""
    @property
    def covariance(self) -> NDArray[np.float64]:
        """Of the parameters, float64 (N x N); (0 x 0) where no rig was found."""

def calibrate(
    left: Any, right: Any = None, *, board: str, square_m: float, lens: str = "auto",
    baseline_m: Optional[float] = None, num_boards: int = 40
) -> Calibration:
    """Calibrates two cameras from pairs of images of a board. Needs OpenCV.

    left, right: lists of images of one size, uint8 or uint16 (H x W) or uint8 (H x W x 3, RGB), or of their
    files; at least 5 pairs that show the board, better 10 or more. Or two globs or folders. Or left alone: a
    Source, a video, a camera, or a list of frames or of (left, right).
    board: "chessboard:9x6" (inner corners), "charuco:5x7[:4X4_50[:0.75]]" (squares, dictionary, marker by
    square) or "aprilgrid:6x6[:0.3]" (tags, gap by tag). square_m: side of a square, of an AprilGrid's tag,
    metres. lens: "plumb_bob" (5 coefficients), "rational" (8), "fisheye" (4), or "auto": the one that fits
    held-out pairs best. baseline_m: distance between the lenses by a ruler, metres; detects a wrong square_m.
    num_boards: a video, a recording or a camera is read until this many boards stood in new positions.

    parallax.Error where fewer than 5 pairs show the board."""

# --- matching ----------------------------------------------------------------

class MatchResult:
    """Disparities of the left image, with the reason for every missing one.

    The arrays are views of this object's memory: they keep it alive, and rows may have gaps. Methods
    without a rig take that of compute()."""

    @property
    def disparity(self) -> _Float:
        """px, x_left - x_right, float32 (H x W), NaN = no value."""
    @property
    def confidence(self) -> _Byte:
        """0 (ambiguous) .. 255 (unrivalled), uint8 (H x W), of the winner before any filter."""
    @property
    def validity(self) -> _Byte:
        """Bits of why a pixel lost its matched value, uint8 (H x W), 0 = it did not: NOT_UNIQUE,
        OCCLUDED, MISMATCHED, OUT_OF_RANGE, SPECKLE, OUT_OF_LIMITS, and FILLED where it has a value again."""
    @property
    def x16(self) -> NDArray[np.int16]:
        """OpenCV's form: 1/16 px, int16 (H x W); no value = (min_disparity - 1) * 16."""
    @property
    def parameters(self) -> dict[str, _Value]:
        """Every parameter that was in effect, by its key."""
    @property
    def rectified(self) -> RectifiedPair:
        """The geometry of the map and, of raw or decimated images, what was matched."""
    def depth(self, rig: Optional[StereoRig] = None) -> _Float:
        """Metres, float32 (H x W), NaN outside reprojection.min_depth_m .. max_depth_m."""
    def sigma(self) -> _Float:
        """One standard deviation of every disparity, px, float32 (H x W), NaN without a value."""
    def depth_sigma(self, rig: Optional[StereoRig] = None) -> _Float:
        """One standard deviation of every depth, metres, float32 (H x W), NaN without a value."""
    def cloud(self, rig: Optional[StereoRig] = None, left: Optional[_Image] = None) -> Cloud:
        """The pixels that have a depth, in reading order, coloured from left, the image that was matched;
        None = rectified.left."""

class DeviceArray:
    """An array of a DeviceResult, (H x W), in the memory of a GPU.

    torch.from_dlpack(array), cupy.asarray(array) and others take it without a copy; the stream that they
    name waits for it."""

    @property
    def shape(self) -> Tuple[int, int]:
        """(H, W)"""
    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or uint8"""
    def __dlpack__(self, *, stream: Optional[int] = None, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> Tuple[int, int]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class DeviceResult:
    """Disparities of images in the memory of a GPU, there as well.

    Its arrays may be used before the device has finished them: see DeviceArray."""

    @property
    def disparity(self) -> DeviceArray:
        """px, float32 (H x W), NaN = no value."""
    @property
    def confidence(self) -> DeviceArray:
        """0 (ambiguous) .. 255 (unrivalled), uint8 (H x W), of the winner before any filter."""
    @property
    def validity(self) -> DeviceArray:
        """Bits, see MatchResult.validity, uint8 (H x W)."""
    def wait(self) -> None:
        """Waits until the device is done."""

class Matcher:
    """Matches pairs of any size with one set of parameters, one pair at a time.

    preset: a preset (parallax.presets()) or a YAML file. backend: "auto", "cuda", "cpu" or "reference";
    all give the same bits. num_threads: of cpu and reference, 0 = all cores. device: of cuda.
    memory_limit_bytes: working memory of cpu, 0 = what it takes by itself. check: the first pairs on the host
    are looked at, and a PairWarning says where every disparity would be wrong (images exchanged, not
    rectified, ...); it needs OpenCV, and is left out without. Everything else is a parameter
    (docs/parameters.md) by its key, with an underscore for the dot: aggregation_p1=8. With
    matching_cost_num_disparities="auto" the first pair that shows enough, of three, sets the range.

    Parameters of the section live take the pairs of one Matcher for consecutive frames of one camera.
    Calls from several threads wait for one another, without Python's lock. The first pair of a size takes
    longer: its memory is allocated first."""

    def __init__(
        self, preset: str = "default", backend: str = "auto", *, num_threads: int = 0, device: int = 0,
        memory_limit_bytes: int = 0, check: bool = True, **parameters: _Value
    ) -> None: ...
    @overload
    def compute(
        self, left: Union[_Image, Frame], right: Optional[_Image] = None, rig: Union[Rig, StereoRig, None] = None
    ) -> MatchResult: ...
    @overload
    def compute(
        self, left: Any, right: Any = None, rig: Any = None, *, stream: Optional[int] = None
    ) -> DeviceResult:
        """Matches a pair.

        left, right: arrays of one size and type: uint8 or uint16 (H x W), or uint8 (H x W x 3, RGB).
        Arrays whose pixels lie side by side in a row are not copied, whatever their rows' distance.
        rig: raw images are rectified by it first; None = the images are rectified. Or left alone, a Frame:
        as `parallax run` matches it, by its own rig, the number of disparities taken from its data set
        unless it was chosen.

        Arrays in the memory of a GPU (anything with __dlpack__ or __cuda_array_interface__) give a
        DeviceResult there, before the device is done; nothing goes through the host, and the section live
        is not applied. stream: cudaStream_t as a number on which to match; None = the matcher's own.
        With either, matching waits for the streams that the arrays name."""
    @property
    def backend(self) -> str:
        """What matches: "cuda", "cpu" or "reference"."""
    @property
    def parameters(self) -> dict[str, _Value]:
        """Every parameter, by its key."""

class PairQueue:
    """Matches several pairs at a time; results come out in the order in which pairs went in.

    num_in_flight: pairs at a time, 0 = the number that gives the most pairs a second. The other arguments
    are those of Matcher."""

    def __init__(
        self, preset: str = "default", backend: str = "auto", *, num_in_flight: int = 0,
        num_threads: int = 0, device: int = 0, memory_limit_bytes: int = 0, **parameters: _Value
    ) -> None: ...
    def submit(self, left: _Image, right: _Image, rig: Union[Rig, StereoRig, None] = None) -> None:
        """Hands in a pair, as Matcher.compute takes it, and copies it. Waits for the oldest pair if the queue
        is full."""
    def collect(self) -> MatchResult:
        """Waits for the oldest pair. Raises parallax.Error if none is in flight."""
    def is_full(self) -> bool:
        """Whether submit would wait."""
    @property
    def in_flight(self) -> int:
        """Pairs submitted and not collected."""

def backends() -> list[dict[str, Any]]:
    """All back ends, the fastest first: dicts of name, usable and note."""

def presets() -> list[str]:
    """Names of the presets that come with parallax."""

def preset(name: str = "default") -> dict[str, _Value]:
    """Every parameter of a preset or YAML file, by its key. Matcher(**preset(name)) takes them."""

def depth(
    disparity: _Floating, rig: StereoRig, *, min_depth_m: float = 0.1, max_depth_m: float = 100.0
) -> _Float:
    """Depth of every pixel, metres, float32 (H x W), NaN without a disparity and outside
    min_depth_m .. max_depth_m.

    disparity: px, float (H x W), NaN = no value."""

def color_disparity(
    disparity: _Floating, min_px: Optional[float] = None, max_px: Optional[float] = None, *,
    validity: Optional[_Byte] = None
) -> _Byte:
    """A picture, uint8 (H x W x 3, RGB): dark blue is far, light yellow near, black no value.

    disparity: px, float (H x W), NaN = no value. min_px, max_px: the disparities of the darkest and the
    lightest colour, px; None = the 1st and the 99th percentile, as in the pictures of `parallax run`.
    validity: of the result; pixels that were filled, not measured, are then paler, as in those pictures."""

# --- sources and files -------------------------------------------------------

class GroundTruth:
    """True disparities of the left image."""

    @property
    def disparity(self) -> _Float:
        """px, float32 (H x W), NaN = unknown."""
    @property
    def nonoccluded(self) -> Optional[_Byte]:
        """255 where both cameras see the place, uint8 (H x W); None if the data set does not state it."""
    @property
    def objects(self) -> Optional[_Byte]:
        """0 = background, uint8 (H x W); None if the data set does not state it."""

class Frame:
    """A pair of images, and what is known about it."""

    @property
    def name(self) -> str:
        """Its name in the data set."""
    @property
    def origin(self) -> str:
        """The files with their sizes and times, or the scene, in one line; empty for a camera."""
    @property
    def note(self) -> str:
        """A note of its source; empty otherwise."""
    @property
    def timestamp(self) -> Optional[float]:
        """Seconds; None where the source has none."""
    @property
    def left(self) -> _Image:
        """uint8 or uint16 (H x W), or uint8 (H x W x 3, RGB)."""
    @property
    def right(self) -> _Image:
        """As left."""
    @property
    def rectified(self) -> bool:
        """False for raw camera images: give compute() their rig as well."""
    @property
    def rig(self) -> Optional[StereoRig]:
        """The geometry of the rectified pair; None where the source has no calibration."""
    @property
    def num_disparities_hint(self) -> Optional[int]:
        """Largest disparity that the data set states, + 1, px; None where it states none."""
    @property
    def truth(self) -> Optional[GroundTruth]:
        """None if the source has none, or if open() was called without truth=True."""

class Source:
    """Frames, from front to back: iterate over it, once.

    A frame that cannot be read raises parallax.Error; the next call of next() reads the one after it."""

    def __iter__(self) -> Iterator[Frame]: ...
    def __next__(self) -> Frame: ...
    def __len__(self) -> int: ...
    @property
    def kind(self) -> str:
        """The layout: "kitti2012", "pair", "video", ..."""

def open(*source: _Path, kind: str = "", truth: bool = False) -> Source:
    """Opens a data set's folder, a left and a right file or glob, a video, "camera:0", "synthetic:drive".

    kind: its layout, where it cannot be told. truth: read ground truth as well."""

def synthetic(scene: str = "drive", *, truth: bool = True, **keys: _Value) -> Source:
    """Rendered frames with exact truth (docs/synthetic.md).

    scene: planes, slanted, spheres, boxes, drive or shift. Keys: width, height (px), seed, frames,
    disparities, noise, color, bits, ..."""

def read_image(path: _Path) -> _Image:
    """PNG, JPEG, PGM/PPM, BMP or TIFF: uint8 or uint16 (H x W), or uint8 (H x W x 3, RGB)."""

def read_disparity(path: _Path) -> _Float:
    """A .pfm, or a .png as KITTI's (value / 256): px, float32 (H x W), NaN = no value."""

def write_disparity(path: _Path, disparity: _Floating) -> None:
    """Writes px, float (H x W), NaN = no value, as .pfm, or as .png in KITTI's form (floor(256 d))."""

# --- clouds ------------------------------------------------------------------
# Of every measure: backend: "auto", "cpu" or "cuda", which give the same bits. device: of cuda. num_threads:
# of cpu, 0 = all cores.

class Cloud:
    """Points in metres (x right, y down, z forward), with or without colours.

    points: float (N x 3). colors: uint8 (N x 3, RGB), or None. Both are copied."""

    def __init__(self, points: _Points, colors: Optional[_Byte] = None) -> None: ...
    @property
    def points(self) -> _Float:
        """metres, float32 (N x 3), a view of this object's memory."""
    @property
    def colors(self) -> Optional[_Byte]:
        """uint8 (N x 3, RGB), a view; None where there are none."""
    def __len__(self) -> int: ...
    def select(self, indices: ArrayLike) -> Cloud:
        """The Cloud of these points, in their order."""

def cloud(depth: _Floating, rig: StereoRig, image: Optional[_Image] = None) -> Cloud:
    """A Cloud of the pixels that have a depth, in reading order.

    depth: metres, float (H x W), NaN = none. image: the left one, for the colours."""

def read_cloud(path: _Path) -> Cloud:
    """A Cloud of a .ply or .pcd file."""

def write_cloud(path: _Path, cloud: Cloud, *, ascii: bool = False) -> None:
    """Writes a Cloud as .ply or .pcd."""

def knn(
    points: _Points, k: int = 8, queries: Optional[_Points] = None, *, include_self: bool = False,
    backend: str = "auto", device: int = 0, num_threads: int = 0
) -> Tuple[_Index, _Float]:
    """The k nearest neighbours of every point among the others: (indices, distances).

    points: metres, float (N x 3), or a Cloud. queries: other points whose neighbours are wanted, instead.
    k: 1 .. 64. include_self: a point counts as its own neighbour. indices: int32 (N x k), nearest first,
    -1 where there are fewer. distances: metres, float32 (N x k), inf there."""

def density(
    points: _Points, k: int = 8, kind: str = "surface", *, backend: str = "auto", device: int = 0,
    num_threads: int = 0
) -> _Float:
    """Local density at every point, float32 (N), from its k nearest neighbours.

    points: metres, float (N x 3), or a Cloud. kind: "surface" (points / m^2) or "volume" (points / m^3)."""

def statistical_inliers(
    points: _Points, num_neighbours: int = 20, std_ratio: float = 2.0, convention: str = "pcl", *,
    backend: str = "auto", device: int = 0, num_threads: int = 0
) -> _Index:
    """Indices of the points that are not statistical outliers, int32, ascending.

    points: metres, float (N x 3), or a Cloud. convention: "pcl" or "open3d", which count differently
    (docs/clouds.md)."""

def radius_inliers(
    points: _Points, radius: float, min_neighbours: int = 4, *, backend: str = "auto", device: int = 0,
    num_threads: int = 0
) -> _Index:
    """Indices of the points with min_neighbours others within radius (metres), int32, ascending."""

def voxel_inliers(points: _Points, size: float) -> _Index:
    """Indices of one point in each voxel of this size (metres), the nearest to the mean of its points: int32,
    ascending."""

def compare(
    estimate: _Points, truth: _Points, *, thresholds: Sequence[float] = ...,
    depth_edges: Sequence[float] = (), backend: str = "auto", device: int = 0, num_threads: int = 0
) -> dict[str, Any]:
    """Compares an estimated cloud with the true one; a dict (docs/clouds.md).

    estimate, truth: metres, float (N x 3), or Clouds. thresholds: metres. depth_edges: metres, ascending;
    bounds of the ranges of depth for which the figures are given as well, in bins. The dict holds accuracy,
    completeness, chamfer_*, hausdorff_m, thresholds, bins, and the distance of every point to the other
    cloud."""

def emd(
    a: _Points, b: _Points, *, gap: float = 0.005, time_limit: float = 0.0, exact: bool = False,
    backend: str = "auto", device: int = 0, num_threads: int = 0
) -> dict[str, Any]:
    """Earth mover's distance of two clouds of N points each, as a dict.

    The exact value lies in lower_m .. upper_m; match: index in b of every point of a, int32 (N). gap: stop
    when (upper - lower) / upper is at most this. time_limit: seconds, 0 = none. exact: solve exactly, up to
    8192 points. stop: why it ended."""

def sample(num_points: int, count: int, seed: int = 0) -> _Index:
    """count indices below num_points, drawn without replacement where that is possible: int32, ascending."""

def geodesic(
    points: _Points, sources: ArrayLike, targets: Optional[ArrayLike] = None, *, k: int = 8,
    range: float = ..., predecessors: bool = False, backend: str = "auto", device: int = 0,
    num_threads: int = 0
) -> Any:
    """Shortest paths along a cloud's graph of k nearest neighbours.

    Returns their lengths in metres, float32 (S x N), inf = not reached; with targets (indices) only their
    columns. range: metres, farther points are not reached. predecessors=True returns a tuple: also the point
    before each on the way from the source, int32 (S x N), -1 = none (see path)."""

def geodesic_depth(
    depth: _Floating, rig: StereoRig, sources: ArrayLike, targets: Optional[ArrayLike] = None, *,
    max_jump: float = 0.05, range: float = ..., predecessors: bool = False, backend: str = "auto",
    device: int = 0, num_threads: int = 0
) -> Any:
    """The same along a depth map, metres, float (H x W): pixel (x, y) is node y * W + x.

    Neighbouring pixels are joined where their depths differ by at most max_jump of the nearer one."""

def path(predecessors: _Index, source: int, target: int) -> _Index:
    """Indices of the points from source to target, int32; empty where it was not reached.

    predecessors: one row of geodesic's, int32 (N)."""

# --- metrics -----------------------------------------------------------------

def kitti2012(estimate: _Floating, truth: _Floating, mask: Optional[_Image] = None) -> dict[str, Any]:
    """KITTI 2012's figures of one frame, as a dict (docs/metrics.md).

    estimate, truth: px, float (H x W), NaN = no value, unknown; the estimate is rounded as KITTI's PNG holds
    it. mask: counts where it is 255 or True; None = everywhere. outliers[i]: share of the pixels that are
    more than i + 1 px off, holes filled as the development kit does."""

def kitti2015(
    estimate: _Floating, truth: _Floating, objects: Optional[_Image] = None, mask: Optional[_Image] = None
) -> dict[str, Any]:
    """KITTI 2015's D1 of one frame, as a dict. objects: 0 = background, else foreground, uint8 (H x W);
    None = all background. The other arguments as of kitti2012."""

def middlebury(
    estimate: _Floating, truth: _Floating, mask: Optional[_Image] = None, *, max_disparity: float = ...,
    round: bool = False, thresholds: Sequence[float] = ...
) -> dict[str, Any]:
    """Middlebury v3's figures of one frame, as a dict: bad[i] and totbad[i] at thresholds[i] px.

    estimate: as large as the truth, or 1/2 or 1/4 of it. max_disparity: values are clipped to 0 .. this, px
    of the estimate. round: to whole px first. The other arguments as of kitti2012."""

def eth3d(estimate: _Floating, truth: _Floating, mask: Optional[_Image] = None) -> dict[str, Any]:
    """ETH3D's figures of one frame, as a dict: bad[i] at 0.5, 1, 2 and 4 px, of the estimated pixels. The
    arguments as of kitti2012."""
