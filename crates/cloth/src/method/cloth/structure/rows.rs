//! Selects the target rows of a structure plan.

use rand::seq::index;

use super::super::params::Params;
use crate::data::Shape;
use crate::method::Step;
use crate::rng::{Purpose, stream};

/// Most values (f32) in a copy of the rows: 128 MiB. Of wide rows, fewer are taken.
const MOST_VALUES: usize = 1 << 25;

/// The target rows of a plan.
pub(super) struct PlannedRows {
    /// Row indices, ascending.
    pub(super) rows: Vec<u32>,
    /// Position of each target row in `rows`; `None` if it is not in the plan.
    place: Vec<Option<u32>>,
}

impl PlannedRows {
    /// All target rows, or `structure_rows` of them if there are more. In that case the rows of features are the same
    /// for every plan, because features are compared only once. Images are compared again for each plan, so their rows
    /// are those that the iterations from `made_at` to the next plan will draw: nearly every row of a batch has a plan.
    pub(super) fn of_plan(params: &Params, step: &Step<'_>, made_at: usize) -> Self {
        let target = step.data.target();
        let most = most_rows(params, target.shape());
        if target.rows() <= most {
            return Self::new((0..target.rows() as u32).collect(), target.rows());
        }
        let drawn = draw(most, target.rows(), step.seed, 0);
        let rows = match target.shape() {
            Shape::Flat(_) => drawn,
            Shape::Image { .. } => {
                let next = made_at.saturating_add(params.structure_every).min(step.train.iterations + 1);
                let coming = (made_at..next).flat_map(|i| step.data.target_rows(Purpose::BATCHES_OF_G, i));
                let mut taken = vec![false; target.rows()];
                let is_new = |&row: &u32| !std::mem::replace(&mut taken[row as usize], true);
                coming.chain(drawn).filter(is_new).take(most).collect()
            }
        };
        Self::new(rows, target.rows())
    }

    fn new(mut rows: Vec<u32>, of: usize) -> Self {
        rows.sort_unstable();
        let mut place = vec![None; of];
        for (i, &row) in rows.iter().enumerate() {
            place[row as usize] = Some(i as u32);
        }
        Self { rows, place }
    }

    pub(super) fn place(&self, row: u32) -> Option<usize> {
        self.place[row as usize].map(|place| place as usize)
    }
}

/// The source rows that are compared: all training rows, or `structure_rows` of them if there are more. Ascending.
pub(super) fn source_rows(params: &Params, step: &Step<'_>) -> Vec<u32> {
    let all = &step.data.split().train;
    let most = most_rows(params, step.data.target().shape());
    if all.len() <= most {
        return all.clone();
    }
    let mut rows: Vec<u32> =
        draw(most, all.len(), step.seed, 1).into_iter().map(|i| all[i as usize]).collect();
    rows.sort_unstable();
    rows
}

fn most_rows(params: &Params, shape: Shape) -> usize {
    params.structure_rows.min(MOST_VALUES / shape.len()).max(1)
}

/// `most` of `of` rows at random. The number is limited because the graph's cost grows with its square.
fn draw(most: usize, of: usize, seed: u64, side: u64) -> Vec<u32> {
    let mut rng = stream(seed, Purpose::STRUCTURE, side);
    index::sample(&mut rng, of, most).into_iter().map(|i| i as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Batches;
    use crate::data::batch::TrainingSet;
    use crate::data::{Classes, Features, Source, Target, split};
    use crate::method::Methods;

    const EVERY: usize = 3;

    /// The rows of the plan made at this iteration (at most forty of a hundred), and the rows of the following batches
    /// that have no plan.
    fn planned(shape: Shape, made_at: usize) -> (Vec<u32>, Vec<u32>) {
        let features = |rows: usize| {
            let values = (0..rows * shape.len()).map(|i| i as f32).collect();
            Features::new(values, shape).unwrap()
        };
        let labels: Vec<u32> = (0..40).map(|i| i % 2).collect();
        let split = split::stratified(&labels, 2, 0.1, 0);
        let source = Source::new(features(40), labels, Classes::new(["a", "b"])).unwrap();
        let target = Target::new(features(100)).unwrap();
        let data = TrainingSet::new(source, target, split, 10, Batches::Balanced, 0).unwrap();
        let layers = Methods::builtin().layers("cloth").unwrap();
        let config = layers.set("train.iterations=10").unwrap().build().unwrap();
        let device = crate::device::cpu();
        let params = Params { structure_rows: 40, structure_every: EVERY, ..Params::default() };
        let step = Step::new(made_at, &config, &data, &device);
        let plan = PlannedRows::of_plan(&params, &step, made_at);
        let mut without = Vec::new();
        for iteration in made_at..(made_at + EVERY).min(11) {
            let batch = data.batch(Purpose::BATCHES_OF_G, iteration, &device);
            without.extend(batch.target_rows.into_iter().filter(|&row| plan.place(row).is_none()));
        }
        (plan.rows, without)
    }

    #[test]
    fn images_that_are_drawn_before_the_next_plan_are_in_this_one() {
        let image = Shape::Image { height: 2, width: 2, channels: 1 };
        let plans = [1, 4, 10].map(|made_at| planned(image, made_at));
        for (rows, without) in &plans {
            assert_eq!((rows.len(), without.len()), (40, 0));
            assert!(rows.is_sorted_by(|a, b| a < b));
        }
        assert_ne!(plans[0].0, plans[1].0);
    }

    #[test]
    fn features_have_one_draw_of_rows_for_all_plans() {
        let [(first, without), (second, _)] = [1, 4].map(|made_at| planned(Shape::Flat(4), made_at));
        assert_eq!((first.len(), &first), (40, &second));
        assert!(!without.is_empty());
    }
}
