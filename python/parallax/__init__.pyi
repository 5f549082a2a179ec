"""Stereo pairs to disparity, metric depth and point clouds, on a CPU or a GPU, with a score."""

from os import PathLike
from typing import Any, Iterator, Literal, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Path = Union[str, "PathLike[str]"]
_Float = NDArray[np.float32]
_Byte = NDArray[np.uint8]
_Index = NDArray[np.int32]
_Points = Union[NDArray[np.floating[Any]], "Cloud"]
_Value = Union[bool, int, float, str]

__version__: str
NOT_UNIQUE: int
OCCLUDED: int
MISMATCHED: int
OUT_OF_RANGE: int
SPECKLE: int
FILLED: int

class Error(RuntimeError): ...
class InvalidArgument(Error, ValueError): ...

class Rig:
    def __init__(self, fx: float, cx: float, cy: float, baseline: float, doffs: float = 0.0) -> None: ...
    @property
    def fx(self) -> float: ...
    @property
    def cx(self) -> float: ...
    @property
    def cy(self) -> float: ...
    @property
    def baseline(self) -> float: ...
    @property
    def doffs(self) -> float: ...

class Cloud:
    def __init__(self, points: _Points, colors: Optional[_Byte] = None) -> None: ...
    @property
    def points(self) -> _Float: ...
    @property
    def colors(self) -> Optional[_Byte]: ...
    def __len__(self) -> int: ...
    def select(self, indices: ArrayLike) -> Cloud: ...

class DisparityMap:
    @property
    def disparity(self) -> _Float: ...
    @property
    def confidence(self) -> _Byte: ...
    @property
    def validity(self) -> _Byte: ...
    @property
    def x16(self) -> NDArray[np.int16]: ...
    @property
    def parameters(self) -> dict[str, _Value]: ...
    def depth(self, rig: Rig) -> _Float: ...
    def cloud(self, rig: Rig, image: NDArray[Any]) -> Cloud: ...

