//! Calls that end before their runs do.

use serde_json::json;
use silcrow_front::RunEnd;
use silcrow_server::RunPlace;

use crate::support::{Host, WAITS, taken};

#[tokio::test]
async fn a_cancelled_call_stops_its_run() {
    let host = Host::new(WAITS);
    let mut client = host.connect();
    client.initialize(json!({})).await;
    let params = json!({"name": "run", "arguments": {"prompt": "Wait."}});
    let id = client.begin("tools/call", params).await;
    taken(&host.acts.waits).await;
    let params = json!({"requestId": id, "reason": "enough"});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    taken(&host.acts.dropped).await;
    let conversation = host.conversation().await;
    host.until_stored(&conversation, "cancelled").await;
    let run = host.server.run(&RunPlace::new(&*conversation)).await.unwrap().unwrap();
    while run.ended().is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(run.ended(), Some(RunEnd::Stopped));
}

#[tokio::test]
async fn disconnected_client_leaves_no_run() {
    let host = Host::new(WAITS);
    let mut client = host.connect();
    client.initialize(json!({})).await;
    let params = json!({"name": "run", "arguments": {"prompt": "Wait."}});
    client.begin("tools/call", params).await;
    taken(&host.acts.waits).await;
    drop(client);
    taken(&host.acts.dropped).await;
    host.until_stored(&host.conversation().await, "cancelled").await;
}
