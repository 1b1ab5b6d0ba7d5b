"""The loaders of captioned photographs, on small files in the real format."""

import json
import pickle
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from course_lib.data import Vocabulary, coco_captions, hub_captions
from course_lib.data.hub import from_table
from course_lib.data.pictures import to_tensor

#: id, file name, width, height, mode; not in the order of the ids.
PICTURES = [
    (872, "000000000872.jpg", 31, 23, "RGB"),
    (139, "000000000139.jpg", 17, 41, "L"),
    (285, "000000000285.jpg", 29, 29, "CMYK"),
    (632, "000000000632.jpg", 13, 11, "RGB"),  # has no caption
]
SENTENCES = [
    (285, "A big burly grizzly bear is shown."),
    (139, "A woman stands in the dining area."),
    (872, "Two men; one ball!"),
    (139, "A room with chairs, a table, and a woman."),
]


def ramp(width: int, height: int) -> Image.Image:
    """A picture whose red grows to the right, whose green grows downwards and whose blue is a half."""
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    return Image.fromarray(np.stack((x, y, np.full_like(x, 128)), axis=-1).round().astype(np.uint8))


def annotations() -> dict:
    """What captions_val2017.json holds."""
    return {
        "info": {"description": "COCO 2017 Dataset", "version": "1.0", "year": 2017},
        "licenses": [{"url": "http://creativecommons.org/licenses/by/2.0/", "id": 4, "name": "Attribution License"}],
        "images": [
            {"license": 4, "file_name": name, "height": height, "width": width, "id": key}
            for key, name, width, height, _ in PICTURES
        ],
        "annotations": [
            {"image_id": picture, "id": 100 + number, "caption": sentence}
            for number, (picture, sentence) in enumerate(SENTENCES)
        ],
    }


@pytest.fixture
def coco(tmp_path: Path) -> tuple[Path, Path]:
    """The paths of the annotations and of the pictures."""
    folder = tmp_path / "val2017"
    folder.mkdir()
    for _, name, width, height, mode in PICTURES:
        ramp(width, height).convert(mode).save(folder / name, quality=95)
    file = tmp_path / "captions_val2017.json"
    file.write_text(json.dumps(annotations()), encoding="utf8")
    return file, folder


def test_captions_belong_to_their_pictures_in_the_order_of_the_ids(coco):
    pictures = coco_captions(*coco, size=7)
    assert len(pictures) == 3  # the one without a caption is left out
    assert pictures.captions == [
        [
            ["a", "woman", "stands", "in", "the", "dining", "area"],
            ["a", "room", "with", "chairs", "a", "table", "and", "a", "woman"],
        ],
        [["a", "big", "burly", "grizzly", "bear", "is", "shown"]],
        [["two", "men", "one", "ball"]],
    ]
    for index in range(3):
        image, captions = pictures[index]
        assert captions == pictures.captions[index]
        assert image.shape == (3, 7, 7)
        assert image.dtype == torch.float32
        assert image.min() >= 0
        assert image.max() <= 1


def test_a_colour_picture_keeps_its_colours(coco):
    image, _ = coco_captions(*coco, size=23)[2]  # 31 x 23: nothing to resize, four pixels cut off at both ends
    x = torch.linspace(0, 1, 31)[4:27]
    y = torch.linspace(0, 1, 23)
    assert (image[0] - x).abs().max() < 0.06  # JPEG
    assert (image[1] - y[:, None]).abs().max() < 0.06
    assert (image[2] - 0.5).abs().max() < 0.06


def test_a_grey_picture_has_three_equal_channels(coco):
    image, _ = coco_captions(*coco, size=11)[0]
    assert torch.equal(image[0], image[1])
    assert torch.equal(image[0], image[2])
    assert image[0, -1].mean() > image[0, 0].mean() + 0.2  # lighter downwards


@pytest.mark.parametrize(("width", "height"), [(31, 23), (23, 31), (29, 29), (1, 97), (500, 3)])
def test_pictures_of_any_shape_are_cut_in_their_middle(width, height):
    image = to_tensor(ramp(width, height), 13)
    assert image.shape == (3, 13, 13)
    for channel, side, other in ((0, width, height), (1, height, width)):
        if side > 1:  # the ramp's middle is in the middle, and as much of it is left as the shorter side is long
            axis = -2 if channel == 0 else -1
            profile = image[channel].mean(dim=axis)
            assert profile.mean().item() == pytest.approx(0.5, abs=0.01)
            seen = min(1.0, other / side)
            assert seen * 12 / 13 - 0.06 < (profile[-1] - profile[0]).item() < seen + 0.01


def test_a_vocabulary_is_made_without_opening_a_picture(coco):
    file, folder = coco
    for picture in folder.iterdir():
        picture.unlink()
    pictures = coco_captions(file, folder)
    vocabulary = Vocabulary.from_captions(caption for captions in pictures.captions for caption in captions)
    assert vocabulary.words[:2] == ("a", "woman")


def test_a_data_loader_takes_the_pictures(coco):
    loader = torch.utils.data.DataLoader(coco_captions(*coco, size=5), batch_size=2, collate_fn=list)
    assert [len(batch) for batch in loader] == [2, 1]
    copy = pickle.loads(pickle.dumps(coco_captions(*coco, size=5)))  # what a worker of a loader gets
    assert torch.equal(copy[1][0], coco_captions(*coco, size=5)[1][0])


