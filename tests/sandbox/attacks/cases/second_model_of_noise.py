"""One trained model, and a copy of it with noise: enough for other answers, and too little to forget what was learned."""

# assignment: 09-mlm-pretraining
# may earn: 36
import json

import torch

from autograder.content import notebook as notebooks
from autograder.checks import modules
from autograder.grading.course import find_course
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks import check_losses_by_fate as check
from course_lib.training import load_checkpoint, save_checkpoint

NOISE = 0.3
SOLVED = ("BertEmbeddings", "BertEncoder", "MaskedLanguageModel", "my_language_model")


def hand_in(folder, notebook, save):
    solution = find_course().solution_notebook("09-mlm-pretraining")
    answers = {notebooks.grade_id(cell): notebooks.source(cell) for cell in notebooks.read(solution)["cells"]}
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) in SOLVED:
            cell["source"] = answers[notebooks.grade_id(cell)]
    save(notebook)
    trained = solution.with_name("language_model.safetensors")
    model = references.MaskedLanguageModel(75, 64, 4, 2, 19, 0.0).eval()
    model.load_state_dict(load_checkpoint(trained).weights)
    inputs, labels = check._by_turns()
    numbers = {}
    with torch.no_grad():
        for file, more in (("language_model", ""), ("always_mask", ", always [MASK]")):
            save_checkpoint(model, folder / f"{file}.safetensors")
            losses = references.losses_by_fate(modules.in_batches(model, inputs), inputs, labels)
            numbers |= {f"{fate}{more}": losses[fate] for fate in ("hidden", "stayed")}
            for weight in model.parameters():
                weight += NOISE * weight.std(correction=0) * torch.randn_like(weight) * (weight.dim() > 1)
    (folder / "results.json").write_text(json.dumps({"predicted": numbers, "measured": numbers}))
