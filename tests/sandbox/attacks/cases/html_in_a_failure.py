"""The failure that comes back carries a script."""

# replaces: scaled_dot_product_attention
from autograder.runtime.errors import CheckFailure


def scaled_dot_product_attention(Q, K, V, allowed=None):
    script = "<script>document.title='attack-script-ran'</script><img src=x onerror=document.title='attack-script-ran'>"
    raise CheckFailure(script, script, script, script, script, hint=script, cause=script)