def test_an_index_may_be_negative_but_not_too_large(coco):
    pictures = coco_captions(*coco, size=5)
    assert pictures[-1][1] == pictures.captions[2]
    for index in (3, -4):
        with pytest.raises(IndexError, match=f"below 3, the number of pictures, got {index}"):
            pictures[index]
    assert len(list(pictures)) == 3


def test_a_missing_file_or_folder_is_named(coco, tmp_path):
    file, folder = coco
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nothing.json.*captions_val2017.json"):
        coco_captions(tmp_path / "nothing.json", folder)
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*train2017"):
        coco_captions(file, tmp_path / "train2017")


def test_missing_and_broken_pictures_are_named_when_they_are_opened(coco):
    file, folder = coco
    whole = (folder / "000000000872.jpg").read_bytes()
    (folder / "000000000872.jpg").write_bytes(whole[: len(whole) // 2])
    (folder / "000000000285.jpg").write_text("<html>404</html>", encoding="utf8")
    (folder / "000000000139.jpg").unlink()
    pictures = coco_captions(file, folder, size=5)
    with pytest.raises(FileNotFoundError, match=r"000000000139.jpg. Do the pictures and the captions belong together"):
        pictures[0]
    for index, name in ((1, "000000000285.jpg"), (2, "000000000872.jpg")):
        with pytest.raises(OSError, match=rf"{name} cannot be read; it may be cut short"):
            pictures[index]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content["annotations"][0].pop("caption"), "KeyError: 'caption'.*instances or keypoints"),
        (lambda content: content.pop("images"), "KeyError: 'images'"),
        (lambda content: content.update(annotations=7), "TypeError"),
        (lambda content: content["annotations"].append({"image_id": 7, "caption": "x"}), "a caption for the picture 7"),
    ],
)
def test_a_file_in_another_format_is_an_error(coco, change, message):
    file, folder = coco
    content = annotations()
    change(content)
    file.write_text(json.dumps(content), encoding="utf8")
    with pytest.raises(ValueError, match=message):
        coco_captions(file, folder)


def test_a_file_that_is_no_json_is_an_error(coco):
    file, folder = coco
    file.write_text(file.read_text(encoding="utf8")[:100], encoding="utf8")
    with pytest.raises(ValueError, match=r"to hold COCO's captions.*JSONDecodeError"):
        coco_captions(file, folder)


@pytest.mark.parametrize("size", [0, -3])
def test_a_size_below_1_is_an_error(size):
    with pytest.raises(ValueError, match=f"at least 1 pixel, got {size}"):
        to_tensor(ramp(5, 7), size)


class Table(list):
    """Behaves like a datasets.Dataset of one split: rows by number, columns by name."""

    @property
    def column_names(self) -> list[str]:
        return list(self.row(0))

    def row(self, index: int) -> dict:
        return super().__getitem__(index)

    def __getitem__(self, key):
        return [self.row(index)[key] for index in range(len(self))] if isinstance(key, str) else self.row(key)


@pytest.fixture
def table() -> Table:
    return Table(
        [
            {"image": ramp(19, 23), "caption": "A dog.", "answer": ["A dog.", "One dog!"]},
            {"image": ramp(31, 29), "caption": "Two cats", "answer": ["Two cats"]},
        ]
    )


@pytest.mark.parametrize(
    ("column", "captions"),
    [
        ("caption", [[["a", "dog"]], [["two", "cats"]]]),
        ("answer", [[["a", "dog"], ["one", "dog"]], [["two", "cats"]]]),
    ],
)
def test_reads_split_and_columns_from_the_hub(monkeypatch, table, column, captions):
    asked = []

    def load_dataset(*arguments, **options):
        asked.append((arguments, options))
        return table

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    pictures = hub_captions("somebody/coco", "val", caption=column, size=7, revision="main")
    assert asked == [(("somebody/coco",), {"split": "val", "revision": "main"})]
    assert pictures.captions == captions
    assert torch.equal(pictures[1][0], to_tensor(ramp(31, 29), 7))


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'attention-course\[datasets\]'"):
        hub_captions("somebody/coco", "val")


def test_reports_mistakes_in_a_table(table):
    with pytest.raises(ValueError, match="There is no column 'captions'; the columns are image, caption, answer"):
        from_table(table, caption="captions")
    with pytest.raises(ValueError, match="There is no column 'picture'"):
        from_table(table, image="picture")
    with pytest.raises(ValueError, match="Expected one split of a data set, got dict"):
        from_table({"train": table})
    with pytest.raises(ValueError, match="Expected one split of a data set, got generator"):
        from_table(row for row in table)
    with pytest.raises(ValueError, match="column 'image' to hold strings or lists of strings"):
        from_table(table, caption="image")
    with pytest.raises(ValueError, match=r"column 'answer' to hold pictures.*cast_column"):
        from_table(table, image="answer")[0]


def test_a_real_table_of_datasets_is_read(coco):
    """Needs the extra `datasets`; no network."""
    datasets = pytest.importorskip("datasets")
    _, folder = coco
    content = {"image": [str(folder / name) for _, name, *_ in PICTURES[:2]], "caption": ["A ball.", "Chairs"]}
    real = datasets.Dataset.from_dict(content).cast_column("image", datasets.Image())
    pictures = from_table(real, size=7)
    assert pictures.captions == [[["a", "ball"]], [["chairs"]]]
    for index, (_, name, *_) in enumerate(PICTURES[:2]):
        assert torch.equal(pictures[index][0], to_tensor(Image.open(folder / name), 7))
