//! SOCKS5 with credentials (RFC 1928 and RFC 1929), for connections only.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use silcrow_resolve::HostName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::connection_pass::ConnectionPass;
use crate::destination::Destination;
use crate::outward::{self, Unreached};
use crate::pass_state::PassState;
use crate::proxy_parts::ProxyParts;
use crate::refused_host::RefusalReason;

/// Serves a client until its connection ends. Failures end it.
pub(crate) async fn serve(mut client: TcpStream, proxy: &ProxyParts, own: &ConnectionPass) {
    let head = timeout(proxy.limits.head, read_head(&mut client, proxy, own)).await;
    let Ok(Ok(Some(head))) = head else { return };
    let reply = match head {
        Ok((pass, to)) => {
            let connected = tokio::select! {
                connected = connect(proxy, &pass, &to) => connected,
                () = gone(&client) => return,
            };
            match connected {
                Ok((_permit, mut server)) => {
                    if client.write_all(&reply(DONE)).await.is_ok() {
                        // Either end may have closed it.
                        let _ = copy_bidirectional(&mut client, &mut server).await;
                    }
                    return;
                }
                Err(code) => code,
            }
        }
        Err(code) => code,
    };
    // The client may have gone.
    let _ = client.write_all(&self::reply(reply)).await;
    let _ = client.shutdown().await;
}

/// Reads the client's request: a destination, or the reply code for a request that is not
/// supported. `None` if the client has no pass.
async fn read_head(
    client: &mut TcpStream,
    proxy: &ProxyParts,
    own: &ConnectionPass,
) -> io::Result<Option<Result<(std::sync::Arc<PassState>, Destination), u8>>> {
    if client.read_u8().await? != VERSION {
        return Ok(None);
    }
    if !read_bytes(client).await?.contains(&WITH_CREDENTIALS) {
        client.write_all(&[VERSION, NOT_ACCEPTABLE]).await?;
        return Ok(None);
    }
    client.write_all(&[VERSION, WITH_CREDENTIALS]).await?;
    if client.read_u8().await? != CREDENTIALS_VERSION {
        return Ok(None);
    }
    let (token, _password) = (read_bytes(client).await?, read_bytes(client).await?);
    let pass = std::str::from_utf8(&token).ok().and_then(|token| proxy.passes.with_token(token));
    let Some(pass) = pass else {
        client.write_all(&[CREDENTIALS_VERSION, 1]).await?;
        return Ok(None);
    };
    // It is the first and only one.
    let _ = own.set(std::sync::Arc::clone(&pass));
    client.write_all(&[CREDENTIALS_VERSION, DONE]).await?;
    let [version, command, _reserved] = read_array(client).await?;
    if version != VERSION {
        return Ok(None);
    }
    let host = match client.read_u8().await? {
        1 => Some(IpAddr::from(Ipv4Addr::from(read_array::<4>(client).await?)).into()),
        4 => Some(IpAddr::from(Ipv6Addr::from(read_array::<16>(client).await?)).into()),
        3 => {
            let name = read_bytes(client).await?;
            std::str::from_utf8(&name).ok().and_then(host)
        }
        _ => return Ok(Some(Err(UNKNOWN_ADDRESS))),
    };
    let port = client.read_u16().await?;
    Ok(Some(match (command, host) {
        (CONNECT, Some(host)) if port > 0 => Ok((pass, Destination { host, port })),
        (CONNECT, _) => Err(FAILED),
        _ => Err(UNKNOWN_COMMAND),
    }))
}

/// Returns the host of a name. Some clients write IPv6 addresses as names, without brackets.
fn host(name: &str) -> Option<HostName> {
    match name.parse::<Ipv6Addr>() {
        Ok(address) => Some(IpAddr::from(address).into()),
        Err(_) => HostName::parse(name).ok(),
    }
}

async fn connect(
    proxy: &ProxyParts,
    pass: &PassState,
    to: &Destination,
) -> Result<(tokio::sync::OwnedSemaphorePermit, TcpStream), u8> {
    let permit = pass.admit(to).await.map_err(|_| NOT_ALLOWED)?;
    match outward::connect(proxy, to).await {
        Ok(server) => Ok((permit, server)),
        Err(Unreached::NotPublic) => {
            pass.refuse(to, RefusalReason::NotPublic);
            Err(NOT_ALLOWED)
        }
        Err(Unreached::Unresolved(_) | Unreached::Late) => Err(UNREACHABLE),
        Err(Unreached::Unconnected(_)) => Err(CONNECTION_REFUSED),
    }
}

/// Returns when the client has closed its connection, unless it has sent more before.
async fn gone(client: &TcpStream) {
    match client.peek(&mut [0]).await {
        Ok(0) | Err(_) => {}
        Ok(_) => std::future::pending().await,
    }
}

/// Reads a number of bytes, and as many bytes.
async fn read_bytes(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; client.read_u8().await?.into()];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn read_array<const N: usize>(client: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// Returns a reply without an address, which no client needs.
const fn reply(code: u8) -> [u8; 10] {
    [VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]
}

/// The first byte of a client.
pub(crate) const VERSION: u8 = 5;

const CREDENTIALS_VERSION: u8 = 1;
const WITH_CREDENTIALS: u8 = 2;
const NOT_ACCEPTABLE: u8 = 0xff;
const CONNECT: u8 = 1;

const DONE: u8 = 0;
const FAILED: u8 = 1;
const NOT_ALLOWED: u8 = 2;
const UNREACHABLE: u8 = 4;
const CONNECTION_REFUSED: u8 = 5;
const UNKNOWN_COMMAND: u8 = 7;
const UNKNOWN_ADDRESS: u8 = 8;
