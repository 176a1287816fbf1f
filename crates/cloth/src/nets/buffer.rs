//! State of a network that is not trained: running statistics, such as those of a normalisation layer.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use burn::module::{
    Content, Module, ModuleDisplay, ModuleDisplayDefault, ModuleMapper, ModuleVisitor, Param, ParamId,
};
use burn::tensor::{Device, Tensor};

/// A tensor that a network keeps beside its weights and may replace in a forward pass.
///
/// It is exported, checkpointed and saved under its path like a weight, but no optimiser touches it, it has no Polyak
/// average, and it does not count as a parameter. A clone is a copy: unlike Burn's `RunningState`, two networks never
/// share one.
pub struct Buffer<const D: usize> {
    id: ParamId,
    value: Mutex<Tensor<D>>,
}

impl<const D: usize> Buffer<D> {
    /// A buffer with its initial value.
    pub fn new(value: Tensor<D>) -> Self {
        Self::with_id(ParamId::new(), value)
    }

    fn with_id(id: ParamId, value: Tensor<D>) -> Self {
        Self { id, value: Mutex::new(value) }
    }

    /// The current value, without gradients.
    pub fn get(&self) -> Tensor<D> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the value. It is detached from the graph of gradients.
    pub fn set(&self, value: Tensor<D>) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = value.detach();
    }
}

impl<const D: usize> Clone for Buffer<D> {
    fn clone(&self) -> Self {
        Self::with_id(self.id, self.get())
    }
}

impl<const D: usize> fmt::Debug for Buffer<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({:?})", self.get().dims())
    }
}

impl<const D: usize> fmt::Display for Buffer<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl<const D: usize> ModuleDisplayDefault for Buffer<D> {
    fn content(&self, content: Content) -> Option<Content> {
        content.add_formatted(&self.to_string()).optional()
    }
}

impl<const D: usize> ModuleDisplay for Buffer<D> {}

impl<const D: usize> Module for Buffer<D> {
    fn visit<V: ModuleVisitor>(&self, visitor: &mut V) {
        visitor.visit_float(&Param::initialized(self.id, self.get()));
    }

    fn map<M: ModuleMapper>(self, mapper: &mut M) -> Self {
        let (_, value, _) = mapper.map_float(Param::initialized(self.id, self.get())).consume();
        Self::with_id(self.id, value.set_require_grad(false))
    }

    fn to_device(self, device: &Device) -> Self {
        Self::with_id(self.id, self.get().to_device(device))
    }

    fn fork(self, device: &Device) -> Self {
        self.to_device(device)
    }

    fn collect_devices(&self, mut devices: Vec<Device>) -> Vec<Device> {
        let device = self.get().device();
        if !devices.contains(&device) {
            devices.push(device);
        }
        devices
    }

    fn materialize(self) -> Self {
        self
    }

    fn valid(&self) -> Self {
        Self::with_id(self.id, self.get().without_autodiff())
    }

    fn train(self) -> Self {
        Self::with_id(self.id, Tensor::from_inner(self.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_its_own_value() {
        let device = crate::device::cpu();
        let buffer = Buffer::new(Tensor::<1>::zeros([2], &device));
        let copy = buffer.clone();
        buffer.set(Tensor::ones([2], &device));
        let values = |buffer: &Buffer<1>| buffer.get().into_data().try_into_vec::<f32>().unwrap();
        assert_eq!((values(&buffer), values(&copy)), (vec![1.0; 2], vec![0.0; 2]));
    }
}
