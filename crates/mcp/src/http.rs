//! The client of a server over HTTP.
//!
//! Redirects are not followed, so a token reaches no other address. There is no time limit here,
//! because the stream of an answer may be open for long: the call has one.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, ClientBuilder};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::config::ServerUrl;
use crate::error::{Error, ErrorKind};

/// Returns a transport to the server at an address. It connects with the first request.
pub(crate) fn transport(
    server: &ServerUrl,
) -> Result<StreamableHttpClientTransport<Client>, Error> {
    let client = client(server.is_encrypted()).map_err(|error| {
        let message = "no request can be made: TLS does not work on this machine";
        Error::new(ErrorKind::Unreachable, message).with_source(error)
    })?;
    let config =
        StreamableHttpClientTransportConfig::with_uri(&*server.url).custom_headers(HashMap::new());
    let config = match &server.token {
        Some(token) => config.auth_header(token.clone()),
        None => config,
    };
    Ok(StreamableHttpClientTransport::with_client(client, config))
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
