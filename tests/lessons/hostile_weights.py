"""Checkpoints that promise more than they hold. As a program: grade one and print what it earned and what it took.

python hostile_weights.py NAME FOLDER
"""

import functools
import json
import resource
import sys
from pathlib import Path

import torch
from torch import nn

from autograder.checks import weights as checkpoint
from autograder.checks.execute import NotebookStudent
from autograder.content.lesson import Lessons
from autograder.content.references import namespace
from autograder.lessons.captioning import references as captioning
from autograder.lessons.language_models import references as language_models
from autograder.lessons.mlm_pretraining import references as mlm_pretraining
from autograder.lessons.recommendation import references as recommendation
from autograder.lessons.retrieval import references as retrieval
from autograder.lessons.translation import references as translation
from autograder.lessons.vision_language import references as vision_language
from autograder.lessons.vit import references as vit
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_single
from course_lib.training import save_checkpoint


class Bag(nn.Module):
    """Holds parameters of these names and shapes, and answers whatever ``answer(*inputs)`` returns."""

    def __init__(self, shapes, answer, dtype=torch.float32):
        super().__init__()
        for name, shape in shapes.items():
            part, (*way, last) = self, name.split(".")
            for step in way:
                part = part._modules.setdefault(step, nn.Module())
            part.register_parameter(last, nn.Parameter(torch.zeros(shape, dtype=dtype)))
        self.answer = answer

    def forward(self, *inputs):
        return self.answer(*inputs)


def captions_of(cells, captions):
    return torch.rand(*captions.shape, 33), torch.rand(*captions.shape, cells.shape[1])


def words_of(ids):
    return torch.rand(*ids.shape, 75)


def digits_of(images):
    return torch.rand(len(images), 10), []


def small_vit():
    return vit.VisionTransformer(vit.ViTConfig(model_width=16, num_blocks=1, num_heads=2))


def next_words_of(ids):
    return torch.rand(*ids.shape, 75), []


def next_tokens_of(ids):
    return torch.rand(*ids.shape, 8), []


def small_gpt(vocab_size=75, max_length=19, num_blocks=1):
    sizes = {"model_width": 16, "num_heads": 2, "hidden_width": 16, "decoder_blocks": num_blocks}
    config = language_models.TransformerConfig(
        kind="decoder", vocab_size=vocab_size, max_length=max_length, dropout=0.0, **sizes
    )
    return language_models.GPT(config)


def small_learner(num_blocks=2):
    return small_gpt(8, 65, num_blocks)


def small_bert():
    return mlm_pretraining.MaskedLanguageModel(75, 16, 2, 1, 19, 0.0)


def small_captioner():
    return captioning.CaptionDecoder(33, 32, 16, 8, 8)


def translations_of(source, words, allowed=None):
    return torch.rand(*words.shape, 222), torch.rand(*words.shape, source.shape[1])


def small_translator():
    return translation.TransformerTranslator(120, 222, 8, 2, 1, 8)


def pairs_of(images, ids):
    return torch.rand(len(images), 32), torch.rand(len(ids), 32)


def questions_of(features, real, ids):
    return torch.rand(len(ids), 15), []


def small_clip():
    return vision_language.DualEncoder(vision_language.DualConfig(model_width=8, num_heads=2, hidden_width=8))


def small_vilbert():
    return vision_language.ViLBERT(
        vision_language.ViLBERTConfig(model_width=8, num_heads=2, num_blocks=1, hidden_width=8)
    )


def vectors_of(queries, documents):
    return torch.rand(len(queries), 8), torch.rand(len(documents), 8)


def small_search():
    return retrieval.TwoTower(222, 120, 8, 2, 1, 40)


def viewers_of(ids):
    return torch.rand(*ids.shape, 8)


def small_recommender():
    return recommendation.SequentialRecommender(10_000, 8, 2, 1, 16)


def blocks(stem, count, **shapes):
    return {f"{stem}.{n}.{name.replace('__', '.')}": shape for n in range(count) for name, shape in shapes.items()}


ENCODER = {"norm_1__gamma": (1,), "feed_forward__W_1__weight": (1, 1)}
TOKENS, PLACES = "encoder.embeddings.tokens.weight", "encoder.embeddings.positions.weight"
PATCHES = "embedding.projection.weight"
WORDS, TABLE = "embedding.weight", "positions.table"
FRENCH, ENGLISH = "queries.embedding.weight", "documents.embedding.weight"

