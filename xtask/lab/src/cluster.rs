//! `cargo lab cluster`, which lets a person see machines share a database: a PostgreSQL server,
//! several `silcrow serve`, a balancer in front of them, and a model that counts slowly.
//!
//! Each server has a separate folder, as if it were a machine, and a separate connection to the
//! database, which can be cut. `status` prints who has which conversation, and `machine` starts the
//! servers.

mod balancer;
mod counting_model;
#[path = "../../../crates/server/tests/it/machines/gate.rs"]
mod gate;
mod machine;
mod options;
mod status;

use std::io::{self, BufRead as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use silcrow_testkit::PostgresServer;

use balancer::Balancer;
use counting_model::CountingModel;
use machine::Machine;
use options::ClusterOptions;
use status::OwnerWatch;

/// Starts the cluster, and carries out the words of the person until they leave.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let options = ClusterOptions::read(args)?;
    // From here on a signal ends the cluster in order.
    let (sender, words) = mpsc::channel();
    hear(&sender)?;
    let program = crate::build("dev")?;
    let database = PostgresServer::start(true)
        .ok_or("SILCROW_WITHOUT_POSTGRES is set, and a cluster needs the server; unset it")?;
    let address = database.database();
    let folder = ClusterFolder::new()?;
    let model = match options.model {
        Some(model) => model,
        None => CountingModel::start()?,
    };
    let names = NAMES.iter().take(options.servers);
    let mut machines = Vec::new();
    for name in names {
        machines.push(Machine::new(name, &program, &folder.0, &database, &model)?);
    }
    let token = machine::start_all(&mut machines)?;
    let addresses = machines.iter().map(Machine::address).collect();
    let balancer = Balancer::start(options.port, addresses)?;
    let watch = OwnerWatch::start(database, address);
    introduce(&machines, balancer, &token, &watch);
    read_words(sender);
    let ended = carry_out(&words, &mut machines, &watch);
    println!("The servers end, and then the database.");
    // All of them at once: each waits for its runs.
    machines.iter_mut().for_each(Machine::end);
    machines.iter_mut().for_each(Machine::wait);
    ended
}

/// Shows the person the parts of the cluster, and things to try.
fn introduce(machines: &[Machine], balancer: u16, token: &str, watch: &OwnerWatch) {
    println!("\nThe database, which is gone at the end:\n  {}\n", watch.address());
    println!("Servers, each as if it were a machine of its own:");
    for machine in machines {
        println!("  {:<6} http://{}/#token={token}", machine.name, machine.address());
    }
    println!("\nA balancer in front of them:\n  http://127.0.0.1:{balancer}/#token={token}\n");
    println!("{TRY}\n\n{WORDS}\n");
}

/// Carries out the person's commands, until they leave or a signal comes.
fn carry_out(
    words: &mpsc::Receiver<ConsoleInput>,
    machines: &mut [Machine],
    watch: &OwnerWatch,
) -> Result<(), String> {
    loop {
        let line = match words.recv_timeout(TICK) {
            Ok(ConsoleInput::Line(line)) => line,
            Ok(ConsoleInput::Leave) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                watch.print(machines);
                machines.iter_mut().filter_map(Machine::ended).for_each(|said| println!("{said}"));
                continue;
            }
        };
        let line: Vec<&str> = line.split_whitespace().collect();
        match line[..] {
            [] => {}
            ["quit" | "exit" | "q"] => return Ok(()),
            ["help" | "?"] => println!("{WORDS}"),
            ["list"] => {
                machines.iter().for_each(|machine| println!("{}", machine.line()));
                watch.list(machines);
            }
            ["restart"] => {
                watch.restart();
                println!("The database was ended at once, as by a crash, and runs again.");
            }
            [word, name] => match machines.iter_mut().find(|machine| machine.name == name) {
                Some(machine) => match machine.carry_out(word) {
                    Ok(said) => println!("{said}"),
                    Err(why) => println!("{why}\n{WORDS}"),
                },
                None => println!("unknown server `{name}`\n{WORDS}"),
            },
            _ => println!("{WORDS}"),
        }
    }
}

/// The input of the person.
enum ConsoleInput {
    Line(String),
    Leave,
}

/// Passes signals on as words.
fn hear(words: &Sender<ConsoleInput>) -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|why| format!("cannot wait for Ctrl-C: {why}"))?;
    let (words, is_leaving) = (words.clone(), AtomicBool::new(false));
    thread::spawn(move || {
        for _ in signals.forever() {
            // A second one does not wait; processes that it leaves behind end by themselves.
            if is_leaving.swap(true, Ordering::Relaxed) || words.send(ConsoleInput::Leave).is_err()
            {
                std::process::exit(130);
            }
        }
    });
    Ok(())
}

/// Passes lines of the input on. Its end is not the end of the cluster.
fn read_words(words: Sender<ConsoleInput>) {
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if words.send(ConsoleInput::Line(line)).is_err() {
                return;
            }
        }
    });
}

/// A folder that is removed at the end.
struct ClusterFolder(PathBuf);

impl ClusterFolder {
    fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("silcrow-cluster-{}", std::process::id()));
        std::fs::create_dir_all(&path)
            .map_err(|why| format!("cannot make {}: {why}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for ClusterFolder {
    fn drop(&mut self) {
        // If removing fails, the files stay in a folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The names of the servers.
const NAMES: [&str; 9] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// The time between two looks at the owners.
const TICK: Duration = Duration::from_millis(500);

const TRY: &str = "\
Try this: open the balancer in a browser and write \"count to 60\". The model writes a number a
second, and calls a tool after each ten. A line here says which server runs the conversation.
Kill that one: after the lease, at most 15 seconds, another one continues with the next ten.";

const WORDS: &str = "Then write here:
  kill NAME      ends a server at once (SIGKILL)     start NAME     starts it again
  freeze NAME    stops its clock (SIGSTOP)           wake NAME      continues it (SIGCONT)
  cut NAME       cuts it off from the database       join NAME      joins it again
  restart        crashes and restarts the database   list           shows servers and owners
  quit           ends everything, as Ctrl-C does";
