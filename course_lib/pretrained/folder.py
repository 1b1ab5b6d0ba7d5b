"""The folder of the models on this computer."""

import os
from pathlib import Path

from course_lib.pretrained.sources import source_of

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"

#: Set it where a whole class shares a folder.
VARIABLE = "COURSE_MODELS"


def model_folder(name: str) -> Path:
    """Return the folder of a model, existing or not: in the user's cache folder, or in the one named by COURSE_MODELS."""
    if given := os.environ.get(VARIABLE):
        return Path(given).absolute() / name
    import platformdirs  # not above: an exercise that is graded imports course_lib.data, but not this

    return platformdirs.user_cache_path("attention-course") / "models" / name


def is_whole(name: str) -> bool:
    """Return whether a model is there. It appears in one step, with all of its files."""
    source, folder = source_of(name), model_folder(name)
    wanted = [CONFIG, *([WEIGHTS] if source.has_weights else []), *([TOKENIZER] if source.has_tokenizer else [])]
    return all((folder / file).is_file() for file in wanted)
