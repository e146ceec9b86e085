//! The client of a server over HTTP.
//!
//! Redirects are not followed, so a token reaches no other address. There is no time limit here,
//! because the stream of an answer may be open for long; each call has a limit.

use std::collections::HashMap;
use std::time::Duration;

#[cfg(not(feature = "oauth"))]
use reqwest::Client as InnerClient;
#[cfg(feature = "oauth")]
use reqwest::Url;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use silcrow_http_client::{self as http_client, Client, ClientOptions};

use crate::client::old_transport;
use crate::config::ServerUrl;
use crate::error::{Error, ErrorKind};
use crate::headed_client::HeadedClient;
#[cfg(feature = "oauth")]
use crate::oauth::{LoginClient as InnerClient, LoginSession};

/// The client of a server, with the headers and the login that are declared for it.
pub(crate) type ServerClient = HeadedClient<InnerClient>;

/// Returns a client of the server at an address. Its clones share a login.
#[cfg_attr(not(feature = "oauth"), expect(unused_variables, reason = "nobody logs in"))]
pub(crate) fn server_client(name: &str, server: &ServerUrl) -> Result<ServerClient, Error> {
    let client = client(server)?;
    #[cfg(feature = "oauth")]
    let client = {
        let url = Url::parse(&server.url).ok();
        let login = server.login.clone().filter(|_| server.token.is_none());
        let session = login.zip(url).map(|(login, url)| LoginSession::new(login, name, url));
        InnerClient::new(client, session)
    };
    Ok(HeadedClient::new(client, server.headers.clone()))
}

/// Returns a transport to the server. It connects with the first request.
pub(crate) fn transport(
    client: &ServerClient,
    server: &ServerUrl,
) -> StreamableHttpClientTransport<ServerClient> {
    let config =
        StreamableHttpClientTransportConfig::with_uri(&*server.url).custom_headers(HashMap::new());
    let config = match &server.token {
        Some(token) => config.auth_header(token.clone()),
        None => config,
    };
    StreamableHttpClientTransport::with_client(client.clone(), config)
}

/// Returns whether the server speaks the transport of 2024.
pub(crate) async fn speaks_old_transport(server: &ServerUrl) -> bool {
    match client(server) {
        Ok(client) => old_transport::is_spoken(&client, server).await,
        Err(_) => false,
    }
}

/// Returns the result of a person's login, if there was one.
#[cfg(feature = "oauth")]
pub(crate) fn login(client: &ServerClient) -> Option<Result<(), String>> {
    client.inner().login()
}

/// Returns the error that nobody has logged in.
#[cfg(not(feature = "oauth"))]
pub(crate) const fn login(_: &ServerClient) -> Option<Result<(), String>> {
    None
}

/// Makes a client of the server at an address. Only requests to this machine are not encrypted, and
/// these use no proxy.
fn client(server: &ServerUrl) -> Result<Client, Error> {
    let no_client = |error: http_client::Error| {
        Error::new(ErrorKind::Unreachable, "cannot make an HTTP client").with_source(error)
    };
    // A pooled connection may have been closed by the server, and a call is not sent twice.
    let options = ClientOptions::new().with_connect_timeout(CONNECT).without_reuse();
    let options = match server.is_encrypted() {
        true => options.with_environment_proxies(),
        false => options,
    };
    // The login page's address is known only later.
    options.build_for_any_url().map_err(no_client)
}

/// The time limit of a connection.
const CONNECT: Duration = Duration::from_secs(10);
