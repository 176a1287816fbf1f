//! Turns strokes into pixels, by the same steps as for the real digits.
//!
//! ```text
//! Style ──hand──▶ polylines ──normalise + ink──▶ 32 × 32 bits ──count 4 × 4 blocks──▶ 8 × 8 values in 0..=16
//! ```
//!
//! The real digits are 32 × 32 bitmaps, stretched to full height and centred, whose ink UCI counted in blocks of 4 × 4.
//! Drawn digits are made the same way. The bitmap is the same on every platform: it uses only `+ − × ÷` and comparison
//! in f64, which IEEE 754 defines to the last bit, and no sine, root or logarithm.

use super::glyph::{Stroke, Style};
use super::rng::SplitMix64;

/// Side of the bitmap in pixels; also the height that every digit fills.
const SIDE: usize = 32;
/// Side of the final image, and of the block of pixels that each of its values counts.
const BLOCKS: usize = 8;
const BLOCK: usize = SIDE / BLOCKS;
/// Width of a digit in pixels: real digits leave the outermost columns of blocks nearly empty.
const WIDTH: f64 = 21.0;
/// Maximum horizontal stretch relative to the height, so that a plain 1 stays narrow.
const MAX_STRETCH: f64 = 1.8;
/// Straight pieces per curve between two points of a stroke.
const PIECES: usize = 6;

/// Row y's bit x says whether the pixel x to the right and y down holds ink.
pub(super) type Bitmap = [u32; SIDE];

type Vec2 = [f64; 2];

/// Draws `style` once, in the hand that `rng` gives it.
pub(super) fn bitmap(style: Style, rng: &mut SplitMix64) -> Bitmap {
    let hand = Hand::new(rng);
    // Half the thickness of the line, in hundredths of the height: from a ballpoint to a felt tip.
    let pen = rng.between(6.0, 10.5);
    let polylines: Vec<Vec<Vec2>> = style.iter().map(|stroke| hand.write(stroke, rng)).collect();
    let frame = Frame::around(&polylines, pen, rng.bell(0.6));

    let mut rows = [0; SIDE];
    for (y, row) in rows.iter_mut().enumerate() {
        for x in 0..SIDE {
            let p = frame.paper(x, y);
            let inked = polylines.iter().any(|line| line.windows(2).any(|ab| within(p, ab[0], ab[1], pen)));
            *row |= u32::from(inked) << x;
        }
    }
    rows
}

/// The ink in each block of 4 × 4 pixels, row by row: 64 values in 0..=16.
pub(super) fn blocks(rows: &Bitmap) -> [u8; BLOCKS * BLOCKS] {
    let mut ink = [0; BLOCKS * BLOCKS];
    for (y, row) in rows.iter().enumerate() {
        for x in 0..BLOCKS {
            let four = (row >> (x * BLOCK)) & 0b1111;
            ink[y / BLOCK * BLOCKS + x] += four.count_ones() as u8;
        }
    }
    ink
}

/// A random handwriting of one digit: a slant of the whole, and a wobble that varies smoothly over the paper, so that
/// touching strokes still touch.
struct Hand {
    /// Displacements at the nodes of a 3 × 3 grid over the digit, in hundredths of its height.
    wobble: [[Vec2; 3]; 3],
    /// Rotation, shear and stretch as one matrix.
    affine: [Vec2; 2],
}

impl Hand {
    fn new(rng: &mut SplitMix64) -> Self {
        let mut wobble = [[[0.0; 2]; 3]; 3];
        wobble.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|d| *d = rng.bell(4.0));

        // A rotation by θ, from t = tan(θ/2): exact, and without a sine. The spread is about 4 degrees.
        let t = rng.bell(0.035);
        let (cos, sin) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
        // Writing leans right more often than left.
        let (lean, wide) = (rng.bell(0.14) + 0.06, rng.between(0.8, 1.25));
        let affine = [[cos * wide, -cos * lean - sin], [sin * wide, cos - sin * lean]];
        Self { wobble, affine }
    }

    /// The stroke in this handwriting, as a polyline.
    fn write(&self, stroke: Stroke, rng: &mut SplitMix64) -> Vec<Vec2> {
        // Each stroke has a small random offset.
        let slip = [rng.bell(1.2), rng.bell(1.2)];
        let points: Vec<Vec2> = stroke.iter().map(|&(x, y)| self.place([x.into(), y.into()], slip)).collect();
        // A repeated point is a corner: one curve ends there and another begins. Equal points stay equal in `place`.
        points.chunk_by(|a, b| a != b).flat_map(smooth).collect()
    }

    fn place(&self, [x, y]: Vec2, slip: Vec2) -> Vec2 {
        let (column, u) = cell(x / 60.0);
        let (row, v) = cell(y / 100.0);
        let moved = |axis: usize| {
            let at = |r: usize, c: usize| self.wobble[row + r][column + c][axis];
            let (top, bottom) = (mix(at(0, 0), at(0, 1), u), mix(at(1, 0), at(1, 1), u));
            mix(top, bottom, v) + slip[axis]
        };
        let (x, y) = (x + moved(0), y + moved(1));
        self.affine.map(|[a, b]| a * x + b * y)
    }
}

/// The cell of the wobble grid that holds `unit`, a position in 0..=1, and where in that cell it lies.
fn cell(unit: f64) -> (usize, f64) {
    if unit < 0.5 { (0, unit * 2.0) } else { (1, unit * 2.0 - 1.0) }
}

fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// The Catmull–Rom curve through the points, as a polyline; through two points, the straight line.
fn smooth(points: &[Vec2]) -> Vec<Vec2> {
    let last = points.len() - 1;
    // The tangent at a point is half the vector from the previous to the next point; an end point has one neighbour.
    let tangent = |i: usize, axis: usize| {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(last));
        (points[after][axis] - points[before][axis]) / (after - before) as f64
    };
    let mut line = vec![points[0]];
    for i in 0..last {
        for piece in 1..=PIECES {
            let t = piece as f64 / PIECES as f64;
            let (t2, t3) = (t * t, t * t * t);
            line.push([0, 1].map(|axis| {
                points[i][axis] * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + tangent(i, axis) * (t3 - 2.0 * t2 + t)
                    + points[i + 1][axis] * (3.0 * t2 - 2.0 * t3)
                    + tangent(i + 1, axis) * (t3 - t2)
            }));
        }
    }
    line
}

/// Position of the bitmap on the paper: the digit's ink fills its height and is centred in its width.
struct Frame {
    /// Paper position of the bitmap's top left corner.
    corner: Vec2,
    /// Paper units per pixel.
    step: Vec2,
}

impl Frame {
    /// `shift`: horizontal offset of the digit from the centre, in pixels to the right.
    fn around(polylines: &[Vec<Vec2>], pen: f64, shift: f64) -> Self {
        let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in polylines.iter().flatten() {
            for axis in 0..2 {
                min[axis] = min[axis].min(point[axis] - pen);
                max[axis] = max[axis].max(point[axis] + pen);
            }
        }
        let side = SIDE as f64;
        let down = (max[1] - min[1]) / side;
        let right = ((max[0] - min[0]) / WIDTH).max(down / MAX_STRETCH);
        let left = (min[0] + max[0]) / 2.0 - right * (side / 2.0 + shift);
        Self { corner: [left, min[1]], step: [right, down] }
    }

    /// The paper position of the centre of a pixel.
    fn paper(&self, x: usize, y: usize) -> Vec2 {
        [self.corner[0] + (x as f64 + 0.5) * self.step[0], self.corner[1] + (y as f64 + 0.5) * self.step[1]]
    }
}

/// Whether `p` is no further than `reach` from the straight line between `a` and `b`.
fn within(p: Vec2, a: Vec2, b: Vec2, reach: f64) -> bool {
    let (ab, ap) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length2 = ab[0] * ab[0] + ab[1] * ab[1];
    let along = if length2 > 0.0 { ((ap[0] * ab[0] + ap[1] * ab[1]) / length2).clamp(0.0, 1.0) } else { 0.0 };
    let off = [ap[0] - along * ab[0], ap[1] - along * ab[1]];
    off[0] * off[0] + off[1] * off[1] <= reach * reach
}

#[cfg(test)]
mod tests {
    use super::super::glyph::STYLES;
    use super::*;

    /// Every style, drawn `n` times.
    fn bitmaps(n: u64) -> impl Iterator<Item = (String, Bitmap)> {
        STYLES.iter().enumerate().flat_map(move |(digit, styles)| {
            styles.iter().enumerate().flat_map(move |(i, style)| {
                (0..n)
                    .map(move |k| (format!("{digit}.{i}"), bitmap(style, &mut SplitMix64::for_sample(k, 0))))
            })
        })
    }

    #[test]
    fn every_style_leaves_ink_and_leaves_paper() {
        for (name, rows) in bitmaps(10) {
            let ink: u32 = rows.iter().map(|row| row.count_ones()).sum();
            assert!((80..600).contains(&ink), "{name}: {ink} of 1024 pixels");
        }
    }

    #[test]
    fn every_digit_fills_the_height_and_stays_inside_the_width() {
        for (name, rows) in bitmaps(10) {
            assert!(rows[0] != 0 && rows[SIDE - 1] != 0, "{name} does not touch top and bottom");
            let columns = rows.iter().fold(0, |all, row| all | row);
            assert!(columns & 0x8000_0001 == 0, "{name} touches a side: {columns:032b}");
        }
    }

    #[test]
    fn blocks_count_every_pixel_once() {
        assert_eq!(blocks(&[u32::MAX; SIDE]), [16; 64]);
        let mut rows = [0; SIDE];
        rows[5] = 0b111 << 8; // three pixels in the second row of blocks, third column
        let ink = blocks(&rows);
        assert_eq!((ink[8 + 2], ink.iter().sum::<u8>()), (3, 3));
    }

    #[test]
    fn two_points_make_a_straight_line_and_curves_pass_through_their_points() {
        let line = smooth(&[[0.0, 0.0], [6.0, 12.0]]);
        assert!(line.iter().all(|p| (p[1] - 2.0 * p[0]).abs() < 1e-12), "{line:?}");
        let through = [[0.0, 0.0], [5.0, 9.0], [10.0, 0.0]];
        let curve = smooth(&through);
        assert_eq!([curve[0], curve[PIECES], curve[2 * PIECES]], through);
    }

    #[test]
    fn ink_has_round_ends() {
        let (a, b) = ([0.0, 0.0], [10.0, 0.0]);
        assert!(within([5.0, 2.0], a, b, 2.0) && !within([5.0, 2.1], a, b, 2.0));
        assert!(within([-2.0, 0.0], a, b, 2.0) && !within([-1.5, 1.5], a, b, 2.0));
        assert!(within([1.0, 1.0], a, a, 2.0), "a line of no length is a dot");
    }
}
