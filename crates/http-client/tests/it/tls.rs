//! Servers behind TLS: whom a client trusts.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};
use silcrow_http_client::{ClientOptions, ErrorKind, Url};

/// Serves over TLS as `localhost`, and returns its URL and the authority that vouches for it.
fn serve() -> (Url, String) {
    let mut authority = CertificateParams::new(vec![]).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = certificate.signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let (listener, config) = (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::new(config));
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        // A client that does not trust it hangs up.
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = Stream::new(&mut connection, &mut socket);
            if stream.read(&mut [0; 4096]).is_ok() {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
            }
        }
    });
    (Url::parse(&format!("https://localhost:{port}/")).unwrap(), authority.pem())
}

#[tokio::test]
async fn client_trusts_only_given_certificates() {
    let ((url, authority), (_, stranger)) = (serve(), serve());
    let asked = async |options: ClientOptions| {
        let client = options.build(&url).unwrap();
        client.get(url.clone()).send().await?.text().await
    };
    let trusting = |pem: &str| ClientOptions::new().trusting(pem.as_bytes()).unwrap();
    assert_eq!(asked(trusting(&authority)).await.unwrap(), "ok");
    assert_eq!(asked(trusting(&(stranger.clone() + &authority))).await.unwrap(), "ok");
    for options in [trusting(&stranger), ClientOptions::new()] {
        assert!(asked(options).await.unwrap_err().is_connect());
    }
}

#[test]
fn invalid_certificates_are_errors() {
    let broken = "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----\n";
    for pem in ["", "certificate", broken] {
        let error = ClientOptions::new().trusting(pem.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Certificates, "{pem}");
        assert!(!error.is_retryable());
        assert_eq!(
            error.to_string(),
            "the certificates to trust cannot be read; they have to be in PEM"
        );
    }
}
