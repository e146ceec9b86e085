//! Servers of several machines on one database, which are killed, frozen and cut off while clients
//! of several protocols watch their runs.
//!
//! Each machine is a process of this test binary with its own way to the database. After each fault
//! all runs end with their answers, no call has started twice, and no client has missed an event or
//! seen it twice. `SILCROW_CRASHES` is the number of faults of a cluster, `SILCROW_CLUSTERS` the
//! number of clusters at once, and `SILCROW_FAULT_SECONDS` the duration of temporary faults.

mod clients;
mod fault;
mod gate;
mod machine;
mod process;
mod verdict;

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use silcrow_store::Store as _;
use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};
use silcrow_testkit::{PostgresServer, run_seed};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::block_in_place;
use tokio::time::{Instant, sleep};

use clients::{Client, Machines};
use fault::{Fault, FaultTally};
use process::Machine;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_owner_is_replaced_without_missing_events() {
    let seed = run_seed();
    let crashes = variable("SILCROW_CRASHES").unwrap_or(20);
    let mut clusters = Vec::new();
    // Not all of them have the same fault at the same time.
    for first in 0..variable("SILCROW_CLUSTERS").unwrap_or(1) {
        let Some(cluster) = Cluster::start().await else { return };
        let random = Random(seed.wrapping_add(first << 32));
        clusters.push(tokio::spawn(cluster.crash_all(first..first + crashes, random)));
    }
    let mut tally = FaultTally::default();
    for tried in join_all(clusters).await {
        tally.add(tried.unwrap());
    }
    say(&format!("@ tried {}", tally.line()));
}

/// A database, the machines on it, and the store as the test sees it.
struct Cluster {
    machines: Vec<Machine>,
    store: PostgresStore,
    database: PostgresServer,
    folder: TempDir,
}

/// A run that clients watch.
struct WatchedRun {
    conversation: String,
    clients: Vec<Client>,
    /// Whether a machine has said that it has the prompt.
    is_acknowledged: bool,
    /// The machine that has it when the fault comes.
    owner: Option<String>,
    target: watch::Sender<Option<u64>>,
}

impl WatchedRun {
    fn stop_clients(&self) {
        self.clients.iter().for_each(Client::stop);
    }
}

impl Cluster {
    /// Starts a cluster; `None` if the tests should run without a database.
    async fn start() -> Option<Self> {
        let database = block_in_place(|| PostgresServer::start(true))?;
        let folder = tempfile::tempdir().unwrap();
        let address = PostgresAddress::parse(&database.database(), |_| None).unwrap();
        let store = PostgresStore::open(address, Options::default()).await.unwrap();
        let start = |name| Machine::start(name, folder.path(), Path::new(database.folder()));
        let machines = block_in_place(|| ["one", "two", "three"].map(start)).into();
        Some(Self { machines, store, database, folder })
    }

    /// Subjects the machines and the database to the faults with these numbers, one after the
    /// other, and returns a description.
    async fn crash_all(self, crashes: Range<u64>, mut random: Random) -> FaultTally {
        let mut tally = FaultTally::default();
        for crash in crashes {
            self.crash(crash, &mut random, &mut tally).await;
        }
        tally
    }

    /// Begins runs, subjects a machine or the database to a fault, and checks the result.
    async fn crash(&self, number: u64, random: &mut Random, tally: &mut FaultTally) {
        let mut runs = self.begin_runs(number, random).await;
        for (run, index) in runs.iter_mut().zip(0..) {
            loop {
                let head = self.store.head(&run.conversation).await.unwrap();
                let conversation = &run.conversation;
                assert!(head > 0 || !run.is_acknowledged, "the prompt of {conversation} is lost");
                if run.is_acknowledged || self.is_running(conversation).await {
                    break;
                }
                // A machine that has just woken up may refuse a run, and its client tries again. If
                // only the answer was lost, the prompt does not count twice.
                say(&format!("crash {number}: {} is begun again", run.conversation));
                run.stop_clients();
                *run = self.begin_run(number, index, random).await;
            }
        }
        // The fault comes at any moment of the runs.
        sleep(Duration::from_millis(random.below(MOMENTS) as u64)).await;
        let fault = Fault::from_number(number);
        for run in &mut runs {
            run.owner = self.owner(&run.conversation).await;
        }
        // A machine that has a run, unless all runs are over.
        let any = random.below(RUNS);
        let owned = runs.iter().cycle().skip(any).take(RUNS).find_map(|run| run.owner.as_deref());
        let victim = self.machines.iter().find(|machine| Some(machine.name) == owned);
        let victim = victim.unwrap_or(&self.machines[any % self.machines.len()]);
        let place = format!("crash {number}, {fault:?} of machine {}", victim.name);
        let begin = Instant::now();
        block_in_place(|| fault.strike(&self.database, victim));
        let mut taken = Vec::new();
        if fault != Fault::Restart {
            let orphans = runs.iter().filter(|run| run.owner.as_deref() == Some(victim.name));
            for run in orphans {
                if self.is_taken_over(run, &place).await {
                    taken.push((run.conversation.clone(), begin.elapsed()));
                }
            }
        }
        if fault.lasts() {
            let lasts = variable("SILCROW_FAULT_SECONDS").map(Duration::from_secs);
            sleep(lasts.unwrap_or(LEASE + AFTER).saturating_sub(begin.elapsed())).await;
        }
        block_in_place(|| fault.heal(victim));
        let mut refused = 0;
        if fault.lasts() {
            for (conversation, _) in &taken {
                let end = block_in_place(|| victim.end_of(conversation, &place));
                // It may have answered just before the fault, and not released the conversation.
                refused += usize::from(end != "answered");
            }
        }
        let times: Vec<Duration> = taken.into_iter().map(|(_, time)| time).collect();
        let slowest = times.iter().max().copied().unwrap_or_default();
        say(&format!("{place}: {} taken over, in at most {slowest:.1?}", times.len()));
        assert!(slowest < LEASE + SLACK, "{place}: taken over after {slowest:?}");
        tally.add_fault(fault, &times, refused);
        for run in runs {
            let conversation = run.conversation.clone();
            self.check(run, &place, tally).await;
            let answered = self.machines.iter().filter(|one| one.has_answered(&conversation));
            let names: Vec<_> = answered.map(|machine| machine.name).collect();
            assert!(names.len() <= 1, "{place}: {conversation} has the answers of {names:?}");
        }
    }

