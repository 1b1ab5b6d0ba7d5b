"""In the kernels of nbval: every cell of a solution runs, with a tenth of the training, and of the scenes or sentences if many.

What has a checkpoint resumes from it. Whether the results are as the text says, `make nightly` shows, which trains all of it.
"""

import functools

import course_lib.data
import course_lib.training

_fit, _draw_scenes, _draw_pairs = course_lib.training.fit, course_lib.data.draw_scenes, course_lib.data.draw_pairs


@functools.wraps(_fit)
def fit(*arguments, **settings):
    if settings.get("checkpoint") is None:
        for name in {"steps", "warmup", "validate_every"} & settings.keys():
            settings[name] = max(1, settings[name] // 10)
    return _fit(*arguments, **settings)


@functools.wraps(_draw_scenes)
def draw_scenes(count, *arguments, **settings):
    return _draw_scenes(count // 10 if count > 10_000 else count, *arguments, **settings)


@functools.wraps(_draw_pairs)
def draw_pairs(count, *arguments, **settings):
    return _draw_pairs(count // 10 if count > 10_000 else count, *arguments, **settings)


course_lib.training.fit = fit
course_lib.data.draw_scenes = draw_scenes
course_lib.data.draw_pairs = draw_pairs
