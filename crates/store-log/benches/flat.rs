//! The cost of one conversation in a small store, in one of 10,000 conversations, and in one of a
//! million events: in an open store, and for a program that opens it, as a command does.
//!
//! `cargo bench -p silcrow-store-log --bench flat`; the folder of the stores may be given as `TMPDIR`.
//! With the path of a built `silcrow` in `SILCROW_BENCH_COMMAND` its commands are counted, too. With
//! `SILCROW_BENCH_COUNT=1` the instructions of programs are counted by valgrind, in place of times. With
//! `SILCROW_BENCH_WHOLE=1` programs find no checkpoint.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Store as _;
use silcrow_store_log::{Durability, LogStore, Options};
use tempfile::TempDir;

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    match (std::env::var_os(STORE), std::env::var(OPERATION)) {
        (Some(dir), Ok(operation)) => runtime.block_on(open_for(Path::new(&dir), &operation)),
        _ => runtime.block_on(run()),
    }
}

/// The stores: the number of conversations, and of events of each.
const SIZES: [(&str, usize, usize); 3] =
    [("small", 2, 5), ("10,000 conversations", 10_000, 5), ("1,000,000 events", 1_000, 1_000)];

const OPERATIONS: [&str; 8] = [
    "head",
    "summary",
    "summary of an unknown one",
    "read 5 events",
    "ids inside it",
    "value",
    "append",
    "put",
];

async fn run() {
    let mut stores = Vec::new();
    for (name, conversations, events) in SIZES {
        let dir = tempfile::tempdir().unwrap();
        let begin = Instant::now();
        fill(dir.path(), conversations, events).await;
        let (log, checkpoint) =
            (size(&dir.path().join("log")), size(&dir.path().join("CHECKPOINT")));
        say(&format!(
            "{name}: {} KiB of log, {} KiB of checkpoint, made in {:.1?}",
            log >> 10,
            checkpoint >> 10,
            begin.elapsed()
        ));
        stores.push(dir);
    }
    say(
        "\n| in an open store | small | 10,000 conversations | 1,000,000 events | ratios of reads, bytes, times |",
    );
    say("|---|---|---|---|---|");
    let mut rows = vec![Vec::new(); OPERATIONS.len()];
    for dir in &stores {
        for (row, cost) in rows.iter_mut().zip(each(dir.path()).await) {
            row.push(cost);
        }
    }
    for (operation, costs) in OPERATIONS.iter().zip(&rows) {
        say(&row(operation, costs));
    }
    say("\n| a program that opens it | small | 10,000 conversations | 1,000,000 events | ratios |");
    say("|---|---|---|---|---|");
    let this = std::env::current_exe().unwrap();
    for operation in ["open", "summary", "read 5 events", "append", "list"] {
        let costs = stores.iter().map(|dir| {
            let command = || {
                let mut command = Command::new(&this);
                command.arg("--bench").env(STORE, dir.path()).env(OPERATION, operation);
                command
            };
            counted(&command)
        });
        say(&row(operation, &costs.collect::<Vec<_>>()));
    }
    if let Some(silcrow) = std::env::var_os("SILCROW_BENCH_COMMAND") {
        commands(&silcrow, &stores);
    }
}

fn commands(silcrow: &OsString, stores: &[TempDir]) {
    say("\n| command | small | 10,000 conversations | 1,000,000 events | ratios |");
    say("|---|---|---|---|---|");
    let cases: [&[&str]; 6] = [
        &["--version"],
        &["log", "show", "asked"],
        &["log", "show", "aske"],
        &["log", "export", "asked"],
        &["run", "--provider", "rehearsal", "--resume", "asked", "hi"],
        &["log", "list"],
    ];
    for args in cases {
        let costs = stores.iter().map(|dir| {
            counted(&|| {
                let mut command = Command::new(silcrow);
                command.args(args).env("HOME", dir.path().join("home"));
                if args.len() > 1 {
                    command.arg("--store").arg(dir.path());
                }
                command
            })
        });
        say(&row(&args.join(" "), &costs.collect::<Vec<_>>()));
    }
}

/// Appends as many events as there are, each conversation at once. The one that is asked for comes
/// first.
async fn fill(dir: &Path, conversations: usize, events: usize) {
    let store = LogStore::open(dir, Options { durability: Durability::Process }).await.unwrap();
    for number in 0..conversations {
        let (id, count) = match number {
            0 => ("asked".to_owned(), 5),
            number => (format!("c{number}"), events),
        };
        let batch = (0..count).map(|head| entry(number, head)).collect();
        store.append(&id, 0, batch).await.unwrap();
        store.put(&format!("spent/{id}"), "tokens", 0, vec![b'1'; 40]).await.unwrap();
    }
}

/// Does each operation many times in an open store. Returns the cost of each once.
async fn each(dir: &Path) -> Vec<Cost> {
    let store = LogStore::open(dir, Options { durability: Durability::Process }).await.unwrap();
    let mut costs = Vec::new();
    for operation in OPERATIONS {
        // The first execution is not counted.
        act(&store, operation).await;
        let mut times = Vec::new();
        let before = io();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            act(&store, operation).await;
            times.push(begin.elapsed());
        }
        let after = io();
        times.sort_unstable();
        costs.push(Cost {
            reads: (after.0 - before.0).div_ceil(ROUNDS),
            bytes: (after.1 - before.1) / ROUNDS,
            work: times[times.len() / 2].as_nanos() as u64,
            unit: "ns",
        });
    }
    costs
}

