//! `cargo lab record`, which records ten tasks at a terminal, for docs/recordings.md.
//!
//! Each is a run of the real command with a model whose answers are written down. `tasks` has them,
//! `stage` is the terminal and the person, and `cast` is the file. Text that differs in each run is
//! made the same, so that a recording changes only if the command does.

mod cast;
mod rows;
mod slow_server;
mod stage;
mod steady;
mod tasks;

use std::fs;

use stage::Stage;
use tasks::TASKS;

/// A task, with the actions of the person.
struct Task {
    name: &'static str,
    title: &'static str,
    play: fn(&mut Stage<'_>) -> Result<(), String>,
}

/// Records the tasks of these names, or all of them, and writes changed recordings. With `--check`,
/// it fails instead.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let (mut names, mut checks, mut program) = (Vec::new(), false, None);
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        match arg {
            "--check" => checks = true,
            "--program" => program = Some(args.next().ok_or("--program needs a file")?.into()),
            name if TASKS.iter().any(|task| task.name == name) => names.push(name),
            other => {
                let known = TASKS.map(|task| task.name).join(", ");
                return Err(format!("there is no recording `{other}`; use one of {known}"));
            }
        }
    }
    let program = program.map_or_else(|| crate::build("dev"), Ok)?;
    let is_meant = |task: &&Task| names.is_empty() || names.contains(&task.name);
    let mut stale = Vec::new();
    for task in TASKS.iter().filter(is_meant) {
        // Outside of the repository, whose files a session would read.
        let home = std::env::temp_dir().join(format!("silcrow-record-{}", task.name));
        let mut stage = Stage::new(&program, home, task.title)?;
        (task.play)(&mut stage).map_err(|why| format!("{}: {why}", task.name))?;
        let text = stage.into_cast();
        let file = crate::root().join(format!("docs/recordings/{}.cast", task.name));
        let is_same = fs::read_to_string(&file).is_ok_and(|kept| kept == text);
        match (is_same, checks) {
            (true, _) => println!("{}: {} bytes, as it was", task.name, text.len()),
            (false, true) => stale.push(task.name),
            (false, false) => {
                fs::write(&file, &text).map_err(|why| format!("{}: {why}", file.display()))?;
                println!("{}: {} bytes, recorded", task.name, text.len());
            }
        }
    }
    match stale.as_slice() {
        [] => Ok(()),
        stale => Err(format!("these recordings are stale: {}", stale.join(", "))),
    }
}
