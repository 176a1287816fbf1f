//! Tensors as plain slices, and back.

use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

/// The same tensor with its values one after the other.
pub(super) fn contiguous(tensor: FlexTensor) -> FlexTensor {
    if tensor.as_slice::<f32>().is_some() { tensor } else { tensor.to_contiguous() }
}

/// The values of a [`contiguous`] tensor.
pub(super) fn values(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("a contiguous tensor of f32")
}

/// The values, without a copy if they have no other owner.
pub(super) fn into_values(tensor: FlexTensor) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("tensors are f32")
}

/// The lengths of a tensor's dimensions.
pub(super) fn dims<const D: usize>(tensor: &FlexTensor) -> [usize; D] {
    std::array::from_fn(|i| tensor.layout().shape()[i])
}

/// A tensor of these values, which are not copied.
pub(super) fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
