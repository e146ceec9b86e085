//! Lists of conversations in pages, by a server and by the command, while new ones are made.

use silcrow_testkit::PostgresServer;

use super::Serving;
use crate::support::Sandbox;

/// Makes a conversation.
fn make(sandbox: &Sandbox, store: &[&str], id: &str) {
    sandbox.silcrow(&[&["run", "hello", "--new", id][..], store].concat()).ends(0);
}

/// Returns the ids of eight conversations, the last one first.
fn made(sandbox: &Sandbox, store: &[&str]) -> Vec<String> {
    let ids: Vec<_> = (0..8).map(|number| format!("old{number}")).collect();
    ids.iter().for_each(|id| make(sandbox, store, id));
    ids.into_iter().rev().collect()
}

/// Checks that pages have every conversation that was there once, in its order, and no other one twice.
#[track_caller]
fn check(pages: &[Vec<String>], before: &[String]) {
    let all: Vec<_> = pages.iter().flatten().collect();
    let old: Vec<_> = all.iter().filter(|id| before.contains(id)).collect();
    assert!(old.iter().map(|id| &***id).eq(before), "{pages:?}");
    let mut once = all.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), all.len(), "{pages:?}");
    assert!(pages.len() > 2 && pages.iter().all(|page| page.len() <= 3), "{pages:?}");
}

fn pages_of_a_server(sandbox: &Sandbox, store: &[&str], before: &[String]) {
    let server = Serving::start_with(sandbox, store);
    let (mut pages, mut after) = (Vec::new(), String::new());
    loop {
        let (status, page) = server.send("GET", &format!("/conversations?limit=3{after}"), "");
        assert_eq!(status, 200, "{page}");
        let ids = page["conversations"].as_array().unwrap().iter();
        pages.push(ids.map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={}", next.replace(' ', "%20"));
        make(sandbox, store, &format!("http{}", pages.len()));
    }
    check(&pages, before);
    let (status, wrong) = server.send("GET", "/conversations?limit=3&after=nowhere", "");
    assert_eq!(status, 400, "{wrong}");
}

fn pages_of_the_command(sandbox: &Sandbox, store: &[&str], before: &[String]) {
    let (mut pages, mut after) = (Vec::new(), None::<String>);
    loop {
        let list = [&["log", "--json", "--limit", "3"][..], store].concat();
        let from = after.as_deref().map_or_else(Vec::new, |place| vec!["--after", place]);
        let said = sandbox.silcrow(&[list, from].concat());
        let events = said.ends(0).events();
        pages.push(
            events
                .iter()
                .map(|one| one["conversation"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>(),
        );
        let Some((_, next)) = said.err.split_once("there are more: --after '") else { break };
        after = Some(next.split('\'').next().unwrap().to_owned());
        make(sandbox, store, &format!("log{}", pages.len()));
    }
    check(&pages, before);
}

#[test]
fn embedded_store_pages_miss_no_conversations() {
    let sandbox = Sandbox::new();
    let before = made(&sandbox, &[]);
    pages_of_a_server(&sandbox, &[], &before);
    pages_of_the_command(&sandbox, &[], &before);
}

#[test]
fn database_pages_miss_no_conversations() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, sandbox) = (postgres.database(), Sandbox::new());
    let store = ["--store", &*database];
    let before = made(&sandbox, &store);
    pages_of_a_server(&sandbox, &store, &before);
    pages_of_the_command(&sandbox, &store, &before);
}
