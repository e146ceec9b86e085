//! The runs of all processes: orders, and those that wait to be continued.

use std::time::Duration;

use silcrow_event::Event;
use silcrow_store::search::SearchedUser;
use silcrow_store::{ErrorKind, Hold, MAX_ORDER, Store as _, WaitingRun};
use silcrow_store_postgres::{Options, PostgresStore};
use silcrow_testkit::PostgresServer;
use tokio::time::timeout;

use crate::{open, open_with};

async fn server_of(database: &str, name: &str) -> PostgresStore {
    let address = Some(format!("http://{name}"));
    // No renewal comes between the steps of a test.
    let (owner, lease) = (name.to_owned(), Duration::from_secs(3_600));
    open_with(database, Options { owner, lease, address, is_continued: true, ..Options::default() })
        .await
}

async fn begin(store: &PostgresStore, conversation: &str, user: Option<&str>) -> Hold {
    let hold = store.hold(conversation).await.unwrap();
    let user = user.map(str::to_owned);
    let entry = silcrow_event::Entry { user, ..Event::user("go").into() };
    store.append(conversation, 0, vec![entry]).await.unwrap();
    hold
}

async fn order_of(hold: &Hold) -> String {
    timeout(Duration::from_secs(10), hold.next_order()).await.unwrap()
}

#[tokio::test]
async fn an_order_reaches_the_run_wherever_it_is() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (server_of(&database, "one").await, server_of(&database, "other").await);
    let orders = other.shared_runs();
    assert!(!orders.order("c", "stop").await.unwrap(), "nothing runs");
    let hold = begin(&one, "c", None).await;
    let holder = orders.holder("c").await.unwrap().unwrap();
    assert_eq!((&*holder.name, holder.address.as_deref()), ("one", Some("http://one")));
    assert_eq!(orders.held().await.unwrap()[0].conversation, "c");
    assert_eq!(one.shared_runs().held().await.unwrap(), []);
    for order in ["first", "second"] {
        assert!(orders.order("c", order).await.unwrap());
    }
    assert_eq!(order_of(&hold).await, "first");
    assert!(one.shared_runs().order("c", "third").await.unwrap(), "also from its own process");
    assert_eq!(order_of(&hold).await, "second");
    assert_eq!(order_of(&hold).await, "third");
    let long = "x".repeat(MAX_ORDER + 1);
    assert_eq!(orders.order("c", &long).await.unwrap_err().kind(), ErrorKind::Refused);
    hold.release().await;
    assert!(!orders.order("c", "late").await.unwrap());
    // The next run of the conversation gets no order that was for the one before.
    let hold = one.hold("c").await.unwrap();
    assert!(timeout(Duration::from_millis(1500), hold.next_order()).await.is_err());
    hold.release().await;
}

/// Lets the lease of a conversation end at once.
fn end_lease(server: &PostgresServer, database: &str) {
    server.run(database, "update silcrow.conversation set lease_until = now() - interval '1 s'");
}

#[tokio::test]
async fn crashed_owners_run_waits_with_its_orders() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let other = server_of(&database, "other").await;
    let users = SearchedUser::Nobody;
    for round in 0..3 {
        let one = server_of(&database, "one").await;
        let hold = match round {
            0 => begin(&one, "c", None).await,
            _ => one.hold("c").await.unwrap(),
        };
        assert_eq!(
            other.shared_runs().next(&users, "here").await.unwrap(),
            None,
            "its owner lives"
        );
        // A process that is killed releases nothing.
        std::mem::forget((hold, one));
        end_lease(server, &database);
        let next = other.shared_runs().next(&users, "here").await.unwrap();
        let (conversation, user) = ("c".to_owned(), None);
        let is_abandoned = round == 2;
        let waiting = WaitingRun { conversation, user, is_orphaned: true, is_abandoned };
        assert_eq!(next, Some(waiting), "a run that has ended three processes is given up");
        let again = other.shared_runs().next(&users, "here").await.unwrap();
        assert_eq!(again, None, "it is offered to one process at a time");
    }
    assert!(other.shared_runs().order("c", "stop").await.unwrap());
    let hold = other.hold("c").await.unwrap();
    assert_eq!(order_of(&hold).await, "stop");
    hold.release().await;
    let one = server_of(&database, "one").await;
    std::mem::forget((one.hold("c").await.unwrap(), one));
    assert!(other.shared_runs().order("c", "stop").await.unwrap());
    end_lease(server, &database);
    let hold = other.hold("c").await.unwrap();
    hold.drop_earlier_orders();
    assert!(other.shared_runs().order("c", "new").await.unwrap());
    assert_eq!(order_of(&hold).await, "new");
}

