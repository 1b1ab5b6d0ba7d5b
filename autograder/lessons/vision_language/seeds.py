"""The trainings of lesson 12 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

#: The line that sets the seed of the trainings of section 1.
SEEDED = {
    "    torch.manual_seed(0)": "    torch.manual_seed({seed})",
    'warmup=20, device="cpu"': 'warmup=20, seed={seed}, device="cpu"',
}

LOSSES = "torch.tensor(history.losses).reshape(-1, 50).mean(dim=1)"

TRAININGS = (
    Repetition(
        "my_clip",
        ("def say_the_same", "shown = draw_captioned_digits(2000", "prompts = [caption_of("),
        {"retrieval": "found", "zero-shot": "zero_shots", "scale": "clip.log_scale.exp().item()"},
        {"SEED, BATCH, STEPS = 0,": "SEED, BATCH, STEPS = {seed},"},
    ),
    Repetition(
        "my_clip, only matrices decay",
        ("def say_the_same", "shown = draw_captioned_digits(2000", "prompts = [caption_of("),
        {"retrieval": "found", "zero-shot": "zero_shots", "scale": "clip.log_scale.exp().item()"},
        {
            "SEED, BATCH, STEPS = 0,": "SEED, BATCH, STEPS = {seed},",
            "AdamW(clip.parameters()": 'AdamW([{"params": [p for p in clip.parameters() if p.ndim > 1]}, '
            '{"params": [p for p in clip.parameters() if p.ndim < 2], "weight_decay": 0.0}]',
        },
    ),
    Repetition(
        "my_answers",
        ("def regions_and_questions", "new_scenes = draw_scenes("),
        {"by kind": "answered", "loss, means of 50 steps": LOSSES},
        {"QUESTION_SEED, QUESTION_STEPS = 0,": "QUESTION_SEED, QUESTION_STEPS = {seed},"},
    ),
    Repetition(
        "what the augmentation decides",
        ("class Eyes(nn.Module)",),
        {"read by a probe": "read"},
        SEEDED,
    ),
    Repetition(
        "two moons",
        ("def draw_moons(",),
        {"real points that are some sample's nearest": "covered"},
        {"manual_seed(0)": "manual_seed({seed})"},
    ),
    Repetition(
        "without negatives",
        ("class Eyes(nn.Module)", "def pull_only("),
        {"spread": "spreads"},
        SEEDED,
    ),
)
