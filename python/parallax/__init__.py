"""Stereo pairs to disparity, metric depth and point clouds, on a CPU or a GPU, with a score.

    import parallax
    matcher = parallax.Matcher("kitti")
    result = matcher.compute(left, right)       # numpy, uint8 or uint16 (H x W), or RGB
    result.disparity, result.confidence         # px (NaN = none), 0 .. 255

    rig = parallax.Rig.load("rig.yaml")
    cloud = matcher.compute(raw_left, raw_right, rig).cloud()       # metres

    for frame in parallax.synthetic("drive", frames=3):
        result = matcher.compute(frame)
        print(frame.name, parallax.kitti2015(result.disparity, frame.truth.disparity)["d1_all"])

docs/python.md says more. Errors are parallax.Error; invalid requests are parallax.InvalidArgument, a ValueError.
"""

import functools as _functools
from pathlib import Path as _Path

from . import _native
from ._native import *  # noqa: F403
from ._native import __version__

__all__ = [name for name in vars(_native) if not name.startswith("_")]


def _worded(native, stub):
    """native, with the words and the signature of its stub; a call that does not fit gets one line."""

    @_functools.wraps(stub)
    def call(*arguments, **keywords):
        try:
            return native(*arguments, **keywords)
        except TypeError as error:
            if "arguments. The following argument types" not in str(error):
                raise
        import inspect  # takes long, and is for mistakes
        signature = inspect.signature(stub)
        try:
            given = signature.bind(*arguments, **keywords).arguments
            fault = "wrong type: " + ", ".join(f"{name} is {type(of).__name__}" for name, of in given.items())
        except TypeError as misfit:
            fault = str(misfit)
        raise TypeError(f"{stub.__qualname__}(): {fault}; it takes ({', '.join(signature.parameters)})")

    call.__module__ = "parallax"
    return call


def _give_words():
    """Gives every name the words of __init__.pyi, so that they are written once."""
    path = _Path(__file__).with_suffix(".pyi")
    if not path.is_file():  # packed without it: names work, help() has little to say
        return
    text = path.read_text(encoding="utf-8")
    text = "from __future__ import annotations\n" + text[text.index("# --- the interface") :]
    stub = {"overload": lambda function: function}  # the last one has the words
    exec(compile(text, path, "exec"), stub)
    for name in __all__:
        here, words = globals()[name], stub.get(name)
        if not isinstance(here, type):
            if callable(here):
                globals()[name] = _worded(here, words)
            continue
        here.__doc__ = words.__doc__ or here.__doc__
        here.__module__ = "parallax"
        for member, inner in list(vars(here).items()):
            of_stub = vars(words).get(member)
            if isinstance(inner, property):
                inner.__doc__ = of_stub.__doc__
            elif isinstance(inner, staticmethod):
                setattr(here, member, staticmethod(_worded(inner.__func__, of_stub.__func__)))
            elif callable(of_stub):
                setattr(here, member, _worded(inner, of_stub))


_give_words()
