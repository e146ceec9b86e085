use std::path::Path;
use std::time::Duration;

use serde_json::json;
use silcrow_mcp::{McpServers, Options};
use tokio::time::timeout;

use crate::{Reached, config};

fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    // A process that has ended and was not reaped yet is a zombie.
    status.is_ok_and(|status| !status.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

async fn wait_for_end(pid: &str) {
    let gone = async {
        while is_alive(pid) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(60), gone).await.unwrap();
}

#[tokio::test]
async fn nothing_survives_the_close() {
    for way in ["", "lives"] {
        let reached = Reached::start(&[way]).await;
        let pid = reached.text("spawn", json!({})).await;
        assert!(is_alive(&pid));
        timeout(Duration::from_secs(60), reached.servers.close()).await.unwrap();
        wait_for_end(&pid).await;
    }
}

#[tokio::test]
async fn server_ends_with_its_last_owner() {
    let reached = Reached::start(&[]).await;
    let pid = reached.text("spawn", json!({})).await;
    drop(reached);
    wait_for_end(&pid).await;
}

#[test]
fn nothing_survives_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (reached, pid) = runtime.block_on(async {
        let reached = Reached::with(config(&["lives"]), Options::default()).await;
        let pid = reached.text("spawn", json!({})).await;
        (reached, pid)
    });
    drop(runtime);
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    waiting.block_on(wait_for_end(&pid));
    drop(reached);
}

#[tokio::test]
async fn leftover_processes_end_with_their_server() {
    let reached = Reached::start(&[]).await;
    let pid = reached.text("spawn", json!({})).await;
    reached.failure("die").await;
    wait_for_end(&pid).await;
}

#[tokio::test]
async fn close_ends_starting_servers() {
    let options = || {
        let mut options = Options::default();
        options.patience = Duration::from_millis(300);
        options
    };
    let config = config(&["deaf", "lives"]);
    let servers = McpServers::start(vec![config], options()).await;
    assert_eq!(servers.statuses()[0].revision, None);
    timeout(Duration::from_secs(15), servers.close()).await.unwrap();
    // It is not started again.
    servers.refresh(Duration::from_millis(100)).await;
    let failure = servers.statuses()[0].failure.clone().unwrap();
    assert!(failure.contains("is not used any more"), "{failure}");
}
