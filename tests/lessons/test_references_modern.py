"""The references of lesson 15 against PyTorch's own functions and against definitions written out, in float64."""

import math

import pytest
import torch
import torch.nn.functional as F
from transformers import DeepseekV3Config, LlamaConfig, LlamaForCausalLM
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3TopkRouter
from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func

from autograder.checks.inputs import Draw
from autograder.lessons.modern_attention import references as right
from course_lib.layers import SpyExperts

CLOSE = {"rtol": 1e-10, "atol": 1e-10}


@pytest.fixture
def draw():
    return Draw(5, "references of lesson 15")


def test_rms_norm_is_that_of_pytorch(draw):
    X, gamma = draw.normal(3, 11), draw.normal(11)
    torch.testing.assert_close(right.rms_norm(X, gamma, 0.1), F.rms_norm(X, (11,), gamma, 0.1), **CLOSE)


def test_rms_norm_of_half_precision_is_computed_in_float32(draw):
    X = (300 * draw.normal(3, 11)).half()
    Y = right.rms_norm(X, torch.ones(11, dtype=torch.float16))
    assert Y.dtype == torch.float16
    torch.testing.assert_close(Y.double(), F.rms_norm(X.double(), (11,), None, 1e-6), rtol=1e-3, atol=1e-3)


def test_swiglu_has_the_parameters_of_the_layer_that_it_replaces(draw):
    layer = right.SwiGLU(24).double()
    assert sum(parameter.numel() for parameter in layer.parameters()) == 2 * 24 * 4 * 24
    X = draw.normal(5, 24)
    gate, up = X @ layer.W_gate.weight.mT, X @ layer.W_up.weight.mT
    torch.testing.assert_close(layer(X), (gate * up / (1 + torch.exp(-gate))) @ layer.W_down.weight.mT, **CLOSE)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rotary_scores_depend_on_the_distance_only(draw, layout):
    q, k = draw.normal(1, 10), draw.normal(1, 10)

    def score(m, n):
        return (
            right.rotary(q, torch.tensor([m]), layout=layout) * right.rotary(k, torch.tensor([n]), layout=layout)
        ).sum()

    assert math.isclose(score(2, 9), score(1002, 1009), abs_tol=1e-9)
    assert abs(score(2, 9) - score(2, 8)) > 1e-6


def test_the_layouts_of_rotary_differ_by_the_order_of_the_columns(draw):
    X, order = draw.normal(7, 10), torch.tensor([0, 2, 4, 6, 8, 1, 3, 5, 7, 9])
    positions = torch.arange(50, 57)
    pairs = right.rotary(X, positions, layout="interleaved")
    torch.testing.assert_close(right.rotary(X[:, order], positions), pairs[:, order], **CLOSE)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_grouped_query_attention_is_that_of_pytorch(draw, groups):
    layer = right.GroupedQueryAttention(30, 6, groups).double()
    X = draw.normal(2, 7, 30)
    Y, (K, V) = layer(X)
    Q = layer.W_Q(X).view(2, 7, 6, 5).transpose(1, 2)
    want = F.scaled_dot_product_attention(Q, K, V, is_causal=True, enable_gqa=True)
    torch.testing.assert_close(Y, layer.W_O(want.transpose(1, 2).reshape(2, 7, 30)), **CLOSE)
    assert K.shape == (2, groups, 7, 5)


def test_cache_bytes_are_those_of_the_cache():
    K, V = right.GroupedQueryAttention(30, 6, 2)(torch.zeros(1, 7, 30))[1]
    assert right.cache_bytes(7, 1, 2, 5, bytes_per_number=4) == K.nbytes + V.nbytes
    assert right.cache_bytes(32_768, 32, 8, 128) == 2**32
    assert right.cache_bytes(9, 3, 1, 1, 1, window=4, window_layers=2) == 2 * (9 + 4 + 4)


@pytest.mark.parametrize("bits", [8, 4])
def test_a_quantised_cache_comes_back_to_within_half_a_step(draw, bits):
    K, V = 3 * draw.normal(2, 7, 10) + 5, draw.normal(2, 7, 6)
    for kept, X, dim in zip(right.quantise_cache(K, V, bits), (K, V), (1, 2), strict=True):
        codes, low, step = kept
        assert codes.dtype == torch.uint8
        assert codes.shape[-1] == X.shape[-1] * bits // 8
        high = low + (2**bits - 1) * step
        torch.testing.assert_close(low, X.amin(dim, keepdim=True), **CLOSE)
        torch.testing.assert_close(high, X.amax(dim, keepdim=True), **CLOSE)
        assert bool(((right.restored(kept, bits) - X).abs() <= step / 2 + 1e-12).all())


