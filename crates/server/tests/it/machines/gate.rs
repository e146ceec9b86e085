//! The way of one machine to the database, which can be cut.
//!
//! While it is cut, nothing is rejected and nothing is lost: bytes wait, as in a network that drops
//! packets for a while, and arrive when it is joined again.

use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// A Unix socket that passes bytes on to another one.
#[derive(Clone)]
pub(crate) struct Gate {
    is_open: Arc<(Mutex<bool>, Condvar)>,
}

impl Gate {
    /// Passes on from a folder to another one, as the socket of PostgreSQL is named in both.
    pub(crate) fn start(from: &Path, to: &Path) -> io::Result<Self> {
        let (listener, to) = (UnixListener::bind(from.join(SOCKET))?, to.join(SOCKET));
        let gate = Self { is_open: Arc::new((Mutex::new(true), Condvar::new())) };
        let opened = gate.clone();
        thread::spawn(move || {
            for client in listener.incoming().filter_map(Result::ok) {
                // A server that is down rejects connections, and so does its gate.
                if let Ok(server) = UnixStream::connect(&to) {
                    let _ = gate.join(&client, &server);
                }
            }
        });
        Ok(opened)
    }

    /// Cuts the way, or joins it again.
    pub(crate) fn set_open(&self, is_open: bool) {
        let (state, changed) = &*self.is_open;
        *state.lock().unwrap_or_else(PoisonError::into_inner) = is_open;
        changed.notify_all();
    }

    fn join(&self, client: &UnixStream, server: &UnixStream) -> io::Result<()> {
        let ways = [(client, server), (server, client)];
        for (from, to) in ways {
            let (from, to, gate) = (from.try_clone()?, to.try_clone()?, self.clone());
            thread::spawn(move || {
                let _ = gate.pass(from, &to);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
        Ok(())
    }

    fn pass(&self, mut from: UnixStream, mut to: &UnixStream) -> io::Result<()> {
        let mut bytes = vec![0; 16 << 10];
        loop {
            let count = from.read(&mut bytes)?;
            self.wait();
            if count == 0 {
                return Ok(());
            }
            to.write_all(&bytes[..count])?;
        }
    }

    /// Waits until the way is open.
    fn wait(&self) {
        let (state, changed) = &*self.is_open;
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_while(state, |is_open| !*is_open));
    }
}

/// The name of PostgreSQL's socket at the usual port.
const SOCKET: &str = ".s.PGSQL.5432";
