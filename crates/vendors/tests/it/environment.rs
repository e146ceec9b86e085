//! Machines without certificates and with proxies: each is played by starting this test again
//! under other variables.

use std::env;
use std::io::Read as _;
use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use std::thread;

use silcrow_provider::{ErrorKind, FinishReason};
use silcrow_vendors::Chat;

use crate::server::{Server, ask, events, finish};

#[tokio::test]
async fn plain_and_encrypted_addresses_are_reached() {
    let server = Server::playing(events(&finish("stop")), usize::MAX);
    assert_eq!(ask(&server.chat(), true).await.finish, Some(FinishReason::Stop));
    // There is no TLS here: an attempted handshake shows a client with authorities.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let encrypted = format!("https://{}", listener.local_addr().unwrap());
    let seen = thread::spawn(move || {
        let mut first = [0];
        listener.accept().unwrap().0.read_exact(&mut first).unwrap();
        first[0]
    });
    let error = ask(&Chat::compatible(&encrypted, "m", None).unwrap(), true).await.failed();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert_eq!(seen.join().unwrap(), HANDSHAKE);
}

#[test]
fn certificates_of_the_machine_are_optional() {
    again(&[("SSL_CERT_FILE", "/nonexistent"), ("SSL_CERT_DIR", "/nonexistent")]);
}

#[test]
fn proxies_of_the_environment_are_not_asked() {
    let nowhere = "http://127.0.0.1:1";
    again(
        &["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            .map(|name| (name, nowhere)),
    );
}

fn again(variables: &[(&str, &str)]) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "environment::plain_and_encrypted_addresses_are_reached"])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// The first bytes of a TLS record.
const HANDSHAKE: u8 = 0x16;
