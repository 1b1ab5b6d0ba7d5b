"""The trainings of lesson 13 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

TRAININGS = (
    Repetition(
        "search",
        ("SEARCH_SEED, STEPS, WARM, SCALE = 0,", "rows = {tuple(row[row != PAD].tolist())"),
        {"MRR, recall@1 and recall@10": "found", "before the twin": "before_twin"},
        {"SEARCH_SEED, STEPS, WARM, SCALE = 0,": "SEARCH_SEED, STEPS, WARM, SCALE = {seed},"},
    ),
    Repetition(
        "search without hard negatives",
        ("SEARCH_SEED, STEPS, WARM, SCALE = 0,", "rows = {tuple(row[row != PAD].tolist())"),
        {"MRR, recall@1 and recall@10": "found", "before the twin": "before_twin"},
        {"SEARCH_SEED, STEPS, WARM, SCALE = 0, 700, 350,": "SEARCH_SEED, STEPS, WARM, SCALE = {seed}, 700, 700,"},
    ),
    Repetition(
        "search with as many documents at random",
        ("SEARCH_SEED, STEPS, WARM, SCALE = 0,", "rows = {tuple(row[row != PAD].tolist())"),
        {"MRR, recall@1 and recall@10": "found", "before the twin": "before_twin"},
        {
            "SEARCH_SEED, STEPS, WARM, SCALE = 0,": "SEARCH_SEED, STEPS, WARM, SCALE = {seed},",
            "self.hard = torch.cat(found)": "self.hard = torch.randint(len(documents), (len(self.task.queries), 2))",
        },
    ),
    Repetition(
        "documentation",
        ("def bm25(questions, texts)",),
        {"MRR": "real"},
        {"torch.manual_seed(0)": "torch.manual_seed({seed})", "warmup=50, seed=0": "warmup=50, seed={seed}"},
    ),
)
