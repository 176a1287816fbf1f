//! The ten digits as pen strokes.
//!
//! A style is a list of strokes. A stroke is a list of points that the pen passes through smoothly, in hundredths of the digit's
//! height: x to the right, about 0 to 60, y down, 0 to 100. A point written twice in a row is a corner, and two corners make a
//! straight line between them:
//!
//! ```text
//! (2,4) ────────── (56,4)(56,4)      a seven: right along the top, a corner,
//!                  ╱                 then straight down to the left
//!                ╱
//!          (22,100)
//! ```
//!
//! The styles are those that people learn at school in different countries. They were drawn by eye, not fitted to any data.

/// A point in hundredths of the digit's height: (right, down).
pub(super) type Point = (u8, u8);

/// The points of one stroke, from pen down to pen up.
pub(super) type Stroke = &'static [Point];

/// One way to write a digit.
pub(super) type Style = &'static [Stroke];

/// `STYLES[d]`: the ways to write the digit d.
pub(super) const STYLES: [&[Style]; 10] = [ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE];

#[rustfmt::skip]
const ZERO: &[Style] = &[
    // round
    &[&[(32, 0), (10, 16), (2, 50), (10, 85), (30, 100), (50, 84), (58, 50), (50, 15), (30, 0)]],
    // narrow
    &[&[(30, 0), (15, 22), (10, 54), (18, 88), (32, 100), (46, 82), (50, 46), (44, 14), (28, 1)]],
    // closed late: the end of the stroke runs over its beginning
    &[&[(42, 7), (24, 2), (7, 28), (4, 62), (16, 94), (38, 98), (55, 72), (56, 34), (42, 8), (24, 3)]],
];

#[rustfmt::skip]
const ONE: &[Style] = &[
    // a bare stick
    &[&[(30, 0), (30, 100)]],
    // a slanted stick, slightly bent
    &[&[(38, 0), (33, 48), (24, 100)]],
    // flag
    &[&[(6, 30), (34, 0), (34, 0), (34, 100)]],
    // flag and foot
    &[&[(12, 22), (34, 0), (34, 0), (34, 100)], &[(10, 100), (58, 99)]],
    // stick and foot
    &[&[(30, 0), (30, 100)], &[(8, 99), (54, 100)]],
];

#[rustfmt::skip]
const TWO: &[Style] = &[
    // flat base
    &[&[(5, 22), (16, 4), (34, 0), (51, 12), (51, 34), (34, 62), (4, 100), (4, 100), (58, 100)]],
    // loop at the turn
    &[&[(6, 20), (20, 2), (42, 4), (51, 24), (42, 52), (24, 82), (9, 97), (4, 87), (16, 80), (32, 90), (46, 98), (60, 92)]],
    // swan: a wavy base
    &[&[(8, 14), (28, 0), (49, 13), (45, 40), (24, 72), (4, 98), (4, 98), (22, 92), (40, 99), (58, 94)]],
];

#[rustfmt::skip]
const THREE: &[Style] = &[
    // two bows with a corner between them
    &[&[(6, 14), (24, 0), (45, 6), (49, 26), (36, 42), (20, 46), (20, 46), (42, 51), (55, 72), (44, 94), (22, 100), (4, 88)]],
    // flat top
    &[&[(6, 2), (52, 2), (52, 2), (24, 40), (24, 40), (46, 47), (56, 70), (43, 95), (21, 100), (3, 89)]],
    // small loop in the middle
    &[&[(8, 11), (29, 0), (49, 15), (42, 36), (24, 48), (19, 43), (27, 44), (46, 54), (55, 75), (40, 97), (18, 99), (4, 86)]],
];

#[rustfmt::skip]
const FOUR: &[Style] = &[
    // open: an angle and a stem
    &[&[(12, 0), (4, 58), (4, 58), (60, 56)], &[(44, 24), (43, 100)]],
    // closed: a triangle on a stem
    &[&[(2, 66), (42, 0), (42, 0), (43, 100)], &[(2, 66), (60, 66)]],
    // like a y: a cup and a slanted stem
    &[&[(8, 0), (3, 32), (16, 50), (48, 44)], &[(56, 4), (44, 54), (30, 100)]],
    // tall angle, short stem
    &[&[(32, 0), (4, 62), (4, 62), (60, 58)], &[(42, 36), (36, 100)]],
];

