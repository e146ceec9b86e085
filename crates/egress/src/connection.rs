//! Connections of clients: their number, the protocol in the first byte, and when they are cut.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection_pass::ConnectionPass;
use crate::proxy_parts::ProxyParts;
use crate::{http, socks};

/// Accepts connections until it is dropped. They end with it.
pub(crate) async fn accept(listener: TcpListener, proxy: Arc<ProxyParts>) {
    let permits = Arc::new(Semaphore::new(proxy.limits.connections));
    let mut connections = JoinSet::new();
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let proxy = Arc::clone(&proxy);
                connections.spawn(async move {
                    let _permit = permit;
                    serve(stream, proxy).await;
                });
            }
            // There are too many open files, or the client is gone already.
            Err(_) => sleep(PAUSE).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Serves a connection until it ends, or its pass does.
async fn serve(stream: TcpStream, proxy: Arc<ProxyParts>) {
    // It is slower without.
    let _ = stream.set_nodelay(true);
    let pass = ConnectionPass::default();
    let cut = async { pass.wait().await.ended().await };
    let served = async {
        let mut first = [0];
        match timeout(proxy.limits.head, stream.peek(&mut first)).await {
            Ok(Ok(1)) if first[0] == socks::VERSION => {
                socks::serve(stream, &proxy, &pass).await;
            }
            Ok(Ok(1)) => http::serve(stream, &proxy, &pass).await,
            _ => {}
        }
    };
    tokio::select! {
        biased;
        () = cut => {}
        () = served => {}
    }
}

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);
