"""15-modern-attention."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "rms_norm",
    "SwiGLU",
    "rotary",
    "GroupedQueryAttention",
    "cache_bytes",
    "quantise_cache",
    "sliding_window",
    "window_step",
    "linear_attention",
    "delta_rule",
    "delta_chunk",
    "speculative_accept",
    "LoRALinear",
    "merge_lora",
    "mix_experts",
    "MixtureOfExperts",
    "balance_loss",
    "route_with_bias",
    "within_capacity",
    "LatentAttention",
    "absorbed_attention",
    "ModernBlock",
    "llama_name",
    "ModernDecoder",
)

#: The lesson is about what these do inside.
FORBIDDEN = (
    "torch.nn.functional.rms_norm",
    "torch.rms_norm",
    "torch.nn.RMSNorm",
    "torch.onnx.ops.rotary_embedding",
    "course_lib.layers.modern",
)

#: RMSNorm under other names: over a window as wide as twice the row, or of a row beside its negative, whose mean is 0.
FORBIDDEN_IN = {
    "rms_norm": (
        "torch.nn.functional.local_response_norm",
        "torch.nn.CrossMapLRN2d",
        "torch.nn.modules._functions.CrossMapLRN2d",
        "torch.nn.functional.layer_norm",
        "torch.layer_norm",
        "torch.native_layer_norm",
        "torch.nn.LayerNorm",
        "torch.nn.functional.group_norm",
        "torch.nn.functional.batch_norm",
        "torch.nn.functional.instance_norm",
        "torch.nn.GroupNorm",
        "course_lib.layers.LayerNorm",
    ),
}

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = (
    *("quantise_cache", "window_step", "delta_rule", "delta_chunk", "mix_experts", "MixtureOfExperts", "balance_loss"),
    *("route_with_bias", "within_capacity", "LatentAttention", "absorbed_attention"),
)

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "MixtureOfExperts": ("SwiGLU", "mix_experts"),
    "LatentAttention": ("rotary",),
    "ModernBlock": ("rms_norm", "SwiGLU", "rotary", "GroupedQueryAttention"),
    "ModernDecoder": ("rms_norm", "SwiGLU", "rotary", "GroupedQueryAttention", "ModernBlock", "llama_name"),
}

check = check_of(__name__)
