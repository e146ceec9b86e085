//! The hits of Messages' prompt cache, by the vendor's rules.
//!
//! A mark stores everything before it. A later request reads the longest stored beginning that ends
//! at most 20 blocks before one of its own marks. The mark beside the messages is on the last
//! block.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use silcrow_context::{CompactedHistory, ContextAssembler as _, ContextInput};
use silcrow_event::{Entry, Event};
use silcrow_parser::Dialect;
use silcrow_provider::{Provider, Request};
use tokio::runtime::Builder;

use crate::conversation::{Conversation, conversation};
use crate::server::{Server, events};
use crate::wire::Api;

/// The stored prefixes of a server: the blocks before each mark.
#[derive(Default)]
struct PromptCache(BTreeSet<Vec<String>>);

impl PromptCache {
    /// Takes a request, and returns the number of blocks that were read from the cache.
    fn read(&mut self, blocks: &[String], marks: &[usize]) -> usize {
        let found = |&mark: &usize| {
            let ends = (mark.saturating_sub(LOOK_BACK - 1)..=mark).rev();
            ends.into_iter().find(|&end| self.0.contains(&blocks[..end]))
        };
        let read = marks.iter().filter_map(found).max().unwrap_or_default();
        self.0.extend(marks.iter().map(|&mark| blocks[..mark].to_vec()));
        read
    }
}

/// Returns the blocks of a body, and the number of blocks before each mark.
fn blocks(body: &Value) -> (Vec<String>, Vec<usize>) {
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    let system = list("system");
    let mut marks = Vec::new();
    for (block, number) in system.iter().zip(1..) {
        marks.extend((!block["cache_control"].is_null()).then_some(number));
    }
    let text = |block: &Value| block["text"].to_string();
    let mut blocks: Vec<_> = system.iter().map(text).collect();
    blocks.extend(list("messages").iter().map(Value::to_string));
    marks.extend((!body["cache_control"].is_null()).then_some(blocks.len()));
    (blocks, marks)
}

/// No request of a run pays again for blocks that a request shortly before marked and that have not
/// changed since, and a summary leaves the instructions in the cache.
#[test]
fn each_request_reads_the_whole_cached_prefix() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let server = Server::playing(events(&Api::Messages.stop()), usize::MAX);
    let model = Api::Messages.model(&server);
    let law = |talk: Conversation| {
        let mut cache = PromptCache::default();
        let mut earlier: Vec<Vec<String>> = Vec::new();
        for asking in &talk.requests {
            let request = Request::new(talk.messages(asking));
            runtime.block_on(model.stream(request).count());
            let received = server.requests.recv().unwrap();
            let (_, body) = received.split_once("\r\n\r\n").unwrap();
            let (blocks, marks) = blocks(&serde_json::from_str(body).unwrap());
            assert!(marks.len() <= 4, "{body}");
            // A summary may withdraw an earlier one, so that the beginning is the same as in a
            // request long before, which no mark reaches.
            let is_near = |sent: &&Vec<String>| blocks.len() - sent.len() < LOOK_BACK;
            let same = earlier.iter().filter(|sent| blocks.starts_with(sent)).filter(is_near);
            let same = same.map(Vec::len).max();
            let system = usize::from(!talk.system.is_empty() && !earlier.is_empty());
            assert_eq!(cache.read(&blocks, &marks), same.unwrap_or_default().max(system));
            earlier.push(blocks);
        }
        Ok(())
    };
    let config = Config { failure_persistence: None, ..Config::with_cases(cases()) };
    TestRunner::new(config).run(&conversation(), law).unwrap();
}

/// A run on another day pays only for the text about that day.
#[tokio::test]
async fn new_run_text_keeps_stable_text_cached() {
    let server = Server::playing(events(&Api::Messages.stop()), usize::MAX);
    let model = Api::Messages.model(&server);
    let log = [Entry::from(Event::user("hello"))];
    let input = ContextInput::new(&log, Dialect::Sigil).with_system("You add numbers.\n");
    let mut cache = PromptCache::default();
    let mut read = Vec::new();
    for day in ["It is Monday.", "It is Tuesday.", "It is Tuesday."] {
        let messages = CompactedHistory.assemble(&input.with_run_text(Some(day)));
        model.stream(Request::new(messages)).count().await;
        let received = server.requests.recv().unwrap();
        let (_, body) = received.split_once("\r\n\r\n").unwrap();
        let (blocks, marks) = blocks(&serde_json::from_str(body).unwrap());
        assert!(marks.len() <= 4, "{body}");
        read.push(cache.read(&blocks, &marks));
    }
    assert_eq!(read, [0, 1, 3]);
}

/// The number of random conversations.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").map_or(24, |cases| cases.parse().unwrap())
}

/// The number of blocks, including the mark's, at whose ends a stored beginning is searched.
const LOOK_BACK: usize = 20;
