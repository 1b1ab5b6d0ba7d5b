"""What lesson 09 says of five seeds: its trainings, run again by ``autograder.authoring.seeds``."""

from autograder.judging.tools.repetition import Repetition

#: What sets the seed of the trainings of section 1.
SEEDED = {
    "    torch.manual_seed(0)": "    torch.manual_seed({seed})",
    'warmup=20, device="cpu"': 'warmup=20, seed={seed}, device="cpu"',
}

TRAININGS = (
    Repetition(
        "my_clip",
        ("def say_the_same", "shown = draw_captioned_digits(2000", "prompts = [caption_of("),
        {"retrieval": "found", "zero-shot": "zero_shots", "scale": "clip.log_scale.exp().item()"},
        {"SEED, BATCH, STEPS = 0,": "SEED, BATCH, STEPS = {seed},"},
    ),
    Repetition(
        "my_answers",
        ("def regions_and_questions", "new_scenes = draw_scenes("),
        {"by kind": "answered"},
        {"QUESTION_SEED, QUESTION_STEPS = 0,": "QUESTION_SEED, QUESTION_STEPS = {seed},"},
    ),
    Repetition(
        "what the augmentation decides",
        ("class Eyes(nn.Module)",),
        {"read by a probe": "read"},
        SEEDED,
    ),
    Repetition(
        "without negatives",
        ("class Eyes(nn.Module)", "def pull_only("),
        {"spread": "spreads"},
        SEEDED,
    ),
)
