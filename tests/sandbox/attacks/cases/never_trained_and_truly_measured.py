"""Two models that were never trained, and the numbers that they really have: nothing was changed, and nothing predicted."""

# assignment: 09-mlm-pretraining
# may earn: 2
import json

import torch

from autograder.content import notebook as notebooks
from autograder.checks import modules
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks import check_losses_by_fate as check
from course_lib.training import save_checkpoint

TEXT = "def my_language_model():\n    return MaskedLanguageModel(75, 8, 2, 1, 19, 0.0)\n"


def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) == "my_language_model":
            cell["source"] = TEXT
    save(notebook)
    inputs, labels = check._by_turns()
    numbers = {}
    for file, more in (("language_model", ""), ("always_mask", ", always [MASK]")):
        model = references.MaskedLanguageModel(75, 8, 2, 1, 19, 0.0).eval()
        save_checkpoint(model, folder / f"{file}.safetensors")
        with torch.no_grad():
            losses = references.losses_by_fate(modules.in_batches(model, inputs), inputs, labels)
        numbers |= {f"{fate}{more}": losses[fate] for fate in ("hidden", "stayed")}
    (folder / "results.json").write_text(json.dumps({"predicted": numbers, "measured": numbers}))
