"""MovieLens' and MS MARCO's files, on small ones in the real formats."""

import pytest

from course_lib.data import movie_lens, tab_separated_triples

FILES = {
    "u.data": "196\t242\t3\t881250949\n186\t302\t3\t891717742\n196\t377\t1\t878887116\n",
    "ratings.dat": "196::242::3::881250949\n186::302::3::891717742\n196::377::1::878887116\n",
    "ratings.csv": "userId,movieId,rating,timestamp\n196,242,3.0,881250949\n186,302,3.0,891717742\n196,377,1.0,878887116\n",
}


@pytest.mark.parametrize("name", FILES)
def test_all_three_formats_hold_the_same(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    ratings = movie_lens(tmp_path / name)
    assert ratings.user_numbers.tolist() == [186, 196]
    assert ratings.item_numbers.tolist() == [242, 302, 377]
    assert ratings.users.tolist() == [0, 1, 1]
    assert ratings.items.tolist() == [1, 2, 0]  # by user, and then by time
    assert ratings.stars.tolist() == [3.0, 1.0, 3.0]
    assert ratings.times.tolist() == [891717742, 878887116, 881250949]
    assert [history.tolist() for history in ratings.histories()] == [[1], [2, 0]]
    assert [history.tolist() for history in ratings.histories(at_least=2)] == [[2, 0]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("other.txt", "1\t2\t3\t4\n", "Expected a file called u.data"),
        ("u.data", "1\t2\t3\n", "line 1 of .* to hold user, item, stars and time"),
        ("ratings.csv", "userId,movieId,rating,timestamp\n", "to hold ratings, got none"),
        ("ratings.dat", "1::2::three::4\n", "line 1"),
    ],
)
def test_invalid_files_are_errors(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        movie_lens(tmp_path / name)


def test_triples(tmp_path):
    path = tmp_path / "triples.train.small.tsv"
    path.write_text("what is a cat\tA cat purrs.\tA dog barks.\nwho\tshe\tit\n")
    triples = tab_separated_triples(path)
    assert triples[0] == (["what", "is", "a", "cat"], ["a", "cat", "purrs", "."], ["a", "dog", "barks", "."])
    assert len(triples) == 2
    assert tab_separated_triples(path, most=1) == triples[:1]


@pytest.mark.parametrize(("text", "message"), [("a\tb\n", "3 texts, got 2"), ("", "to hold triples, got none")])
def test_invalid_triples_are_errors(text, message, tmp_path):
    path = tmp_path / "triples.tsv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        tab_separated_triples(path)
