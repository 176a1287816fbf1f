//! Converts numbers of binary files to `f32` or to labels.

use std::fmt;

use half::f16;

use crate::data::raw_labels::RawLabels;

/// The type of a number in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

/// The type of a number in a file, and the order of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) kind: Kind,
    pub(super) big_endian: bool,
}

/// Runs `$body` for each number of `$bytes`, as `$value` in its own type.
macro_rules! each {
    ($number:expr, $bytes:expr, |$value:ident| $body:expr) => {{
        macro_rules! of {
            ($type:ty) => {{
                let chunks = $bytes.as_chunks::<{ size_of::<$type>() }>().0.iter().copied();
                match $number.big_endian {
                    true => chunks.map(<$type>::from_be_bytes).for_each(|$value| $body),
                    false => chunks.map(<$type>::from_le_bytes).for_each(|$value| $body),
                }
            }};
        }
        match $number.kind {
            Kind::F16 => of!(f16),
            Kind::F32 => of!(f32),
            Kind::F64 => of!(f64),
            Kind::I8 => of!(i8),
            Kind::I16 => of!(i16),
            Kind::I32 => of!(i32),
            Kind::I64 => of!(i64),
            Kind::U8 | Kind::Bool => of!(u8),
            Kind::U16 => of!(u16),
            Kind::U32 => of!(u32),
            Kind::U64 => of!(u64),
        }
    }};
}

impl Number {
    /// Bytes per number.
    pub(super) fn size(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::F16 | Kind::I16 | Kind::U16 => 2,
            Kind::F32 | Kind::I32 | Kind::U32 => 4,
            Kind::F64 | Kind::I64 | Kind::U64 => 8,
        }
    }

    /// Appends the numbers in `bytes` to `out`.
    pub(super) fn decode(self, bytes: &[u8], out: &mut Vec<f32>) {
        out.reserve(bytes.len() / self.size());
        each!(self, bytes, |value| out.push(value.to_f32()));
    }

    /// The numbers in `bytes` as labels. The error is the position and the value of the first that is not a whole
    /// number.
    pub(super) fn decode_labels(self, bytes: &[u8]) -> Result<RawLabels, (usize, f64)> {
        if self.kind == Kind::Bool {
            let names = bytes.iter().map(|&byte| if byte == 0 { "false" } else { "true" });
            return Ok(RawLabels::Text(names.map(str::to_owned).collect()));
        }
        let mut labels = Vec::with_capacity(bytes.len() / self.size());
        let (mut position, mut odd) = (0, None);
        each!(self, bytes, |value| {
            match value.to_label() {
                Ok(label) => labels.push(label),
                Err(value) => odd = odd.or(Some((position, value))),
            }
            position += 1;
        });
        odd.map_or(Ok(RawLabels::Int(labels)), Err)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Bool => "bool",
            Kind::F16 => "float16",
            Kind::F32 => "float32",
            Kind::F64 => "float64",
            Kind::I8 => "int8",
            Kind::I16 => "int16",
            Kind::I32 => "int32",
            Kind::I64 => "int64",
            Kind::U8 => "uint8",
            Kind::U16 => "uint16",
            Kind::U32 => "uint32",
            Kind::U64 => "uint64",
        })
    }
}

/// Conversions of every type of number.
pub(super) trait Numeric: Copy {
    /// The number as a feature.
    fn to_f32(self) -> f32;
    /// The number as a label; the error is the number if it is not a whole one.
    fn to_label(self) -> Result<i64, f64>;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Numeric for $type {
            fn to_f32(self) -> f32 {
                self as f32
            }
            fn to_label(self) -> Result<i64, f64> {
                i64::try_from(self).map_err(|_| self as f64)
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Numeric for f64 {
    fn to_f32(self) -> f32 {
        self as f32
    }
    fn to_label(self) -> Result<i64, f64> {
        // Not every integer above 2^53 is a double, so such a label may have been rounded.
        if self.fract() == 0.0 && self.abs() <= 9_007_199_254_740_992.0 { Ok(self as i64) } else { Err(self) }
    }
}

impl Numeric for f32 {
    fn to_f32(self) -> f32 {
        self
    }
    fn to_label(self) -> Result<i64, f64> {
        f64::from(self).to_label()
    }
}

impl Numeric for f16 {
    fn to_f32(self) -> f32 {
        self.into()
    }
    fn to_label(self) -> Result<i64, f64> {
        f64::from(self).to_label()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders_decode() {
        let mut out = Vec::new();
        Number { kind: Kind::I16, big_endian: true }.decode(&[1, 0, 0xff, 0xff], &mut out);
        Number { kind: Kind::F16, big_endian: false }.decode(&f16::from_f32(0.5).to_le_bytes(), &mut out);
        Number { kind: Kind::F64, big_endian: true }.decode(&2.5f64.to_be_bytes(), &mut out);
        Number { kind: Kind::Bool, big_endian: false }.decode(&[1, 0], &mut out);
        assert_eq!(out, [256.0, -1.0, 0.5, 2.5, 1.0, 0.0]);
    }

    #[test]
    fn labels_are_whole_numbers() {
        let floats = Number { kind: Kind::F32, big_endian: false };
        let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(floats.decode_labels(&bytes(&[3.0, -1.0])), Ok(RawLabels::Int(vec![3, -1])));
        assert_eq!(floats.decode_labels(&bytes(&[3.0, 0.5, 0.25])), Err((1, 0.5)));
        assert!(floats.decode_labels(&bytes(&[f32::NAN])).is_err());
        let huge = Number { kind: Kind::U64, big_endian: false }.decode_labels(&u64::MAX.to_le_bytes());
        assert_eq!(huge, Err((0, u64::MAX as f64)));
    }
}
