"""The experiments: their files earn their points; numbers of other weights, one training twice and no prediction do not."""

import json
from pathlib import Path

import pytest
import torch
from known import COURSE, LESSONS
from safetensors.torch import load, save
from some_cases import one_in

import course_lib.data
from autograder.checks import weights as experiment
from autograder.checks.execute import NotebookStudent
from autograder.content.known_answers import cases_of, entries_of
from autograder.content.lesson import mark_value
from autograder.content.references import namespace
from autograder.verdict.runner import run_single
from course_lib.training import fit

#: Lesson, the exercise with the experiment, the one that makes the model, the file of the first training and of the second.
EXPERIMENTS = [
    ("11-vit", "shuffle_patches", "my_vit", "vit.safetensors", "no_positions.safetensors"),
    ("06-captioning", "pointing", "my_captioner", "captioner.safetensors", "no_price.safetensors"),
    ("08-in-context-learning", "induction_score", "my_learner", "in_context.safetensors", "one_block.safetensors"),
    (
        "09-mlm-pretraining",
        "losses_by_fate",
        "my_language_model",
        "language_model.safetensors",
        "always_mask.safetensors",
    ),
]

ANOTHER = "the checks of these experiments share their code"


def worth(lesson, exercise, *rows):
    """Return the points of an experiment's rows: ``there``, ``measured``."""
    checks = lesson.checks(exercise)
    return sum(mark_value(checks[f"check_results_are_{row}"], "points") for row in rows)


def _files(lesson) -> dict[str, bytes]:
    folder = next(source.parent for source in COURSE.sources() if source.parent.name == lesson.assignment)
    return {name: Path(folder, name).read_bytes() for name in lesson.handed_in}


def _report(lesson, exercise, model, change=None, build=None):
    names, files = vars(course_lib.data) | namespace(lesson), _files(lesson)
    for name in (exercise, model):
        text = next(case.text for case in (*entries_of(lesson, name), *cases_of(lesson, name)) if case.right)
        exec(compile(text, name, "exec"), names)
    names |= {model: build} if build else {}
    if change:
        change(files)
    return run_single(exercise, NotebookStudent(names, lesson, file=files.get), 3)


@pytest.mark.parametrize(("assignment", "exercise", "model", "first", "second"), one_in(2, EXPERIMENTS, ANOTHER))
@pytest.mark.slow
def test_the_solutions_files_earn_every_point(assignment, exercise, model, first, second):
    report = _report(LESSONS.of(assignment), exercise, model)
    assert report.earned == report.points, report.named


@pytest.mark.parametrize(("assignment", "exercise", "model", "first", "second"), one_in(2, EXPERIMENTS, ANOTHER))
@pytest.mark.slow
def test_results_that_nobody_measured_earn_nothing(assignment, exercise, model, first, second):
    lesson = LESSONS.of(assignment)

    def invented(files):
        results = json.loads(files["results.json"])
        results["measured"] = dict.fromkeys(results["measured"], 0.5)
        files["results.json"] = json.dumps(results).encode()

    report = _report(lesson, exercise, model, invented)
    assert (report.points - report.earned, report.named) == (
        worth(lesson, exercise, "measured"),
        ["results of other weights"],
    )

    def unpredicted(files):
        files["results.json"] = json.dumps({"measured": json.loads(files["results.json"])["measured"]}).encode()

    report = _report(lesson, exercise, model, unpredicted)
    assert report.points - report.earned == worth(lesson, exercise, "there", "measured")
    assert set(report.named) == {"no prediction"}


@pytest.mark.parametrize(("assignment", "exercise", "model", "first", "second"), one_in(2, EXPERIMENTS, ANOTHER))
@pytest.mark.slow
def test_one_training_submitted_twice_is_no_experiment(assignment, exercise, model, first, second):
    def twice(files):
        files[second] = files[first]

    other = {"08-in-context-learning": "weights of another number of layers", "11-vit": "positions were trained"}
    cause = other.get(assignment, "the same model twice")
    report = _report(LESSONS.of(assignment), exercise, model, twice)
    assert (report.points - report.earned, report.named) == (
        worth(LESSONS.of(assignment), exercise, "measured"),
        [cause],
    )


