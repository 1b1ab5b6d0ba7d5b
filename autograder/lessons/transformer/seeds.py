"""The trainings of lesson 04 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

#: Where a cell says it for all models.
WEIGHTS = {"torch.manual_seed(0)": "torch.manual_seed({seed})"}

TRAININGS = (
    Repetition(
        "copy and reverse",
        ("def train(model, steps, batch_size=64", "def measure(model, lengths=(4, 8)", "numbers = list(range(2, 13))"),
        {"letters": "letters_right", "sequences": "sequences_right", "by length": "dict(zip(numbers, shares))"},
        WEIGHTS | {"train(model, steps=600)": "train(model, steps=600, seed={seed})"},
    ),
    Repetition(
        "where the cross-attention looks while it learns",
        ("def train(model, steps, batch_size=64",),
        {"weight on the letter after 100 and 200 steps, by head": "looked"},
        WEIGHTS
        | {
            "train(model, steps=600)": "train(model, steps=600, seed={seed})",
            "losses.append(loss.detach())": "losses.append(loss.detach()); note(model, len(losses))",
        },
        first="""SEED, looked = {seed}, []
def note(model, steps):
    if steps not in (100, 200):
        return
    source, lengths, target, _ = batch
    with torch.no_grad():
        heads = torch.cat(model(source, target, lengths)[1], dim=1)
    letters, place = lengths[:, None] - 2, torch.arange(target.shape[1], device=device)
    at = torch.where(source[:, :1] == REVERSE, letters - place, place + 1).clamp(min=0)
    weight = heads.gather(3, at[:, None, :, None].expand(-1, heads.shape[1], -1, 1))[..., 0]
    looked.append([weight[:, head][place < letters].mean().item() for head in range(heads.shape[1])])
""",
    ),
    Repetition(
        "without the causal mask, and then with it",
        ("def train(model, steps, batch_size=64",),
        {
            "without": "loss_on(batch[0], batch[1])",
            "without, source of another": "loss_on(batch[0].roll(1, 0), batch[1].roll(1, 0))",
            "with": "put_in() or loss_on(batch[0], batch[1])",
            "with, source of another": "loss_on(batch[0].roll(1, 0), batch[1].roll(1, 0))",
        },
        WEIGHTS | {"train(model, steps=600)": "train(model, steps=600, seed={seed})"},
        first="""SEED, masked = {seed}, layers.MultiHeadAttention.forward
def unmasked(self, *inputs, causal=False, **options):
    return masked(self, *inputs, **options)
def put_in():
    layers.MultiHeadAttention.forward = masked
def loss_on(source, lengths):
    with torch.no_grad():
        logits, _ = model(source, batch[2], lengths)
    return F.cross_entropy(logits.flatten(0, 1), batch[3].flatten(), ignore_index=PAD).item()
layers.MultiHeadAttention.forward = unmasked
""",
    ),
)
