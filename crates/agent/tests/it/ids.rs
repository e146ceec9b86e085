//! The ids of conversations in processes whose clocks stand still.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;

/// The number of processes, and of conversations in each.
const PROCESSES: usize = 3;

#[test]
fn simultaneous_conversations_have_different_ids() {
    let dir = tempfile::tempdir().unwrap();
    let (source, library) = (dir.path().join("clock.c"), dir.path().join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .expect("Rust programs are linked with cc");
    assert!(built.success());
    let mut ids = BTreeSet::new();
    for _ in 0..PROCESSES {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["ids::child", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env("LD_PRELOAD", &library)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        ids.extend(
            text.lines().filter_map(|line| line.split_once("id ")).map(|(_, id)| id.to_owned()),
        );
    }
    assert_eq!(ids.len(), PROCESSES * PROCESSES, "{ids:?}");
    // They sort by time, which stands still, and differ in their random part.
    let times: BTreeSet<&str> = ids.iter().map(|id| &id[..13]).collect();
    assert_eq!(times, BTreeSet::from(["c00e8d4a51000"]));
}

/// The other process.
#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
#[expect(clippy::print_stdout, reason = "the other process reads it")]
async fn child() {
    for _ in 0..PROCESSES {
        let model = ScriptedModel::parse("§respond: yes\n§end", 1);
        let answer = Agent::new(model, MemoryStore::new()).ask("go").await.unwrap();
        println!("\nid {}", answer.conversation);
    }
}

/// A wall clock that always shows a billion seconds after 1970.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
int clock_gettime(clockid_t id, struct timespec *to) {
    int done = syscall(SYS_clock_gettime, id, to);
    if (id == CLOCK_REALTIME) { to->tv_sec = 1000000000; to->tv_nsec = 0; }
    return done;
}
"#;