#[rustfmt::skip]
const FIVE: &[Style] = &[
    // body first, the roof as a second stroke
    &[&[(13, 2), (10, 44), (10, 44), (32, 37), (53, 54), (52, 80), (31, 100), (4, 92)], &[(13, 2), (56, 2)]],
    // one stroke from the right
    &[&[(54, 3), (15, 3), (15, 3), (9, 46), (9, 46), (32, 41), (52, 56), (50, 82), (28, 100), (3, 93)]],
    // like an S
    &[&[(54, 2), (24, 2), (10, 20), (20, 41), (42, 54), (52, 76), (34, 98), (5, 94)]],
];

#[rustfmt::skip]
const SIX: &[Style] = &[
    // curved, full loop
    &[&[(46, 2), (22, 17), (7, 52), (10, 86), (32, 100), (53, 84), (50, 62), (30, 53), (9, 68)]],
    // straight back
    &[&[(38, 0), (14, 42), (4, 76), (20, 99), (43, 94), (49, 74), (34, 60), (9, 73)]],
    // upright with a small, low loop
    &[&[(26, 0), (11, 38), (7, 78), (26, 100), (49, 92), (51, 74), (36, 65), (12, 80)]],
];

#[rustfmt::skip]
const SEVEN: &[Style] = &[
    // plain
    &[&[(2, 4), (56, 4), (56, 4), (22, 100)]],
    // barred
    &[&[(2, 4), (56, 4), (56, 4), (24, 100)], &[(14, 52), (54, 48)]],
    // with a tick at the start
    &[&[(4, 20), (6, 3), (6, 3), (56, 4), (56, 4), (36, 44), (27, 100)]],
    // wavy roof, bent stem, barred
    &[&[(2, 12), (18, 2), (36, 7), (56, 2), (56, 2), (36, 40), (27, 100)], &[(10, 54), (52, 47)]],
];

#[rustfmt::skip]
const EIGHT: &[Style] = &[
    // an S and back up
    &[&[(50, 12), (30, 0), (11, 16), (20, 38), (43, 57), (54, 79), (32, 100), (8, 82), (18, 58), (42, 38), (50, 13)]],
    // two rings
    &[
        &[(30, 0), (12, 9), (11, 33), (30, 46), (48, 34), (48, 10), (29, 0)],
        &[(30, 46), (9, 56), (6, 84), (30, 100), (54, 84), (51, 56), (30, 46)],
    ],
    // open at the top right
    &[&[(52, 8), (28, 1), (10, 17), (28, 44), (51, 74), (32, 100), (9, 80), (30, 46), (58, 3)]],
];

#[rustfmt::skip]
const NINE: &[Style] = &[
    // ring and straight stem
    &[&[(49, 12), (28, 0), (7, 18), (12, 42), (32, 46), (50, 14), (50, 14), (46, 100)]],
    // one bow down to the left
    &[&[(48, 12), (28, 0), (7, 18), (14, 43), (36, 44), (51, 18), (51, 18), (54, 54), (41, 90), (8, 97)]],
    // hooked like a g
    &[&[(48, 12), (26, 0), (6, 20), (14, 45), (36, 43), (51, 14), (51, 14), (52, 72), (40, 98), (18, 98), (5, 86)]],
    // slanted stem
    &[&[(46, 6), (22, 3), (4, 24), (17, 46), (40, 36), (54, 4), (54, 4), (26, 100)]],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_spans_the_height_of_the_digit() {
        for (digit, styles) in STYLES.iter().enumerate() {
            assert!(styles.len() >= 3, "{digit}");
            for (i, style) in styles.iter().enumerate() {
                assert!(style.iter().all(|stroke| stroke.len() >= 2), "{digit}.{i}");
                let points = || style.iter().flat_map(|stroke| stroke.iter());
                assert!(points().all(|&(x, y)| x <= 60 && y <= 100), "{digit}.{i}");
                assert!(points().any(|&(_, y)| y <= 4) && points().any(|&(_, y)| y >= 97), "{digit}.{i}");
            }
        }
    }
}
