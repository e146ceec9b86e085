//! An owner that is frozen, taken for gone, and wakes up: it writes nothing more.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use silcrow_store::{ErrorKind, Store as _};
use silcrow_testkit::PostgresServer;

use crate::{open_briefly, said};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn woken_frozen_owner_writes_nothing() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let mut owner = Owner::start(&database);
    owner.hear("holds");
    owner.signal("STOP");

    // The lease has to end first, which this waits for.
    let store = open_briefly(&database).await;
    let hold = store.hold("c").await.unwrap();
    store.append("c", 1, said("taken over")).await.unwrap();

    owner.signal("CONT");
    owner.tell();
    for what in ["append", "mark", "grant", "delete"] {
        owner.hear(&format!("{what} store_fenced"));
    }
    owner.hear("lost");
    assert_eq!(store.head("c").await.unwrap(), 2);
    assert!(store.keys().await.unwrap().is_empty(), "neither a mark nor a grant was put");
    assert!(!hold.is_lost());
    hold.release().await;
}

/// The server itself rejects writes of an owner that does not know yet that it was given up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_compares_the_epoch() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (open_briefly(&database).await, open_briefly(&database).await);
    let _hold = one.hold("c").await.unwrap();
    one.append("c", 0, said("one")).await.unwrap();
    one.put("started/c", "1/a1", 0, vec![]).await.unwrap();
    server.run(&database, "update silcrow.conversation set lease_until = now() - interval '1 s'");
    let _taken = other.hold("c").await.unwrap();
    let refused = [
        one.append("c", 1, said("two")).await.unwrap_err(),
        one.put("started/c", "1/a2", 0, vec![]).await.unwrap_err(),
        one.put("started/c", "1/a1", 1, vec![]).await.unwrap_err(),
        one.put("granted/c", "k", 0, vec![]).await.unwrap_err(),
        one.delete("c", 1).await.unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.kind(), ErrorKind::Fenced, "{error}");
    }
    assert_eq!(other.head("c").await.unwrap(), 1);
    other.put("started/c", "1/a2", 0, vec![]).await.unwrap();
}

/// The process of [`Owner`].
#[test]
#[ignore = "run by woken_frozen_owner_writes_nothing"]
fn owner() {
    let database = std::env::var(DATABASE).expect("another test says where the store is");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open_briefly(&database).await;
        let hold = store.hold("c").await.unwrap();
        store.append("c", 0, said("one")).await.unwrap();
        say("holds");
        tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()).unwrap())
            .await
            .unwrap();
        let kind = |error: silcrow_store::Error| error.kind();
        let tell = |what: &str, done: Result<(), ErrorKind>| {
            say(&format!("{what} {}", done.map_or_else(ErrorKind::as_str, |()| "done")));
        };
        tell("append", store.append("c", 1, said("two")).await.map(drop).map_err(kind));
        tell("mark", store.put("started/c", "1/a1", 0, vec![]).await.map(drop).map_err(kind));
        tell("grant", store.put("granted/c", "k", 0, vec![]).await.map(drop).map_err(kind));
        tell("delete", store.delete("c", 2).await.map_err(kind));
        hold.lost().await;
        say("lost");
    });
}

/// A process that holds the conversation `c`.
struct Owner {
    process: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl Owner {
    fn start(database: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["zombie::owner", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(DATABASE, database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let says = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, says }
    }

    /// Waits until the process says something.
    fn hear(&mut self, wanted: &str) {
        let said = self.says.by_ref().map_while(Result::ok);
        let said = said.filter_map(|line| line.split_once(MARK).map(|(_, said)| said.to_owned()));
        let said = { said }.next();
        assert_eq!(said.as_deref(), Some(wanted));
    }

    /// Lets the process continue.
    fn tell(&mut self) {
        self.process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    fn signal(&self, name: &str) {
        let process = self.process.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &process]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{MARK}{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

const DATABASE: &str = "SILCROW_TEST_DATABASE";
const MARK: &str = "@ ";
