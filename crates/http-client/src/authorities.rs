//! The certificate authorities that a client trusts.

use reqwest::{Certificate, ClientBuilder};

/// The authorities that a client needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authorities {
    /// The machine's authorities, or the bundled ones if the machine has none. Reading them takes
    /// milliseconds.
    All,
    /// A single one, because a client cannot be built without. Nothing is encrypted.
    One,
}

/// Builds a client that trusts the authorities of the machine, or the bundled ones if it has none.
pub(crate) fn with_machine(
    builder: impl Fn() -> ClientBuilder,
) -> Result<reqwest::Client, reqwest::Error> {
    builder().build().or_else(|_| with_bundled(builder(), usize::MAX))
}

/// Builds a client that trusts a single authority.
pub(crate) fn with_one(builder: ClientBuilder) -> Result<reqwest::Client, reqwest::Error> {
    with_bundled(builder, 1)
}

fn with_bundled(builder: ClientBuilder, count: usize) -> Result<reqwest::Client, reqwest::Error> {
    let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().take(count);
    let roots = roots.map(|root| Certificate::from_der(root)).collect::<Result<Vec<_>, _>>()?;
    builder.tls_certs_only(roots).build()
}
