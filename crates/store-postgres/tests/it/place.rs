//! Servers and databases that cannot be used, and the error messages about them.

use silcrow_event::error_chain;
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};
use silcrow_testkit::{PostgresServer, check_sources};

use crate::open;

async fn failure(address: &str) -> Error {
    let address = PostgresAddress::parse(address, |_| None).unwrap();
    let error = PostgresStore::open(address, Options::default()).await.unwrap_err();
    check_sources(&error);
    error
}

fn says(error: &Error, kind: ErrorKind, words: &[&str]) {
    let chain = error_chain(error);
    assert_eq!(error.kind(), kind, "{chain}");
    for word in words {
        assert!(chain.contains(word), "{chain} does not say {word}");
    }
}

#[tokio::test]
async fn server_errors_omit_the_password() {
    let Some(server) = PostgresServer::shared() else { return };
    let folder = server.folder();
    server.run("postgres", "create role guarded login password 'right'");
    let address = |user: &str, name: &str| format!("postgres://{user}@/{name}?host={folder}");

    let wrong = failure(&address("guarded:wrong-secret", "postgres")).await;
    says(&wrong, ErrorKind::Refused, &["rejects", "PGPASSWORD", "guarded@"]);
    assert!(!error_chain(&wrong).contains("wrong-secret"), "{wrong}");
    let missing = failure(&address("guarded", "postgres")).await;
    assert!(error_chain(&missing).contains("PGPASSWORD"), "{}", error_chain(&missing));
    let unknown = failure(&address("postgres", "nowhere")).await;
    says(&unknown, ErrorKind::Refused, &["/nowhere", "createdb"]);
    let down = failure("postgres://postgres@/x?host=/nowhere/at/all").await;
    says(&down, ErrorKind::Unavailable, &["cannot be reached", "/nowhere/at/all"]);
    let closed = failure("postgres://postgres@127.0.0.1:1/x").await;
    says(&closed, ErrorKind::Unavailable, &["cannot be reached", "127.0.0.1:1"]);
    let poor = failure(&address("guarded:right", "postgres")).await;
    says(&poor, ErrorKind::Refused, &["grant"]);
}

#[tokio::test]
async fn tables_of_a_later_version_are_not_used() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    drop(open(&database).await);
    server.run(&database, "insert into silcrow.migration (version) values (99)");
    says(&failure(&database).await, ErrorKind::Format, &["version 99", "newer silcrow"]);
}

#[tokio::test]
async fn non_utf8_database_is_refused() {
    let Some(server) = PostgresServer::shared() else { return };
    server.run("postgres", "create database latin template template0 encoding 'LATIN1' locale 'C'");
    says(&failure(&server.address("latin")).await, ErrorKind::Format, &["LATIN1", "UTF8"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_may_be_created_concurrently() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let opening = (0..12).map(|_| {
        let database = database.clone();
        tokio::spawn(async move { open(&database).await.list(None).await.unwrap().len() })
    });
    for opened in opening.collect::<Vec<_>>() {
        assert_eq!(opened.await.unwrap(), 0);
    }
}

/// A role that may only use its own database has no extension, and searches nevertheless.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_needs_no_trigrams() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    server.run(&database, "create role plain login");
    server.run(&database, "create schema silcrow authorization plain");
    let address = database.replace("postgres@", "plain@");
    let store = open(&address).await;
    assert_eq!(
        server.run(&database, "select count(*) from pg_extension where extname = 'pg_trgm'"),
        "0"
    );
    store.append("c", 0, crate::said("where do whales sleep")).await.unwrap();
    let words = "WHALE".to_owned();
    let query = silcrow_store::search::Query { words, ..Default::default() };
    assert_eq!(store.search(&query).await.unwrap().len(), 1);
}

#[test]
fn an_address_shows_no_password() {
    let none = |_: &str| None;
    for (text, shown) in [
        (
            "postgres://ann:secret@db.example.com:5433/agents",
            "postgres://ann@db.example.com:5433/agents",
        ),
        ("postgresql://db/agents?user=ann&password=secret", "postgres://ann@db/agents"),
        (
            "postgres://ann@/agents?host=/run/pg&sslmode=disable",
            "postgres://ann@/agents?host=/run/pg",
        ),
    ] {
        let address = PostgresAddress::parse(text, none).unwrap();
        assert_eq!(address.to_string(), shown);
        assert!(!format!("{address:?}").contains("secret"));
    }
    let error = PostgresAddress::parse("postgres://ann:se cret@h:port/x", none).unwrap_err();
    assert!(!error_chain(&error).contains("cret"), "{}", error_chain(&error));
    let variable = |name: &str| {
        let value = match name {
            "PGHOST" => "db",
            "PGPORT" => "5433",
            "PGUSER" => "ann",
            "PGDATABASE" => "agents",
            _ => return None,
        };
        Some(value.to_owned())
    };
    let address = PostgresAddress::parse("postgres://", variable).unwrap();
    assert_eq!(address.to_string(), "postgres://ann@db:5433/agents");
}
