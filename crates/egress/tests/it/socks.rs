//! SOCKS5.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::stage::{Stage, read_to_end};

/// The token of a pass.
pub(crate) fn token(pass: &silcrow_egress::NetworkPass) -> String {
    let url = pass.url(1);
    url.strip_prefix("http://").unwrap().split(':').next().unwrap().to_owned()
}

/// Shows the credentials, and returns the client and whether they were taken.
pub(crate) async fn greet(stage: &Stage, token: &str) -> (TcpStream, bool) {
    let mut client = stage.client().await;
    client.write_all(&[5, 2, 0, 2]).await.unwrap();
    let mut method = [0; 2];
    client.read_exact(&mut method).await.unwrap();
    assert_eq!(method, [5, 2]);
    let mut credentials = vec![1, u8::try_from(token.len()).unwrap()];
    credentials.extend(token.bytes());
    credentials.extend([1, b'x']);
    client.write_all(&credentials).await.unwrap();
    let mut reply = [0; 2];
    client.read_exact(&mut reply).await.unwrap();
    (client, reply == [1, 0])
}

/// Asks for a connection to a host by its name, and returns the code of the reply.
pub(crate) async fn ask(client: &mut TcpStream, command: u8, name: &str, port: u16) -> u8 {
    let mut request = vec![5, command, 0, 3, u8::try_from(name.len()).unwrap()];
    request.extend(name.bytes());
    request.extend(port.to_be_bytes());
    client.write_all(&request).await.unwrap();
    reply(client).await
}

async fn reply(client: &mut TcpStream) -> u8 {
    let mut reply = [0; 10];
    client.read_exact(&mut reply).await.unwrap();
    reply[1]
}

#[tokio::test]
async fn granted_host_is_reached_by_name_or_address() {
    let stage = Stage::new();
    let server = stage.host("example.org", 443).await;
    stage.place("[2606:4700::1]:443", server.address);
    let pass = stage.pass(&["example.org", "93.184.215.14", "2606:4700::1"]);
    let token = token(&pass);
    let v4 = [5, 1, 0, 1, 93, 184, 215, 14, 1, 187].to_vec();
    let mut v6 = vec![5, 1, 0, 4];
    v6.extend("2606:4700::1".parse::<std::net::Ipv6Addr>().unwrap().octets());
    v6.extend([1, 187]);
    let mut name = vec![5, 1, 0, 3, 12];
    name.extend(b"Example.ORG.");
    name.extend([1, 187]);
    let mut name_of_v6 = vec![5, 1, 0, 3, 12];
    name_of_v6.extend(b"2606:4700::1");
    name_of_v6.extend([1, 187]);
    for request in [v4, v6, name, name_of_v6] {
        let (mut client, is_taken) = greet(&stage, &token).await;
        assert!(is_taken);
        client.write_all(&request).await.unwrap();
        assert_eq!(reply(&mut client).await, 0, "{request:?}");
        client.write_all(b"echo socks").await.unwrap();
        client.shutdown().await.unwrap();
        assert_eq!(read_to_end(&mut client).await, "echo socks");
    }
    assert_eq!(server.connections(), 4);
}

#[tokio::test]
async fn refusals_have_socks_reply_codes() {
    let stage = Stage::new();
    let server = stage.host("example.org", 443).await;
    stage.name("gone.example", &["93.184.215.15"]);
    let pass = stage.pass(&["example.org", "gone.example", "unknown.example", "localhost"]);
    let token = token(&pass);
    for (command, name, port, expected) in [
        (1, "other.example", 443, 2),
        (1, "example.org", 22, 2),
        (1, "localhost", 443, 2),
        (1, "127.0.0.1", 443, 2),
        (1, "0x7f.1", 443, 2),
        (1, "unknown.example", 443, 4),
        (1, "gone.example", 443, 5),
        (1, "exa mple.org", 443, 1),
        (1, "example.org", 0, 1),
        (2, "example.org", 443, 7),
        (3, "example.org", 443, 7),
    ] {
        let (mut client, _) = greet(&stage, &token).await;
        assert_eq!(ask(&mut client, command, name, port).await, expected, "{name}:{port}");
        assert_eq!(read_to_end(&mut client).await, "");
    }
    let (mut client, _) = greet(&stage, &token).await;
    client.write_all(&[5, 1, 0, 9]).await.unwrap();
    assert_eq!(reply(&mut client).await, 8);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn client_without_credentials_is_refused() {
    let stage = Stage::new();
    let server = stage.host("example.org", 443).await;
    let _pass = stage.pass(&["*"]);
    let mut client = stage.client().await;
    client.write_all(&[5, 1, 0]).await.unwrap();
    assert_eq!(read_to_end(&mut client).await.as_bytes(), [5, 0xef, 0xbf, 0xbd]);
    for token in ["", "x", "00000000000000000000000000000000"] {
        let (mut client, is_taken) = greet(&stage, token).await;
        assert!(!is_taken, "{token}");
        assert_eq!(read_to_end(&mut client).await, "");
    }
    // SOCKS4 begins with another byte, and HTTP does not begin with it.
    let mut client = stage.client().await;
    client.write_all(&[4, 1, 1, 187, 93, 184, 215, 14, 0]).await.unwrap();
    client.shutdown().await.unwrap();
    assert!(!read_to_end(&mut client).await.contains("200"));
    assert_eq!(server.connections(), 0);
}
