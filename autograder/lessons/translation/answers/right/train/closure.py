"""Forward and backward in a closure that the optimiser calls."""
def train(model, loss_of, batches, make_optimizer, rate_of, clip=1.0):
    optimizer = make_optimizer(model.parameters())
    losses = []
    model.train()
    for number, batch in enumerate(batches):
        for i in range(len(optimizer.param_groups)):
            optimizer.param_groups[i]["lr"] = rate_of(number + 1)

        def closure():
            optimizer.zero_grad(set_to_none=False)
            loss = loss_of(model, batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip)
            return loss

        losses.append(optimizer.step(closure).item())
    model.eval()
    return losses
