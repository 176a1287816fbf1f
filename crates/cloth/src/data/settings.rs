//! `[data]`: how rows are read and normalised.

use serde::{Deserialize, Serialize};

use super::ImageFit;

/// `[data]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct DataConfig {
    /// Column, array or file with the labels; empty: found by its usual names.
    pub label: String,
    /// Height and width of images after resizing, in pixels.
    pub image_size: usize,
    /// 1: images are converted to gray; 3: they keep their colours.
    pub image_channels: usize,
    /// How rows are normalised before they reach G.
    pub normalise: Normalise,
    /// Whether the target is centred by its own mean (needs no label) or by the source's.
    pub centre: Centre,
    /// Strength of random shifts, rotations and scalings of the images of a batch: 0 is none, 1 is strong.
    pub augment: f64,
}

/// `data.normalise`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalise {
    /// Decided from the values, without labels; see [`super::normalise`].
    Auto,
    /// Rows centred, then scaled to the same length, √features.
    Direction,
    /// Each feature centred and divided by its standard deviation.
    Standard,
    /// All values centred and divided by one standard deviation: pixels.
    Global,
    /// Each row centred and divided by its own standard deviation: photographs in any light.
    Image,
    /// x / 127.5 − 1: pixels from 0 to 255 become values from −1 to 1.
    Pixels,
    /// `log(1 + x)`, then as `direction`: counts.
    Counts,
    /// No normalisation.
    None,
}

/// `data.centre`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Centre {
    /// `domain` for methods that adapt, else `source`.
    Auto,
    /// Each domain by its own statistics.
    Domain,
    /// Both by the source's statistics.
    Source,
}

impl DataConfig {
    /// The shape that images are converted to.
    pub fn image(&self) -> ImageFit {
        ImageFit { size: self.image_size, channels: self.image_channels }
    }
}

impl Default for DataConfig {
    fn default() -> Self {
        let ImageFit { size, channels } = ImageFit::default();
        Self {
            label: String::new(),
            image_size: size,
            image_channels: channels,
            normalise: Normalise::Auto,
            centre: Centre::Auto,
            augment: 0.0,
        }
    }
}
