"""The submitted translator: the course's model with the submitted weights, and its translations."""

import copy
import functools
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

from autograder.checks import Draw, Student, expect, modules
from autograder.checks import weights as checkpoint
from autograder.lessons.translation import references
from autograder.lessons.translation.references import PAD, TransformerTranslator
from course_lib.data import SentencePairs, draw_pairs, english_vocabulary, french_vocabulary

NAME = "my_translator"
FILE = "translator.safetensors"
SENTENCES = 300
FEW = 8  # sentences on which the student's model is compared with ours
LONGEST = 26  # words and END of the longest translation, and some more


@functools.lru_cache(maxsize=4)
def pairs_of(seed: int) -> SentencePairs:
    """Return the held-out pairs on which a translator is judged; the TA's seed decides which."""
    return draw_pairs(SENTENCES, Draw(seed, NAME).new_seed(), "held_out")


def source_of(pairs: SentencePairs) -> Tensor:
    """Return the ids of the English sentences."""
    return english_vocabulary().batch(pairs.english)[0]


def target_of(pairs: SentencePairs) -> Tensor:
    """Return the ids of the French sentences."""
    return french_vocabulary().batch(pairs.french)[0]


def loaded(student: Student, seed: int) -> TransformerTranslator:
    """Return the course's model with the submitted weights. Fail unless it computes what the student's model computes.

    A student's ``forward`` could parse the source and know the grammar; the course's model has only the weights.
    """
    module, pairs = checkpoint.load(student, NAME, FILE), pairs_of(seed)
    source, target = source_of(pairs)[:FEW], target_of(pairs)[:FEW, :-1]
    allowed, real = source != PAD, target != PAD
    logits, weights = expect.pair(module(source, target, allowed), "logits", "weights")
    setting = f"source {tuple(source.shape)}, words {tuple(target.shape)}"
    expect.shape(logits, (*target.shape, len(french_vocabulary())), "logits", "(B, T, V)", setting)
    expect.shape(weights, (*target.shape, source.shape[1]), "weights", "(B, T, N)", setting)
    checkpoint.are_numbers(logits[real])
    own = {"logits": logits[real], "weights": weights[real]}
    model = OWN.like(
        module,
        own,
        lambda model: {key: part[real] for key, part in zip(own, model(source, target, allowed), strict=True)},
    )
    return cast(TransformerTranslator, model)


def _candidates(weights):
    """Return how to make a translator with the sizes of these weights, for every number of heads."""
    V_S, D = modules.sizes(weights, "source_embedding.weight", 2)
    V, _ = modules.sizes(weights, "target_embedding.weight", 2)
    hidden, _ = modules.sizes(weights, "encoder.blocks.0.feed_forward.W_1.weight", 2)
    blocks = modules.count(weights, "encoder.blocks.{}.norm_1.gamma")
    if (len(english_vocabulary()), len(french_vocabulary())) != (V_S, V):
        raise modules.OtherModel(f"embeddings of {V_S} and {V} words")
    return [
        functools.partial(TransformerTranslator, V_S, V, D, heads, blocks, hidden)
        for heads in modules.possible_heads(D)
    ]


OWN = modules.OwnModel(
    NAME,
    "a TransformerTranslator",
    _candidates,
    {"weights": "The logits are right. The weights have to be the mean over all heads of all blocks."},
)


@torch.no_grad()
def translated(model: TransformerTranslator, source: Tensor) -> list[list[str]]:
    """Translate greedily with the course's model. Its only input besides the source are the words that it has written."""
    texts = []
    for part in source.split(modules.rows_at_once(model)):
        memory = model.encode(part, part != PAD)
        words, _ = references.greedy_translate(model, memory, part != PAD, LONGEST)
        texts += [french_vocabulary().decode(row) for row in words]
    return texts


def reached(pairs: SentencePairs, texts: list[list[str]]) -> float:
    """Return how probable the translations are, as a part of the best that is possible."""
    return float(pairs.probabilities(texts).sum() / pairs.best().sum())


@torch.no_grad()
def gap(model: TransformerTranslator, pairs: SentencePairs) -> float:
    """Return by how many nats per word the cross-entropy lies above the lowest possible."""
    source, target = source_of(pairs), target_of(pairs)
    total = torch.zeros(()).double()
    rows = modules.rows_at_once(model)
    for ids, words in zip(source.split(rows), target.split(rows), strict=True):
        logits = model(ids, words[:, :-1], ids != PAD)[0].double()
        total += functional.cross_entropy(logits.transpose(1, 2), words[:, 1:], ignore_index=PAD, reduction="sum")
    return float(total / (target[:, 1:] != PAD).sum()) - pairs.lowest_loss()


@torch.no_grad()
def error_rate(model: TransformerTranslator, pairs: SentencePairs) -> float:
    """Return the alignment error rate: each French word is aligned to the English one with the largest weight."""
    source, target = source_of(pairs), target_of(pairs)
    found, sure, possible = [], [], []
    for place in range(len(pairs)):
        gold = pairs.alignment(place)
        T, N = gold[0].shape
        ids, words = source[place : place + 1, : N + 2], target[place : place + 1, : T + 1]
        places = model(ids, words[:, :-1])[1][0, :T, 1 : N + 1].argmax(dim=1) if T else gold[0]
        found.append(functional.one_hot(places, N).bool().flatten())
        sure.append(gold[0].flatten())
        possible.append(gold[1].flatten())
    return references.alignment_error_rate(torch.cat(found), torch.cat(sure), torch.cat(possible))


def shuffled(source: Tensor, seed: int) -> Tensor:
    """Return each sentence with its words, between START and END, in another order."""
    draw, other = Draw(seed, "shuffled"), source.clone()
    for row, length in zip(other, (source != PAD).sum(dim=1).tolist(), strict=True):
        row[1 : length - 1] = row[1 : length - 1][draw.permutation(length - 2)]
    return other


@torch.no_grad()
def attending_equally(model: TransformerTranslator) -> TransformerTranslator:
    """Return the model with equal weights for all source words: queries of 0 are equally similar to every key."""
    other = copy.deepcopy(model)
    for name, parameter in other.decoder.named_parameters():
        if ".cross_attention.W_Q." in name:
            parameter.zero_()
    return other
