"""The trainings of lesson 14 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

_CELLS = (
    "def next_video_loss",
    "RECOMMENDER_SEED, LEARNING_RATE = 0",
    "mixed = torch.cat((viewers",
    "today = world.content[VIDEOS:]",
)
_SEED = {"RECOMMENDER_SEED, LEARNING_RATE = 0": "RECOMMENDER_SEED, LEARNING_RATE = {seed}"}
TRAININGS = (
    Repetition(
        "recommender",
        (
            "def next_video_loss",
            "RECOMMENDER_SEED, LEARNING_RATE = 0",
            "mixed = torch.cat((viewers",
            "today = world.content[VIDEOS:]",
        ),
        {"of the best possible": "shares", "of new videos": "new_shares"},
        _SEED,
    ),
    Repetition(
        "recommender, begun at random",
        (
            "def next_video_loss",
            "RECOMMENDER_SEED, LEARNING_RATE = 0",
            "mixed = torch.cat((viewers",
            "today = world.content[VIDEOS:]",
        ),
        {"of the best possible": "shares", "of new videos": "new_shares"},
        {
            "RECOMMENDER_SEED, LEARNING_RATE = 0": "RECOMMENDER_SEED, LEARNING_RATE = {seed}",
            "begin_with_content(recommender)": "",
        },
    ),
    Repetition(
        "corrected or not",
        ("corrected, seconds = {}, {}",),
        {"recall, and how often it was watched": "corrected"},
        {"torch.manual_seed(0)": "torch.manual_seed({seed})", "warmup=50, seed=0": "warmup=50, seed={seed}"},
    ),
    Repetition(
        "the loop",
        ("LOOP_SEED, ROUNDS = 0, 5",),
        {"shown, watched, on the log, of new viewers, chance": "looped"},
        {"LOOP_SEED, ROUNDS = 0,": "LOOP_SEED, ROUNDS = {seed},"},
    ),
)
