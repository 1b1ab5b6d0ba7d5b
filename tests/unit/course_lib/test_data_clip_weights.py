"""CLIP from a folder in Hugging Face's format: a tiny one with random weights, saved as theirs are."""

import json

import pytest
import torch

from course_lib.data import local_clip

transformers = pytest.importorskip("transformers")

SIDE = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("clip")
    letters = "abcdefgh"
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (place / "vocab.json").write_text(json.dumps({token: number for number, token in enumerate(tokens)}))
    (place / "merges.txt").write_text("#version: 0.2\n")
    transformers.CLIPTokenizer(str(place / "vocab.json"), str(place / "merges.txt")).save_pretrained(place)
    small = {"hidden_size": 12, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"bos_token_id": len(tokens) - 2, "eos_token_id": len(tokens) - 1, "pad_token_id": len(tokens) - 1}
    config = transformers.CLIPConfig(
        text_config=small | ends | {"vocab_size": len(tokens), "max_position_embeddings": 9},
        vision_config=small | {"image_size": SIDE, "patch_size": 4},
        projection_dim=5,
    )
    torch.manual_seed(0)
    transformers.CLIPModel(config).save_pretrained(place)
    return place


def test_vectors_have_length_one_and_are_those_of_the_whole_model(folder):
    clip = local_clip(folder)
    images, texts = torch.rand(3, 3, SIDE, SIDE), ["a bad cab", "egg"]
    ours = clip.encode_images(images) @ clip.encode_texts(texts).T * clip.log_scale.exp()
    given = clip.tokenizer(texts, padding=True, return_tensors="pt")
    mean, spread = (
        torch.tensor(x)[:, None, None]
        for x in ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
    )
    with torch.no_grad():
        theirs = clip.model(pixel_values=(images - mean) / spread, **given).logits_per_image
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(clip.encode_images(images).norm(dim=1), torch.ones(3))


def test_pictures_of_any_size_and_texts_of_any_length(folder):
    clip = local_clip(folder)
    assert clip.encode_images(torch.rand(2, 3, 21, 13)).shape == (2, 5)
    assert clip.encode_texts(["a " * 50, "b"]).shape == (2, 5)
    alone = clip.encode_texts(["b"])[0]
    torch.testing.assert_close(clip.encode_texts(["a bad cab", "b"])[1], alone, atol=1e-5, rtol=1e-5)
    with pytest.raises(ValueError, match="at least one text"):
        clip.encode_texts([])


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"config\.json"):
        local_clip(tmp_path / "nowhere")
    transformers.BertConfig(vocab_size=5).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="'bert'"):
        local_clip(tmp_path)