/// Takes all waiting runs. An owner that could not renew stops its run, and another process
/// continues it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_of_resigned_owner_waits() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let lease = Duration::from_millis(1_500);
    let one = Options { lease, is_continued: true, ..Options::default() };
    let (one, other) = (open_with(&database, one).await, server_of(&database, "other").await);
    let hold = begin(&one, "c", None).await;
    let locked = tokio::task::spawn_blocking(move || {
        let rows = "with held as (select id from silcrow.conversation for update)";
        server.run(&database, &format!("{rows} select pg_sleep(2) from held"))
    });
    timeout(Duration::from_secs(20), hold.lost()).await.unwrap();
    hold.release().await;
    locked.await.unwrap();
    let waits = async {
        loop {
            if let Some(run) = other.shared_runs().next(&SearchedUser::Any, "here").await.unwrap() {
                return run;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let run = timeout(Duration::from_secs(20), waits).await.unwrap();
    let conversation = "c".to_owned();
    let waiting = WaitingRun { conversation, user: None, is_orphaned: true, is_abandoned: false };
    assert_eq!(run, waiting);
}

async fn take(store: &PostgresStore, users: &SearchedUser) -> Vec<String> {
    let mut taken = Vec::new();
    while let Some(run) = store.shared_runs().next(users, "here").await.unwrap() {
        assert!(!run.is_orphaned);
        taken.push(run.conversation);
    }
    taken
}

#[tokio::test]
async fn requested_run_is_taken_by_one_process() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let one = server_of(&database, "one").await;
    let others = [server_of(&database, "a").await, server_of(&database, "b").await];
    let personal = open(&database).await;
    begin(&one, "of/call", None).await.release().await;
    begin(&personal, "personal", None).await.release().await;
    for name in ["c1", "c2", "c3"] {
        begin(&one, name, Some("ann")).await.release().await;
    }
    let held = begin(&one, "held", Some("ann")).await;
    for name in ["of/call", "personal", "c1", "c2", "c3", "held", "unknown"] {
        one.shared_runs().request(name).await.unwrap();
    }
    let ann = SearchedUser::One("ann".to_owned());
    assert_eq!(others[0].shared_runs().next(&SearchedUser::Nobody, "here").await.unwrap(), None);
    let (a, b) = tokio::join!(take(&others[0], &ann), take(&others[1], &ann));
    let mut all: Vec<String> = [a, b].concat();
    all.sort();
    assert_eq!(all, ["c1", "c2", "c3"]);
    // It is requested until a process holds it.
    held.release().await;
    let run = others[0].shared_runs().next(&ann, "here").await.unwrap().unwrap();
    assert_eq!(run.conversation, "held");
    others[0].hold("held").await.unwrap().release().await;
    server.run(&database, "update silcrow.conversation set due = now() where due is not null");
    let left = others[0].shared_runs().counts().await.unwrap();
    let waiting = left.iter().find(|one| one.name == "waiting_runs").unwrap();
    assert_eq!(waiting.value, 3, "{left:?}");
}

/// Each owner gets a bit further before it is lost.
#[tokio::test]
async fn progressing_run_is_never_abandoned() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let other = server_of(&database, "other").await;
    let is_abandoned = async || {
        let next = other.shared_runs().next(&SearchedUser::Nobody, "here").await.unwrap();
        next.expect("its owner is gone").is_abandoned
    };
    for head in 0..6 {
        let one = server_of(&database, "one").await;
        let hold = match head {
            0 => begin(&one, "c", None).await,
            _ => {
                let hold = one.hold("c").await.unwrap();
                one.append("c", head, vec![Event::respond("more").into()]).await.unwrap();
                hold
            }
        };
        std::mem::forget((hold, one));
        end_lease(server, &database);
        assert!(!is_abandoned().await, "owner {head} stored something");
    }
    // A person's message is not progress of the run.
    for lost in 0..2 {
        let one = server_of(&database, "one").await;
        std::mem::forget((one.hold("c").await.unwrap(), one));
        end_lease(server, &database);
        other.append("c", 6 + lost, vec![Event::steer("go on").into()]).await.unwrap();
        assert_eq!(is_abandoned().await, lost == 1, "after {lost} owners without progress");
    }
    let counts = other.shared_runs().counts().await.unwrap();
    let abandoned = counts.iter().find(|one| one.name == "abandoned_runs").unwrap();
    assert_eq!(abandoned.value, 1, "{counts:?}");
}
