"""There is no causal mask: every word sees the words after it. Look at what forward passes on as
allowed, and at whether masked_fill changes a tensor or returns a new one."""


class CausalSelfAttention(SelfAttention):
    pass
