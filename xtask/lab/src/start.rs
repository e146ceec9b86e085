//! `cargo lab start`, which measures how long the command takes to begin.
//!
//! It makes stores with different numbers of conversations, starts the command in a pseudo terminal,
//! and takes the time until a text is there. `stored` makes the stores, and `timed` starts the command.

mod stored;
mod timed;
pub(crate) mod turns;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use timed::TimedStart;

use crate::measure::count_running;

/// Measures the beginnings in stores of these numbers of conversations, and prints a table.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let sizes = match args {
        [] => vec![1, 1_000],
        args => args.iter().map(|arg| size(arg)).collect::<Result<_, _>>()?,
    };
    let program = crate::build("release")?;
    println!("| command, until | conversations | median | 95 % within | CPU time |");
    println!("|---|---|---|---|---|");
    for size in sizes {
        for (begin, time) in measure(&program, size)? {
            let StartTime { median, most, cpu } = time;
            let name = begin.name;
            println!("| {name} | {size} | {median:.1} ms | {most:.1} ms | {cpu:.0} ms |");
        }
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("\nThe load was {} at the end.", load.split(' ').next().unwrap_or_default());
    Ok(())
}

/// Returns the commands that start, each with the median of its times in milliseconds, in a store
/// of so many conversations.
pub(crate) fn medians(size: usize) -> Result<Vec<(&'static str, f64)>, String> {
    let times = measure(&crate::build("release")?, size)?;
    Ok(times.into_iter().map(|(begin, time)| (begin.name, time.median)).collect())
}

/// The times of a beginning, in milliseconds.
struct StartTime {
    median: f64,
    /// The time within which are 95 of a hundred.
    most: f64,
    /// The processor time.
    cpu: f64,
}

/// Returns the instructions of a run from its start to its end, of the list of 1,000 conversations,
/// and of the import of one event.
pub(crate) fn instructions() -> Result<[(&'static str, f64); 3], String> {
    let program = &crate::build("release")?;
    let home = &home(program, 1_000)?;
    let run = count(program, home, &["run", "what is in a.txt?"])?;
    let list = count(program, home, &["log", "--no-pager"])?;
    let import = |conversations: usize| {
        let home = self::home(program, 1)?;
        let file = home.join("export.jsonl");
        let events = stored::write(&file, &home, conversations)?;
        let args = ["log", "import", "--own", &file.display().to_string()];
        Ok::<_, String>((events as f64, count(program, &home, &args)?))
    };
    let ((few, before), (many, after)) = (import(100)?, import(300)?);
    Ok([
        ("`silcrow run`", run),
        ("`silcrow log` of 1,000", list),
        ("an event of `log import`", (after - before) / (many - few)),
    ])
}

/// Counts the instructions of a command of this person.
fn count(program: &Path, home: &Path, args: &[&str]) -> Result<f64, String> {
    let (total, ()) = count_running(|mut valgrind| {
        timed::set_person(&mut valgrind, home);
        valgrind.arg(program).args(args);
        valgrind.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        crate::succeed(&mut valgrind, &format!("`silcrow {}`", args.join(" ")))
    })?;
    Ok(total.instructions)
}

/// Makes a store of so many conversations, and measures each beginning in it.
fn measure(program: &Path, size: usize) -> Result<Vec<(&'static Beginning, StartTime)>, String> {
    let home = home(program, size)?;
    let start = TimedStart { program, home: &home };
    BEGINNINGS.iter().map(|begin| Ok((begin, begin.time(&start)?))).collect()
}

/// Makes the home of a person who has so many conversations.
fn home(program: &Path, size: usize) -> Result<PathBuf, String> {
    let home = crate::root().join("target/start").join(size.to_string());
    let _ = fs::remove_dir_all(&home);
    let work = home.join("work");
    let made = fs::create_dir_all(&work).and_then(|()| fs::write(work.join("a.txt"), "alpha\n"));
    made.map_err(|why| format!("cannot write {}: {why}", work.display()))?;
    stored::make(program, &home, size)?;
    Ok(home)
}

/// A command, and the text that ends its start.
struct Beginning {
    name: &'static str,
    args: &'static [&'static str],
    /// The text that ends the time; without one, it is the end of the command.
    text: Option<&'static str>,
}

const BEGINNINGS: [Beginning; 5] = [
    Beginning { name: "`silcrow --version`, its end", args: &["--version"], text: None },
    Beginning {
        name: "`silcrow run`, its first token",
        args: &["run", "--json", "--stream", "token", "--rate", "1000000", "what is in a.txt?"],
        text: Some("{\"type\":\"think\""),
    },
    Beginning { name: "`silcrow`, its prompt", args: &[], text: Some("\u{203a}") },
    Beginning {
        name: "`silcrow --resume`, its list",
        args: &["--resume"],
        text: Some("Esc leaves"),
    },
    Beginning { name: "`silcrow log`, its end", args: &["log", "--no-pager"], text: None },
];

impl Beginning {
    fn time(&self, start: &TimedStart<'_>) -> Result<StartTime, String> {
        // The first ones fill the page cache.
        for _ in 0..WARM {
            start.time(self.args, self.text)?;
        }
        let before = crate::builds::children_seconds()?;
        let times = (0..ROUNDS).map(|_| start.time(self.args, self.text));
        let mut times = times.collect::<Result<Vec<_>, _>>()?;
        let cpu = (crate::builds::children_seconds()? - before) / ROUNDS as f64 * 1e3;
        times.sort_unstable();
        let ms = |index: usize| times[index].as_secs_f64() * 1e3;
        Ok(StartTime { median: ms(ROUNDS / 2), most: ms(ROUNDS * 95 / 100), cpu })
    }
}

fn size(arg: &str) -> Result<usize, String> {
    arg.parse().map_err(|_| format!("`{arg}` is not a number of conversations"))
}

const WARM: usize = 3;

const ROUNDS: usize = 30;
