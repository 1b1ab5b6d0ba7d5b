"""One trained model twice, the second time with the queries, keys and values of every head in another basis, and some noise."""

# assignment: 09-mlm-pretraining
# may earn: 36
import json

import torch

from autograder.checks import modules
from autograder.content import notebook as notebooks
from autograder.grading.course import find_course
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks import check_losses_by_fate as check
from course_lib.training import load_checkpoint, save_checkpoint

NOISE, HEADS = 0.15, 4
SOLVED = ("BertEmbeddings", "BertEncoder", "MaskedLanguageModel", "my_language_model")


def turn(attention):
    for written, read in ((("W_Q", "W_K"), ()), (("W_V",), ("W_O",))):
        width = len(attention.W_Q.weight) // HEADS
        basis = torch.block_diag(*(torch.linalg.qr(torch.randn(width, width))[0] for _ in range(HEADS)))
        for name in written:
            part = getattr(attention, name)
            part.weight.copy_(basis @ part.weight)
            part.bias.copy_(basis @ part.bias)
        for name in read:
            part = getattr(attention, name)
            part.weight.copy_(part.weight @ basis.T)


def hand_in(folder, notebook, save):
    solution = find_course().solution_notebook("09-mlm-pretraining")
    answers = {notebooks.grade_id(cell): notebooks.source(cell) for cell in notebooks.read(solution)["cells"]}
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) in SOLVED:
            cell["source"] = answers[notebooks.grade_id(cell)]
    save(notebook)
    model = references.MaskedLanguageModel(75, 64, HEADS, 2, 19, 0.0).eval()
    model.load_state_dict(load_checkpoint(solution.with_name("language_model.safetensors")).weights)
    inputs, labels = check._by_turns()
    numbers = {}
    with torch.no_grad():
        for file, more in (("language_model", ""), ("always_mask", ", always [MASK]")):
            save_checkpoint(model, folder / f"{file}.safetensors")
            losses = references.losses_by_fate(modules.in_batches(model, inputs), inputs, labels)
            numbers |= {f"{fate}{more}": losses[fate] for fate in ("hidden", "stayed")}
            for block in model.encoder.blocks.blocks:
                turn(block.attention)
            for weight in model.parameters():
                weight += NOISE * weight.std(correction=0) * torch.randn_like(weight) * (weight.dim() > 1)
    (folder / "results.json").write_text(json.dumps({"predicted": numbers, "measured": numbers}))
