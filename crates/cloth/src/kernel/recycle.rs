//! Reuse of the buffers of tensors.

use burn::backend::flex::FlexTensor;

use super::flex::into_values;
use crate::buffers::give;

/// Returns a tensor's buffer for reuse, if it has no other owner.
pub(super) fn recycle(tensor: FlexTensor) {
    if tensor.is_unique()
        && tensor.as_slice::<f32>().is_some_and(|v| v.len() == tensor.storage::<f32>().len())
    {
        give(into_values(tensor));
    }
}

#[cfg(test)]
mod tests {
    use super::super::flex;
    use super::*;
    use crate::buffers::{LEAST, take};

    #[test]
    fn a_tensor_that_somebody_holds_is_not_given_away() {
        let mut values = take(LEAST + 1239);
        values.fill(3.0);
        let tensor = flex::tensor(values, [LEAST + 1239]);
        let held = tensor.clone();
        recycle(tensor);
        assert!(take(LEAST + 1239).iter().all(|&v| v == 0.0));
        recycle(held);
        assert!(take(LEAST + 1239).iter().all(|&v| v == 3.0));
    }
}
