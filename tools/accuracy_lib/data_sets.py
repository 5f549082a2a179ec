"""The data sets: folders, images and truth, the figure that counts, and the presets that were chosen on them."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Frame:
    name: str
    left: Path
    right: Path
    truth: Path
    truth_scale: float  # disparity = value / truth_scale; 0: a PFM
    mask: Path | None  # 255: not occluded
    num_disparities: int  # for matchers that are not told by parallax


@dataclass(frozen=True)
class DataSet:
    name: str
    folder: str  # below the data folder
    key: str  # the figure of `parallax eval --json`, every pixel filled
    title: str
    threshold_px: float  # what counts as wrong
    mean_key: str  # a second figure, "" for none
    known_to: tuple[str, ...]  # presets whose values were chosen, or trees trained, on frames of this set

    @property
    def benchmark(self) -> str:
        return next(title for start, title in _BENCHMARKS.items() if self.name.startswith(start))

    def frames(self, data: Path) -> list[Frame]:
        return _FRAMES[self.name](data / self.folder)


_BENCHMARKS = {"kitti2012": "KITTI 2012", "kitti2015": "KITTI 2015", "middlebury": "Middlebury", "eth3d": "ETH3D",
               "instereo2k": "InStereo2K"}
_ANY_SCENE = ("default", "accurate")
_ALL = (*_ANY_SCENE, "realtime", "default-0.1", "default-november")
_STREETS = (*_ALL, "kitti", "kitti-accurate")
_INDOORS = (*_ALL, "middlebury", "middlebury-ad-census", "eth3d")

DATA_SETS = [
    DataSet("kitti2012", "kitti2012", "out3_all_noc", "KITTI 2012 >3 noc", 3, "mean_all_noc",
            (*_STREETS, "kitti-ad-census")),
    DataSet("kitti2012_more", "kitti2012_more", "out3_all_noc", "2012 more >3 noc", 3, "mean_all_noc",
            (*_ANY_SCENE, "kitti-accurate")),
    DataSet("kitti2015", "kitti2015_gray", "d1_all_noc", "KITTI 2015 D1 noc", 3, "", _STREETS),
    DataSet("kitti2015_color", "kitti2015", "d1_all", "2015 colour D1", 3, "", ()),
    DataSet("middlebury", "middlebury/MiddEval3", "bad1_filled_nonocc", "Middlebury Q bad 1", 1, "avgerr_nonocc",
            _INDOORS),
    DataSet("middlebury2003", "middlebury/scenes2003", "bad1_filled_nonocc", "2003 bad 1", 1, "avgerr_nonocc", _INDOORS),
    DataSet("middlebury2005", "middlebury/scenes2005", "bad1_filled_all", "2005 all bad 1", 1, "avgerr_all", _INDOORS),
    DataSet("middlebury2006", "middlebury/scenes2006", "bad1_filled_all", "2006 all bad 1", 1, "avgerr_all", _INDOORS),
    DataSet("eth3d", "eth3d", "bad1_filled_all", "ETH3D bad 1", 1, "avgerr_all", (*_ALL, "eth3d")),
    DataSet("eth3d_more", "eth3d_more", "bad1_filled_nonocc", "ETH3D more bad 1", 1, "avgerr_nonocc", _ANY_SCENE),
    DataSet("instereo2k", "instereo2k/MiddEval3", "bad1_filled_nonocc", "InStereo2K bad 1", 1, "avgerr_nonocc",
            _ANY_SCENE),
]


def data_sets_named(names: str) -> list[DataSet]:
    known = {s.name: s for s in DATA_SETS}
    unknown = [n for n in names.split(",") if n not in known]
    if unknown:
        raise SystemExit(f"data set '{unknown[0]}' is unknown: use {', '.join(known)}")
    return [known[n] for n in names.split(",")]


def _kitti(folder: Path, left: str, right: str, truth: str) -> list[Frame]:
    folder = folder / "training"
    return [
        Frame(path.stem, folder / left / path.name, folder / right / path.name, path, 256, None, 256)
        for path in sorted((folder / truth).glob("*_10.png"))
    ]


def _middlebury_v3(folder: Path) -> list[Frame]:
    frames = []
    for scene in sorted(p for p in folder.glob("training*/*") if (p / "disp0GT.pfm").is_file()):
        calib = dict(line.split("=", 1) for line in (scene / "calib.txt").read_text().splitlines() if "=" in line)
        frames.append(Frame(scene.name, scene / "im0.png", scene / "im1.png", scene / "disp0GT.pfm", 0,
                            scene / "mask0nocc.png", int(calib["ndisp"])))
    return frames


def _middlebury_2003(folder: Path) -> list[Frame]:
    return [Frame(scene.name, scene / "im2.png", scene / "im6.png", scene / "disp2.png", 4, scene / "occl.png", 64)
            for scene in sorted(p for p in folder.iterdir() if p.is_dir())]


def _middlebury_views(folder: Path) -> list[Frame]:
    # disp1.png holds px of full size: a third of it in ThirdSize, a half elsewhere.
    return [Frame(scene.name, scene / "view1.png", scene / "view5.png", scene / "disp1.png",
                  3 if scene.parent.name == "ThirdSize" else 2, None, 128)
            for scene in sorted(p.parent for p in folder.rglob("disp1.png"))]


def _eth3d(folder: Path) -> list[Frame]:
    return [Frame(truth.parent.name, folder / "two_view_training" / truth.parent.name / "im0.png",
                  folder / "two_view_training" / truth.parent.name / "im1.png", truth, 0, None, 64)
            for truth in sorted((folder / "two_view_training_gt").glob("*/disp0GT.pfm"))]


_FRAMES = {
    "kitti2012": lambda folder: _kitti(folder, "image_0", "image_1", "disp_noc"),
    "kitti2012_more": lambda folder: _kitti(folder, "image_0", "image_1", "disp_noc"),
    "kitti2015": lambda folder: _kitti(folder, "image_2", "image_3", "disp_noc_0"),
    "kitti2015_color": lambda folder: _kitti(folder, "image_2", "image_3", "disp_occ_0"),
    "middlebury": _middlebury_v3,
    "middlebury2003": _middlebury_2003,
    "middlebury2005": _middlebury_views,
    "middlebury2006": _middlebury_views,
    "eth3d": _eth3d,
    "eth3d_more": _eth3d,
    "instereo2k": _middlebury_v3,
}