@pytest.mark.parametrize("noise", one_in(2, [0.01, 0.0], "one weight is easier to tell than all of them"))
@pytest.mark.parametrize(
    ("assignment", "exercise", "model", "first", "second"),
    one_in(2, [each for each in EXPERIMENTS if each[0] != "08-in-context-learning"], ANOTHER),
)
@pytest.mark.slow
def test_noise_in_the_weights_is_no_second_training_though_its_numbers_are_true(
    monkeypatch, assignment, exercise, model, first, second, noise
):
    """The model of the first training is that of the second, with one weight or all of them a little different."""
    lesson = LESSONS.of(assignment)

    def noisy(files):
        draw, weights = torch.Generator().manual_seed(1), load(files[second])
        weights = {
            key: x + noise * x.std(correction=0) * torch.randn(x.shape, generator=draw) for key, x in weights.items()
        }
        weights[max(weights)].view(-1)[0] += 1e-4
        files[first] = save(weights, {"format": "pt"})

    report = _measured(monkeypatch, lesson, exercise, model, noisy)
    assert (report.points - report.earned, report.named) == (
        worth(lesson, exercise, "measured"),
        ["the same model twice"],
    )


def turned(weights, draw):
    """Return the weights with the queries and keys, and the values, of each of four heads in another basis."""
    weights = dict(weights)
    for stem in sorted(key.removesuffix("W_Q.weight") for key in weights if key.endswith("W_Q.weight")):
        width = len(weights[f"{stem}W_Q.weight"]) // 4
        for written, read in (("W_Q W_K", ""), ("W_V", "W_O")):
            basis = torch.block_diag(*(torch.linalg.qr(torch.randn(width, width, generator=draw))[0] for _ in range(4)))
            for key in [
                key for key in weights if key.startswith(stem) and key[len(stem) :].split(".")[0] in written.split()
            ]:
                weights[key] = basis @ weights[key]
            if read:
                weights[f"{stem}{read}.weight"] = weights[f"{stem}{read}.weight"] @ basis.T
    return weights


def with_a_block_more(weights, draw):
    """Return the weights of a model of one block with a second one, of noise."""
    new = {key.replace("blocks.0.", "blocks.1."): x for key, x in sorted(weights.items()) if "blocks.0." in key}
    noise = {key: 0.8 * x.std() * torch.randn(x.shape, generator=draw) for key, x in new.items() if x.dim() > 1}
    ones = {key: torch.full(x.shape, float(key.endswith("gamma"))) for key, x in new.items() if x.dim() == 1}
    return weights | noise | ones


@pytest.mark.parametrize("noise", one_in(2, [0.3, 0.1], "less noise is easier to tell"))
@pytest.mark.parametrize(
    ("assignment", "exercise", "model", "first", "second"),
    one_in(2, [each for each in EXPERIMENTS if each[0] != "06-captioning"], ANOTHER),
)
@pytest.mark.slow
def test_a_disguised_copy_is_no_second_training_though_its_numbers_are_true(
    monkeypatch, assignment, exercise, model, first, second, noise
):
    """In another basis, or with one block more, its weights are others, and its units are the same."""
    lesson = LESSONS.of(assignment)
    disguise = with_a_block_more if assignment == "08-in-context-learning" else turned

    def disguised(files):
        draw = torch.Generator().manual_seed(1)
        weights = disguise(load(files[second]), draw)
        weights |= {key: 0.02 * torch.ones_like(x) for key, x in weights.items() if key == "positions"}
        noisy = {
            key: x + noise * x.std(correction=0) * torch.randn(x.shape, generator=draw) * (x.dim() > 1)
            for key, x in sorted(weights.items())
            if disguise is turned
        }
        files[first] = save(weights | noisy, {"format": "pt"})

    report = _measured(monkeypatch, lesson, exercise, model, disguised)
    assert (report.points - report.earned, report.named) == (
        worth(lesson, exercise, "measured"),
        ["the same model twice"],
    )


def _measured(monkeypatch, lesson, exercise, model, change, build=None):
    """Return the report of changed weights with the numbers that they really have. ``build`` makes the student's model."""
    true = {}
    with monkeypatch.context() as patched:
        patched.setattr(experiment, "confirm", lambda found, again, within, setting: true.update(again))
        patched.setattr(experiment, "require_learned", lambda *_: None)
        patched.setattr(experiment, "require_two", lambda *_, **__: None)
        _report(lesson, exercise, model, change, build)

    def measured(files):
        change(files)
        files["results.json"] = json.dumps({"predicted": true, "measured": true}).encode()

    return _report(lesson, exercise, model, measured, build)


@pytest.mark.parametrize(("assignment", "exercise", "model", "first", "second"), one_in(2, EXPERIMENTS, ANOTHER))
@pytest.mark.slow
def test_models_that_never_learned_are_no_experiment_though_their_numbers_are_true(
    monkeypatch, assignment, exercise, model, first, second
):
    lesson = LESSONS.of(assignment)

    def untrained(files):
        draw = torch.Generator().manual_seed(1)
        for name in (first, second):
            weights = {key: 0.02 * torch.randn(x.shape, generator=draw) for key, x in sorted(load(files[name]).items())}
            weights |= {
                key: 0 * x for key, x in weights.items() if name == "no_positions.safetensors" and "positions" in key
            }
            files[name] = save(weights, {"format": "pt"})

    report = _measured(monkeypatch, lesson, exercise, model, untrained)
    assert (report.points - report.earned, report.named) == (worth(lesson, exercise, "measured"), ["never trained"])


