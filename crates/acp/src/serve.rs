//! A connection with a client: lines come in, requests are answered, and prompts run in parallel.

use std::io;
use std::sync::Arc;

use serde_json::Value;
use silcrow_tool::CancellationToken;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

use crate::client::AcpClient;
use crate::client_lines::{ClientLine, ClientLines, MAX_LINE};
use crate::connection::AcpConnection;
use crate::host::AcpHost;
use crate::message::{EditorMessage, INVALID_REQUEST, RpcError};

/// Serves a client until it closes `input`, and then stops the runs of its sessions.
///
/// # Errors
///
/// Returns the error of reading or writing.
///
/// # Panics
///
/// Panics outside a tokio runtime.
pub async fn serve<H: AcpHost + 'static>(
    host: Arc<H>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (lines, outgoing) = mpsc::channel(OUTGOING);
    let client = Arc::new(AcpClient::new(lines));
    // A client that reads nothing any more is gone, even if it has not closed its other end.
    let gone = CancellationToken::new();
    let reading = read(AcpConnection::new(host, client), input, &gone);
    let (read, written) = tokio::join!(reading, write(outgoing, output, &gone));
    written.and(read)
}

async fn read<H: AcpHost + 'static>(
    mut connection: AcpConnection<H>,
    input: impl AsyncRead + Unpin,
    gone: &CancellationToken,
) -> io::Result<()> {
    let mut input = ClientLines::new(input);
    let ended = loop {
        let line = tokio::select! {
            biased;
            () = gone.cancelled() => break Ok(()),
            line = input.next() => line,
        };
        let message = match line {
            Ok(None) => break Ok(()),
            Ok(Some(ClientLine::Text(text))) if text.trim().is_empty() => continue,
            Ok(Some(ClientLine::Text(text))) => EditorMessage::parse(&text),
            Ok(Some(ClientLine::TooLong)) => {
                let why = format!("a message may have {MAX_LINE} bytes, and this one has more");
                Err((Value::Null, RpcError::new(INVALID_REQUEST, why)))
            }
            Err(error) => break Err(error),
        };
        match message {
            Ok(message) => connection.take(message).await,
            Err((id, error)) => connection.reject(&id, error).await,
        }
    };
    connection.close().await;
    ended
}

/// Writes lines until all senders are gone. If that fails, the others are dropped.
async fn write(
    mut lines: mpsc::Receiver<String>,
    mut output: impl AsyncWrite + Unpin,
    gone: &CancellationToken,
) -> io::Result<()> {
    let mut written = Ok(());
    while let Some(line) = lines.recv().await {
        if written.is_ok() {
            written = write_line(&line, lines.is_empty(), &mut output).await;
        }
        if written.is_err() {
            gone.cancel();
        }
    }
    written
}

async fn write_line(
    line: &str,
    is_last: bool,
    output: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    output.write_all(line.as_bytes()).await?;
    output.write_all(b"\n").await?;
    if is_last { output.flush().await } else { Ok(()) }
}

/// The number of lines that may wait for a client which reads slowly. Then its runs wait, too.
const OUTGOING: usize = 64;
