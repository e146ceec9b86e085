//! The transport of the revision of 2024-11-05, HTTP with a separate stream for answers. It is recognized,
//! so that its servers can be named, and not spoken.

use std::time::Duration;

use reqwest::header::ACCEPT;
use silcrow_http_client::Client;
use tokio::time::timeout;

use crate::config::ServerUrl;

/// Returns whether the server at an address speaks this transport: a stream there begins with the address
/// for messages.
pub(crate) async fn is_spoken(client: &Client, server: &ServerUrl) -> bool {
    timeout(PATIENCE, begins_with_endpoint(client, server)).await.unwrap_or_default()
}

async fn begins_with_endpoint(client: &Client, server: &ServerUrl) -> bool {
    let request = client.get(&server.url).header(ACCEPT, "text/event-stream");
    let request = match &server.token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    let Ok(answer) = request.send().await else { return false };
    if !answer.status().is_success() {
        return false;
    }
    let (mut answer, mut begin) = (answer, Vec::new());
    while let Ok(Some(bytes)) = answer.chunk().await {
        begin.extend_from_slice(&bytes);
        let text = String::from_utf8_lossy(&begin);
        if text.lines().any(|line| line.replace(' ', "") == "event:endpoint") {
            return true;
        }
        if begin.len() > MOST {
            return false;
        }
    }
    false
}

/// The longest time that it takes to find out.
const PATIENCE: Duration = Duration::from_secs(3);

/// The maximum number of bytes to read for the address.
const MOST: usize = 4096;
