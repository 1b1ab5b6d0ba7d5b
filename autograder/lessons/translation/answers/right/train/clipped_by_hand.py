"""The norm computed and the gradients scaled by hand; the batches counted by hand."""
def train(model, loss_of, batches, make_optimizer, rate_of, clip=1.0):
    parameters = list(model.parameters())
    optimizer = make_optimizer(parameters)
    losses, step = [], 0
    model.train(True)
    for batch in batches:
        step += 1
        rate = rate_of(step)
        for i in range(len(optimizer.param_groups)):
            optimizer.param_groups[i]["lr"] = rate
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, batch)
        loss.backward()
        grads = [p.grad for p in parameters if p.grad is not None]
        norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
        if norm > clip:
            for g in grads:
                g.mul_(clip / norm)
        optimizer.step()
        losses.append(float(loss.detach()))
    model.eval()
    return losses