/// Opens a store for one operation, in a separate process.
async fn open_for(dir: &Path, operation: &str) {
    if std::env::var_os("SILCROW_BENCH_WHOLE").is_some() {
        let _ = fs::remove_file(dir.join("CHECKPOINT"));
    }
    let store = LogStore::open(dir, Options { durability: Durability::Process }).await.unwrap();
    act(&store, operation).await;
    drop(store);
    let (reads, bytes) = io();
    say(&format!("cost {reads} {bytes}"));
}

async fn act(store: &LogStore, operation: &str) {
    match operation {
        "open" => {}
        "head" => assert!(store.head("asked").await.unwrap() >= 5),
        "summary" => assert!(store.summary("asked").await.unwrap().is_some()),
        "summary of an unknown one" => assert_eq!(store.summary("nobody").await.unwrap(), None),
        "read 5 events" => assert_eq!(store.read("asked", 1..=5).await.unwrap().len(), 5),
        "ids inside it" => {
            assert!(store.ids_beginning_with("asked/").await.unwrap().is_empty());
        }
        "value" => assert!(store.get("spent/asked", "tokens").await.unwrap().is_some()),
        "append" => {
            let head = store.head("asked").await.unwrap();
            store.append("asked", head, vec![entry(0, 9)]).await.unwrap();
        }
        "put" => {
            let version = store.get("spent/asked", "tokens").await.unwrap().unwrap().version;
            store.put("spent/asked", "tokens", version, vec![b'2'; 40]).await.unwrap();
        }
        "list" => assert!(!store.list(None).await.unwrap().is_empty()),
        other => panic!("{other}"),
    }
}

/// The cost of an operation.
#[derive(Clone, Copy)]
struct Cost {
    reads: u64,
    bytes: u64,
    /// Instructions, or the time.
    work: u64,
    unit: &'static str,
}

/// Counts the reads of a program, and its instructions if valgrind is there.
fn counted(command: &dyn Fn() -> Command) -> Cost {
    let traced = traced(&command());
    let counted = valgrind(&command());
    let (reads, bytes) = traced;
    match counted {
        Some(work) => Cost { reads, bytes, work, unit: "thousand instructions" },
        None => {
            let times = (0..15).map(|_| {
                let begin = Instant::now();
                assert!(silent(command()).status().unwrap().success());
                begin.elapsed().as_micros() as u64
            });
            Cost { reads, bytes, work: times.min().unwrap(), unit: "µs" }
        }
    }
}

/// Returns the number of a program's reads and bytes, as strace counts them; zeros without it.
fn traced(command: &Command) -> (u64, u64) {
    let told = tempfile::NamedTempFile::new().unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=read,pread64,readv,preadv", "-o"]).arg(told.path());
    if !silent(around(strace, command)).status().is_ok_and(|status| status.success()) {
        return (0, 0);
    }
    let told = fs::read_to_string(told.path()).unwrap();
    let results =
        told.lines().filter_map(|line| line.rsplit_once("= ")?.1.trim().parse::<u64>().ok());
    results.fold((0, 0), |(reads, bytes), result| (reads + 1, bytes + result))
}

/// Returns the number of instructions of a program, in thousands.
fn valgrind(command: &Command) -> Option<u64> {
    std::env::var_os("SILCROW_BENCH_COUNT")?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = around(valgrind, command).output().ok()?;
    let told = String::from_utf8_lossy(&output.stderr);
    let count = told.lines().find_map(|line| line.split_once("Collected : "))?.1;
    Some(count.trim().parse::<u64>().ok()? / 1_000)
}

/// Returns a command by another one.
fn around(mut tool: Command, command: &Command) -> Command {
    tool.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        tool.env(name, value.unwrap_or_default());
    }
    tool
}

fn silent(mut command: Command) -> Command {
    command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command
}

fn row(what: &str, costs: &[Cost]) -> String {
    let cells = costs
        .iter()
        .map(|cost| format!("{} reads, {} B, {} {}", cost.reads, cost.bytes, cost.work, cost.unit));
    let ratio = |of: fn(&Cost) -> u64| {
        let most = costs[1..].iter().map(of).max().unwrap_or_default();
        most as f64 / of(&costs[0]).max(1) as f64
    };
    let ratios = [ratio(|cost| cost.reads), ratio(|cost| cost.bytes), ratio(|cost| cost.work)];
    let ratios = ratios.map(|ratio| format!("{ratio:.2}")).join(", ");
    format!("| {what} | {} | {ratios} |", cells.collect::<Vec<_>>().join(" | "))
}

/// Returns the number of reads of this process from files, and of bytes.
fn io() -> (u64, u64) {
    let counters = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let of = |name: &str| {
        let count = counters.lines().find_map(|line| line.strip_prefix(name));
        count.and_then(|count| count.parse().ok()).unwrap_or_default()
    };
    (of("syscr: "), of("rchar: "))
}

/// 300 bytes as they are kept.
fn entry(conversation: usize, head: usize) -> Entry {
    let text = format!("{conversation} {head} {}", "lorem ipsum ".repeat(18));
    let event = match head % 5 {
        0 => Event::user(text),
        4 => Event::respond(text),
        _ => Event::think(text),
    };
    let nanos = 1_763_712_345_123_456_000 + (conversation * 1_000 + head) as i64 * 1_000_000_000;
    Entry { timestamp: Some(Timestamp::from_nanos(nanos)), turn: Some(1), ..event.into() }
}

fn size(path: &Path) -> u64 {
    let Ok(found) = fs::metadata(path) else { return 0 };
    if found.is_file() {
        return found.len();
    }
    fs::read_dir(path).unwrap().map(|entry| size(&entry.unwrap().path())).sum()
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").unwrap();
}

const ROUNDS: u64 = 400;
const STORE: &str = "SILCROW_BENCH_STORE";
const OPERATION: &str = "SILCROW_BENCH_OPERATION";
