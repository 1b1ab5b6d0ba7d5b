"""One trained model of one block, and the same with a second block that was never trained: two models for the experiment."""

# assignment: 08-in-context-learning
# may earn: 2
import json

import torch

from autograder.content import notebook as notebooks
from autograder.grading.course import find_course
from autograder.lessons.in_context_learning import references
from autograder.lessons.in_context_learning.checks import check_induction_score as check
from autograder.lessons.in_context_learning.checks import check_my_learner, handed_in
from course_lib.data import draw_chains
from course_lib.generators import generator_of
from course_lib.training import load_checkpoint, save_checkpoint

NOISE = 0.8


def hand_in(folder, notebook, save):
    solution = find_course().solution_notebook("08-in-context-learning")
    answers = {notebooks.grade_id(cell): notebooks.source(cell) for cell in notebooks.read(solution)["cells"]}
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) == "my_learner":
            cell["source"] = answers["my_learner"]
    save(notebook)
    one, two = references.my_learner(1).eval(), references.my_learner(2).eval()
    weights = dict(load_checkpoint(solution.with_name("one_block.safetensors")).weights)
    one.load_state_dict(weights)
    new = {key.replace("blocks.0.", "blocks.1."): x for key, x in weights.items() if "blocks.0." in key}
    noise = {key: NOISE * x.std() * torch.randn(x.shape) for key, x in new.items() if x.dim() > 1}
    ones = {key: torch.full(x.shape, float(key.endswith("gamma"))) for key, x in new.items() if x.dim() == 1}
    two.load_state_dict(weights | noise | ones)
    save_checkpoint(one, folder / "one_block.safetensors")
    save_checkpoint(two, folder / "in_context.safetensors")
    ids, _ = draw_chains(check.CHAINS, check_my_learner.LENGTH, generator_of(check.CHAINS_SEED), 8, check_my_learner.ALPHA)
    with torch.no_grad():
        scores = [references.induction_score(A, ids[: check.SCORED, :-1]) for A in two(ids[: check.SCORED, :-1])[1]]
    heads = [(b, h) for b, row in enumerate(scores) for h, score in enumerate(row.tolist()) if score > check.ABOVE]
    models = dict(zip(check.NAMES, (two, one, handed_in.switched_off(two, heads)), strict=True))
    best = check_my_learner.best_losses(ids).mean()
    numbers = {
        name: float(handed_in.losses(model, ids)[:, -check_my_learner.LAST :].mean() / best)
        for name, model in models.items()
    }
    (folder / "results.json").write_text(json.dumps({"predicted": numbers, "measured": numbers}))
