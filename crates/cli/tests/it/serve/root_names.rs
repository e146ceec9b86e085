//! Answers at servers whose folders have the same name, and at others.

use std::time::{Duration, Instant};

use silcrow_testkit::PostgresServer;

use super::cluster::{PROMPT, serve};
use crate::follow::model::Model;
use crate::support::Sandbox;

const CALLS: &str = "§call: {\"name\": \"file_write\", \"args\": {\"file\": \"a.txt\", \"content\": \"A\"}}\n\
                     §call: {\"name\": \"file_write\", \"args\": {\"file\": \"b.txt\", \"content\": \"B\"}}\n\
                     §execute\n";

/// Answers one of two questions at a server for the folder `shop` and the other one at a server for
/// this folder, which then continues the run. Returns whether each call ran there, and the open
/// questions.
fn answered(postgres: &PostgresServer, name: &str) -> ([bool; 2], Vec<String>) {
    let (database, model) = (postgres.database(), Model::new());
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let one = serve(&here, &database, &["--model", &model.name(), "--root-name", "shop"]);
    let other = serve(&there, &database, &["--model", &model.name(), "--root-name", name]);
    assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let mut answering = model.asked();
    answering.send_text(CALLS);
    answering.end();
    one.follow("c1", r#""outcome":"waiting""#);
    let answer =
        |id: &str| format!(r#"{{"answers":[{{"question":"1/{id}","decision":"allow"}}]}}"#);
    let (status, taken) = one.send("POST", "/conversations/c1/answers", &answer("a1"));
    assert_eq!((status, &taken["open"]), (200, &1.into()), "{taken}");
    let (status, taken) = other.send("POST", "/conversations/c1/answers", &answer("a2"));
    assert_eq!((status, &taken["open"]), (200, &0.into()), "{taken}");
    let run = taken["run"].clone();
    let asks = || {
        let (_, asked) = other.send("GET", "/conversations/c1/questions", "");
        let asked = asked["questions"].as_array().unwrap().iter();
        asked.map(|question| question["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    match name {
        "shop" => {
            let mut answering = model.asked();
            answering.send_text("§respond: done\n§end");
            answering.end();
            other.follow("c1", r#""outcome":"answered""#);
        }
        _ => {
            let begun = Instant::now();
            while asks().is_empty() {
                assert!(begun.elapsed() < Duration::from_secs(30), "{run} asks nothing");
            }
        }
    }
    assert!(!here.root().join("a.txt").exists() && !here.root().join("b.txt").exists());
    (["a.txt", "b.txt"].map(|file| there.root().join(file).exists()), asks())
}

#[test]
fn answer_counts_in_folders_of_equal_name() {
    let Some(postgres) = PostgresServer::shared() else { return };
    assert_eq!(answered(postgres, "shop"), ([true, true], Vec::new()));
}

#[test]
fn answer_does_not_count_under_another_name() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let ([first, _], asked) = answered(postgres, "shed");
    assert!(!first && asked.contains(&"1/a1".to_owned()), "{asked:?}");
}