def test_two_codes_of_four_bits_make_a_byte():
    numbers = torch.arange(16.0).expand(2, 16)
    _, (codes, low, step) = right.quantise_cache(numbers, numbers, 4)
    assert codes[0].tolist() == [0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE]
    assert float(low[0]) == 0
    assert float(step[0]) == 1


@pytest.mark.parametrize(("window", "sinks"), [(1, 0), (3, 0), (3, 2), (20, 1)])
def test_sliding_window_is_its_definition(window, sinks):
    for N_Q, N_K in [(1, 7), (3, 7), (7, 7)]:
        allowed = right.sliding_window(N_Q, N_K, window, sinks)
        for i in range(N_Q):
            p = i + N_K - N_Q
            assert allowed[i].tolist() == [j <= p and (j > p - window or j < sinks) for j in range(N_K)]


@pytest.mark.parametrize(("slots", "sinks"), [(5, 0), (5, 2), (3, 2)])
@pytest.mark.parametrize("pieces", [1, 2, 7, 50])
def test_a_ring_gives_the_numbers_of_the_mask(draw, slots, sinks, pieces):
    Q, K, V = draw.normal(2, 50, 5), draw.normal(2, 50, 5), draw.normal(2, 50, 3)
    ring = (
        torch.full((2, slots, 5), math.nan, dtype=torch.float64),
        torch.full((2, slots, 3), math.nan, dtype=torch.float64),
    )
    rows, seen = [], 0
    for part in zip(Q.split(pieces, 1), K.split(pieces, 1), V.split(pieces, 1), strict=True):
        rows.append(right.window_step(*part, ring, seen, sinks))
        seen += part[0].shape[1]
    want = F.scaled_dot_product_attention(Q, K, V, attn_mask=right.sliding_window(50, 50, slots - sinks, sinks))
    torch.testing.assert_close(torch.cat(rows, 1), want, **CLOSE)
    last = {p: (p if p < sinks else sinks + (p - sinks) % (slots - sinks)) for p in range(50)}
    for p in [*range(sinks), *range(50 - slots + sinks, 50)]:
        torch.testing.assert_close(ring[0][:, last[p]], K[:, p], **CLOSE)
        torch.testing.assert_close(ring[1][:, last[p]], V[:, p], **CLOSE)


@pytest.mark.parametrize("pieces", [1, 3, 7])
def test_linear_attention_is_a_weighted_mean_in_every_chunking(draw, pieces):
    Q, K, V = draw.normal(2, 7, 5), draw.normal(2, 7, 5), draw.normal(2, 7, 3)
    weights = ((F.elu(Q) + 1) @ (F.elu(K) + 1).mT).tril()
    state, rows = None, []
    for part in zip(Q.split(pieces, 1), K.split(pieces, 1), V.split(pieces, 1), strict=True):
        Y, state = right.linear_attention(*part, state)
        rows.append(Y)
    torch.testing.assert_close(torch.cat(rows, 1), weights / weights.sum(-1, keepdim=True) @ V, **CLOSE)


@pytest.mark.parametrize("pieces", [1, 3, 7])
def test_delta_rule_is_a_triangular_system_in_every_chunking(draw, pieces):
    Q, K, V, beta = draw.normal(2, 7, 5), draw.normal(2, 7, 5) / 2, draw.normal(2, 7, 3), draw.normal(2, 7).sigmoid()
    system = torch.eye(7) + (beta[..., None] * K @ K.mT).tril(-1)
    U = torch.linalg.solve(system, beta[..., None] * V)
    state, rows = None, []
    for part in zip(Q.split(pieces, 1), K.split(pieces, 1), V.split(pieces, 1), beta.split(pieces, 1), strict=True):
        Y, state = right.delta_rule(*part, state)
        rows.append(Y)
    torch.testing.assert_close(torch.cat(rows, 1), (Q @ K.mT).tril() @ U, **CLOSE)
    torch.testing.assert_close(state, K.mT @ U, **CLOSE)
    for value, want in zip(
        right.delta_chunk(Q, K, V, beta, K.mT @ U), right.delta_rule(Q, K, V, beta, state), strict=True
    ):
        torch.testing.assert_close(value, want, **CLOSE)


def test_speculative_accept_keeps_the_target_distribution():
    p, q = torch.tensor([2, 3, 1, 2]) / 8, torch.tensor([0, 4, 3, 1]) / 8
    tokens = torch.zeros(4)
    for drafted, cells in ((1, 4), (2, 3), (3, 1)):
        for a in range(cells):
            for fix in range(3):
                token, _ = right.speculative_accept(p, q, drafted, (a + 0.5) / cells, (fix + 0.5) / 3)
                tokens[token] += q[drafted] / cells / 3
    torch.testing.assert_close(tokens, p)


