//! Bad input: the exit code, one line on standard error, and the event for programs.

use std::net::TcpListener;

use crate::support::House;

#[track_caller]
fn fails(house: &House, args: &[&str], code: i32, words: &[&str]) {
    let said = house.silcrow(args);
    said.ends(code);
    for word in words {
        assert!(said.err.contains(word), "`{word}` is missing: {}", said.err);
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
    if args[0] == "run" {
        assert_eq!(said.err.lines().filter(|line| line.starts_with("silcrow: ")).count(), 1);
        let mut json = args.to_vec();
        json.push("--json");
        let said = house.silcrow(&json);
        let events = said.ends(code).events();
        let errors: Vec<_> = events.iter().filter(|event| event["type"] == "error").collect();
        assert_eq!(errors.len(), 1, "{}", said.out);
        assert!(events.iter().all(|event| event["type"] != "end"));
    }
}

#[test]
fn what_was_typed_or_given() {
    let house = House::new();
    fails(&house, &["run", "x", "--model", "gpt"], 2, &["`gpt`", "rehearsal"]);
    fails(&house, &["run", "x", "--model", "compatible:http://x"], 2, &["URL#MODEL"]);
    fails(&house, &["run", "x", "--model", "compatible:ftp://x#m"], 2, &["http"]);
    fails(&house, &["run", "x", "--model", "openai:m"], 2, &["OPENAI_API_KEY"]);
    fails(&house, &["run", "x", "--model", "script:/no/such"], 2, &["/no/such", "no such file"]);
    fails(&house, &["run", "x", "--root", "/no/such"], 2, &["/no/such"]);
    fails(&house, &["run", "x", "--allow", "file_wirte"], 2, &["file_wirte", "file_write"]);
    fails(&house, &["run", " ", "--store", "memory"], 2, &["empty"]);
    fails(&house, &["run", "x", "--conversation", ""], 2, &["id"]);
    fails(&house, &["parse", "/no/such"], 2, &["/no/such"]);
    fails(&house, &["parse", "."], 2, &["folder"]);
    fails(&house, &["assemble", "/no/such"], 2, &["/no/such"]);
    fails(&house, &["log", "--store", "/no/such"], 2, &["/no/such"]);
    for args in [&["parse", "--chunks", "0"][..], &["run", "--max-steps", "0", "x"], &["walk"], &[]]
    {
        assert_eq!(house.silcrow(args).code, Some(2), "{args:?}");
    }
}

#[test]
fn what_failed_while_running() {
    let house = House::new();
    let script = house.write("script", "§call: {\"name\": \"file_list\"}\n§execute");
    let model = format!("script:{script}");
    fails(&house, &["run", "x", "--model", &model, "--store", "memory"], 1, &["script"]);
    fails(
        &house,
        &["run", "x", "--model", &model, "--store", "memory", "--max-steps", "1"],
        1,
        &["1 step"],
    );
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let model = format!("compatible:http://127.0.0.1:{port}#m");
    fails(
        &house,
        &["run", "x", "--model", &model, "--store", "memory"],
        1,
        &["127.0.0.1", "running"],
    );
}

#[test]
fn a_store_in_use_names_its_holder() {
    let house = House::new();
    let args = ["run", "What is here?", "--rate", "1", "--json"];
    let mut holder = house
        .command(&args)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Its first event is stored, so it holds the store.
    let mut first = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(holder.stdout.take().unwrap()),
        &mut first,
    )
    .unwrap();
    let pid = holder.id().to_string();
    fails(&house, &["run", "x"], 1, &["in use", &pid]);
    fails(&house, &["log"], 1, &["in use", &pid]);
    holder.kill().unwrap();
    holder.wait().unwrap();
    house.silcrow(&["log"]).ends(0);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let house = House::new();
    let wire = "§think: x\n".repeat(20_000);
    let file = house.write("wire", &wire);
    let mut child = house
        .command(&["parse", &file])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
