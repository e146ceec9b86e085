//! Servers that stop.

use std::time::Duration;

use silcrow_server::Options;
use silcrow_store::Store as _;

use crate::support::{SlowModel, TestServer, block_on};

#[test]
fn a_server_that_stops_ends_its_streams_and_lets_runs_finish() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let mut server = TestServer::new(model).await;
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("user").await;
        let mut all = server.events("/events", None).await;
        server.stop.cancel();
        // The streams end, although the run is still at work.
        assert!(reader.rest().await.is_empty());
        assert!(all.rest().await.is_empty());
        assert!(!server.served.is_finished());
        for piece in ["§respond: Done.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        (&mut server.served).await.unwrap();
        let head = server.store.head("c1").await.unwrap();
        let last = server.store.read("c1", head..=head).await.unwrap();
        assert_eq!(last[0].event, silcrow_event::Event::respond("Done."));
        assert!(tokio::net::TcpStream::connect(server.address).await.is_err());
    });
}

#[test]
fn a_run_that_does_not_end_is_cancelled() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let mut options = Options::default();
        options.patience = Duration::ZERO;
        let mut server = TestServer::with(model, options, |agent| agent).await;
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("user").await;
        server.stop.cancel();
        (&mut server.served).await.unwrap();
        let head = server.store.head("c1").await.unwrap();
        let last = server.store.read("c1", head..=head).await.unwrap();
        assert_eq!(last[0].event.type_name(), "cancelled");
    });
}
