//! A PostgreSQL server for tests, in a temporary folder, on a Unix socket.
//!
//! A shell owns the server, and waits for the end of its input: so the server ends with the tests,
//! however they end.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A server, which ends when it is dropped or when the process ends.
#[derive(Debug)]
pub struct PostgresServer {
    bin: PathBuf,
    folder: String,
    pipes: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    port: Option<u16>,
    databases: AtomicU32,
    // Ends when the pipes are closed.
    _shell: Child,
}

impl PostgresServer {
    /// Returns the server that all tests of a process share; `None` if `SILCROW_WITHOUT_POSTGRES`
    /// leaves these tests out.
    ///
    /// # Panics
    ///
    /// Panics if no server is installed.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<PostgresServer>> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(false)).as_ref()
    }

    /// Starts a server, as [`shared`](Self::shared) does. It waits for the disk only if it
    /// `is_durable`.
    ///
    /// # Panics
    ///
    /// Panics if no server is installed, or if it does not start.
    pub fn start(is_durable: bool) -> Option<Self> {
        Self::start_as(is_durable, ServerRole::Alone)
    }

    /// Starts a server that is also reached by TLS at a port of `localhost`, under a certificate with
    /// a key, both as PEM.
    ///
    /// # Panics
    ///
    /// Panics if no server is installed, or if it does not start.
    pub fn start_encrypted(certificate: &str, key: &str) -> Option<Self> {
        Self::start_as(false, ServerRole::Encrypted { certificate, key })
    }

    /// Starts a server whose changes wait until they can be read at a [`standby`](Self::standby).
    ///
    /// # Panics
    ///
    /// Panics if no server is installed, or if it does not start.
    pub fn start_primary() -> Option<Self> {
        Self::start_as(false, ServerRole::Primary)
    }

    /// Starts a standby of this server, which can be read and follows it until it is promoted.
    ///
    /// # Panics
    ///
    /// Panics if it does not start.
    pub fn standby(&self) -> Self {
        Self::start_as(false, ServerRole::StandbyOf(&self.folder))
            .expect("its primary was not left out")
    }

    fn start_as(is_durable: bool, role: ServerRole<'_>) -> Option<Self> {
        if std::env::var_os("SILCROW_WITHOUT_POSTGRES").is_some() {
            return None;
        }
        let bin = programs().expect(
            "PostgreSQL is not installed; install the package `postgresql`, or leave these tests \
             out with SILCROW_WITHOUT_POSTGRES=1",
        );
        // The server refuses to run as root.
        let is_root = fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0);
        let mut shell = match is_root {
            true => Command::new("runuser"),
            false => Command::new("sh"),
        };
        if is_root {
            shell.args(["-u", "postgres", "--", "sh"]);
        }
        let sync = if is_durable { "on" } else { "off" };
        shell.args(["-c", SCRIPT, "sh"]).arg(&bin).arg(sync).current_dir("/").process_group(0);
        let mut port = None;
        match role {
            ServerRole::Alone => shell.arg("alone"),
            ServerRole::Primary => shell.arg("primary"),
            ServerRole::StandbyOf(folder) => shell.args(["standby", folder]),
            ServerRole::Encrypted { certificate, key } => {
                let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
                let free = free.expect("there is a free port").port();
                shell.args(["encrypted", &port.insert(free).to_string()]);
                shell.env("SILCROW_TEST_CERTIFICATE", certificate).env("SILCROW_TEST_KEY", key)
            }
        };
        let mut shell = shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let (input, output) = shell.stdin.take().zip(shell.stdout.take()).expect("it has pipes");
        let mut output = BufReader::new(output);
        let mut folder = String::new();
        output.read_line(&mut folder).expect("the shell says where the server is");
        assert!(!folder.is_empty(), "the server did not start; its messages are above");
        Some(Self {
            bin,
            folder: folder.trim_end().to_owned(),
            pipes: Mutex::new((input, output)),
            port,
            databases: AtomicU32::new(0),
            _shell: shell,
        })
    }

    /// Creates an empty database and returns its address.
    ///
    /// # Panics
    ///
    /// Panics if the server does not create it.
    pub fn database(&self) -> String {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test{number}");
        self.run("postgres", &format!("create database {name}"));
        self.address(&name)
    }

    /// Returns the address of a database of this server.
    pub fn address(&self, database: &str) -> String {
        format!("postgres://postgres@/{database}?host={}", self.folder)
    }

    /// Returns the port of a server that is reached by TLS.
    pub const fn port(&self) -> Option<u16> {
        self.port
    }

    /// Returns the folder with the socket.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Returns the folder with the programs of the server.
    pub fn programs(&self) -> &std::path::Path {
        &self.bin
    }

    /// Runs a statement in a database, which its name or its address names, and returns what it
    /// prints.
    ///
    /// # Panics
    ///
    /// Panics if the statement fails.
    pub fn run(&self, database: &str, sql: &str) -> String {
        let mut psql = Command::new(self.bin.join("psql"));
        psql.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres"]);
        psql.args(["-h", &self.folder, "-d", database, "-c", sql]);
        psql.args(["-p", &self.port.unwrap_or(5432).to_string()]);
        let done = psql.output().expect("psql can be started");
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim_end().to_owned()
    }

    /// Restarts the server at once, as after a crash, and waits until it runs.
    ///
    /// # Panics
    ///
    /// Panics if it does not start.
    pub fn restart(&self) {
        self.order("restart");
    }

    /// Ends the server at once, as a crash does, and does not start it again.
    ///
    /// # Panics
    ///
    /// Panics if it does not end.
    pub fn stop(&self) {
        self.order("stop");
    }

    /// Freezes all processes of the server: no connection is cut, and no answer comes.
    ///
    /// # Panics
    ///
    /// Panics if the server does not run.
    pub fn freeze(&self) {
        self.order("freeze");
    }

    /// Lets a server that was frozen continue.
    ///
    /// # Panics
    ///
    /// Panics if the server does not run.
    pub fn wake(&self) {
        self.order("wake");
    }

    /// Makes a standby a server that can be written to, and waits until it is one.
    ///
    /// # Panics
    ///
    /// Panics if it is not a standby.
    pub fn promote(&self) {
        self.order("promote");
    }

    fn order(&self, order: &str) {
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        let (input, output) = &mut *pipes;
        writeln!(input, "{order}").expect("the shell runs");
        let mut line = String::new();
        output.read_line(&mut line).expect("the shell answers");
        assert_eq!(line.trim_end(), order, "the order failed; the messages are above");
    }
}

/// The role of a server for others.
enum ServerRole<'a> {
    Alone,
    Encrypted {
        certificate: &'a str,
        key: &'a str,
    },
    Primary,
    /// The standby of the server in this folder.
    StandbyOf(&'a str),
}

/// Returns the folder with the programs of the newest server that is installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let newest = versions.filter_map(Result::ok).filter_map(version).max()?;
    let bin = PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin"));
    bin.join("initdb").exists().then_some(bin)
}

const SCRIPT: &str = include_str!("postgres.sh");
