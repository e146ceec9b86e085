//! The client of a server over HTTP.
//!
//! Redirects are not followed, so a token reaches no other address. There is no time limit here,
//! because the stream of an answer may be open for long: the call has one.

use std::collections::HashMap;
use std::time::Duration;

#[cfg(not(feature = "oauth"))]
use reqwest::Client as InnerClient;
#[cfg(feature = "oauth")]
use reqwest::Url;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, ClientBuilder};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

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
    let client = client(server.is_encrypted()).map_err(|error| {
        let message = "no request can be made: TLS does not work on this machine";
        Error::new(ErrorKind::Unreachable, message).with_source(error)
    })?;
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

/// Returns how the login of a person ended, if there was one: well, or for a reason.
#[cfg(feature = "oauth")]
pub(crate) fn login(client: &ServerClient) -> Option<Result<(), String>> {
    client.inner().login()
}

/// Returns that nobody has logged in.
#[cfg(not(feature = "oauth"))]
pub(crate) const fn login(_: &ServerClient) -> Option<Result<(), String>> {
    None
}

/// Makes a client that trusts the authorities of the machine, or known ones if it has none. What is
/// not encrypted goes to this machine, and so to no proxy.
fn client(is_encrypted: bool) -> Result<Client, reqwest::Error> {
    let builder = || -> ClientBuilder {
        let builder = Client::builder();
        let builder = if is_encrypted { builder } else { builder.no_proxy() };
        builder
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            // A pooled connection may have been closed by the server, and a call is not sent twice.
            .pool_max_idle_per_host(0)
    };
    let bundled = || {
        let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
        let roots = roots.map(|root| Certificate::from_der(root)).collect::<Result<Vec<_>, _>>()?;
        builder().tls_certs_only(roots).build()
    };
    builder().build().or_else(|_| bundled())
}

/// The time limit of a connection.
const CONNECT: Duration = Duration::from_secs(10);
