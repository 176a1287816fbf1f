//! Where tensors are computed.
//!
//! A device is a value that is passed in: [`TrainingOptions`](crate::train::TrainingOptions) has it for training and
//! [`Model::load_on`](crate::Model::load_on) for prediction. The kernels work on the CPU's tensors only, so [`is_cpu`]
//! asks each tensor's device; on any other the plain Burn expressions run. Numbers that are no network's (graphs,
//! whitening, eigenvectors) are always computed on the CPU.

use burn::backend::DispatchDevice;
use burn::tensor::Device;

/// This machine's processor: the default device.
pub fn cpu() -> Device {
    Device::flex()
}

/// Whether a device is this machine's processor, with the backend that the kernels are written for.
pub fn is_cpu(device: &Device) -> bool {
    fn is_flex(device: &DispatchDevice) -> bool {
        match device {
            DispatchDevice::Flex(_) => true,
            DispatchDevice::Autodiff(device) => is_flex(device),
            // Other backends, where a build has them.
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }
    is_flex(device.as_dispatch())
}

/// The CPU, recording what it does so that gradients can be taken.
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
