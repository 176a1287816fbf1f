//! The one place that knows which hardware we run on.

use burn::tensor::Device;

/// The device that tensors are computed on.
pub(crate) fn compute() -> Device {
    Device::flex()
}

/// The same device, recording what it does so that gradients can be taken.
pub(crate) fn training() -> Device {
    compute().autodiff()
}
