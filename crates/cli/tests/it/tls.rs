//! Servers behind TLS: a certificate that this machine trusts, and others.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::support::{House, Said};

/// Serves one answer over TLS under a certificate for these names, and asks for it. What vouches
/// for the certificate is in `house/authority.pem`.
fn asked(house: &House, names: &[&str], trusted: bool) -> Said {
    let mut authority = CertificateParams::new(vec![]).unwrap();
    authority.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = Arc::new(config);
    thread::spawn(move || {
        // A client that trusts nobody here hangs up, and may come again.
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = Stream::new(&mut connection, &mut socket);
            if stream.read(&mut [0; 16 << 10]).is_ok() {
                let data = r#"{"choices":[{"delta":{"content":"§respond: hello\n§end"},"finish_reason":"stop"}]}"#;
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
                // It hangs up when it has read enough.
                let _ = write!(stream, "{head}data: {data}\n\ndata: [DONE]\n\n");
            }
        }
    });

    let vouches = house.write("authority.pem", &authority.pem());
    let trusts = if trusted { vouches } else { house.write("nobody.pem", "") };
    let model = format!("compatible:https://localhost:{port}/v1#m");
    let mut command = house.command(&["run", "hi", "--model", &model, "--store", "memory"]);
    crate::support::said(command.env("SSL_CERT_FILE", trusts).output().unwrap())
}

#[test]
fn a_server_that_this_machine_trusts_is_asked() {
    let said = asked(&House::new(), &["localhost"], true);
    assert_eq!(said.ends(0).out, "hello\n");
}

#[test]
fn a_server_that_nobody_vouches_for_is_not() {
    for (names, trusted) in [(&["localhost"], false), (&["elsewhere.example"], true)] {
        let said = asked(&House::new(), names, trusted);
        assert!(said.ends(1).err.contains("certificate"), "{}", said.err);
        assert_eq!(said.out, "");
    }
}