    async fn begin_runs(&self, number: u64, random: &mut Random) -> Vec<WatchedRun> {
        let mut runs = Vec::new();
        for index in 0..RUNS {
            runs.push(self.begin_run(number, index, random).await);
        }
        runs
    }

    /// Begins a run on any machine, and has clients watch it.
    async fn begin_run(&self, number: u64, index: usize, random: &mut Random) -> WatchedRun {
        let addresses: Vec<_> = self.machines.iter().map(Machine::address).collect();
        let at = random.below(addresses.len());
        let machines = Machines { addresses: addresses.into(), at };
        let conversation = format!("crash{number}-{index}");
        let (target, known) = watch::channel(None);
        let begun = Client::begin(&conversation, index, &machines, &known).await;
        let (clients, is_acknowledged) = begun;
        WatchedRun { conversation, clients, is_acknowledged, owner: None, target }
    }

    /// Waits until a machine runs a conversation or has answered it, although none has said so: the
    /// answer of one that was frozen may still be on its way.
    async fn is_running(&self, conversation: &str) -> bool {
        let begin = Instant::now();
        while self.store.head(conversation).await.unwrap() == 0
            || self.owner(conversation).await.is_none()
                && self.answered(conversation).await.is_none()
        {
            if begin.elapsed() > BEGINNING {
                return false;
            }
            sleep(LOOK).await;
        }
        true
    }

    /// Returns the name of the machine that has a conversation.
    async fn owner(&self, conversation: &str) -> Option<String> {
        verdict::owner(&self.store, conversation).await
    }

    /// Waits until another machine has the conversation of a run, and returns whether one took it;
    /// otherwise the run had ended before the fault.
    async fn is_taken_over(&self, run: &WatchedRun, place: &str) -> bool {
        let begin = Instant::now();
        loop {
            let owner = self.owner(&run.conversation).await;
            if owner.is_some() && owner != run.owner {
                return true;
            }
            if owner.is_none() && self.answered(&run.conversation).await.is_some() {
                return false;
            }
            let conversation = &run.conversation;
            assert!(begin.elapsed() < PATIENCE, "{place}: nobody takes {conversation} over");
            sleep(LOOK).await;
        }
    }

    /// Returns the head of a conversation that is answered and whose run is over.
    async fn answered(&self, conversation: &str) -> Option<u64> {
        let log = self.store.read(conversation, 1..=u64::MAX).await.unwrap();
        log.iter().any(|entry| verdict::is_answer(&entry.event)).then_some(log.len() as u64)
    }

    /// Waits for the answer of a run, and checks the log and the events that its clients have seen.
    async fn check(&self, run: WatchedRun, place: &str, tally: &mut FaultTally) {
        let begin = Instant::now();
        let head = loop {
            if self.owner(&run.conversation).await.is_none()
                && let Some(head) = self.answered(&run.conversation).await
            {
                break head;
            }
            if begin.elapsed() > PATIENCE {
                let log = self.store.read(&run.conversation, 1..=u64::MAX).await;
                panic!("{place}: {} has no answer: {log:#?}", run.conversation);
            }
            sleep(LOOK).await;
        };
        verdict::check(&self.store, &run.conversation, self.folder.path(), place).await;
        run.target.send_replace(Some(head));
        for client in run.clients {
            tally.add_client(client.finish(place).await);
        }
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Steele, Lea and Flood's SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below another one.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// The time for which a machine keeps a conversation after its last sign of life; short, because a
/// test waits for its end.
const LEASE: Duration = Duration::from_millis(1_500);

/// The duration of a fault after that, unless a variable sets it.
const AFTER: Duration = Duration::from_secs(1);

/// The longest time from the end of a lease to another owner, on a busy machine. The campaign
/// prints the actual time.
const SLACK: Duration = Duration::from_secs(10);

/// The runs that a fault can hit.
const RUNS: usize = 6;

/// The range of milliseconds in which a fault occurs: about as long as a run takes.
const MOMENTS: usize = 1_400;

const LOOK: Duration = Duration::from_millis(30);

/// The time in which a run that no machine has acknowledged may still begin.
const BEGINNING: Duration = Duration::from_secs(15);

/// The time limit for anything, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
