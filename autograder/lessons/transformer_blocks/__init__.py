"""03-transformer-blocks."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "LayerNorm",
    "FeedForward",
    "sinusoidal_positions",
    "LearnedPositions",
    "EncoderBlock",
    "DecoderBlock",
)

#: The lesson is about what these do inside.
FORBIDDEN = (
    "torch.nn.functional.layer_norm",
    "torch.layer_norm",
    "torch.native_layer_norm",
    "torch.nn.LayerNorm",
    # LayerNorm under other names: one group of all columns, or every row as a channel or as the batch.
    "torch.nn.functional.group_norm",
    "torch.nn.functional.batch_norm",
    "torch.nn.functional.instance_norm",
    "torch.nn.functional.rms_norm",
    "torch.nn.functional.local_response_norm",
    "torch.nn.CrossMapLRN2d",
    "torch.nn.modules._functions.CrossMapLRN2d",
    "torch.nn.GroupNorm",
    "torch.nn.RMSNorm",
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerEncoder",
    "torch.nn.TransformerDecoderLayer",
    "torch.nn.TransformerDecoder",
    "torch.nn.Transformer",
    "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward",
    "course_lib.layers.LayerNorm",
    "course_lib.layers.FeedForward",
    "course_lib.layers.sinusoidal_positions",
    "course_lib.layers.LearnedPositions",
    "course_lib.layers.EncoderBlock",
    "course_lib.layers.DecoderBlock",
    "course_lib.layers.Encoder",
    "course_lib.layers.Decoder",
    "course_lib.layers.Transformer",
    "course_lib.layers.bert.TokenEncoder",
    "course_lib.layers.gpt.LanguageModel",
    "course_lib.layers.vit.VisionTransformer",
)

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "EncoderBlock": ("LayerNorm", "FeedForward"),
    "DecoderBlock": ("LayerNorm", "FeedForward", "EncoderBlock"),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
