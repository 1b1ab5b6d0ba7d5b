"""How PyTorch's operators that implement a forbidden function are called."""

#: Substrings of the names of the PyTorch operators that implement a forbidden function under a name other than its own.
OPERATORS = {
    "torch.nn.functional.scaled_dot_product_attention": (
        "scaled_dot_product",
        "flash_attention",
        "efficient_attention",
        "cudnn_attention",
        "triton_scaled_dot",
        "math_attention",
        "sdpa_dense",
    ),
    "torch.nn.attention.flex_attention.flex_attention": ("flex_attention",),
    "torch.nn.MultiheadAttention": (
        "multi_head_attention",
        "transformer_encoder_layer_fwd",
        "transform_bias_rescale_qkv",
    ),
    "torch.nn.functional.layer_norm": ("layer_norm",),
    "torch.nn.functional.group_norm": ("group_norm",),
    "torch.nn.functional.batch_norm": ("batch_norm",),
    "torch.nn.functional.instance_norm": ("instance_norm",),
    "torch.nn.functional.rms_norm": ("rms_norm",),
    "torch.nn.functional.softmax": ("softmax",),  # of the logarithm, of sparse and of masked tensors, and the safe one
    "torch.nn.functional.cross_entropy": ("cross_entropy_loss",),
}

#: The same in Python, elsewhere in PyTorch: functions, classes, or whole modules.
COPIES = {
    "torch.nn.functional.scaled_dot_product_attention": (
        "torch.onnx.ops._impl.attention_23",
        "torch._inductor.fx_passes.fuse_attention",
    ),
    "torch.nn.MultiheadAttention": (
        "torch.ao.nn.quantizable.modules.activation.MultiheadAttention",
        "torch.onnx.ops._impl.attention_23",
    ),
    "torch.nn.functional.softmax": (
        "torch.distributions.transforms.SoftmaxTransform",
        "torch.nn.modules.linear_cross_entropy",  # its gradients hold one
    ),
    "torch.nn.functional.cross_entropy": (
        "torch.nn.functional.linear_cross_entropy",
        "torch.nn.modules.linear_cross_entropy",
    ),
}
