//! A database that is dumped and restored: the same conversations, and leases without owners.

use std::process::{Command, Stdio};

use silcrow_store::{ErrorKind, Store as _};
use silcrow_testkit::PostgresServer;

use crate::{open_briefly, said};

#[tokio::test]
async fn restored_dump_keeps_conversations_with_later_epochs() {
    let Some(server) = PostgresServer::shared() else { return };
    let (database, restored) = (server.database(), server.database());
    let store = open_briefly(&database).await;
    // Its owner does not live to release it.
    std::mem::forget(store.hold("held").await.unwrap());
    store.append("held", 0, said("one")).await.unwrap();
    store.append("free", 0, said("two\u{0}three")).await.unwrap();
    store.put("granted/free", "key", 0, vec![0, 255]).await.unwrap();
    let epoch = epoch_of(server, &database, "held");
    copy(server, &database, &restored);

    let copied = open_briefly(&restored).await;
    for conversation in ["held", "free"] {
        let (there, here) =
            (copied.read(conversation, 1..=9).await, store.read(conversation, 1..=9).await);
        assert_eq!(there.unwrap(), here.unwrap());
    }
    assert_eq!(copied.keys().await.unwrap(), store.keys().await.unwrap());
    assert_eq!(copied.list(None).await.unwrap(), store.list(None).await.unwrap());
    assert!(copied.verify().await.unwrap().damage.is_empty());
    // The lease of the owner runs out, and the next one has a new epoch.
    let hold = copied.hold("held").await.unwrap();
    assert!(epoch_of(server, &restored, "held") > epoch);
    copied.append("held", 1, said("more")).await.unwrap();
    hold.release().await;
}

/// The steps on the page on operating after a restore to an earlier time: epochs that owners may
/// still have are not given again.
#[tokio::test]
async fn epochs_issued_after_backup_are_not_reissued() {
    let Some(server) = PostgresServer::shared() else { return };
    let (database, restored) = (server.database(), server.database());
    let zombie = open_briefly(&database).await;
    zombie.append("c", 0, said("one")).await.unwrap();
    copy(server, &database, &restored);
    // This lease is not in the backup.
    let lost = zombie.hold("c").await.unwrap();
    let epoch = epoch_of(server, &database, "c");
    server.run(&restored, ADVANCE);
    let store = open_briefly(&restored).await;
    let hold = store.hold("c").await.unwrap();
    assert!(epoch_of(server, &restored, "c") > epoch + 1_000);
    hold.release().await;
    drop(lost);
}

/// A process that root has started does not run as root.
#[test]
fn the_server_of_the_tests_is_not_root() {
    let Some(server) = PostgresServer::shared() else { return };
    let status = server.run("postgres", "select pg_read_file('/proc/self/status')");
    let user = status.lines().find_map(|line| line.strip_prefix("Uid:")).expect("it has a user");
    assert_ne!(user.split_whitespace().next(), Some("0"), "{status}");
}

#[tokio::test]
async fn read_only_database_is_reported() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let store = open_briefly(&database).await;
    store.append("c", 0, said("one")).await.unwrap();
    drop(store);
    let name = database.split(['/', '?']).nth(3).unwrap();
    // As a standby does it.
    server.run(&database, &format!("alter database {name} set default_transaction_read_only = on"));
    let store = open_briefly(&database).await;
    assert_eq!(store.head("c").await.unwrap(), 1);
    let error = store.append("c", 1, said("two")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains("name the primary server"), "{error}");
}

fn epoch_of(server: &PostgresServer, database: &str, conversation: &str) -> i64 {
    let sql = format!(
        "select epoch from silcrow.conversation where id = convert_to('{conversation}', 'UTF8')"
    );
    server.run(database, &sql).parse().unwrap()
}

/// Dumps a database, and restores the dump in another one.
fn copy(server: &PostgresServer, from: &str, to: &str) {
    let mut dump = Command::new(server.programs().join("pg_dump"))
        .args(["--no-owner", from])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let restored = Command::new(server.programs().join("psql"))
        .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", to])
        .stdin(dump.stdout.take().unwrap())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(dump.wait().unwrap().success() && restored.success());
}

/// `docs/operating.md` has this statement.
const ADVANCE: &str = "select setval('silcrow.epoch', nextval('silcrow.epoch') + 1000000)";
