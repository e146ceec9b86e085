//! Connections: they are accepted up to a number, read within limits, and ended.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use silcrow_exec::CancellationToken;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::options::Options;
use crate::server::Server;

impl Server {
    /// Serves the endpoints at a listener until `stop` is cancelled, and then [stops](Self::stop).
    ///
    /// No connection is accepted any more then. Whatever happens, this returns soon after the time
    /// that the runs get.
    pub async fn serve(&self, listener: TcpListener, stop: CancellationToken) {
        self.serve_router(self.router(), listener, stop).await;
    }

    /// Serves a router of a program, in which that of the server is mounted, like
    /// [`serve`](Self::serve).
    pub async fn serve_router(
        &self,
        router: Router,
        listener: TcpListener,
        stop: CancellationToken,
    ) {
        let places = Arc::new(Semaphore::new(self.options.connections));
        let ends = CancellationToken::new();
        let mut connections = JoinSet::new();
        loop {
            let accepted = async {
                // The semaphore is never closed.
                let place = Arc::clone(&places).acquire_owned().await.ok()?;
                Some((place, listener.accept().await))
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => {}
                Some((place, accepted)) = accepted => match accepted {
                    Ok((socket, _)) => {
                        let connection = connection(socket, router.clone(), &self.options, &ends);
                        connections.spawn(async move {
                            // What a client did wrong concerns nobody else.
                            let _ = connection.await;
                            drop(place);
                        });
                    }
                    // The system has no more sockets; some will be closed.
                    Err(_) => sleep(PAUSE).await,
                },
            }
        }
        drop(listener);
        let ended = async {
            self.stop().await;
            ends.cancel();
            while connections.join_next().await.is_some() {}
        };
        // A tool that cannot be stopped does not keep the process.
        let _ = timeout(self.options.patience + LAST, ended).await;
    }
}

/// Serves one connection until it ends, or until `ends` is cancelled and its answer is sent.
fn connection(
    socket: TcpStream,
    router: Router,
    options: &Options,
    ends: &CancellationToken,
) -> impl Future<Output = Result<(), Box<dyn std::error::Error + Send + Sync>>> + use<> {
    // The request line has a part of its own, beside the headers that the gate counts.
    let buffer = (2 * options.head).max(MIN_BUFFER);
    let ends = ends.clone();
    async move {
        socket.set_nodelay(true)?;
        let mut connection = std::pin::pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(buffer)
                .serve_connection(TokioIo::new(socket), TowerToHyperService::new(router))
        );
        tokio::select! {
            ended = &mut connection => return Ok(ended?),
            () = ends.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        Ok(connection.await?)
    }
}

/// The time in which a client has to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time after that of the runs in which they are cancelled and connections end.
const LAST: Duration = Duration::from_secs(5);

/// The time after which another connection is tried when the system has no socket.
const PAUSE: Duration = Duration::from_millis(50);

/// The least buffer that hyper takes.
const MIN_BUFFER: usize = 8 << 10;