#: The parameters, by name and shape, of models that the grader must not build.
PROMISES = {
    # 72 kB: four blocks of 6000 x 6000 would follow from a width of 6000
    "vit of one long vector": {PATCHES: (6000, 3), "positions": (1, 1)} | blocks("encoder.blocks", 4, **ENCODER),
    "vit with an empty hidden layer": {PATCHES: (32, 12), "positions": (17, 32)}
    | blocks("encoder.blocks", 1, norm_1__gamma=(32,), feed_forward__W_1__weight=(10**7, 0)),
    "vit of many blocks": {PATCHES: (1500, 12), "positions": (17, 1500)} | blocks("encoder.blocks", 64, **ENCODER),
    "bert of one long vector": {TOKENS: (75, 4000), PLACES: (19, 1)} | blocks("encoder.blocks.blocks", 3, **ENCODER),
    "bert of empty tables": {TOKENS: (75, 0), PLACES: (10**8, 0)} | blocks("encoder.blocks.blocks", 3, **ENCODER),
    "bert of wide empty tables": {TOKENS: (75, 8), PLACES: (10**8, 0)} | blocks("encoder.blocks.blocks", 1, **ENCODER),
    # of one block: 4 * 6000 * 6000 numbers would follow from vectors of 6000
    "gpt of one long vector": {WORDS: (75, 6000), TABLE: (19, 1)} | blocks("decoder.blocks", 1, **ENCODER),
    "gpt of empty tables": {WORDS: (75, 0), TABLE: (10**8, 0)} | blocks("decoder.blocks", 2, **ENCODER),
    "gpt of many blocks": {WORDS: (75, 800), TABLE: (19, 800)} | blocks("decoder.blocks", 64, **ENCODER),
    "gpt with an empty hidden layer": {WORDS: (75, 32), TABLE: (19, 32)}
    | blocks("decoder.blocks", 1, norm_1__gamma=(32,), feed_forward__W_1__weight=(10**9, 0)),
    "learner of long vectors": {WORDS: (8, 8000), TABLE: (65, 1)} | blocks("decoder.blocks", 2, **ENCODER),
    "learner of many places": {WORDS: (8, 1), TABLE: (10**9, 0)} | blocks("decoder.blocks", 2, **ENCODER),
    "translator of long vectors": {"source_embedding.weight": (120, 4000), "target_embedding.weight": (222, 1)}
    | blocks("encoder.blocks", 4, **ENCODER),
    "translator of empty vectors": {"source_embedding.weight": (120, 0), "target_embedding.weight": (222, 0)}
    | blocks("encoder.blocks", 4, norm_1__gamma=(0,), feed_forward__W_1__weight=(10**8, 0)),
    "search of long vectors": {FRENCH: (222, 2000), ENGLISH: (120, 1), "queries.positions.table": (40, 1)}
    | blocks("queries.encoder.blocks", 3, **ENCODER),
    "search of empty tables": {FRENCH: (222, 0), ENGLISH: (10**8, 0), "queries.positions.table": (10**8, 0)}
    | blocks("queries.encoder.blocks", 1, **ENCODER),
    "recommender of many blocks": {WORDS: (10_000, 40), TABLE: (16, 40)} | blocks("encoder.blocks", 200, **ENCODER),
    "recommender of empty vectors": {WORDS: (10_000, 0), TABLE: (10**8, 0)} | blocks("encoder.blocks", 2, **ENCODER),
    "captioner with a long state": {
        "embedding.weight": (33, 1),
        "start.weight": (6000, 1),
        "attention.W.weight": (1, 6000),
        "output.bias": (33,),
    },
    "captioner with an empty state": {
        "embedding.weight": (33, 0),
        "start.weight": (10**9, 0),
        "attention.W.weight": (0, 10**9),
    },
}
CLIP = {
    "tokens.weight": (25, 1),
    "text_positions": (8, 1),
    "image_projection.weight": (1, 1),
    "image_positions": (16, 1),
}
CLIP_BLOCKS = blocks("image_encoder.blocks", 4, **ENCODER) | blocks("text_encoder.blocks", 4, **ENCODER)
STREAMS = {"regions.weight": (1, 32), "positions": (12, 1), "head.weight": (15, 1)}
STREAM = {"image_norm_1__gamma": (1,), "image_feed_forward__W_1__weight": (1, 1)}
PROMISES |= {
    "clip of one long vector": CLIP | {"patches.weight": (6000, 3, 2, 2)} | CLIP_BLOCKS,
    "clip with an empty hidden layer": CLIP
    | {"patches.weight": (32, 3, 2, 2)}
    | blocks("image_encoder.blocks", 1, norm_1__gamma=(32,), feed_forward__W_1__weight=(10**7, 0))
    | blocks("text_encoder.blocks", 1, norm_1__gamma=(32,), feed_forward__W_1__weight=(10**7, 0)),
    "vilbert of one long vector": STREAMS | {"tokens.weight": (36, 6000)} | blocks("co_attention", 4, **STREAM),
    "vilbert of empty tables": STREAMS
    | {"tokens.weight": (36, 0), "positions": (10**8, 0)}
    | blocks("co_attention", 2, **STREAM),
}


