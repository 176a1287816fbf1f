//! The one place that knows which hardware we run on.

use burn::tensor::Device;

/// The device that tensors are computed on.
pub(crate) fn compute() -> Device {
    Device::flex()
}

/// Whether a tensor's device is this machine's processor.
pub(crate) fn is_cpu(device: &Device) -> bool {
    // Equality of devices looks at the hardware alone, not at whether gradients are recorded.
    *device == compute()
}

/// The same device, recording what it does so that gradients can be taken.
pub(crate) fn training() -> Device {
    compute().autodiff()
}
