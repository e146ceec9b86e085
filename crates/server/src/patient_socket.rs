//! A socket whose other side has to take something from time to time.
//!
//! A client that does not read costs the buffers of its connection. This limits that time.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::connection_fate::ConnectionFate;

/// A socket that fails if no written bytes have been taken for a time.
pub(crate) struct PatientSocket {
    socket: TcpStream,
    patience: Duration,
    fate: ConnectionFate,
    /// The end of the patience, while something waits to be taken.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl PatientSocket {
    pub(crate) const fn new(socket: TcpStream, patience: Duration, fate: ConnectionFate) -> Self {
        Self { socket, patience, fate, waiting: None }
    }

    fn limit<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return self.noted(written);
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        self.noted(Poll::Ready(Err(io::ErrorKind::TimedOut.into())))
    }

    /// Takes note of an error.
    fn noted<T>(&self, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(error)) = &done {
            self.fate.failed(error);
        }
        done
    }
}

impl AsyncRead for PatientSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let read = Pin::new(&mut this.socket).poll_read(context, into);
        this.noted(read)
    }
}

impl AsyncWrite for PatientSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.socket).poll_write(context, bytes);
        this.limit(written, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.socket).poll_write_vectored(context, bytes);
        this.limit(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(context)
    }
}
