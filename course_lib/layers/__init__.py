"""Ready-made layers, as built in the lessons: a later lesson imports the layers of earlier ones from here.

Attention layers return their weights beside their output, and store none; need_weights=False leaves them out and is faster.
"""

from course_lib.layers.attention import attention_weights, scaled_dot_product_attention
from course_lib.layers.blocks import DecoderBlock, EncoderBlock
from course_lib.layers.config import TransformerConfig
from course_lib.layers.feed_forward import FeedForward
from course_lib.layers.heads import merge_heads, split_heads
from course_lib.layers.initialisation import small_start
from course_lib.layers.masks import causal_mask, padding_mask
from course_lib.layers.models import make_model
from course_lib.layers.modern import ModernConfig, ModernDecoder, load_modern
from course_lib.layers.multi_head import MultiHeadAttention
from course_lib.layers.norm import LayerNorm
from course_lib.layers.positions import LearnedPositions, sinusoidal_positions
from course_lib.layers.spy_experts import SpyExperts
from course_lib.layers.stacks import Decoder, Encoder
from course_lib.layers.table_decoder import TableDecoder
from course_lib.layers.transformer import Transformer

__all__ = [
    "Decoder",
    "DecoderBlock",
    "Encoder",
    "EncoderBlock",
    "FeedForward",
    "LayerNorm",
    "LearnedPositions",
    "ModernConfig",
    "ModernDecoder",
    "MultiHeadAttention",
    "SpyExperts",
    "TableDecoder",
    "Transformer",
    "TransformerConfig",
    "attention_weights",
    "causal_mask",
    "load_modern",
    "make_model",
    "merge_heads",
    "padding_mask",
    "scaled_dot_product_attention",
    "sinusoidal_positions",
    "small_start",
    "split_heads",
]
