//! The cost of a durable append, beside the same statement under pgbench, and of following.
//!
//! `cargo lab database`. It fails if an append costs more than 1.3 times the bare statement, or if
//! following 1,000 conversations takes more than 5 % of the appends.

use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Store as _;
use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};
use silcrow_testkit::PostgresServer;
use tokio::time::{Instant, sleep};

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let Some(server) = PostgresServer::start(true) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let is_good = runtime.block_on(run(&server));
    runtime.shutdown_background();
    drop(server);
    assert!(is_good, "a limit is exceeded");
}

async fn run(server: &PostgresServer) -> bool {
    let database = server.database();
    let store = Arc::new(open(&database).await);
    let ids: Vec<String> = (0..FOLLOWED).map(|number| format!("followed {number}")).collect();
    for id in &ids {
        store.append(id, 0, batch(0)).await.unwrap();
    }
    let follower = Arc::new(open(&database).await);
    let (mut bare, mut alone, mut followed) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        bare.push(pgbench(server, &database, round));
        alone.push(appends(&store, round).await);
        let tasks: Vec<_> = ids.iter().map(|id| follow(&follower, id)).collect();
        // The followers have read the existing events.
        sleep(Duration::from_secs(2)).await;
        followed.push(appends(&store, round + ROUNDS).await);
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
        say(&format!(
            "round {}: pgbench {:.0}/s, the store {:.0}/s, beside {FOLLOWED} followers {:.0}/s",
            round + 1,
            bare[round],
            alone[round],
            followed[round]
        ));
    }
    // Other work on the machine changes from round to round, and less within one.
    let ratio =
        |of: &[f64], to: &[f64]| median(of.iter().zip(to).map(|(of, to)| of / to).collect());
    let (factor, share) = (ratio(&bare, &alone), 100.0 * (1.0 - ratio(&followed, &alone)));
    let [bare, alone] = [bare, alone].map(median);
    say(&format!("{CLIENTS} clients, medians of {ROUNDS} rounds of {SECONDS} s:"));
    say(&format!("  the bare statement {bare:.0}/s, an append {alone:.0}/s: {factor:.2} x"));
    say(&format!("  following {FOLLOWED} conversations takes {share:.1} % of the appends"));
    let report = store.verify().await.unwrap();
    say(&format!("  {} events, {} damaged places", report.events, report.damage.len()));
    factor <= MOST_FACTOR && share < MOST_SHARE && report.damage.is_empty()
}

async fn open(database: &str) -> PostgresStore {
    let address = PostgresAddress::parse(database, |_| None).unwrap();
    let options = Options { connections: CLIENTS, ..Options::default() };
    PostgresStore::open(address, options).await.unwrap()
}

/// Returns the appends a second of all clients, each in a separate conversation.
async fn appends(store: &Arc<PostgresStore>, round: usize) -> f64 {
    let (ends, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let begin = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (store, ends, count) = (Arc::clone(store), Arc::clone(&ends), Arc::clone(&count));
            tokio::spawn(async move {
                let conversation = format!("{round} {client}");
                let mut head = 0;
                while !ends.load(Ordering::Relaxed) {
                    head = store.append(&conversation, head, batch(head)).await.unwrap();
                    count.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    sleep(Duration::from_secs(SECONDS)).await;
    ends.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
    count.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64()
}

fn follow(store: &Arc<PostgresStore>, id: &str) -> tokio::task::JoinHandle<()> {
    let (store, id) = (Arc::clone(store), id.to_owned());
    tokio::spawn(async move { store.follow(&id, 0).for_each(async |_| {}).await })
}

/// Returns how often a second pgbench carries out the statement of an append.
fn pgbench(server: &PostgresServer, database: &str, round: usize) -> f64 {
    let sql = format!(
        "insert into silcrow.conversation (id) select convert_to('bare {round} ' || n, 'UTF8') \
         from generate_series(0, {CLIENTS}) n"
    );
    server.run(database, &sql);
    let script = std::env::temp_dir().join(format!("silcrow-bench-{}.sql", std::process::id()));
    std::fs::write(&script, STATEMENT.replace("ROUND", &round.to_string())).unwrap();
    let mut pgbench = Command::new(server.programs().join("pgbench"));
    pgbench.args(["-n", "-M", "prepared", "-U", "postgres", "-h", server.folder()]);
    pgbench.args(["-c", &CLIENTS.to_string(), "-j", "2", "-T", &SECONDS.to_string()]);
    pgbench.args(["-D", "head=0", "-f"]).arg(&script).arg("test0");
    let done = pgbench.output().unwrap();
    std::fs::remove_file(&script).unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let rate = said.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
    let why = String::from_utf8_lossy(&done.stderr).into_owned();
    rate.and_then(|rate| rate.parse().ok()).unwrap_or_else(|| panic!("{said}{why}"))
}

/// Returns a batch of one event whose JSON has about 400 bytes.
fn batch(head: u64) -> Vec<Entry> {
    let entry: Entry = Event::think("x".repeat(330)).into();
    vec![Entry { timestamp: Some(Timestamp::from_nanos(head as i64)), ..entry }]
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

const CLIENTS: usize = 32;
const FOLLOWED: usize = 1_000;
const ROUNDS: usize = 9;
const SECONDS: u64 = 3;
const MOST_FACTOR: f64 = 1.3;
const MOST_SHARE: f64 = 5.0;

/// The minimum of an append: it compares and sets the head, and inserts the event.
const STATEMENT: &str = r#"
\set next :head + 1
with grown as (
    update silcrow.conversation set head = :next, appended = nextval('silcrow.append_order')
    where id = convert_to('bare ROUND ' || :client_id, 'UTF8') and head = :head and epoch = 0
    returning id)
insert into silcrow.event (conversation, seq, at, body)
select id, :next, 0, '{"type":"think","content":"' || repeat('x', 360) || '"}' from grown;
\set head :next
"#;
