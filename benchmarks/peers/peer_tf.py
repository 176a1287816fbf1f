"""The step in TensorFlow: as a graph, and compiled by XLA."""
import math
import os

import common
from common import ALPHA, AVERAGE, BETA, BETA1, BETA2, EPSILON, GAMMA, Q, RATE, ROWS

args = common.arguments(["tf-graph", "tf-xla"])
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf
from tensorflow.math import reduce_logsumexp as logsumexp
from tensorflow.nn import log_softmax, relu

tf.config.threading.set_intra_op_parallelism_threads(args.threads)
tf.config.threading.set_inter_op_parallelism_threads(args.threads)
problem = common.Problem(args)
problem.channels_last()
M = problem.classes
xla = args.mode == "tf-xla"
mean, total_of = tf.reduce_mean, tf.reduce_sum

weights = {name: tf.Variable(w) for name, w in problem.weights.items()}
first, second = ({name: tf.Variable(tf.zeros_like(w)) for name, w in weights.items()} for _ in range(2))
averages = {name: tf.Variable(w) for name, w in weights.items()}
time = tf.Variable(0.0)
of_d = [name for name in weights if name.startswith("d.")]
of_g = [name for name in weights if not name.startswith("d.")]


def g(x):
    for i in range(problem.layers):
        w, b = weights[f"g.{i}.w"], weights[f"g.{i}.b"]
        if len(w.shape) == 4:
            x = relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "VALID"), b))
            x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        else:
            x = relu(tf.nn.bias_add(tf.matmul(tf.reshape(x, [x.shape[0], -1]), w), b))
    return x


def head(name, z):
    return tf.nn.bias_add(tf.matmul(z, weights[f"{name}.w"]), weights[f"{name}.b"])


def nll(log_p, y):
    return -mean(tf.gather(log_p, y, batch_dims=1))


def log_d_source(logits):
    return logsumexp(logits[:, :M], 1) - logsumexp(logits, 1)


def loss_d(z, y):
    logits = head("d", z)
    log_d = log_softmax(logits)
    return -mean(log_d[ROWS:, M]) - mean(log_d_source(logits[:ROWS])) + nll(log_d[:ROWS], y)


def moments(z, log_tau, y):
    own = tf.one_hot(y, M)
    counts = total_of(own, 0)
    w_s = own / tf.maximum(counts, 1)
    w_t = tf.exp(log_tau - logsumexp(log_tau, 0)) * tf.cast(counts > 0, tf.float32)
    w = tf.concat([w_s, -w_t], 0)
    kernel = tf.matmul(z, z, transpose_b=True) / z.shape[1]
    kernel = kernel * kernel * kernel
    return relu(total_of(kernel * tf.matmul(w, w, transpose_b=True)) / M)


def losses_g(x, y):
    z = g(x)
    l_c = nll(log_softmax(head("c", z[:ROWS])), y)
    logits = head("d", z)
    log_d = log_softmax(logits)
    l_gs = -mean(log_d[:ROWS, M])
    l_gt = -mean(log_d_source(logits[ROWS:]))
    log_t = log_softmax(head("t", z))
    log_tau = log_t[ROWS:]
    tau = tf.exp(log_tau)
    l_t = nll(log_t[:ROWS], y) - total_of(tau * log_d[ROWS:, :M]) / ROWS
    log_mean = logsumexp(log_tau, 0) - math.log(ROWS)
    l_ent = total_of(tf.exp(log_mean) * log_mean) - total_of(tau * log_tau) / ROWS
    return l_c, l_gs, l_gt, l_t, l_ent, moments(z, log_tau, y)


def update(names, gradients, t):
    corrected = tf.sqrt(1 - BETA2**t)
    kept = tf.minimum(AVERAGE, (1 + t) / (10 + t))
    for name, gradient in zip(names, gradients):
        w, m, v, a = weights[name], first[name], second[name], averages[name]
        tf.raw_ops.ResourceApplyAdam(
            var=w.handle,
            m=m.handle,
            v=v.handle,
            beta1_power=BETA1**t,
            beta2_power=BETA2**t,
            lr=RATE,
            beta1=BETA1,
            beta2=BETA2,
            epsilon=EPSILON * corrected,  # the op divides by the uncorrected root
            grad=gradient,
        )
        a.assign_sub((1 - kept) * (a - w))


def gradients(loss, names):
    """The losses, and the gradient of their weighted sum by these weights alone."""
    at = [weights[name] for name in names]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(at)
        total, losses = loss()
    return tape.gradient(total, at), losses


def weighted(losses):
    l_c, l_gs, l_gt, l_t, l_ent, l_hmm = losses
    return l_c + l_gs + l_gt + ALPHA * l_t + BETA * l_ent + GAMMA * l_hmm, losses


@tf.function(jit_compile=xla)
def iteration(x_d, y_d, x_g, y_g):
    t = time.assign_add(1.0)
    z = g(x_d)
    by_d, l_d = gradients(lambda: (loss_d(z, y_d),) * 2, of_d)
    update(of_d, by_d, t)
    by_g, losses = gradients(lambda: weighted(losses_g(x_g, y_g)), of_g)
    update(of_g, by_g, t)
    return tf.stack([l_d, *losses])


def step(*batch):
    return iteration(*batch).numpy()


arrays = lambda variables: [v.numpy() for v in variables.values()]
batches = [tuple(map(tf.constant, batch)) for batch in problem.batches]
common.measure(args, step, batches, lambda: arrays(weights), lambda: arrays(averages))