def test_a_merged_adapter_computes_what_it_did_unmerged(draw):
    layer = right.LoRALinear(5, 3, 2, 7.0).double()
    X = draw.normal(4, 5)
    torch.testing.assert_close(layer(X), layer.W(X), **CLOSE)
    with torch.no_grad():
        layer.B.copy_(draw.normal(3, 2))
    torch.testing.assert_close(layer(X), X @ right.merge_lora(layer.W.weight, layer.A, layer.B, 7.0).mT, **CLOSE)
    assert [name for name, parameter in layer.named_parameters() if parameter.requires_grad] == ["A", "B"]


@pytest.fixture(scope="module")
def llama():
    """A random Llama of transformers, in float64, and its configuration in the course's form."""
    sizes = {
        "vocab_size": 37,
        "hidden_size": 36,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "num_hidden_layers": 3,
        "intermediate_size": 22,
        "rms_norm_eps": 0.1,
    }
    torch.manual_seed(0)
    rotary = {"rope_type": "default", "rope_theta": 30.0}
    model = LlamaForCausalLM(LlamaConfig(**sizes, rope_parameters=rotary, tie_word_embeddings=True)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 1.0 if parameter.dim() == 1 else 0.0, 0.3)
    return model.double(), sizes | {"rope_theta": 30.0}


@torch.no_grad()
def test_modern_decoder_is_the_llama_of_transformers_at_every_depth(llama):
    theirs, config = llama
    ids = torch.randint(37, (2, 11), generator=torch.Generator().manual_seed(3))
    hidden = theirs(ids, output_hidden_states=True).hidden_states
    decoder = right.ModernDecoder(theirs.state_dict(), config).double()
    by_depth = right.logits_by_depth(theirs.state_dict(), config, ids)
    single = {"rtol": 1e-5, "atol": 1e-5}  # the decoder loads in float32, and transformers turns in float32
    for depth, states in enumerate(hidden[:-1]):
        torch.testing.assert_close(by_depth[depth], theirs.lm_head(theirs.model.norm(states)), **single)
    torch.testing.assert_close(by_depth[-1], theirs(ids).logits, **single)
    torch.testing.assert_close(decoder(ids)[0], theirs(ids).logits, **single)


@torch.no_grad()
def test_both_layouts_give_the_same(llama):
    theirs, config = llama
    ids = torch.randint(37, (2, 11), generator=torch.Generator().manual_seed(3))
    mixed = {name: tensor.clone() for name, tensor in theirs.state_dict().items()}
    for part, heads in (("q", 6), ("k", 2)):
        for name in [name for name in mixed if f".{part}_proj." in name]:
            mixed[name] = mixed[name].unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)
    wanted, _ = right.ModernDecoder(theirs.state_dict(), config)(ids)
    torch.testing.assert_close(right.ModernDecoder(mixed, config, "interleaved")(ids)[0], wanted)
    assert not torch.allclose(right.ModernDecoder(mixed, config)(ids)[0], wanted, atol=0.1)
    back = right.in_half_layout(mixed, config, "interleaved")
    assert all(torch.equal(back[name], tensor) for name, tensor in theirs.state_dict().items())


def test_the_names_fit_the_decoder(llama):
    theirs, config = llama
    names = {right.llama_name(name) for name in theirs.state_dict()} - {None}
    assert names == {name for name, _ in right.ModernDecoder(theirs.state_dict(), config).named_parameters()}


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_mixture_is_its_definition(draw, k):
    X, logits, weights = draw.normal(11, 7), draw.normal(11, 5), draw.normal(5, 7, 7)
    experts = SpyExperts(weights)
    Y = right.mix_experts(X, logits, experts, k)
    top = logits.topk(k)
    for x, y, numbers, chosen in zip(X, Y, top.values, top.indices, strict=True):
        parts = [torch.tanh(x @ weights[number]) for number in chosen]
        want = sum(p * part for p, part in zip(numbers.softmax(0), parts, strict=True))
        torch.testing.assert_close(y, want, **CLOSE)
    assert sum(map(len, experts.seen)) == 11 * k


def test_experts_refuse_what_they_cannot_compute(draw):
    experts = SpyExperts(draw.normal(5, 7, 7))
    for number, width in ((5, 7), (-1, 7), (0, 6)):
        with pytest.raises(ValueError, match="Expected"):
            experts(number, draw.normal(2, width))


