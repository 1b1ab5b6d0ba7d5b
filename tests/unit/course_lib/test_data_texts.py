"""Word pieces, sentences, text files and WikiText."""

import pytest

from course_lib.data import hub, hub_text, sentences_of, text_files, train_wordpieces
from course_lib.data.special_tokens import SPECIAL, UNK
from course_lib.data.text_files import articles_of

#: Lines as the rows of WikiText-2 (raw) hold them.
WIKITEXT = [
    "",
    " = Robert Boulter = \n",
    "",
    " Robert Boulter is an English film , television and theatre actor . He had a role in the series The Bill . \n",
    " = = Career = = \n",
    " In 2006 , Boulter starred in the play Citizenship . \n",
    " = = = 2008 – present = = = \n",
    " In 2008 he appeared on television . \n",
    " = Du Fu = \n",
    " Du Fu was a Chinese poet . \n",
    " = Empty = \n",
]


def test_pieces_begin_with_the_special_tokens_and_give_the_text_back():
    tokenizer = train_wordpieces(["The newest is lower than the widest.", "Lower, lower, newest!"] * 5, 60)
    assert [tokenizer.id_to_token(k) for k in range(5)] == list(SPECIAL)
    encoding = tokenizer.encode("The lowest, widest")
    assert tokenizer.decode(encoding.ids) == "the lowest, widest"
    assert any(token.startswith("##") for token in encoding.tokens)
    assert tokenizer.get_vocab_size() <= 60


def test_a_frequent_word_becomes_one_piece_and_a_strange_letter_is_unknown():
    tokenizer = train_wordpieces(["tensor tensor tensor shape"] * 3, 40)
    assert tokenizer.encode("Tensor").tokens == ["tensor"]
    assert tokenizer.encode("ж").ids == [UNK]


@pytest.mark.parametrize(("texts", "size", "message"), [([], 50, "at least one text"), (["a b"], 5, "more than the 5")])
def test_invalid_texts_are_errors(texts, size, message):
    with pytest.raises(ValueError, match=message):
        train_wordpieces(texts, size)


def test_sentences():
    assert sentences_of("It is so. Is it? Yes, e.g. this. No!") == ["It is so.", "Is it?", "Yes, e.g. this.", "No!"]
    assert sentences_of("Version 3.2 is out") == ["Version 3.2 is out"]


def test_reads_text_files(tmp_path):
    (tmp_path / "a.txt").write_text("One line\nand its second.\n\n \nAnother paragraph.\n", encoding="utf8")
    (tmp_path / "b.txt").write_bytes("Größe".encode("latin1"))
    [document] = text_files(tmp_path / "a.txt")
    assert (document.name, document.paragraphs) == ("a.txt", ("One line and its second.", "Another paragraph."))
    assert text_files(tmp_path / "b.txt", encoding="latin1")[0].paragraphs == ("Größe",)
    with pytest.raises(ValueError, match="Name its encoding"):
        text_files(tmp_path / "b.txt")
    (tmp_path / "c.txt").write_text(" \n\n", encoding="utf8")
    with pytest.raises(ValueError, match="got none"):
        text_files(tmp_path / "c.txt")


def test_reads_articles_of_wikitext():
    first, second = articles_of(WIKITEXT)
    assert (first.name, second.name) == ("Robert Boulter", "Du Fu")
    assert [paragraph.split()[0] for paragraph in first.paragraphs] == ["Robert", "In", "In"]
    assert second.paragraphs == ("Du Fu was a Chinese poet .",)


class Table:
    """As much of a datasets.Dataset as is used."""

    column_names = ("text",)

    def __len__(self):
        return len(WIKITEXT)

    def __getitem__(self, column):
        return WIKITEXT


def test_loads_wikitext_from_the_hub(monkeypatch):
    asked = []

    def load(*arguments, **options):
        asked.append((arguments, options))
        return Table()

    monkeypatch.setattr(hub, "_load", load)
    assert [document.name for document in hub_text(split="validation")] == ["Robert Boulter", "Du Fu"]
    assert asked == [(("Salesforce/wikitext", "wikitext-2-raw-v1"), {"split": "validation"})]
    with pytest.raises(ValueError, match="no column 'page'"):
        hub_text(column="page")


def test_reads_a_data_set_on_disk(tmp_path):
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_dict({"text": WIKITEXT}).to_parquet(tmp_path / "part.parquet")
    found = hub_text("parquet", None, "train", data_files=str(tmp_path / "part.parquet"))
    assert [document.name for document in found] == ["Robert Boulter", "Du Fu"]


def test_the_same_texts_make_the_same_pieces_with_the_same_ids():
    """Otherwise trained weights would belong to other pieces next time: the trainer has maps in another order in each run."""
    texts = [f"{first}{second}{third}" for first in "abcdefg" for second in "hijklmn" for third in "opqrstu"] * 2
    one, *others = (train_wordpieces(texts, 80).get_vocab() for _ in range(6))
    assert all(other == one for other in others)
