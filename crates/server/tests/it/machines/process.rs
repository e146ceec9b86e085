//! The process of a machine, as the test sees it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::gate::Gate;
use super::machine::{DATABASE, LEDGER, LISTEN, MARK, NAME};

/// A machine: a process and its way to the database.
pub(super) struct Machine {
    pub(super) name: &'static str,
    pub(super) gate: Gate,
    folder: PathBuf,
    address: Mutex<String>,
    process: Mutex<Option<Child>>,
    /// The runs that have ended in the process, each with how.
    ended: Arc<Mutex<Vec<(String, String)>>>,
}

impl Machine {
    /// Starts a machine in a separate folder, next to the ledger that all share.
    pub(super) fn start(name: &'static str, cluster: &Path, database: &Path) -> Self {
        let folder = cluster.join(name);
        fs::create_dir(&folder).unwrap();
        let gate = Gate::start(&folder, database).unwrap();
        let address = Mutex::new("127.0.0.1:0".to_owned());
        let (process, ended) = (Mutex::default(), Arc::default());
        let machine = Self { name, gate, folder, address, process, ended };
        machine.run();
        machine
    }

    /// Starts the process, at the address that an earlier one had.
    pub(super) fn run(&self) {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["machines::machine::machine", "--exact", "--ignored", "--nocapture"])
            .arg("--test-threads=1")
            .env(DATABASE, format!("postgres://postgres@/test0?host={}", self.folder.display()))
            .env(LEDGER, self.folder.with_file_name("ledger"))
            .env(NAME, self.name)
            .env(LISTEN, self.address())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, addresses) = mpsc::channel();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let ended = Arc::clone(&self.ended);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let Some((_, said)) = line.split_once(MARK) else { continue };
                match said.split_once(' ') {
                    Some(("at", address)) => drop(sender.send(address.to_owned())),
                    Some((conversation, end)) => {
                        ended.lock().unwrap().push((conversation.to_owned(), end.to_owned()));
                    }
                    None => {}
                }
            }
        });
        let address = addresses.recv_timeout(PATIENCE).expect("the machine serves");
        *self.address.lock().unwrap() = address;
        *self.process.lock().unwrap() = Some(process);
    }

    pub(super) fn address(&self) -> String {
        self.address.lock().unwrap().clone()
    }

    pub(super) fn kill(&self) {
        if let Some(mut process) = self.process.lock().unwrap().take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    pub(super) fn signal(&self, name: &str) {
        let process = self.process.lock().unwrap().as_ref().map(Child::id).unwrap().to_string();
        let sent = Command::new("kill").args(["-s", name, &process]).status().unwrap();
        assert!(sent.success());
    }

    /// Returns whether a run has ended in this process with its answer.
    pub(super) fn has_answered(&self, conversation: &str) -> bool {
        let ended = self.ended.lock().unwrap();
        ended.iter().any(|(id, end)| id == conversation && end == "answered")
    }

    /// Waits until a run has ended in this process, and returns how.
    pub(super) fn end_of(&self, conversation: &str, place: &str) -> String {
        let begin = Instant::now();
        loop {
            let ended = self.ended.lock().unwrap();
            if let Some((_, end)) = ended.iter().find(|(id, _)| id == conversation) {
                return end.clone();
            }
            drop(ended);
            assert!(begin.elapsed() < PATIENCE, "{place}: the run of {conversation} goes on");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The time that a machine may take, on a busy computer.
const PATIENCE: Duration = Duration::from_secs(60);
