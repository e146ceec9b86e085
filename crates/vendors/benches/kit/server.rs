//! A server that gives everyone the same answer.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

pub(crate) struct Server(SocketAddr);

impl Server {
    pub(crate) fn start(answer: Vec<u8>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let answer: Arc<[u8]> = answer.into();
        thread::spawn(move || {
            for socket in listener.incoming() {
                let answer = Arc::clone(&answer);
                let play = move || play(socket.unwrap(), &answer);
                thread::Builder::new().stack_size(64 << 10).spawn(play).unwrap();
            }
        });
        Self(address)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0)
    }
}

/// Answers each request on a connection that is kept.
fn play(mut socket: TcpStream, answer: &[u8]) {
    socket.set_nodelay(true).unwrap();
    let mut bytes = [0; 4096];
    // A request is short, and comes at once.
    while matches!(socket.read(&mut bytes), Ok(count) if count > 0) {
        if socket.write_all(answer).is_err() {
            return;
        }
    }
}
