"""my_translator(), with the weights that were handed in."""

from autograder.checks import CheckFailure, Student, exercise, measured, points, weights
from autograder.lessons.translation.checks import trained

NAME = trained.NAME
#: Full points from the first on, none at the second. What the solution reaches stands in the notebook.
EXACT = (0.90, 0.30)
GAP = (0.05, 0.50)
#: Without any network, along the diagonal, one gets 0.28.
ERRORS = (0.20, 0.28)
#: For the controls: what has to be reached, and what part of it may be left.
LEAST, LEFT = 0.5, 0.5


def _setting(seed: int):
    return f"{trained.SENTENCES} held-out sentences, seed {seed}"


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the TransformerTranslator that my_translator() makes anew at every call"""
    trained.loaded(student, seed)
    weights.made_anew(student, NAME, trained.FILE)


@exercise(NAME)
@points(1)
@measured
def check_exact_translations(student: Student, seed: int) -> None:
    """It translates sentences with combinations of words that no training sentence has (greedily, word by word)"""
    model, pairs = trained.loaded(student, seed), trained.pairs_of(seed)
    value = trained.reached(pairs, trained.translated(model, trained.source_of(pairs)))
    failure = CheckFailure(
        "accuracy",
        "Too few translations are exact.",
        setting=_setting(seed),
        received=value,
        expected=f"at least {EXACT[0]:.0%} of the best that is possible (points in eighths above {EXACT[1]:.0%})",
        yours=f"{value:.1%}",
        cause="translator not good enough yet",
        hint="Has training ended while the gap still falls? Then train longer. If it has levelled off far above 0, look "
        "at the loss and at the shift of the targets, or let fit take the steps once (train=None, resume=False).",
    )
    weights.judge(value, *EXACT, failure)


@exercise(NAME)
@points(1)
@measured
def check_cross_entropy(student: Student, seed: int) -> None:
    """Its cross-entropy is close to the lowest that is possible: it knows how probable each of several translations is"""
    value = trained.gap(trained.loaded(student, seed), trained.pairs_of(seed))
    failure = CheckFailure(
        "accuracy",
        "The cross-entropy is too high.",
        setting=_setting(seed),
        received=value,
        expected=f"at most {GAP[0]} nats per word above the lowest possible (points up to {GAP[1]})",
        yours=f"{value:.3f}",
        cause="probabilities not good enough yet",
        hint="A model that was trained with a smoothed loss spreads its probabilities on purpose. Otherwise: train longer.",
    )
    weights.judge(value, *GAP, failure)


@exercise(NAME)
@points(1)
@measured
def check_alignment(student: Student, seed: int) -> None:
    """For most French words the largest weight lies on the English word that they translate or depend on"""
    model, pairs = trained.loaded(student, seed), trained.pairs_of(seed)
    unable = trained.gap(model, pairs)
    if not unable <= GAP[1]:
        raise CheckFailure(
            "alignment",
            "Wherever its weights lie, the model does not translate yet.",
            setting=_setting(seed),
            received=unable,
            expected=f"a cross-entropy of at most {GAP[1]} nats per word above the lowest possible",
            yours=f"{unable:.3f}",
            cause="translator not good enough yet",
            hint="Train it first. What its weights show is of interest once it translates.",
        )
    value = trained.error_rate(model, pairs)
    failure = CheckFailure(
        "alignment",
        "The weights lie on other words.",
        setting=_setting(seed),
        received=value,
        expected=f"an alignment error rate of at most {ERRORS[0]} (points up to {ERRORS[1]})",
        yours=f"{value:.3f}",
        cause="attention does not align",
        hint="The weights are computed as they should be. Does the gap still fall? Then train longer. If not, try the sizes that "
        "the notebook suggests.",
    )
    weights.judge(value, *ERRORS, failure)


@exercise(NAME)
@points(1)
@measured
def check_it_reads_the_source(student: Student, seed: int) -> None:
    """Without the source it fails: shuffled words, another sentence's, or equal attention to all words ruin the translations"""
    model, pairs = trained.loaded(student, seed), trained.pairs_of(seed)
    source = trained.source_of(pairs)
    value = trained.reached(pairs, trained.translated(model, source))
    controls = {
        "with shuffled words": trained.translated(model, trained.shuffled(source, seed)),
        "with another sentence": trained.translated(model, source.roll(1, 0)),
        "with equal attention": trained.translated(trained.attending_equally(model), source),
    }
    left = {name: trained.reached(pairs, texts) for name, texts in controls.items()}
    if value >= LEAST and max(left.values()) <= LEFT * value:
        return
    shown = ", ".join(f"{part:.1%} {name}" for name, part in left.items())
    reads = value >= LEAST
    raise CheckFailure(
        "control",
        "The translations do not depend on the source as they should."
        if reads
        else "Too few translations are exact as they are.",
        setting=f"exact translations, of the best that is possible, {_setting(seed)}",
        received=(value, *left.values()),
        expected=f"at least {LEAST:.0%} as they are, and at most half of what is reached with each control",
        yours=f"{value:.1%}, and {shown}",
        cause="source ignored" if reads else "translator not good enough yet",
        hint="Which control leaves too much? With shuffled words: it makes too little of their order. With equal attention: a "
        "mean of the source is enough for it."
        if reads
        else "Without a model that translates, the controls say nothing. See above.",
    )
