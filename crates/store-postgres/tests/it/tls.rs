//! A server behind TLS: a certificate that is trusted, and others.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use silcrow_event::error_chain;
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};
use silcrow_testkit::PostgresServer;

use crate::said;

/// Starts a server under a certificate for a name. The authority that vouches for it is in a file.
fn server(name: &str) -> Option<(PostgresServer, tempfile::NamedTempFile)> {
    let mut authority = CertificateParams::new(vec![]).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = certificate.signed_by(&key, &authority).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), authority.pem()).unwrap();
    let server = PostgresServer::start_encrypted(&certificate.pem(), &key.serialize_pem())?;
    Some((server, file))
}

async fn open(server: &PostgresServer, options: &str) -> Result<PostgresStore, Error> {
    let port = server.port().unwrap();
    let address = format!("postgres://postgres@localhost:{port}/postgres?{options}");
    let address = PostgresAddress::parse(&address, |_| None).unwrap();
    PostgresStore::open(address, Options::default()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_encrypted_and_its_certificate_verified() {
    let Some((server, authority)) = server("localhost") else { return };
    let trusted = format!("sslmode=require&sslrootcert={}", authority.path().display());
    let store = open(&server, &trusted).await.unwrap();
    store.append("c", 0, said("hello")).await.unwrap();
    let _hold = store.hold("c").await.unwrap();
    let encrypted = "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid)
        where application_name = 'silcrow'";
    assert_eq!(server.run("postgres", encrypted), "t");

    let error = open(&server, "sslmode=require").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{}", error_chain(&error));
    assert!(error.to_string().contains("sslrootcert=FILE"), "{error}");
    let _plain = open(&server, "").await.unwrap();
    assert_eq!(server.run("postgres", encrypted), "f", "this machine needs no encryption");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_for_another_name_is_not_trusted() {
    let Some((server, authority)) = server("other.example") else { return };
    let trusted = format!("sslmode=verify-full&sslrootcert={}", authority.path().display());
    let error = open(&server, &trusted).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{}", error_chain(&error));
    assert!(error.to_string().contains("can be trusted"), "{error}");
}

#[tokio::test]
async fn unencrypted_server_is_refused_where_tls_required() {
    let Some(server) = PostgresServer::shared() else { return };
    let address = format!("{}&sslmode=require", server.database());
    let address = PostgresAddress::parse(&address, |_| None).unwrap();
    let error = PostgresStore::open(address, Options::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{}", error_chain(&error));
}
