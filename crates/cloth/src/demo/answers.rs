//! Labels of the handwritten digits. **For scoring only**: nothing that trains, selects or tunes may call this.

/// The embedded labels, one byte each, in the order of the rows of [`handwritten`](super::handwritten).
static LABELS: &[u8; super::N_HANDWRITTEN] = include_bytes!("optdigits-labels.bin");

/// The labels of the rows of [`handwritten`](super::handwritten), 0 to 9. For the final score, after training has
/// ended.
pub fn handwritten_labels() -> Vec<u32> {
    LABELS.iter().map(|&label| label.into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_counts_are_those_that_uci_publishes() {
        let mut counts = [0; 10];
        handwritten_labels().iter().for_each(|&y| counts[y as usize] += 1);
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
    }
}
