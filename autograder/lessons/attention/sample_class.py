"""The class of ``autograder demo``."""

from autograder.content.known_answers import Pupil

SDPA = "scaled_dot_product_attention"
CLASS = (
    Pupil("ada", "the solution as it is"),
    Pupil("alan", "einsum throughout", {"attend": "right/einsum", SDPA: "right/einsum"}),
    Pupil(
        "barbara",
        "loops where speed is not asked",
        {"attend": "right/loop_over_inputs", SDPA: "right/loop_over_queries"},
    ),
    Pupil(
        "claude",
        "warnings and prints in right answers",
        {
            "softmax": "right/warns_and_prints",
            SDPA: "right/warns_and_prints",
            "SelfAttention": "right/warns_and_prints",
        },
    ),
    Pupil(
        "dorothy",
        "lists, named tuples, other masks",
        {SDPA: "right/named_tuple", "SelfAttention": "right/list_returned", "causal_mask": "right/arange_comparison"},
    ),
    Pupil("edsger", "composition instead of inheritance", {"CausalSelfAttention": "right/composed"}),
    Pupil("frances", "bmm, baddbmm, log-sum-exp", {"softmax": "right/logsumexp", SDPA: "right/baddbmm_with_finfo_min"}),
    Pupil("grace", "no maximum subtracted", {"softmax": "wrong/no_maximum_subtracted"}, {"softmax": 2}),
    Pupil("hedy", "dim ignored", {"softmax": "wrong/last_dimension_always"}, {"softmax": 1}),
    Pupil("ivan", "similarities not scaled", {SDPA: "wrong/no_scaling"}, {SDPA: 11}),
    Pupil("john", "softmax over the queries", {SDPA: "wrong/softmax_over_queries"}, {SDPA: 12}),
    Pupil("katherine", "mask after the softmax", {SDPA: "wrong/mask_after_softmax"}, {SDPA: 7}),
    Pupil(
        "leslie", "W_Q used for the keys too", {"SelfAttention": "wrong/query_weights_for_keys"}, {"SelfAttention": 6}
    ),
    Pupil("margaret", "the mask's triangle off by one", {"causal_mask": "wrong/one_place_ahead"}, {"causal_mask": 4}),
    Pupil("niklaus", "looks ahead", {"CausalSelfAttention": "wrong/no_mask"}, {"CausalSelfAttention": 7}),
    Pupil(
        "ole",
        "the accumulator is not rescaled",
        {"blockwise_attention": "wrong/accumulator_not_rescaled"},
        {"blockwise_attention": 20},
    ),
    Pupil("peter", "the release, untouched", kind="release"),
    Pupil("radia", "a syntax error in one cell", lost={"causal_mask": 5}, kind="syntax error"),
    Pupil("sophie", "no notebook in the folder", kind="missing"),
    Pupil("tim", "a file that is no notebook", kind="corrupt"),
)
