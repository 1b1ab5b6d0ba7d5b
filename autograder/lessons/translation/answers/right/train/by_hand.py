"""Gradients cleared and clipped by hand."""
def train(model, loss_of, batches, make_optimizer, rate_of, clip=1.0):
    parameters = list(model.parameters())
    optimizer = make_optimizer(parameters)
    losses, step = [], 0
    model.train()
    for batch in batches:
        step += 1
        for parameter in parameters:
            parameter.grad = None
        loss = loss_of(model, batch)
        loss.backward()
        norm = torch.linalg.vector_norm(torch.cat([p.grad.flatten() for p in parameters]))
        for parameter in parameters:
            parameter.grad.mul_((clip / norm).clamp(max=1))
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step)
        optimizer.step()
        losses.append(loss.detach().item())
    model.eval()
    return losses