def test_a_mixture_of_all_is_the_dense_sum(draw):
    layer = right.MixtureOfExperts(7, 3, 3, 11).double()
    X = draw.normal(2, 5, 7)
    Y, logits = layer(X)
    dense = torch.stack([expert(X) for expert in layer.experts], -1)
    torch.testing.assert_close(Y, (dense * logits.softmax(-1)[..., None, :]).sum(-1), **CLOSE)


def test_the_balance_loss_is_that_of_hugging_face(draw):
    logits = draw.normal(11, 5, dtype=torch.float32)
    for k in (1, 2, 3):
        theirs = load_balancing_loss_func((logits,), 5, k)  # k times as large
        torch.testing.assert_close(right.balance_loss(logits, k) * k, theirs, rtol=1e-5, atol=1e-5)


def test_routing_with_a_bias_is_that_of_hugging_face(draw):
    sizes = {"hidden_size": 9, "n_routed_experts": 8, "num_experts_per_tok": 3, "n_group": 1, "topk_group": 1}
    router = DeepseekV3TopkRouter(DeepseekV3Config(**sizes, routed_scaling_factor=1.0))
    X, bias = draw.normal(11, 9, dtype=torch.float32), draw.normal(8, scale=0.3, dtype=torch.float32)
    with torch.no_grad():
        router.weight.copy_(draw.normal(8, 9))
        router.e_score_correction_bias.copy_(bias)
        _, weights, chosen = router(X)
    logits = X @ router.weight.detach().mT
    own_weights, own_chosen = right.route_with_bias(logits, bias, 3)
    zeros = torch.zeros(11, 8)
    torch.testing.assert_close(zeros.scatter(1, own_chosen, own_weights), zeros.scatter(1, chosen, weights))


def test_no_expert_has_more_than_its_capacity_and_none_drops_before_it_is_full(draw):
    chosen = torch.rand(23, 5, generator=draw.generator).topk(2).indices
    for capacity in (1, 4, 9, 23):
        kept = right.within_capacity(chosen, 5, capacity)
        asked = torch.stack([(chosen == e).sum() for e in range(5)])
        taken = torch.stack([(kept & (chosen == e)).sum() for e in range(5)])
        assert taken.tolist() == asked.clamp(max=capacity).tolist()


def test_latent_attention_is_attention_to_joined_keys(draw):
    layer = right.LatentAttention(17, 3, 5, 4, 11, 100.0).double()
    X = draw.normal(2, 7, 17)
    Y, (C, R) = layer(X)
    angles = torch.arange(7.0).double().outer(100.0 ** -torch.tensor([0.0, 0.5]).double())
    turns = torch.polar(torch.ones_like(angles), angles)

    def turn(rows):
        turned = torch.complex(*rows.chunk(2, -1)) * turns
        return torch.cat([turned.real, turned.imag], -1)

    torch.testing.assert_close(C, layer.W_C(X), **CLOSE)
    torch.testing.assert_close(R, turn(layer.W_R(X)), **CLOSE)
    Q = layer.W_Q(X).view(2, 7, 3, 9).transpose(1, 2)
    K, V = (W(C).view(2, 7, 3, 5).transpose(1, 2) for W in (layer.W_UK, layer.W_UV))
    keys = torch.cat([K, R[:, None].expand(-1, 3, -1, -1)], -1)
    want = F.scaled_dot_product_attention(torch.cat([Q[..., :5], turn(Q[..., 5:])], -1), keys, V, is_causal=True)
    torch.testing.assert_close(Y, layer.W_O(want.transpose(1, 2).reshape(2, 7, 15)), **CLOSE)


@pytest.mark.parametrize("N", [1, 3, 7])
def test_absorbed_attention_is_the_naive_one(draw, N):
    Q, Q_R, C, R = draw.normal(2, 3, N, 5), draw.normal(2, 3, N, 4), draw.normal(2, 7, 11), draw.normal(2, 7, 4)
    W_UK, W_UV = draw.normal(15, 11), draw.normal(15, 11)
    K, V = ((C @ W.mT).view(2, 7, 3, 5).transpose(1, 2) for W in (W_UK, W_UV))
    keys = torch.cat([K, R[:, None].expand(-1, 3, -1, -1)], -1)
    allowed = torch.ones(N, 7, dtype=torch.bool).tril(7 - N)
    want = F.scaled_dot_product_attention(torch.cat([Q, Q_R], -1), keys, V, attn_mask=allowed)
    torch.testing.assert_close(right.absorbed_attention(Q, Q_R, C, R, W_UK, W_UV), want, **CLOSE)
