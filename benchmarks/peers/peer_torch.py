"""The step in PyTorch: as one writes it, tuned, and compiled."""
import math
import os

import common
from common import ALPHA, BETA, BETA1, BETA2, EPSILON, GAMMA, Q, RATE, ROWS

args = common.arguments(["torch-eager", "torch-tuned", "torch-compile"])
os.environ["OMP_NUM_THREADS"] = str(args.threads)  # read when torch is loaded

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(args.threads)
problem = common.Problem(args)
M = problem.classes
eager = args.mode == "torch-eager"
channels_last = problem.lenet and not eager


def layer(name):
    w, b = (torch.from_numpy(problem.weights[f"{name}.{kind}"]) for kind in "wb")
    if w.dim() == 4:
        made = nn.Conv2d(w.shape[1], w.shape[0], 5)
    else:
        made, w = nn.Linear(*w.shape), w.t()
    with torch.no_grad():
        made.weight.copy_(w)
        made.bias.copy_(b)
    return made


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(layer(f"g.{i}") for i in range(problem.layers))

    def forward(self, x):
        for layer in self.layers:
            if isinstance(layer, nn.Conv2d):
                x = F.max_pool2d(F.relu(layer(x)), 2)
            else:
                x = F.relu(layer(x.flatten(1)))
        return x


g, c, t, d = Generator(), layer("c"), layer("t"), layer("d")
if channels_last:
    g = g.to(memory_format=torch.channels_last)


def log_d_source(logits):
    return torch.logsumexp(logits[:, :M], 1) - torch.logsumexp(logits, 1)


def loss_d(z, y):
    logits = d(z)
    log_d = F.log_softmax(logits, 1)
    return -log_d[ROWS:, M].mean() - log_d_source(logits[:ROWS]).mean() + F.nll_loss(log_d[:ROWS], y)


def moments(z, log_tau, y):
    own = F.one_hot(y, M).to(z.dtype)
    counts = own.sum(0)
    w_s = own / counts.clamp(min=1)
    w_t = (log_tau - torch.logsumexp(log_tau, 0)).exp() * (counts > 0)
    s = 1 / z.shape[1]
    if eager:
        z_s, z_t = z[:ROWS], z[ROWS:]
        k_ss, k_st, k_tt = ((s * (a @ b.t())) ** Q for a, b in ((z_s, z_s), (z_s, z_t), (z_t, z_t)))
        total = (w_s * (k_ss @ w_s - k_st @ w_t)).sum() + (w_t * (k_tt @ w_t - k_st.t() @ w_s)).sum()
    else:
        w = torch.cat([w_s, -w_t])
        total = ((s * (z @ z.t())) ** Q * (w @ w.t())).sum()
    return F.relu(total / M)


def losses_g(x, y):
    z = g(x)
    l_c = F.cross_entropy(c(z[:ROWS]), y)
    logits = d(z)
    log_d = F.log_softmax(logits, 1)
    l_gs = -log_d[:ROWS, M].mean()
    l_gt = -log_d_source(logits[ROWS:]).mean()
    log_t = F.log_softmax(t(z), 1)
    log_tau = log_t[ROWS:]
    tau = log_tau.exp()
    l_t = F.nll_loss(log_t[:ROWS], y) - (tau * log_d[ROWS:, :M]).sum() / ROWS
    log_mean = torch.logsumexp(log_tau, 0) - math.log(ROWS)
    l_ent = (log_mean.exp() * log_mean).sum() - (tau * log_tau).sum() / ROWS
    l_hmm = moments(z, log_tau, y)
    total = l_c + l_gs + l_gt + ALPHA * l_t + BETA * l_ent + GAMMA * l_hmm
    return total, l_c, l_gs, l_gt, l_t, l_ent, l_hmm


of_d = list(d.parameters())
of_g = [*g.parameters(), *c.parameters(), *t.parameters()]
weights = of_g + of_d
averages = [w.detach().clone() for w in weights]
adam = dict(lr=RATE, betas=(BETA1, BETA2), eps=EPSILON, fused=not eager)
adam_d, adam_g = torch.optim.Adam(of_d, **adam), torch.optim.Adam(of_g, **adam)
time = 0


@torch.no_grad()
def average(kept):
    if eager:
        for a, w in zip(averages, weights):
            a.mul_(kept).add_(w, alpha=1 - kept)
    else:
        torch._foreach_lerp_(averages, weights, 1 - kept)


forward = g
if args.mode == "torch-compile":
    forward, loss_d, losses_g = (torch.compile(f) for f in (g, loss_d, losses_g))


def step(x_d, y_d, x_g, y_g):
    global time
    time += 1
    with torch.no_grad():
        z = forward(x_d)
    l_d = loss_d(z, y_d)
    adam_d.zero_grad(set_to_none=True)
    l_d.backward()
    adam_d.step()

    d.requires_grad_(False)
    total, *losses = losses_g(x_g, y_g)
    adam_g.zero_grad(set_to_none=True)
    total.backward()
    adam_g.step()
    d.requires_grad_(True)
    average(common.average_kept(time))
    return [l_d, *losses]


def tensors(x, y):
    layout = torch.channels_last if channels_last else torch.contiguous_format
    return torch.from_numpy(x).contiguous(memory_format=layout), torch.from_numpy(y).long()


batches = [(*tensors(x_d, y_d), *tensors(x_g, y_g)) for x_d, y_d, x_g, y_g in problem.batches]
arrays = lambda values: [value.detach().numpy() for value in values]
common.measure(args, step, batches, lambda: arrays(weights), lambda: arrays(averages))
