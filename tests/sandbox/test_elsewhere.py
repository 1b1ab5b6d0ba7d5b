"""What a lesson forbids is out of reach below PyTorch's dispatcher, beside it and in other libraries; all else still works."""

import re
from pathlib import Path

import pytest
import torch
from known import LESSONS

from autograder.sandbox.limits import Limits
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

ATTENTION = LESSONS.of("01-attention").forbidden
SOFTMAX = LESSONS.of("01-attention").forbidden_in("softmax")
LAYER_NORM = LESSONS.of("03-transformer-blocks").forbidden
HEADS = LESSONS.of("02-multi-head-attention").forbidden
LOSS = LESSONS.of("05-translation").forbidden_in("smoothed_loss")

START = (
    """
import importlib, math, warnings
import torch
from torch import nn
warnings.simplefilter("ignore")
x, w, NONE = torch.randn(4, 8), torch.ones(8), torch.zeros(4).long()
GRAPH = """
    + "'''"
    + """graph(%x : Tensor, %w : Tensor):
  %n : int = prim::Constant[value=8]()
  %s : int[] = prim::ListConstruct(%n)
  %e : float = prim::Constant[value=1e-05]()
  %f : bool = prim::Constant[value=0]()
  %y : Tensor = aten::layer_norm(%x, %s, %w, %w, %e, %f)
  return (%y)"""
    + "'''"
    + """
def below(name, *args):
    with torch._C.DisableTorchFunction():
        return getattr(torch._C._VariableFunctions, name)(*args)
"""
)
WAYS = [
    (SOFTMAX, "below('_softmax', x.to_mkldnn(), -1, False).to_dense()"),
    (SOFTMAX, "below('_softmax', torch.nested.nested_tensor([x]), -1, False)"),
    (SOFTMAX, "torch.ops.aten._sparse_softmax.default(x.to_sparse(), -1, False)"),
    (SOFTMAX, "torch.distributions.transforms.SoftmaxTransform()(x)"),
    (SOFTMAX, "importlib.import_module('torch._C._te').TensorExprKernel"),
    (LAYER_NORM, "torch._C._jit_to_static_module(torch._C.parse_ir(GRAPH))(x, w)"),
    (LAYER_NORM, "torch.jit.enable_onednn_fusion(True)"),
    (LAYER_NORM, "torch._C._jit_pass_decompose_ops(torch.jit.script(nn.LayerNorm(8)).graph)"),
    (LAYER_NORM, "below('native_layer_norm', torch.nested.nested_tensor([x]), [8], w, w, 1e-5)"),
    (
        LAYER_NORM,
        "below('native_batch_norm', x[None, ..., None].to_mkldnn(), w[:4], w[:4], None, None, True, 0.0, 1e-5)",
    ),
    (HEADS, "importlib.import_module('torch.ao.nn.quantizable').MultiheadAttention(8, 2)(*[x[None]] * 3)"),
    (HEADS, "importlib.import_module('torch.onnx.ops').attention(*[x[None, None]] * 3, qk_matmul_output_mode=3)"),
    (
        ATTENTION,
        "importlib.import_module('torch._inductor.fx_passes.fuse_attention')._sfdp_pattern_1",
    ),
    (ATTENTION, "torch.vmap(torch.ops.aten._scaled_dot_product_attention_math)(*[x[None, None]] * 3)"),
    (LAYER_NORM, "torch.vmap(lambda row: torch.ops.aten.rms_norm(row, [8], w, 1e-5))(x)"),
    (
        LOSS,
        "torch.vmap(lambda y, to: torch.ops.aten.cross_entropy_loss(y, to, None, 1, -100, 0.1))(x[None], NONE[None])",
    ),
    (LAYER_NORM, "nn.functional.local_response_norm(x[..., None], 15)"),
    (HEADS, "torch._transform_bias_rescale_qkv(torch.randn(1, 4, 24), torch.zeros(24), 2)"),
    (SOFTMAX, "importlib.import_module('torch._inductor.inductor_prims').eager_prepare_softmax(x, -1)"),
    (
        ATTENTION,
        "importlib.import_module('torch.nn.attention.bias').causal_lower_right(2, 3)",
    ),
    *[
        (forbid, "nn.functional.linear_cross_entropy(x, torch.eye(8), NONE, options=nn.LinearCrossEntropyOptions())")
        for forbid in (LOSS, SOFTMAX)
        if hasattr(torch.nn.functional, "linear_cross_entropy")  # not in every version
    ],
    (LOSS, "torch._C._nn.cross_entropy_loss(x, NONE, None, 1, -100, 0.1)"),
    (LOSS, "torch.ops.aten.cross_entropy_loss(x, NONE, None, 1, -100, 0.1)"),
]
#: What stands in these is gone in every lesson.
EVERYWHERE = ("GRAPH", "onednn", "_te", "decompose")
REFUSED = ("CheckFailure", "NotAvailableHere", "ImportError", "ModuleNotFoundError", "AttributeError", "OSError")


