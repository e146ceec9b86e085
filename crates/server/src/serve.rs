//! Connections: they are accepted up to a number, read within limits, and ended.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse as _;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use silcrow_tool::{CancellationToken, WakeGated};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection_fate::{ConnectionFate, OfConnection};
use crate::error::{Error, ErrorKind};
use crate::gate::gate;
use crate::options::Options;
use crate::patient_socket::PatientSocket;
use crate::server::Server;

impl Server {
    /// Serves the endpoints at a listener until `stop` is cancelled, and then [stops](Self::stop).
    ///
    /// No connection is accepted any more then. In any case, this returns soon after the runs'
    /// grace period.
    pub async fn serve(&self, listener: TcpListener, stop: CancellationToken) {
        self.serve_router(self.router(), listener, stop).await;
    }

    /// Like [`serve`](Self::serve), with a router of your own that contains the server's.
    pub async fn serve_router(
        &self,
        router: Router,
        listener: TcpListener,
        stop: CancellationToken,
    ) {
        let places = Arc::new(Semaphore::new(self.options.connections));
        let refusals = Arc::new(Semaphore::new(MOST_REFUSED));
        let refusing = self.refusing_router();
        let ends = CancellationToken::new();
        let mut connections = JoinSet::new();
        loop {
            let accepted = async {
                // The semaphore is never closed. Without a place to say no, a connection waits.
                let refusal = Arc::clone(&refusals).acquire_owned().await.ok()?;
                Some((refusal, listener.accept().await))
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => {}
                Some((refusal, accepted)) = accepted => match accepted {
                    Ok((socket, _)) => {
                        let place = Arc::clone(&places).try_acquire_owned().ok();
                        let router = if place.is_some() { &router } else { &refusing };
                        let connection = connection(socket, router.clone(), &self.options, &ends);
                        connections.spawn(async move {
                            // A client's error does not concern others.
                            let _ = match &place {
                                Some(_) => {
                                    drop(refusal);
                                    connection.await
                                }
                                None => timeout(REFUSAL, connection).await.unwrap_or(Ok(())),
                            };
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

impl Server {
    /// Answers every request with the error that too many connections are open.
    fn refusing_router(&self) -> Router {
        let most = self.options.connections;
        let refused = move || async move {
            let why = format!("{most} connections are open already; try again later");
            let error = Error::new(ErrorKind::Unavailable, why).into_response();
            ([(header::CONNECTION, HeaderValue::from_static("close"))], error)
        };
        Router::new().fallback(refused).layer(from_fn_with_state(self.clone(), gate))
    }
}

/// Serves one connection until it ends, or until `ends` is cancelled and its answer is sent.
fn connection(
    socket: TcpStream,
    router: Router,
    options: &Options,
    ends: &CancellationToken,
) -> impl Future<Output = Result<(), Box<dyn std::error::Error + Send + Sync>>> + use<> {
    // The request line has a separate limit, besides the headers that the gate counts.
    let buffer = (2 * options.head).max(MIN_BUFFER);
    let (ends, unread_time) = (ends.clone(), options.unread_time);
    async move {
        socket.set_nodelay(true)?;
        let fate = ConnectionFate::default();
        let service = TowerToHyperService::new(router);
        let service = OfConnection { service, fate: fate.clone() };
        let mut connection = std::pin::pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(buffer)
                .serve_connection(
                    TokioIo::new(PatientSocket::new(socket, unread_time, fate)),
                    service,
                )
        );
        let stopped = std::pin::pin!(ends.cancelled());
        let mut stopped = WakeGated::new(stopped);
        tokio::select! {
            ended = &mut connection => return Ok(ended?),
            () = &mut stopped => connection.as_mut().graceful_shutdown(),
        }
        Ok(connection.await?)
    }
}

/// The number of connections above the limit that are open at once, for an answer that says so.
const MOST_REFUSED: usize = 64;

/// The time in which such a connection has to send a request.
const REFUSAL: Duration = Duration::from_secs(2);

/// The time in which a client has to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time after the runs' grace period in which they are cancelled and connections end.
const LAST: Duration = Duration::from_secs(5);

/// The time after which another connection is tried when the system has no socket.
const PAUSE: Duration = Duration::from_millis(50);

/// The minimum buffer that hyper accepts.
const MIN_BUFFER: usize = 8 << 10;
