//! Which target rows a structure plan is made for.

use rand::seq::index;

use super::super::params::Params;
use crate::data::Shape;
use crate::method::Step;
use crate::rng::{Purpose, stream};

/// Wide rows are fewer, so that no copy of them passes 128 MB.
const MOST_VALUES: usize = 1 << 25;

/// The rows of a plan, in order.
pub(super) struct PlannedRows {
    pub(super) rows: Vec<u32>,
    /// Place of each target row among them, or none if it is not.
    place: Vec<Option<u32>>,
}

impl PlannedRows {
    /// All target rows, or `structure_rows` where there are more. Then features are compared once, and their rows are
    /// the same for every plan. Images are compared anew for each plan: theirs are the rows that the iterations from
    /// `made_at` to the next plan will draw, so that hardly a row of a batch is without a plan.
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

/// The source rows that take part, likewise.
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

/// So many rows at random: the graph's cost grows with their square.
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

    /// The rows of the plan made at this iteration, at most forty of a hundred, and which of those that the batches from
    /// then on have are without a plan.
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
