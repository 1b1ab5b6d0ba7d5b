"""The ready-made BPE of tokenizers, made from JSON text: its model and its trainer never get a Python name."""

# assignment: 07-language-models
from autograder.content import notebook as notebooks

HEAD = '''
import json as _json
from tokenizers import Tokenizer as _Tokenizer


def _made(merges=()):
    parts = [chr(0x400 + byte) for byte in range(256)]
    pairs = []
    for a, b in merges:
        pairs.append([parts[a], parts[b]])
        parts.append(parts[a] + parts[b])
    vocab = {}
    for k, part in enumerate(parts):
        vocab.setdefault(part, k)
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab if merges else {}, "merges": pairs}
    return _Tokenizer.from_str(_json.dumps({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
                                            "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model}))
'''
TRAIN = HEAD + '''

def train_bpe(word_counts, num_merges):
    made = _made()
    words = ("".join(chr(0x400 + byte) for byte in word.encode()) for word, count in word_counts.items() for _ in range(count))
    made.train_from_iterator(words)
    known, found = {chr(0x400 + byte): byte for byte in range(256)}, []
    for a, b in _json.loads(made.to_str())["model"]["merges"][:num_merges]:
        found.append((known[a], known[b]))
        known.setdefault(a + b, 255 + len(found))
    return found
'''
ENCODE = HEAD + '''

def bpe_encode(ids, merges):
    if not merges:
        return list(ids)
    return list(_made(merges).encode("".join(chr(0x400 + each) for each in ids)).ids)
'''


def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        name = notebooks.grade_id(cell)
        if name in ("train_bpe", "bpe_encode", "train_bpe_fast"):
            cell["source"] = {"train_bpe": TRAIN, "train_bpe_fast": TRAIN.replace("train_bpe(", "train_bpe_fast("), "bpe_encode": ENCODE}[name]
    save(notebook)
