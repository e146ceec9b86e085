//! A server of the cluster, as if it were a machine: a process, a folder, and a way to the database.
//!
//! A shell owns the process, and ends it when its own input ends: so no server outlives the cluster,
//! however that ends.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use silcrow_testkit::PostgresServer;

use super::gate::Gate;

/// A server.
pub(super) struct Machine {
    pub(super) name: &'static str,
    program: PathBuf,
    folder: PathBuf,
    args: Vec<String>,
    gate: Gate,
    /// The address at which it listens, once it has been started.
    address: Option<String>,
    running: Option<RunningServer>,
    state: MachineState,
}

/// A process with the shell that owns it.
struct RunningServer {
    shell: Child,
    pid: Pid,
    /// Says that the process has ended.
    end: Receiver<()>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MachineState {
    Running,
    Frozen,
    Cut,
    Ended,
}

impl Machine {
    /// Makes the folder and the way to the database.
    pub(super) fn new(
        name: &'static str,
        program: &Path,
        cluster: &Path,
        database: &PostgresServer,
        model: &str,
    ) -> Result<Self, String> {
        let folder = cluster.join(name);
        let made = fs::create_dir_all(folder.join("work"))
            .and_then(|()| Gate::start(&folder, Path::new(database.folder())));
        let gate = made.map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
        let store = format!("postgres://postgres@/test0?host={}", folder.display());
        let reached = ["--work", "--advertise", "http://127.0.0.1:0"];
        let serve = ["serve", "--store", &store, "--model", model];
        let args = serve.iter().chain(&reached).map(|word| (*word).to_owned()).collect();
        let (program, state) = (program.to_owned(), MachineState::Ended);
        Ok(Self { name, program, folder, args, gate, address: None, running: None, state })
    }

    /// Returns the address at which the server listens.
    pub(super) fn address(&self) -> String {
        self.address.clone().unwrap_or_default()
    }

    /// Returns the number of the process, if there is one.
    pub(super) fn pid(&self) -> Option<i32> {
        Some(self.running.as_ref()?.pid.as_raw_nonzero().get())
    }

    /// Returns the row of a list.
    pub(super) fn line(&self) -> String {
        let state = match self.state {
            MachineState::Running => "runs",
            MachineState::Frozen => "is frozen",
            MachineState::Cut => "is cut off from the database",
            MachineState::Ended => "has ended",
        };
        let pid = self.pid().map_or_else(String::new, |pid| format!(", process {pid}"));
        format!("  {:<6} http://{} {state}{pid}", self.name, self.address())
    }

    /// Carries out a word of the person, and returns a report.
    pub(super) fn carry_out(&mut self, word: &str) -> Result<String, String> {
        let name = self.name;
        let said = match word {
            "kill" => {
                self.signal(Signal::KILL)?;
                self.end();
                self.wait();
                format!("{name} was killed; `start {name}` starts it again")
            }
            "start" if self.running.is_some() => return Err(format!("{name} runs already")),
            "start" => {
                self.start()?;
                format!("{name} runs again, and keeps its address")
            }
            "freeze" => {
                self.signal(Signal::STOP)?;
                self.state = MachineState::Frozen;
                format!("{name} is frozen; `wake {name}` continues it")
            }
            "wake" => {
                self.signal(Signal::CONT)?;
                self.state = MachineState::Running;
                format!("{name} is awake, and does not know yet that it slept")
            }
            "cut" => {
                self.gate.set_open(false);
                self.state = MachineState::Cut;
                format!("{name} does not reach the database; `join {name}` ends that")
            }
            "join" => {
                self.gate.set_open(true);
                self.state = MachineState::Running;
                format!("{name} reaches the database again")
            }
            other => return Err(format!("there is no word `{other}`")),
        };
        Ok(said)
    }

    /// Starts the process, and returns its token.
    fn start(&mut self) -> Result<String, String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "sh"]).arg(&self.program).args(&self.args);
        shell.args(["--listen", self.address.as_deref().unwrap_or("127.0.0.1:0")]);
        for (variable, folder) in [("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config")] {
            shell.env(variable, self.folder.join(folder));
        }
        // Ctrl-C is for the cluster, which ends the servers in order.
        shell.current_dir(self.folder.join("work")).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let name = self.name;
        let mut shell = shell.spawn().map_err(|why| format!("{name} did not start: {why}"))?;
        let output = shell.stdout.take().ok_or("a shell without output")?;
        let (mut lines, mut pid) = (BufReader::new(output).lines(), None);
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some(number) = line.strip_prefix("pid ") {
                pid = number.parse().ok().and_then(Pid::from_raw);
            } else if let Some((address, token)) = link(&line)
                && let Some(pid) = pid
            {
                self.address = Some(address.to_owned());
                let (ends, end) = mpsc::channel();
                thread::spawn(move || {
                    lines.map_while(Result::ok).for_each(|line| println!("{name}: {line}"));
                    // Nobody may wait for it.
                    let _ = ends.send(());
                });
                self.running = Some(RunningServer { shell, pid, end });
                self.state = MachineState::Running;
                return Ok(token.to_owned());
            } else {
                println!("{name}: {line}");
            }
        }
        Err(format!("{name} did not start; what it said is above"))
    }

    fn signal(&self, signal: Signal) -> Result<(), String> {
        let running = self.running.as_ref().ok_or_else(|| format!("{} has ended", self.name))?;
        kill_process(running.pid, signal).map_err(|why| format!("{}: {why}", self.name))
    }

    /// Lets the process end.
    pub(super) fn end(&mut self) {
        self.gate.set_open(true);
        if let Some(running) = &mut self.running {
            // One that is frozen hears nothing.
            let _ = kill_process(running.pid, Signal::CONT);
            drop(running.shell.stdin.take());
        }
    }

    /// Waits until the process has ended.
    pub(super) fn wait(&mut self) {
        if let Some(mut running) = self.running.take() {
            if running.end.recv_timeout(PATIENCE).is_err() {
                let _ = kill_process(running.pid, Signal::KILL);
            }
            let _ = running.shell.wait();
        }
        self.state = MachineState::Ended;
    }

    /// Returns a message if the process has ended by itself.
    pub(super) fn ended(&mut self) -> Option<String> {
        self.running.as_ref()?.end.try_recv().ok()?;
        let mut running = self.running.take()?;
        drop(running.shell.stdin.take());
        let _ = running.shell.wait();
        self.state = MachineState::Ended;
        Some(format!("{} has ended; `start {0}` starts it again", self.name))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.end();
        self.wait();
    }
}

/// Starts all servers, and returns the token, which is the same for all servers of a database.
pub(super) fn start_all(machines: &mut [Machine]) -> Result<String, String> {
    let mut token = String::new();
    for machine in machines {
        token = machine.start()?;
    }
    Ok(token)
}

fn link(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("http://")?.split_once("/#token=")
}

/// Runs the command of its arguments, says its number, and ends it when the input ends.
const SCRIPT: &str = r#""$@" </dev/null 2>&1 &
echo "pid $!"
exec >/dev/null
cat
kill -TERM $! 2>/dev/null
wait $!"#;

/// The time that a server may take to end.
const PATIENCE: Duration = Duration::from_secs(20);