class DeviceArray:
    @property
    def shape(self) -> Tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def __dlpack__(self, *, stream: Optional[int] = None, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> Tuple[int, int]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class DeviceDisparityMap:
    @property
    def disparity(self) -> DeviceArray: ...
    @property
    def confidence(self) -> DeviceArray: ...
    @property
    def validity(self) -> DeviceArray: ...
    def wait(self) -> None: ...

class GroundTruth:
    @property
    def disparity(self) -> _Float: ...
    @property
    def nonoccluded(self) -> Optional[_Byte]: ...
    @property
    def objects(self) -> Optional[_Byte]: ...

class Frame:
    @property
    def name(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def note(self) -> str: ...
    @property
    def timestamp(self) -> Optional[float]: ...
    @property
    def left(self) -> NDArray[Any]: ...
    @property
    def right(self) -> NDArray[Any]: ...
    @property
    def rectified(self) -> bool: ...
    @property
    def rig(self) -> Optional[Rig]: ...
    @property
    def num_disparities_hint(self) -> Optional[int]: ...
    @property
    def truth(self) -> Optional[GroundTruth]: ...

class Source:
    def __iter__(self) -> Iterator[Frame]: ...
    def __next__(self) -> Frame: ...
    def __len__(self) -> int: ...
    @property
    def kind(self) -> str: ...

class Matcher:
    def __init__(
        self,
        method: Optional[str] = None,
        backend: str = "auto",
        *,
        preset: str = "default",
        threads: int = 0,
        device: int = 0,
        memory_limit_mb: int = 0,
        **parameters: Union[_Value, dict[str, _Value]],
    ) -> None: ...
    @overload
    def compute(self, left: Frame) -> DisparityMap: ...
    @overload
    def compute(self, left: NDArray[Any], right: NDArray[Any]) -> DisparityMap: ...
    @overload
    def compute(
        self, left: Union[NDArray[Any], Frame], right: Optional[NDArray[Any]] = None, *, x16: Literal[True]
    ) -> NDArray[np.int16]: ...
    @overload
    def compute(self, left: Any, right: Any, *, stream: Optional[int] = None) -> DeviceDisparityMap: ...
    @property
    def backend(self) -> str: ...
    @property
    def parameters(self) -> dict[str, _Value]: ...

def backends() -> list[dict[str, Any]]: ...
def presets() -> list[str]: ...
def parameters(preset: str = "default") -> dict[str, _Value]: ...
def open(*source: _Path, kind: str = "", truth: bool = False) -> Source: ...
def synthetic(scene: str = "drive", *, truth: bool = True, **keys: _Value) -> Source: ...
def read_image(path: _Path) -> NDArray[Any]: ...
def read_disparity(path: _Path) -> _Float: ...
def write_disparity(path: _Path, disparity: NDArray[np.floating[Any]]) -> None: ...
def depth(
    disparity: NDArray[np.floating[Any]], rig: Rig, *, min_depth: float = 0.1, max_depth: float = 100.0
) -> _Float: ...
def cloud(depth: NDArray[np.floating[Any]], rig: Rig, image: Optional[NDArray[Any]] = None) -> Cloud: ...
def read_cloud(path: _Path) -> Cloud: ...
def write_cloud(path: _Path, cloud: Cloud, *, ascii: bool = False) -> None: ...
def knn(
    points: _Points,
    k: int = 8,
    queries: Optional[_Points] = None,
    *,
    include_self: bool = False,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> Tuple[_Index, _Float]: ...
def density(
    points: _Points,
    k: int = 8,
    kind: str = "surface",
    *,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> _Float: ...
def statistical_inliers(
    points: _Points,
    num_neighbours: int = 20,
    std_ratio: float = 2.0,
    convention: str = "pcl",
    *,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> _Index: ...
def radius_inliers(
    points: _Points,
    radius: float,
    min_neighbours: int = 4,
    *,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> _Index: ...
def voxel_inliers(points: _Points, size: float) -> _Index: ...
def compare(
    estimate: _Points,
    truth: _Points,
    *,
    thresholds: Sequence[float] = ...,
    depth_edges: Sequence[float] = ...,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> dict[str, Any]: ...
def emd(
    a: _Points,
    b: _Points,
    *,
    gap: float = 0.005,
    time_limit: float = 0.0,
    exact: bool = False,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> dict[str, Any]: ...
def sample(num_points: int, count: int, seed: int = 0) -> _Index: ...
def geodesic(
    points: _Points,
    sources: ArrayLike,
    targets: Optional[ArrayLike] = None,
    *,
    k: int = 8,
    range: float = ...,
    predecessors: bool = False,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> Any: ...
def geodesic_depth(
    depth: NDArray[np.floating[Any]],
    rig: Rig,
    sources: ArrayLike,
    targets: Optional[ArrayLike] = None,
    *,
    max_jump: float = 0.05,
    range: float = ...,
    predecessors: bool = False,
    backend: str = "auto",
    device: int = 0,
    threads: int = 0,
) -> Any: ...
def path(predecessors: _Index, source: int, target: int) -> _Index: ...
def kitti2012(
    estimate: NDArray[np.floating[Any]], truth: NDArray[np.floating[Any]], mask: Optional[NDArray[Any]] = None
) -> dict[str, Any]: ...
def kitti2015(
    estimate: NDArray[np.floating[Any]],
    truth: NDArray[np.floating[Any]],
    objects: Optional[NDArray[Any]] = None,
    mask: Optional[NDArray[Any]] = None,
) -> dict[str, Any]: ...
def middlebury(
    estimate: NDArray[np.floating[Any]],
    truth: NDArray[np.floating[Any]],
    mask: Optional[NDArray[Any]] = None,
    *,
    max_disparity: float = ...,
    round: bool = False,
    thresholds: Sequence[float] = ...,
) -> dict[str, Any]: ...
def eth3d(
    estimate: NDArray[np.floating[Any]], truth: NDArray[np.floating[Any]], mask: Optional[NDArray[Any]] = None
) -> dict[str, Any]: ...
