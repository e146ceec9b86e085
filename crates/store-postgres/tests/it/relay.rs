//! A way to a server that goes silent, as a network does that drops packets, or a machine that stops:
//! nothing arrives, and nothing is cut.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use tempfile::TempDir;

/// A Unix socket that passes bytes on to another one, until it is silent.
pub(crate) struct Relay {
    folder: TempDir,
    state: Arc<RelayState>,
}

#[derive(Default)]
struct RelayState {
    /// Whether open connections are silenced. Each has the flag from when it was opened.
    silence: Mutex<Arc<AtomicBool>>,
    /// Whether new connections lead nowhere, either.
    is_dead: AtomicBool,
    opened: AtomicUsize,
    /// The bytes that were passed on, in both directions.
    bytes: AtomicUsize,
}

impl Relay {
    /// Passes on to the socket of a server in this folder.
    pub(crate) fn to(server: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let server = Path::new(server).join(SOCKET);
        let state = Arc::<RelayState>::default();
        let relay = Self { folder, state: Arc::clone(&state) };
        thread::spawn(move || {
            let mut kept = Vec::new();
            for client in listener.incoming().map_while(Result::ok) {
                state.opened.fetch_add(1, Ordering::SeqCst);
                if state.is_dead.load(Ordering::SeqCst) {
                    kept.push(client);
                    continue;
                }
                let server = UnixStream::connect(&server).unwrap();
                let silence = Arc::clone(&state.silence.lock().unwrap());
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (silence, state) = (Arc::clone(&silence), Arc::clone(&state));
                    thread::spawn(move || pass(from, to, &silence, &state.bytes));
                }
            }
        });
        relay
    }

    /// Returns the folder with the socket.
    pub(crate) fn folder(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    /// Lets all open connections be silent from now on. New ones lead to the server.
    pub(crate) fn silence(&self) {
        let mut silence = self.state.silence.lock().unwrap();
        silence.store(true, Ordering::SeqCst);
        *silence = Arc::default();
    }

    /// Lets all connections be silent from now on, new ones as well.
    pub(crate) fn die(&self) {
        self.state.is_dead.store(true, Ordering::SeqCst);
        self.silence();
    }

    /// Returns the number of bytes that were passed on, in both directions.
    pub(crate) fn bytes(&self) -> usize {
        self.state.bytes.load(Ordering::SeqCst)
    }

    /// Returns the number of connections that were opened.
    pub(crate) fn opened(&self) -> usize {
        self.state.opened.load(Ordering::SeqCst)
    }
}

fn pass(mut from: UnixStream, mut to: UnixStream, silence: &AtomicBool, passed: &AtomicUsize) {
    let mut bytes = vec![0; 16 << 10];
    while let Ok(count) = from.read(&mut bytes) {
        if silence.load(Ordering::SeqCst) {
            if count == 0 {
                return;
            }
            // The bytes are taken, and lost.
            continue;
        }
        // Before they arrive, so that they are counted before any answer to them.
        passed.fetch_add(count, Ordering::SeqCst);
        if count == 0 || to.write_all(&bytes[..count]).is_err() {
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
    }
}

/// The name of PostgreSQL's socket at the usual port.
const SOCKET: &str = ".s.PGSQL.5432";