def test_positions_that_were_trained_are_no_experiment_without_positions():
    def moved(files):
        weights = load(files["no_positions.safetensors"])
        name = next(name for name in weights if name.endswith("positions"))
        weights[name] = weights[name] + torch.ones(1)
        files["no_positions.safetensors"] = save(weights)

    report = _report(LESSONS.of("11-vit"), "shuffle_patches", "my_vit", moved)
    assert "positions were trained" in report.named


def with_idle_units(weights, draw, stems, more=1.1):
    """Return the weights with more than as many hidden units again in each feed-forward layer, which write nothing."""
    weights = dict(weights)
    for stem in stems:
        hidden, width = weights[f"{stem}.W_1.weight"].shape
        idle = int(more * hidden)
        new, out = (
            weights[f"{stem}.W_1.weight"].std() * torch.randn(idle, width, generator=draw),
            weights[f"{stem}.W_2.weight"],
        )
        weights[f"{stem}.W_1.weight"] = torch.cat([weights[f"{stem}.W_1.weight"], new])
        weights[f"{stem}.W_1.bias"] = torch.cat([weights[f"{stem}.W_1.bias"], torch.zeros(idle)])
        weights[f"{stem}.W_2.weight"] = torch.cat([out, torch.zeros(len(out), idle)], dim=1)
    return weights


@pytest.mark.slow
def test_units_that_write_nothing_make_no_second_training(monkeypatch):
    lesson = LESSONS.of("11-vit")
    references = lesson.module("references")

    def disguised(files):
        draw, weights = torch.Generator().manual_seed(1), load(files["no_positions.safetensors"])
        stems = [f"encoder.blocks.{block}.feed_forward" for block in range(3)]
        files["no_positions.safetensors"] = save(with_idle_units(weights, draw, stems), {"format": "pt"})
        noisy = {
            key: x + 0.1 * x.std(correction=0) * torch.randn(x.shape, generator=draw) * (x.dim() > 1)
            for key, x in sorted(turned(weights, draw).items())
        }
        noisy["positions"] = 0.02 * torch.ones_like(weights["positions"])
        files["vit.safetensors"] = save(with_idle_units(noisy, draw, stems), {"format": "pt"})

    report = _measured(
        monkeypatch,
        lesson,
        "shuffle_patches",
        "my_vit",
        disguised,
        lambda: references.VisionTransformer(references.ViTConfig(hidden_width=268)),
    )
    assert (report.points - report.earned, report.named) == (
        worth(lesson, "shuffle_patches", "measured"),
        ["the same model twice"],
    )


