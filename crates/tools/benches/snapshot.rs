//! The cost of a look at the files of a root before and after a command: the first one, which keeps
//! the contents, warm ones, and one after another process has looked.
//!
//! `cargo bench -p silcrow-tools`; the folder of the files may be given as `TMPDIR`.

#![expect(clippy::print_stdout, reason = "it prints what it has measured")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use silcrow_tool::{CallContext, ChangeKeeper as _, Scope};
use silcrow_tools::{ChangeJournal, CommandKeeper, Root};

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    for files in [500, 5_000, 50_000] {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("work");
        write_files(&folder, files);
        // A stamp that is new could stay the same after another change, so the file is read again.
        std::thread::sleep(Duration::from_millis(200));
        let (root, journal) = (Root::open(&folder).unwrap(), place.path().join("changes"));
        let keeper = ChangeJournal::new(&journal).keeper(&root);
        let first = command(&keeper, "1", || {}).await;
        println!("{files} files, first look: {}", shown(first.0));
        let mut looks = Vec::new();
        for number in 0..ROUNDS {
            let (before, after) = command(&keeper, &format!("w{number}"), || {}).await;
            looks.extend([before, after]);
        }
        print_times("  warm", &mut looks);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for number in 0..ROUNDS {
            let edit = || fs::write(folder.join("d0/f0.rs"), format!("{number}")).unwrap();
            let times = command(&keeper, &format!("e{number}"), edit).await;
            before.push(times.0);
            after.push(times.1);
        }
        print_times("  before a command that changes a file", &mut before);
        print_times("  after it", &mut after);
        let mut others = Vec::new();
        for number in 0..ROUNDS {
            // Another process has nothing in memory.
            let other = ChangeJournal::new(&journal).keeper(&root);
            others.push(command(&other, &format!("o{number}"), || {}).await.0);
        }
        print_times("  first look of another process", &mut others);
    }
}

/// Looks before and after an operation, and returns the time of each look.
async fn command(keeper: &CommandKeeper, call: &str, act: impl FnOnce()) -> (Duration, Duration) {
    let context = CallContext::new(Scope::new("bench"), call);
    let start = Instant::now();
    let kept = keeper.before(&context).await.unwrap();
    let before = start.elapsed();
    act();
    let start = Instant::now();
    kept.after().await;
    (before, start.elapsed())
}

/// Writes files of some KiB, in folders of 50.
fn write_files(folder: &Path, files: usize) {
    for number in 0..files {
        let inner = folder.join(format!("d{}", number / 50));
        if number % 50 == 0 {
            fs::create_dir_all(&inner).unwrap();
        }
        let text = format!("line {number}\n").repeat(300);
        fs::write(inner.join(format!("f{number}.rs")), text).unwrap();
    }
    fs::write(folder.join(".gitignore"), "target\n*.log\n").unwrap();
}

fn print_times(about: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |percent: usize| shown(times[(times.len() - 1) * percent / 100]);
    println!("{about}: {} at p50, {} at p95", at(50), at(95));
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

const ROUNDS: usize = 20;
