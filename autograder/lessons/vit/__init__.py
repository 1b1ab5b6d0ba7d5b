"""11-vit."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "patchify",
    "unpatchify",
    "PatchEmbedding",
    "VisionTransformer",
    "my_vit",
    "shuffle_patches",
    "attention_rollout",
    "interpolate_positions",
    "shifted_windows",
    "fold_layer_scale",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("interpolate_positions", "shifted_windows", "fold_layer_scale")

#: The model that this lesson builds of the layers of lessons 03 and 04, which it may use.
FORBIDDEN = ("course_lib.layers.vit",)

#: Files handed in beside the notebook.
HANDED_IN = ("vit.safetensors", "no_positions.safetensors", "results.json")

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "PatchEmbedding": ("patchify",),
    "VisionTransformer": ("patchify", "PatchEmbedding"),
    "my_vit": ("patchify", "PatchEmbedding", "VisionTransformer"),
    "shuffle_patches": ("patchify", "unpatchify", "PatchEmbedding", "VisionTransformer"),
    "shifted_windows": ("patchify",),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
