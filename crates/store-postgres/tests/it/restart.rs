//! A server that ends while stores write, and starts again.

use silcrow_store::{ErrorKind, Store as _};
use silcrow_testkit::PostgresServer;

use crate::{open, said};

/// Data that was acknowledged is there after the crash, in order and once; the stores continue
/// without help.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_restart_loses_no_acknowledged_entries() {
    let Some(server) = PostgresServer::start(true) else { return };
    let database = server.database();
    let store = std::sync::Arc::new(open(&database).await);
    let (written, mut writes) = tokio::sync::mpsc::channel(1_000);
    let writers = (0..WRITERS).map(|writer| {
        let (store, written) = (std::sync::Arc::clone(&store), written.clone());
        tokio::spawn(async move {
            let conversation = format!("c{writer}");
            let (mut acknowledged, mut failed) = (0, 0);
            loop {
                let head = match store.head(&conversation).await {
                    Ok(head) => head,
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
                        continue;
                    }
                };
                assert!(head >= acknowledged, "{acknowledged} were acknowledged, {head} are there");
                match store.append(&conversation, head, said(format!("{head}"))).await {
                    Ok(head) => acknowledged = head,
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
                        failed += 1;
                    }
                }
                if written.send(acknowledged).await.is_err() {
                    return (conversation, acknowledged, failed);
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for _ in 0..RESTARTS {
        for _ in 0..100 {
            writes.recv().await.unwrap();
        }
        tokio::task::block_in_place(|| server.restart());
    }
    for _ in 0..100 {
        writes.recv().await.unwrap();
    }
    writes.close();
    while writes.recv().await.is_some() {}
    let mut failures = 0;
    for writer in writers {
        let (conversation, acknowledged, failed) = writer.await.unwrap();
        let stored = store.read(&conversation, 1..=u64::MAX).await.unwrap();
        assert!(stored.len() as u64 >= acknowledged);
        failures += failed;
        assert!(stored.len() as u64 <= acknowledged + failed);
        for (entry, text) in stored.iter().zip(0..) {
            assert_eq!(entry.event, silcrow_event::Event::user(format!("{text}")));
        }
    }
    assert!(failures <= WRITERS * RESTARTS, "{failures} appends failed");
    assert!(store.verify().await.unwrap().damage.is_empty());
}

const WRITERS: u64 = 6;
const RESTARTS: u64 = 3;