def with_units_mixed(weights, lesson, draw, group=8):
    """Return a masked language model's weights with hidden units mixed by rotations, and the next matrix solved for anew."""
    references = lesson.module("references")
    weights = turned({key: x for key, x in weights.items() if "/" not in key}, draw)
    model = references.MaskedLanguageModel(len(course_lib.data.agreement_words()), 64, 4, 2, 19, 0.0).eval()
    ids = references.mask_tokens(
        course_lib.data.framed(course_lib.data.draw_sentences(1000, seed=77)), model.output_bias.numel(), draw
    )[0]
    for block in range(2):
        model.load_state_dict(weights)
        part, stem = model.encoder.blocks.blocks[block].feed_forward, f"encoder.blocks.blocks.{block}.feed_forward"
        with experiment.watch_units([model], f"{block}.feed_forward.W_1") as units, torch.no_grad():
            model(ids)
        before = units[0][0]
        rotation = torch.block_diag(
            *(torch.linalg.qr(torch.randn(group, group, generator=draw))[0] for _ in range(before.shape[1] // group))
        )
        hidden = part.activation(before @ rotation.T).double()
        hidden = torch.cat([hidden, torch.ones(len(hidden), 1)], dim=1)
        target = part.W_2(part.activation(before)).detach().double()
        gram = hidden.T @ hidden + 1e-3 * len(hidden) * torch.eye(hidden.shape[1])
        solved = torch.linalg.solve(gram, hidden.T @ target).float()
        weights[f"{stem}.W_1.weight"] = rotation @ weights[f"{stem}.W_1.weight"]
        weights[f"{stem}.W_1.bias"] = rotation @ weights[f"{stem}.W_1.bias"]
        weights[f"{stem}.W_2.weight"], weights[f"{stem}.W_2.bias"] = solved[:-1].T, solved[-1]
    return weights


@pytest.mark.slow
def test_a_copy_with_mixed_units_is_no_second_training(monkeypatch):
    lesson = LESSONS.of("09-mlm-pretraining")

    def disguised(files):
        draw = torch.Generator().manual_seed(1)
        weights = with_units_mixed(load(files["language_model.safetensors"]), lesson, draw)
        files["always_mask.safetensors"] = save({key: x.contiguous() for key, x in weights.items()}, {"format": "pt"})

    report = _measured(monkeypatch, lesson, "losses_by_fate", "my_language_model", disguised)
    assert (report.points - report.earned, report.named) == (
        worth(lesson, "losses_by_fate", "measured"),
        ["the same model twice"],
    )


@pytest.mark.slow
def test_a_model_that_copies_still_worse_is_no_second_training(monkeypatch):
    """One training that always saw [MASK], twice: in the second, words look less like [MASK], and those that are there suffer."""

    def disguised(files):
        weights = load(files["always_mask.safetensors"])
        words = weights["encoder.embeddings.tokens.weight"]
        references = LESSONS.of("09-mlm-pretraining").module("references")
        moved = words.clone()
        moved[references.ORDINARY :] += 0.5 * (words[references.ORDINARY :] - words[references.MASK])
        files["language_model.safetensors"] = files["always_mask.safetensors"]
        files["always_mask.safetensors"] = save(weights | {"encoder.embeddings.tokens.weight": moved})

    lesson = LESSONS.of("09-mlm-pretraining")
    report = _measured(monkeypatch, lesson, "losses_by_fate", "my_language_model", disguised)
    assert (report.points - report.earned, report.named) == (
        worth(lesson, "losses_by_fate", "measured"),
        ["the same model twice"],
    )


def _sentences_trained(steps=150):
    """Return the weights of two masked language models that begin alike; the second always sees [MASK]."""
    references = LESSONS.of("09-mlm-pretraining").module("references")
    V = len(course_lib.data.agreement_words())
    ids = course_lib.data.framed(course_lib.data.draw_sentences(20_000, seed=0))

    def batch(generator, always):
        rows = ids[torch.randint(len(ids), (128,), generator=generator)]
        inputs, labels = references.mask_tokens(rows, V, generator)
        return (inputs.masked_fill(labels != references.IGNORE, references.MASK) if always else inputs), labels

    def train(always):
        torch.manual_seed(0)
        model = references.MaskedLanguageModel(V, 64, 4, 2, 19, 0.0)
        fit(
            model,
            lambda model, batch: references.mlm_loss(model(batch[0]), batch[1]),
            lambda generator: batch(generator, always),
            steps=steps,
            learning_rate=4e-3,
            warmup=20,
            show=False,
        )
        return model.state_dict()

    return {"language_model.safetensors": train(False), "always_mask.safetensors": train(True)}


def _pictures_trained(steps=150):
    """Return the weights of two Vision Transformers that begin alike, but for the positions that the second does not have."""
    references = LESSONS.of("11-vit").module("references")
    pictures = course_lib.data.draw_colour_digits(4000, seed=0)

    def train(positions):
        torch.manual_seed(0)
        model = references.VisionTransformer(references.ViTConfig())
        if not positions:
            model.positions.requires_grad_(False).zero_()

        def loss(model, rows):
            return torch.nn.functional.cross_entropy(model(pictures.images[rows])[0], pictures.labels[rows])

        learned = [weight for weight in model.parameters() if weight.requires_grad]
        fit(
            model,
            loss,
            lambda generator: torch.randint(len(pictures.labels), (64,), generator=generator),
            steps=steps,
            optimizer=torch.optim.AdamW(learned, lr=3e-3),
            warmup=20,
            show=False,
        )
        return model.state_dict()

    return {"vit.safetensors": train(True), "no_positions.safetensors": train(False)}


@pytest.mark.parametrize(
    ("assignment", "exercise", "model", "train"),
    [
        ("09-mlm-pretraining", "losses_by_fate", "my_language_model", _sentences_trained),
        ("11-vit", "shuffle_patches", "my_vit", _pictures_trained),
    ],
)
@pytest.mark.slow
def test_two_short_trainings_that_begin_alike_are_two(monkeypatch, assignment, exercise, model, train):
    """Their weights are still similar, and so nothing but what they answer can tell them apart."""
    trained = {name: save(weights, {"format": "pt"}) for name, weights in train().items()}
    report = _measured(monkeypatch, LESSONS.of(assignment), exercise, model, lambda files: files.update(trained))
    assert report.earned == report.points, report.named