@pytest.fixture(scope="module")
def tried():
    """Return a function that runs a cell where these functions are forbidden, and returns its error."""
    opened = {}
    with Sandbox(Limits(processes=20), threads=1) as box:

        def error_of(forbid, cell):
            if forbid not in opened:
                opened[forbid] = Session(box, forbid)
                assert opened[forbid].run_cell(START).error is None
            return opened[forbid].run_cell(cell).error

        yield error_of
        for session in opened.values():
            session.close()


@pytest.mark.parametrize(("forbid", "way"), WAYS, ids=[way[:70] for _, way in WAYS])
def test_other_ways_to_a_forbidden_function_are_refused(tried, forbid, way):
    error = tried(forbid, way)
    assert error, "it is not refused"
    assert error[0] in REFUSED
    if not any(word in way for word in EVERYWHERE):
        assert tried((), way) is None, "it works nowhere: this shows nothing"


ALLOWED = [
    "torch.jit.script(nn.Sequential(nn.Linear(8, 3), nn.GELU()))(x)",
    "torch.jit.freeze(torch.jit.trace(nn.Linear(8, 3).eval(), x))(x)",
    "torch.func.vmap(lambda row: row.sum())(x)",
    "import scipy.special, scipy.stats\nscipy.special.logsumexp(x.numpy())",
    "from sklearn.decomposition import PCA\nPCA(2).fit_transform(x.numpy())",
    "torch.func.jvp(lambda row: row.sin() * 2, (x,), (x,))",
    "torch.func.jacfwd(torch.tanh)(x[0])",
    "torch.testing.assert_close(x, x.clone())",
    "torch.autograd.gradcheck(lambda y: y.tanh(), x.double().requires_grad_())",
    "torch.nested.nested_tensor([x, x[:2]]).to_padded_tensor(0.0)",
    "torch.masked.masked_tensor(x, x > 0).sum()",
    "torch.ones(3, 3, device='meta').tril()",
    "torch.vmap(torch.outer)(x, x)",
]


@pytest.mark.parametrize("cell", ALLOWED)
def test_allowed_functions_still_work(tried, cell):
    assert tried(SOFTMAX, cell) is None
    assert tried(LAYER_NORM, cell) is None


TELLING = re.compile(
    r"^(?:def|class) (\w*(?:attention|softmax|(?:layer|group|batch|instance|rms)_?norm|cross_?entropy|sfdp_pattern)\w*)",
    re.IGNORECASE | re.MULTILINE,
)
#: Where PyTorch defines something with such a name in Python, and why that is no way around.
PLACES = {
    "nn/functional.py nn/modules/ nn/attention/ nn/intrinsic/ nn/quant": "forbidden by name, or ends in operators that are",
    "_refs/ _decomp/ _prims/ _higher_order_ops/ masked/ nested/_internal/": "their code is replaced",
    "ao/nn/quantizable/ distributions/": "COPIES",
    "onnx/ _inductor/": "their code is replaced, and their text is gone",
    "ao/nn/ ao/pruning/ ao/quantization/ ao/ns/": "layers for quantised numbers, built on those before",
    "_meta_registrations.py jit/_shape_functions.py fx/ utils/flop_counter.py _subclasses/": "computes shapes, not numbers",
    "distributed/ _dynamo/ _export/ backends/ _functorch/": "plans or translates, and ends in operators",
    "sparse/_triton_ops.py _native/ _vendor/quack/ nn/utils/ utils/mkldnn.py profiler/": "needs a GPU, or ends in operators",
    "testing/": "needs packages that are not installed",
}


def test_every_place_in_which_pytorch_defines_one_in_python_has_been_judged():
    known = tuple(place for places in PLACES for place in places.split())
    root = Path(torch.__file__).parent
    files = {
        str(file.relative_to(root)): file.read_text(encoding="utf8", errors="replace") for file in root.rglob("*.py")
    }
    found = {file: TELLING.findall(text) for file, text in files.items() if not file.startswith(known)}
    assert not {file: names for file, names in found.items() if names}
