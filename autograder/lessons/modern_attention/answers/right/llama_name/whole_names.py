"""All names of a block are written out."""
def llama_name(name):
    words = name.split(".")
    n = words[2] if len(words) > 2 else ""
    theirs, ours = f"model.layers.{n}.", f"blocks.{n}."
    table = {
        "model.embed_tokens.weight": "embedding.weight",
        "model.norm.weight": "gamma",
        theirs + "input_layernorm.weight": ours + "gamma_1",
        theirs + "post_attention_layernorm.weight": ours + "gamma_2",
        theirs + "self_attn.q_proj.weight": ours + "attention.W_Q.weight",
        theirs + "self_attn.k_proj.weight": ours + "attention.W_K.weight",
        theirs + "self_attn.v_proj.weight": ours + "attention.W_V.weight",
        theirs + "self_attn.o_proj.weight": ours + "attention.W_O.weight",
        theirs + "self_attn.q_proj.bias": ours + "attention.W_Q.bias",
        theirs + "self_attn.k_proj.bias": ours + "attention.W_K.bias",
        theirs + "self_attn.v_proj.bias": ours + "attention.W_V.bias",
        theirs + "mlp.gate_proj.weight": ours + "feed_forward.W_gate.weight",
        theirs + "mlp.up_proj.weight": ours + "feed_forward.W_up.weight",
        theirs + "mlp.down_proj.weight": ours + "feed_forward.W_down.weight",
    }
    return table.get(name)
