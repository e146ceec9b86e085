//! Encrypted connections to the server, by rustls.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use silcrow_store::{Error, ErrorKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;

use crate::address::PostgresAddress;

/// Makes encrypted connections.
#[derive(Clone)]
pub(crate) struct MakeRustls(TlsConnector);

impl MakeRustls {
    /// Reads the certificates to trust.
    pub(crate) fn new(address: &PostgresAddress) -> Result<Self, Error> {
        let wrong =
            |why: &str, error: String| Error::new(ErrorKind::Refused, why).with_source(error);
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| wrong("TLS cannot be used", error.to_string()))?;
        let config = match &address.roots {
            None => builder.with_platform_verifier().map(|builder| builder.with_no_client_auth()),
            Some(path) => {
                let unread = |error: String| {
                    wrong(&format!("sslrootcert {} cannot be read", path.display()), error)
                };
                let mut roots = RootCertStore::empty();
                let certificates = CertificateDer::pem_file_iter(path);
                for certificate in certificates.map_err(|error| unread(error.to_string()))? {
                    let certificate = certificate.map_err(|error| unread(error.to_string()))?;
                    roots.add(certificate).map_err(|error| unread(error.to_string()))?;
                }
                Ok(builder.with_root_certificates(roots).with_no_client_auth())
            }
        };
        let config = config.map_err(|error| {
            wrong("the system's certificates cannot be read", error.to_string())
        })?;
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

impl<S> MakeTlsConnect<S> for MakeRustls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = EncryptedStream<S>;
    type TlsConnect = RustlsConnect;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<RustlsConnect> {
        // A socket of this machine has no name, and is not encrypted.
        let name = ServerName::try_from(host.to_owned()).ok();
        Ok(RustlsConnect { connector: self.0.clone(), name })
    }
}

/// A connection to one host that is to be encrypted.
pub(crate) struct RustlsConnect {
    connector: TlsConnector,
    name: Option<ServerName<'static>>,
}

impl<S> TlsConnect<S> for RustlsConnect
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = EncryptedStream<S>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<EncryptedStream<S>>>;

    fn connect(self, stream: S) -> Self::Future {
        async move {
            let name = self.name.ok_or_else(|| io::Error::other("the host has no name"))?;
            self.connector.connect(name, stream).await.map(EncryptedStream)
        }
        .boxed()
    }
}

/// An encrypted connection.
pub(crate) struct EncryptedStream<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for EncryptedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for EncryptedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EncryptedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
