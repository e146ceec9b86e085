//! Pages of a long list of conversations, by the server's counters.

use std::time::Duration;

use silcrow_store::Store as _;
use silcrow_store_postgres::PostgresStore;
use silcrow_testkit::PostgresServer;
use tokio::time::timeout;

use crate::{open, said};

/// A page reads a part of the list, even after many pages over the same connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn page_reads_only_part_of_list() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    drop(open(&database).await);
    server.run(&database, MANY);
    let before = rows_read(server, &database).await;
    let store = open(&database).await;
    for user in [None, Some("user 3")] {
        let mut next = None;
        for _ in 0..PAGES {
            let page = store.list_page(user, next.as_deref(), 20).await.unwrap();
            assert_eq!(page.conversations.len(), 20);
            next = page.next;
        }
    }
    drop(store);
    let read = rows_read(server, &database).await - before;
    // The first page of those with the same number as it, and at most one more of the next number.
    assert!(read <= 2 * PAGES * 2 * 1_100, "{read} rows for {} pages", 2 * PAGES);
}

/// An append changes no column of an index, so that it writes none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_write_no_index_of_conversations() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let store = open(&database).await;
    append(&store, 200).await;
    drop(store);
    let counts = "select n_tup_upd || ' ' || n_tup_hot_upd from pg_stat_user_tables
        where relname = 'conversation'";
    let counted = once_closed(server, &database, counts).await;
    let (all, without_index) = counted.split_once(' ').unwrap();
    let [all, without_index]: [u32; 2] = [all, without_index].map(|count| count.parse().unwrap());
    assert!(all >= 199 && without_index + 2 >= all, "{without_index} of {all}");
}

async fn append(store: &PostgresStore, count: u64) {
    for head in 0..count {
        store.append("c", head, said("on")).await.unwrap();
    }
}

/// Returns the number of conversations that the server has read so far.
async fn rows_read(server: &PostgresServer, database: &str) -> u64 {
    let counts = "select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables
        where relname = 'conversation'";
    once_closed(server, database, counts).await.parse().unwrap()
}

/// Runs a statement once every connection is closed, because the server updates its counters when a
/// connection ends.
async fn once_closed(server: &PostgresServer, database: &str, sql: &str) -> String {
    let open = "select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
    let closed = async {
        while server.run(database, open) != "0" {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(30), closed).await.expect("the connections are closed");
    server.run(database, sql)
}

const PAGES: u64 = 12;

/// 20,000 conversations of ten users.
const MANY: &str = "insert into silcrow.conversation (id, head, appended, usr)
    select convert_to('c ' || n, 'UTF8'), 1, nextval('silcrow.append_order'),
        convert_to('user ' || n % 10, 'UTF8')
    from generate_series(1, 20000) n";
