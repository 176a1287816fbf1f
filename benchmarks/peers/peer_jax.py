"""The step in JAX: all of it one compiled program, with its state given up to it."""
import math
import os

import common
from common import ALPHA, AVERAGE, BETA, BETA1, BETA2, EPSILON, GAMMA, Q, RATE, ROWS

args = common.arguments(["jax-jit"])
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import log_softmax, logsumexp, relu

problem = common.Problem(args)
problem.channels_last()
M = problem.classes


def pool(x):
    """Faster on CPUs than `reduce_window`, above all backwards."""
    n, height, width, filters = x.shape
    return x.reshape(n, height // 2, 2, width // 2, 2, filters).max((2, 4))


def convolve(x, w):
    """In NHWC; NCHW and a product with gathered patches are slower."""
    return jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def g(p, x):
    for i in range(problem.layers):
        w, b = p[f"g.{i}.w"], p[f"g.{i}.b"]
        if w.ndim == 4:
            x = pool(relu(convolve(x, w) + b))
        else:
            x = relu(x.reshape(x.shape[0], -1) @ w + b)
    return x


def head(p, name, z):
    return z @ p[f"{name}.w"] + p[f"{name}.b"]


def nll(log_p, y):
    return -jnp.take_along_axis(log_p, y[:, None], 1).mean()


def log_d_source(logits):
    return logsumexp(logits[:, :M], 1) - logsumexp(logits, 1)


def loss_d(p_d, z, y):
    logits = head(p_d, "d", z)
    log_d = log_softmax(logits)
    return -log_d[ROWS:, M].mean() - log_d_source(logits[:ROWS]).mean() + nll(log_d[:ROWS], y)


def moments(z, log_tau, y):
    own = jax.nn.one_hot(y, M)
    counts = own.sum(0)
    w_s = own / jnp.maximum(counts, 1)
    w_t = jnp.exp(log_tau - logsumexp(log_tau, 0)) * (counts > 0)
    w = jnp.concatenate([w_s, -w_t])
    return relu(((z @ z.T / z.shape[1]) ** Q * (w @ w.T)).sum() / M)


def loss_g(p_g, p_d, x, y):
    z = g(p_g, x)
    l_c = nll(log_softmax(head(p_g, "c", z[:ROWS])), y)
    logits = head(p_d, "d", z)
    log_d = log_softmax(logits)
    l_gs = -log_d[:ROWS, M].mean()
    l_gt = -log_d_source(logits[ROWS:]).mean()
    log_t = log_softmax(head(p_g, "t", z))
    log_tau = log_t[ROWS:]
    tau = jnp.exp(log_tau)
    l_t = nll(log_t[:ROWS], y) - (tau * log_d[ROWS:, :M]).sum() / ROWS
    log_mean = logsumexp(log_tau, 0) - math.log(ROWS)
    l_ent = (jnp.exp(log_mean) * log_mean).sum() - (tau * log_tau).sum() / ROWS
    l_hmm = moments(z, log_tau, y)
    total = l_c + l_gs + l_gt + ALPHA * l_t + BETA * l_ent + GAMMA * l_hmm
    return total, [l_c, l_gs, l_gt, l_t, l_ent, l_hmm]


def update(state, gradients, time):
    rest = lambda beta: -jnp.expm1(time * math.log(beta))  # 1 − β^t, exact in f32
    corrected = jnp.sqrt(rest(BETA2))
    size = RATE * corrected / rest(BETA1)
    kept = jnp.minimum(AVERAGE, (1 + time) / (10 + time))
    new = {}
    for name, gradient in gradients.items():
        w, first, second, average = state[name]
        first = BETA1 * first + (1 - BETA1) * gradient
        second = BETA2 * second + (1 - BETA2) * gradient * gradient
        w = w - size * first / (jnp.sqrt(second) + EPSILON * corrected)
        new[name] = w, first, second, kept * average + (1 - kept) * w
    return new


def weights(state):
    return {name: w for name, (w, *_) in state.items()}


def iteration(state_g, state_d, time, x_d, y_d, x_g, y_g):
    time = time + 1
    l_d, gradients = jax.value_and_grad(loss_d)(weights(state_d), g(weights(state_g), x_d), y_d)
    state_d = update(state_d, gradients, time)
    of_g = jax.value_and_grad(loss_g, has_aux=True)
    (_, losses), gradients = of_g(weights(state_g), weights(state_d), x_g, y_g)
    return (update(state_g, gradients, time), state_d, time), [l_d, *losses]


def start(names):
    at = lambda name: jnp.array(problem.weights[name])
    return {name: (at(name), 0 * at(name), 0 * at(name), at(name)) for name in names}


compiled = jax.jit(iteration, donate_argnums=(0, 1, 2))
of_d = [name for name in problem.weights if name.startswith("d.")]
of_g = [name for name in problem.weights if not name.startswith("d.")]
state = start(of_g), start(of_d), jnp.float32(0)


def step(*batch):
    global state
    state, losses = compiled(*state, *batch)
    jax.block_until_ready((state, losses))
    return losses


def part(i):
    return [np.array(values[i]) for half in state[:2] for values in half.values()]


batches = [tuple(map(jnp.array, batch)) for batch in problem.batches]
common.measure(args, step, batches, lambda: part(0), lambda: part(3))