def all_of(model):
    return {name: tuple(one.shape) for name, one in model.named_parameters()}


def learner(width, blocks):
    sizes = {"model_width": width, "num_heads": 1, "hidden_width": 2, "decoder_blocks": blocks, "max_length": 65}
    return language_models.GPT(language_models.TransformerConfig(kind="decoder", vocab_size=8, dropout=0.0, **sizes))


#: Whole models: of any number of heads, each with weights of attention; of many blocks; of many operations.
PROMISES |= {
    "learner of many heads": all_of(learner(480, 1)),
    "learner of small blocks": all_of(learner(32, 70)),
    "learner of wide layers": all_of(learner(960, 1)),
}
ANSWERS = {
    "clip": ("12-vision-language", "my_clip", "clip.safetensors", pairs_of, small_clip),
    "vilbert": ("12-vision-language", "my_answers", "answers.safetensors", questions_of, small_vilbert),
    "translator": ("05-translation", "my_translator", "translator.safetensors", translations_of, small_translator),
    "vit": ("11-vit", "my_vit", "vit.safetensors", digits_of, small_vit),
    "bert": ("09-mlm-pretraining", "my_language_model", "language_model.safetensors", words_of, small_bert),
    "gpt": ("08-in-context-learning", "my_gpt", "gpt.safetensors", next_words_of, small_gpt),
    "learner": ("08-in-context-learning", "my_learner", "in_context.safetensors", next_tokens_of, small_learner),
    "search": ("13-retrieval", "my_search", "search.safetensors", vectors_of, small_search),
    "recommender": ("14-recommendation", "my_recommender", "recommender.safetensors", viewers_of, small_recommender),
    "captioner": ("06-captioning", "my_captioner", "captioner.safetensors", captions_of, small_captioner),
}


def grade(kind, folder):
    """Grade each model of PROMISES of this kind. Yield (name, report, by how many MiB this process has grown so far)."""
    assignment, exercise, file, answer, honest = ANSWERS[kind]
    lesson = Lessons().of(assignment)

    def graded(make):
        save_checkpoint(make(), Path(folder, file))
        assert Path(folder, file).stat().st_size <= checkpoint.MOST_BYTES
        return run_single(
            exercise, NotebookStudent(namespace(lesson) | {exercise: make}, lesson, file=files_in(folder)), 3
        )

    if kind == "learner":
        save_checkpoint(honest(1), Path(folder, "one_block.safetensors"))
    assert graded(honest).earned == 1  # everything is imported now, and the held-out data are drawn
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, shapes in PROMISES.items():
        if name.startswith(kind):
            report = graded(functools.partial(Bag, shapes, answer))
            yield name, report, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def tie(path, names, tensor):
    """Write a file in which one tensor stands under many names, as save_checkpoint writes tied weights."""
    model = nn.Module()
    model.register_parameter("only", nn.Parameter(tensor))
    save_checkpoint(model, path)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    aliases = {"course_lib": json.dumps({"aliases": dict.fromkeys(names, "only")})}
    header = json.dumps(json.loads(data[8 : 8 + length]) | {"__metadata__": aliases}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + length :])


if __name__ == "__main__":
    for name, report, grown in grade(sys.argv[1], sys.argv[2]):
        print(json.dumps({"name": name, "earned": report.earned, "named": report.named, "grown": grown}))
