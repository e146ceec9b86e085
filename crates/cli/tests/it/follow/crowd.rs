//! Clients that ask nonsense, ask too often or never read.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;

use super::{Follower, begin};
use crate::follow::model::Model;
use crate::support::Sandbox;

/// The first line that every client receives.
const HELLO: &str = "{\"silcrow\":\"share 1\"}\n";

fn knock(sandbox: &Sandbox) -> BufReader<UnixStream> {
    BufReader::new(UnixStream::connect(sandbox.path("data/silcrow/share/socket")).unwrap())
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let long = "x".repeat(1 << 20);
    let deep = "[".repeat(60_000);
    let hostile: &[&[u8]] = &[
        b"\n",
        b"\xff\xfe\x00\n",
        b"null\n",
        b"{}\n",
        b"{\"ask\":\"append\",\"conversation\":\"c1\"}\n",
        b"{\"ask\":\"delete\",\"conversation\":\"c1\"}\n",
        b"{\"ask\":\"list\",\"user\":null,\"more\":1}\n",
        b"{\"ask\":\"read\",\"conversation\":\"c1\",\"first\":-1,\"last\":1}\n",
        b"{\"ask\":\"head\",\"conversation\":\"\"}\n",
        b"{\"ask\":\"follow\",\"conversation\":\"c1\",\"after\":18446744073709551615}\n",
        b"GET / HTTP/1.1\r\n\r\n",
        deep.as_bytes(),
        long.as_bytes(),
    ];
    for bytes in hostile {
        let mut asks = knock(&sandbox);
        // It need not be read to its end.
        let _ = asks.get_mut().write_all(bytes);
        let _ = asks.get_mut().shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = asks.read_to_string(&mut answer);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
        let answer = answer.strip_prefix(HELLO).expect("it greets");
        assert!(answer.is_empty() || answer.starts_with("{\"error\":"), "{shown}: {answer}");
    }
    // These clients never ask, and leave or stay.
    drop((knock(&sandbox), knock(&sandbox)));
    let silent = knock(&sandbox);
    answering.send_text("§respond: x\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
    drop(silent);
    let types = sandbox.silcrow(&["log", "c1"]);
    assert_eq!(types.ends(0).types(), ["user", "respond"]);
}

#[test]
fn there_are_so_many_places_and_no_more() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut crowd: Vec<_> = (0..32).map(|_| knock(&sandbox)).collect();
    for asks in &mut crowd {
        let mut line = String::new();
        asks.read_line(&mut line).unwrap();
        assert_eq!(line, HELLO);
    }
    let said = sandbox.silcrow(&["log"]);
    assert!(said.ends(1).err.contains("32 others ask already"), "{}", said.err);
    // Places become free again.
    crowd.pop();
    while sandbox.silcrow(&["log"]).code != Some(0) {}
    answering.send_text("§respond: x\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
}

/// Much more than the pipes and sockets between them hold.
#[test]
fn a_follower_that_does_not_read_never_holds_up_the_run() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut stuck = Follower::start(&sandbox, &["log", "c1", "--follow"]);
    let mut reads = Follower::start(&sandbox, &["log", "c1", "--follow"]);
    reads.line();
    let thought = format!("§think: {}\n", "long ".repeat(20_000));
    for _ in 0..40 {
        answering.send_text(&thought);
    }
    answering.send_text("§respond: x\n§end");
    answering.end();
    // A client that reads has all of it.
    let lines = reads.lines(41);
    assert!(lines.ends_with("\"seq\":42}\n"), "{}", &lines[lines.len() - 100..]);
    assert!(run.wait().unwrap().success());
    assert_eq!(reads.stop().2, Some(130));
    // It reads the rest where it is stored.
    let (wanted, given) = (sandbox.silcrow(&["log", "c1"]).out, stuck.lines(42));
    assert!(given == wanted, "{} bytes, not {}", given.len(), wanted.len());
    assert_eq!(stuck.stop().2, Some(130));
}
