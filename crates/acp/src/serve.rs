//! A connection with a client: lines come in, requests are answered, and prompts run beside each other.

use std::io;
use std::sync::Arc;

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::mpsc;

use crate::client::AcpClient;
use crate::connection::AcpConnection;
use crate::host::AcpHost;
use crate::message::EditorMessage;

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
    let reading = read(AcpConnection::new(host, client), input);
    let writing = write(outgoing, output);
    tokio::pin!(reading, writing);
    tokio::select! {
        read = &mut reading => {
            writing.await?;
            read
        }
        written = &mut writing => written,
    }
}

async fn read<H: AcpHost + 'static>(
    mut connection: AcpConnection<H>,
    input: impl AsyncRead + Unpin,
) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let ended = loop {
        line.clear();
        match (&mut input).take(MAX_LINE).read_until(b'\n', &mut line).await {
            Ok(0) => break Ok(()),
            Ok(read) if read as u64 == MAX_LINE && !line.ends_with(b"\n") => {
                let why = format!("a message has more than {MAX_LINE} bytes");
                break Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            Ok(_) => {}
            Err(error) => break Err(error),
        }
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        match EditorMessage::parse(&text) {
            Ok(message) => connection.take(message).await,
            Err((id, error)) => connection.reject(&id, error).await,
        }
    };
    connection.close().await;
    ended
}

async fn write(
    mut lines: mpsc::Receiver<String>,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        output.write_all(line.as_bytes()).await?;
        output.write_all(b"\n").await?;
        if lines.is_empty() {
            output.flush().await?;
        }
    }
    output.flush().await
}

/// The number of lines that may wait for a client which reads slowly. Then its runs wait, too.
const OUTGOING: usize = 64;

/// The most bytes of a message.
const MAX_LINE: u64 = 16 << 20;
