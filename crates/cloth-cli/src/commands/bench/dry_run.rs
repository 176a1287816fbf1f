//! `cloth bench --dry-run`

use cloth::Methods;
use cloth::bench::{self, BenchPlan, Job, Reusable};
use serde_json::json;

use super::{todo, workers};
use crate::Exit;
use crate::args::Bench;
use crate::progress::Console;
use crate::table::Table;
use crate::text::{count, duration, plural, print, print_json, rounded};

/// Prints what would run and an estimate of the time, and writes nothing.
pub(super) fn dry_run(
    args: &Bench,
    plan: &BenchPlan,
    reusable: &Reusable,
    console: &Console,
) -> anyhow::Result<Exit> {
    let mut todo = todo(plan)?;
    todo.retain(|job| reusable.answer(job).is_none());
    let workers = workers(args, plan, console);
    let mut table = Table::new(1, ["", "runs", "made", "to do", "each", "total"]);
    let (mut seconds, mut rows) = (0.0, Vec::new());
    for row in &plan.rows {
        let all: Vec<&Job> = plan.jobs.iter().filter(|job| job.row == row.name).collect();
        let left: Vec<&&Job> = todo.iter().filter(|job| job.row == row.name).collect();
        let each = match left.first() {
            None => None,
            Some(job) => {
                console.patience(&format!("timing {}", row.name));
                Some(bench::probe(job, &Methods::builtin())?)
            }
        };
        let total = each.unwrap_or(0.0) * left.len() as f64;
        seconds += total;
        table.row([
            row.name.clone(),
            count(all.len()),
            count(all.len() - left.len()),
            count(left.len()),
            each.map_or(String::new(), duration),
            duration(total),
        ]);
        rows.push(json!({
            "row": row.name,
            "method": row.method,
            "settings": row.settings,
            "runs": all.len(),
            "made": all.len() - left.len(),
            "seconds_each": each.map(rounded),
        }));
    }
    console.patient();
    let left = seconds / workers.min(todo.len()).max(1) as f64;
    if args.json {
        print_json(&json!({
            "stamp": plan.stamp,
            "tasks": plan.tasks.iter().map(|task| task.name()).collect::<Vec<_>>(),
            "rows": rows,
            "runs": plan.jobs.len(),
            "to_do": todo.len(),
            "jobs": workers,
            "seconds": rounded(left),
            "output": plan.output,
        }))?;
    } else {
        let stamp = &plan.stamp;
        print(&format!(
            "{}{}: {} × {} × {} = {}\n{}\npreset {}\n\n{}\n\
             About {} with --jobs {workers}, estimated from a few iterations of each on its first task.\n\
             Results would go to {}\n",
            stamp.title,
            stamp.study_title.as_ref().map_or(String::new(), |study| format!(", {study}")),
            plural(plan.tasks.len(), "task"),
            plural(plan.rows.len(), if stamp.study.is_some() { "variant" } else { "method" }),
            plural(stamp.seeds.len(), "seed"),
            plural(plan.jobs.len(), "run"),
            stamp.features,
            stamp.preset,
            table.render(),
            duration(left),
            plan.output.display(),
        ))?;
    }
    Ok(Exit::Done)
}
