//! Augmentation: random shifts, rotations and scalings of the images of a batch, so that the networks depend less on
//! position, size and orientation.
//!
//! Only training batches are augmented. Prediction and validation use the original images.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Shape;

/// Largest shift at strength 1, as a share of the side. All changes are uniform between minus and plus their largest.
const SHIFT: f32 = 0.15;
/// Largest rotation at strength 1, in radians.
const TURN: f32 = 0.35;
/// Largest change of the logarithm of the size at strength 1.
const SCALE: f32 = 0.35;

/// An affine map from positions in the new image to positions in the old one, with coordinates from −1 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Warp {
    across: [f32; 3],
    down: [f32; 3],
}

impl Warp {
    /// A random map; at strength 0 the identity.
    pub(super) fn draw(strength: f32, rng: &mut ChaCha8Rng) -> Self {
        let mut within = |most: f32| strength * most * rng.random_range(-1f32..=1.0);
        let (x, y, turn) = (within(2.0 * SHIFT), within(2.0 * SHIFT), within(TURN));
        let (wide, high) = (within(SCALE).exp(), within(SCALE).exp());
        let (sin, cos) = turn.sin_cos();
        Self { across: [wide * cos, -wide * sin, x], down: [high * sin, high * cos, y] }
    }

    /// Writes `from`, warped, to `to`. Interpolates linearly between pixels and repeats the border pixels outside.
    pub(super) fn apply(&self, from: &[f32], to: &mut [f32], shape: Shape) {
        let Shape::Image { height, width, .. } = shape else { return to.copy_from_slice(from) };
        let (middle_x, middle_y) = ((width - 1) as f32 / 2.0, (height - 1) as f32 / 2.0);
        let unit = |i: usize, middle: f32| if middle > 0.0 { i as f32 / middle - 1.0 } else { 0.0 };
        let units: Vec<f32> = (0..width).map(|x| unit(x, middle_x)).collect();
        let (mut across, mut down) = (vec![(0, 0.0); width], vec![(0, 0.0); width]);
        for y in 0..height {
            let v = unit(y, middle_y);
            place(self.across, &units, v, middle_x, &mut across);
            place(self.down, &units, v, middle_y, &mut down);
            for (from, to) in from.chunks_exact(height * width).zip(to.chunks_exact_mut(height * width)) {
                let line = to[y * width..][..width].iter_mut();
                for ((to, &(left, part_x)), &(top, part_y)) in line.zip(&across).zip(&down) {
                    let (left, top) = (left as usize, top as usize);
                    let (right, bottom) = ((left + 1).min(width - 1), (top + 1).min(height - 1));
                    let row = |y: usize| {
                        let (a, b) = (from[y * width + left], from[y * width + right]);
                        a + part_x * (b - a)
                    };
                    let (above, beneath) = (row(top), row(bottom));
                    *to = above + part_y * (beneath - above);
                }
            }
        }
    }
}

/// Source positions of the pixels of a line along one axis: the pixel at or below, and the fraction to the next one.
///
/// A separate loop, so that the compiler vectorises it.
fn place(row: [f32; 3], units: &[f32], v: f32, middle: f32, to: &mut [(i32, f32)]) {
    for (to, u) in to.iter_mut().zip(units) {
        let at = middle * (1.0 + row[0] * u + row[1] * v + row[2]);
        let at = at.max(0.0).min(2.0 * middle);
        let below = at as i32;
        *to = (below, at - below as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    const SIDE: usize = 9;
    const SHAPE: Shape = Shape::Image { channels: 2, height: SIDE, width: SIDE };
    const STILL: Warp = Warp { across: [1.0, 0.0, 0.0], down: [0.0, 1.0, 0.0] };

    /// A ramp from left to right, and one from top to bottom.
    fn ramps() -> Vec<f32> {
        let place = |i: usize| ((i % SIDE) as f32, (i / SIDE) as f32);
        let across = (0..SIDE * SIDE).map(|i| place(i).0);
        across.chain((0..SIDE * SIDE).map(|i| place(i).1)).collect()
    }

    fn warped(warp: Warp) -> Vec<f32> {
        let mut to = vec![f32::NAN; 2 * SIDE * SIDE];
        warp.apply(&ramps(), &mut to, SHAPE);
        to
    }

    #[test]
    fn nothing_moves_at_strength_zero() {
        let warp = Warp::draw(0.0, &mut stream(0, Purpose::BATCHES_OF_G, 1));
        assert_eq!(warp, STILL);
        assert_eq!(warped(warp), ramps());
    }

    #[test]
    fn a_shift_moves_every_pixel_and_the_border_stays_as_it_is() {
        // Half the distance from the middle to the border: two of nine pixels.
        let to = warped(Warp { across: [1.0, 0.0, 0.5], ..STILL });
        assert_eq!(to[..SIDE], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 8.0, 8.0]);
        assert_eq!(to[SIDE * SIDE..], ramps()[SIDE * SIDE..], "nothing moved down");
    }

    #[test]
    fn the_middle_stays_when_an_image_is_turned_and_scaled() {
        let to = warped(Warp { across: [0.0, -2.0, 0.0], down: [2.0, 0.0, 0.0] });
        let middle = SIDE * SIDE / 2;
        assert_eq!((to[middle], to[SIDE * SIDE + middle]), (4.0, 4.0));
        // A quarter turn at half the size: the pixel two below the middle moves to one right of it.
        assert_eq!((to[middle + 1], to[SIDE * SIDE + middle + 1]), (4.0, 6.0));
    }

    #[test]
    fn draws_are_within_bounds_and_differ() {
        let mut rng = stream(3, Purpose::BATCHES_OF_G, 1);
        let drawn: Vec<Warp> = (0..200).map(|_| Warp::draw(1.0, &mut rng)).collect();
        assert!(
            drawn.iter().all(|warp| warp.across[2].abs() <= 2.0 * SHIFT && warp.across[0] <= SCALE.exp())
        );
        assert!(drawn.windows(2).all(|two| two[0] != two[1]));
        for warp in drawn {
            assert!(
                warped(warp).iter().all(|v| (0.0..=8.0).contains(v)),
                "no value that was not between two others"
            );
        }
    }

    #[test]
    fn rows_that_are_no_images_stay() {
        let mut to = [0.0; 3];
        Warp::draw(1.0, &mut stream(0, Purpose::BATCHES_OF_G, 1)).apply(
            &[1.0, 2.0, 3.0],
            &mut to,
            Shape::Flat(3),
        );
        assert_eq!(to, [1.0, 2.0, 3.0]);
    }
}
