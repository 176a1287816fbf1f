//! The demo's own random numbers: SplitMix64.
//!
//! These lines replace a crate, so that no upgrade of a dependency can change the demo's data. Everything here is
//! integer arithmetic or an exact floating-point step; nothing calls the platform's maths library.

/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
pub(super) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream that belongs to sample `index` of the set with this `seed`.
    pub(super) fn for_sample(seed: u64, index: u64) -> Self {
        let mut set = Self { state: seed };
        Self { state: set.next().wrapping_add(mix(index)) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// A whole number in `0..n`. The bias, n / 2³², does not matter for the handful of styles it chooses from.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (((self.next() >> 32) * n as u64) >> 32) as usize
    }

    /// Uniform in `lo..hi`.
    pub(super) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        lo + (hi - lo) * unit
    }

    /// Bell-shaped with mean 0 and this standard deviation `sd`: the sum of four uniforms, never beyond 3.5 `sd`.
    pub(super) fn bell(&mut self, sd: f64) -> f64 {
        const SQRT_3: f64 = 1.732_050_807_568_877_2;
        let sum: f64 = (0..4).map(|_| self.between(-0.5, 0.5)).sum();
        sum * SQRT_3 * sd
    }
}

fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_sequence() {
        // The reference C code, https://prng.di.unimi.it/splitmix64.c, started at 1234567.
        let mut rng = SplitMix64 { state: 1_234_567 };
        assert_eq!([rng.next(), rng.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn bell_has_the_spread_it_promises() {
        let mut rng = SplitMix64::for_sample(0, 0);
        let draws: Vec<f64> = (0..20_000).map(|_| rng.bell(2.0)).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.05, "{mean}");
        assert!((variance - 4.0).abs() < 0.15, "{variance}");
        assert!(draws.iter().all(|x| x.abs() <= 7.0));
    }

    #[test]
    fn whole_numbers_cover_their_range() {
        let mut rng = SplitMix64::for_sample(0, 1);
        let mut seen = [0; 3];
        (0..300).for_each(|_| seen[rng.below(3)] += 1);
        assert!(seen.iter().all(|&n| n > 60), "{seen:?}");
    }
}
