//! Connections from one port to another.

use std::net::TcpListener;

use silcrow_egress::PortForward;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::stage::{TestServer, read_to_end};

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

#[tokio::test]
async fn forwarded_port_works_until_forward_drops() {
    let server = TestServer::start().await;
    let (inside, port) = listener();
    let forward = PortForward::to_this_machine(inside, server.address.port()).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    client.write_all(b"echo it").await.unwrap();
    client.shutdown().await.unwrap();
    assert_eq!(read_to_end(&mut client).await, "echo it");

    let mut pinned = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    pinned.write_all(b"echo").await.unwrap();
    let mut echo = [0; 4];
    tokio::io::AsyncReadExt::read_exact(&mut pinned, &mut echo).await.unwrap();
    drop(forward);
    assert_eq!(read_to_end(&mut pinned).await, "");
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

#[tokio::test]
async fn server_on_other_loopback_address_is_found() {
    // The port is taken at 127.0.0.1, too, where nobody listens, so that no other test does.
    let (_silent, to) = silent_socket();
    let Ok(v6) = tokio::net::TcpListener::bind(("::1", to)).await else { return };
    let (inside, port) = listener();
    let _forward = PortForward::to_this_machine(inside, to).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (mut end, _) = v6.accept().await.unwrap();
    end.write_all(b"six").await.unwrap();
    drop(end);
    assert_eq!(read_to_end(&mut client).await, "six");
}

#[tokio::test]
async fn failed_forward_does_not_break_the_next() {
    let (silent, nothing) = silent_socket();
    let (inside, port) = listener();
    let _forward = PortForward::to_this_machine(inside, nothing).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    assert_eq!(read_to_end(&mut client).await, "");
    let server = silent.listen(1).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (mut end, _) = server.accept().await.unwrap();
    end.write_all(b"there").await.unwrap();
    drop(end);
    assert_eq!(read_to_end(&mut client).await, "there");
}

/// Returns a socket that has a port of 127.0.0.1 for itself and refuses connections.
fn silent_socket() -> (TcpSocket, u16) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = socket.local_addr().unwrap().port();
    (socket, port)
}
