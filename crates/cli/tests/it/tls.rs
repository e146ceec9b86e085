//! Servers behind TLS: a certificate that this machine trusts, and others.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};

use tokio_tungstenite::tungstenite::{self, Message};

use crate::support::{CommandOutput, Sandbox, command_output};

type Tls<'a> = Stream<'a, ServerConnection, TcpStream>;

/// The treatment of a connection by a server.
type Answer = fn(Tls<'_>);

/// Serves over TLS under a certificate for these names, to clients that speak one of these versions
/// of HTTP, at the port it gives. The authority of the certificate is in `sandbox/authority.pem`.
fn serve(sandbox: &Sandbox, names: &[&str], speaks: &[&str], answer: Answer) -> u16 {
    let mut authority = CertificateParams::new(vec![]).unwrap();
    authority.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
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
    config.alpn_protocols = speaks.iter().map(|name| name.as_bytes().to_owned()).collect();
    let config = Arc::new(config);
    thread::spawn(move || {
        // A client that trusts nobody here hangs up, and may come again.
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            answer(Stream::new(&mut connection, &mut socket));
        }
    });
    sandbox.write("authority.pem", &authority.pem());
    port
}

fn asked(sandbox: &Sandbox, names: &[&str], trusted: bool) -> CommandOutput {
    let port = serve(sandbox, names, &[], |mut stream| {
        if stream.read(&mut [0; 16 << 10]).is_ok() {
            let data = r#"{"choices":[{"delta":{"content":"§respond: hello\n§end"},"finish_reason":"stop"}]}"#;
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            // It hangs up when it has read enough.
            let _ = write!(stream, "{head}data: {data}\n\ndata: [DONE]\n\n");
        }
    });
    let vouches = sandbox.path("authority.pem").to_str().unwrap().to_owned();
    let trusts = if trusted { vouches } else { sandbox.write("nobody.pem", "") };
    let model = format!("compatible:https://localhost:{port}/v1#m");
    let mut command = sandbox.command(&["run", "hi", "--model", &model, "--store", "memory"]);
    command_output(command.env("SSL_CERT_FILE", trusts).output().unwrap())
}

/// An answer of Responses.
const EVENTS: [&str; 2] = [
    r#"{"type":"response.output_text.delta","delta":"§respond: hello\n§end"}"#,
    r#"{"type":"response.completed","response":{"id":"r"}}"#,
];

fn by_websocket(stream: Tls<'_>) {
    let mut frames = tungstenite::accept(stream).unwrap();
    frames.read().unwrap();
    for event in EVENTS {
        frames.send(Message::text(event)).unwrap();
    }
    // Until it hangs up.
    while frames.read().is_ok() {}
}

/// A WebSocket uses HTTP/1.1, even if the server prefers HTTP/2.
#[test]
fn websocket_works_over_tls() {
    let sandbox = Sandbox::new();
    let port = serve(&sandbox, &["localhost"], &["h2", "http/1.1"], by_websocket);
    let args = ["run", "hi", "--model", "openai-responses:m", "--mode", "resume"];
    let mut command = sandbox.command(&[&args[..], &["--store", "memory"]].concat());
    command
        .env("SSL_CERT_FILE", sandbox.path("authority.pem"))
        .env("OPENAI_API_KEY", "sk-canary")
        .env("OPENAI_BASE_URL", format!("https://localhost:{port}/v1"));
    assert_eq!(command_output(command.output().unwrap()).ends(0).out, "hello\n");
}

/// A proxy that opens every tunnel to this port, and its own address.
fn tunnel(to: u16) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut near, mut head) = (socket.unwrap(), [0; 1024]);
            let count = near.read(&mut head).unwrap();
            assert!(head[..count].starts_with(b"CONNECT api.example:443 HTTP/1.1\r\n"));
            let mut far = TcpStream::connect(("127.0.0.1", to)).unwrap();
            near.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            let (mut from_near, mut to_far) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut from_near, &mut to_far));
            thread::spawn(move || std::io::copy(&mut far, &mut near));
        }
    });
    format!("http://{address}")
}

#[test]
fn requests_and_websockets_use_the_proxy_tunnel() {
    let by_request = |mut stream: Tls<'_>| {
        if stream.read(&mut [0; 16 << 10]).is_ok() {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            let events = EVENTS.map(|event| format!("data: {event}\n\n")).concat();
            let _ = write!(stream, "{head}{events}");
        }
    };
    let ways: [(&str, &str, Answer); 4] = [
        ("HTTPS_PROXY", "replay", by_request),
        ("HTTPS_PROXY", "resume", by_websocket),
        ("--proxy", "replay", by_request),
        ("settings", "resume", by_websocket),
    ];
    for (named_by, mode, answer) in ways {
        let sandbox = Sandbox::new();
        let port = serve(&sandbox, &["api.example"], &["http/1.1"], answer);
        let args = ["run", "hi", "--model", "openai-responses:m", "--mode", mode];
        let mut command = sandbox.command(&[&args[..], &["--store", "memory"]].concat());
        command
            .env("SSL_CERT_FILE", sandbox.path("authority.pem"))
            .env("OPENAI_API_KEY", "sk-canary")
            .env("OPENAI_BASE_URL", "https://api.example/v1");
        let proxy = tunnel(port);
        match named_by {
            "settings" => {
                sandbox.write("config/silcrow/config.toml", &format!("proxy = \"{proxy}\"\n"));
            }
            "--proxy" => {
                command.args(["--proxy", &proxy]).env("HTTPS_PROXY", "http://127.0.0.1:1");
            }
            variable => {
                command.env(variable, proxy);
            }
        }
        assert_eq!(command_output(command.output().unwrap()).ends(0).out, "hello\n", "{mode}");
    }
}

#[test]
fn server_with_trusted_certificate_is_asked() {
    let said = asked(&Sandbox::new(), &["localhost"], true);
    assert_eq!(said.ends(0).out, "hello\n");
}

#[test]
fn server_with_untrusted_certificate_is_refused() {
    for (names, trusted) in [(&["localhost"], false), (&["elsewhere.example"], true)] {
        let said = asked(&Sandbox::new(), names, trusted);
        assert!(said.ends(1).err.contains("certificate"), "{}", said.err);
        assert_eq!(said.out, "");
    }
}
