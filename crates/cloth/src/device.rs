//! Devices of tensors.
//!
//! The caller passes the device: to training in [`TrainingOptions`](crate::train::TrainingOptions), to prediction in
//! [`Model::load_on`](crate::Model::load_on). The kernels work only on tensors of the CPU, which [`is_cpu`] checks; on
//! other devices the plain Burn expressions run. Everything outside of networks (graphs, whitening, eigenvectors) is
//! always computed on the CPU.

use burn::backend::DispatchDevice;
use burn::tensor::Device;

/// The CPU, which is the default device.
pub fn cpu() -> Device {
    Device::flex()
}

/// Whether a device is the CPU with the backend of the kernels.
pub fn is_cpu(device: &Device) -> bool {
    fn is_flex(device: &DispatchDevice) -> bool {
        match device {
            DispatchDevice::Flex(_) => true,
            DispatchDevice::Autodiff(device) => is_flex(device),
            // Other backends, if a build has them.
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }
    is_flex(device.as_dispatch())
}

/// The CPU with autodiff.
#[cfg(test)]
pub(crate) fn training() -> Device {
    cpu().autodiff()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_one_with_and_without_gradients() {
        assert!(is_cpu(&cpu()) && is_cpu(&training()));
    }
}
