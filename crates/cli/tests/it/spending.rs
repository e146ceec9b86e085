//! The spending limits of runs, conversations and users, and the prices.

use std::io::{BufRead as _, BufReader};

use crate::support::Sandbox;

/// Returns the spending of an account in the store: tokens, and money as it is written.
fn account(sandbox: &Sandbox, space: &str, key: &str) -> (u64, String) {
    let exported = sandbox.silcrow(&["log", "--json", "export"]);
    let lines = exported.ends(0).events();
    let line = lines.iter().find(|line| line["space"] == space && line["key"] == key).unwrap();
    let (tokens, cost) = line["text"].as_str().unwrap().split_once(' ').unwrap();
    (tokens.parse().unwrap(), cost.to_owned())
}

const ASK: [&str; 2] = ["run", "What is in this directory?"];

#[test]
fn run_at_limit_takes_one_last_step() {
    let sandbox = Sandbox::new();
    let said = sandbox.silcrow(&[&ASK[..], &["--budget-tokens", "1500", "--json"]].concat());
    let events = said.ends(1).events();
    let metric = events.iter().find(|event| event["type"] == "metric").unwrap();
    let account = &metric["budget"]["run"];
    assert_eq!(account["max_tokens"], 1500);
    let [.., error, done] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&error["type"], &error["code"]), (&"failed".into(), &"token_limit".into()));
    assert_eq!((&done["type"], &done["exit"]), (&"done".into(), &1.into()));
    let spent = format!("the tokens of the run are used up ({} of 1500 spent", account["tokens"]);
    assert!(error["content"].as_str().unwrap().contains(&spent), "{error}");
    assert!(said.err.contains("allow more with --budget-tokens"), "{}", said.err);
    assert!(said.out.contains("not started: this was the last step of the run"), "{}", said.out);
}

#[test]
fn conversation_and_user_spending_persists() {
    let sandbox = Sandbox::new();
    let ask = |more: &[&str]| sandbox.silcrow(&[&ASK[..], more].concat());
    ask(&["--new", "c", "--user", "ann"]).ends(0);
    let (tokens, cost) = account(&sandbox, "spent/c", "account");
    assert_eq!((account(&sandbox, "spent", "user/ann").0, &*cost), (tokens, "0"));
    let limit = (tokens - 1).to_string();
    for (more, flag) in [
        (["--conversation", "c"], "--budget-conversation-tokens"),
        (["--new", "d"], "--budget-user-tokens"),
    ] {
        let said = ask(&[&more[..], &["--user", "ann", flag, &limit]].concat());
        let expected = format!("are used up ({tokens} of {limit} spent, and a request may take");
        assert!(said.ends(1).err.contains(&expected), "{}", said.err);
        assert!(said.err.contains(&format!("; allow more with {flag}")), "{}", said.err);
    }
    // Nobody else has spent anything.
    ask(&["--budget-user-tokens", "50000"]).ends(0);
    sandbox.silcrow(&["log", "--json", "delete", "--yes", "c"]).ends(0);
    assert_eq!(account(&sandbox, "spent", "user/ann").0, tokens);
}

#[test]
fn killed_run_keeps_its_reservation_spent() {
    let sandbox = Sandbox::new();
    let args = ["--rate", "1", "--json", "--stream", "token", "--new", "c"];
    let limit = ["--budget-conversation-tokens", "100000"];
    let mut child = sandbox.start(&[&ASK[..], &args, &limit].concat());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    // The first piece of the answer comes after the request, and that after the reservation.
    assert!(lines.any(|line| line.contains(r#""type":"think""#)));
    child.kill().unwrap();
    child.wait().unwrap();
    let (tokens, _) = account(&sandbox, "spent/c", "account");
    assert!(tokens > 2_048, "{tokens}");
    let limit = ["--budget-conversation-tokens", "2048", "--conversation", "c"];
    let said = sandbox.silcrow(&[&ASK[..], &limit].concat());
    assert!(said.ends(1).err.contains(&format!("{tokens} of 2048 spent")), "{}", said.err);
}

#[test]
fn cost_needs_prices_and_counts_millionths() {
    let sandbox = Sandbox::new();
    let ask = |more: &[&str]| sandbox.silcrow(&[&ASK[..], more].concat());
    let said = ask(&["--budget-cost", "0.5"]);
    assert!(said.ends(2).err.contains("price of `rehearsal` is not known"), "{}", said.err);

    let prices = sandbox.write("prices.toml", "[rehearsal]\ninput = 1.25\noutput = \"10\"\n");
    let said = ask(&["--prices", &prices, "--budget-cost", "0.5", "--json"]);
    let events = said.ends(0).events();
    let metric = events.iter().rfind(|event| event["type"] == "metric").unwrap();
    let steps = events.iter().filter(|event| event["type"] == "metric").map(|metric| {
        let tokens = |key: &str| metric["step"][key].as_u64().unwrap();
        (tokens("input") * 1_250_000 + tokens("output") * 10_000_000).div_ceil(1_000_000)
    });
    let micros: u64 = steps.sum();
    let cost = &metric["budget"]["run"]["cost"];
    let expected = silcrow_event::Money::from_micros(micros).to_string();
    assert_eq!(cost.to_string(), expected);
    assert_eq!(account(&sandbox, "spent", "nobody").1, expected);

    for (text, why) in [
        ("[rehearsal]\ninput = 1\n", "missing field `output`"),
        ("[rehearsal]\ninput = -1\noutput = 1\n", "not an amount of money"),
        ("[rehearsal]\ninput = 0.0000001\noutput = 1\n", "not an amount of money"),
        ("[rehearsal]\ninput = 1\noutput = 1\nouput = 1\n", "unknown field `ouput`"),
    ] {
        let prices = sandbox.write("wrong.toml", text);
        let said = ask(&["--prices", &prices]);
        assert!(said.ends(2).err.contains(why), "{}", said.err);
    }
    assert!(ask(&["--prices", "/no/such"]).ends(2).err.contains("does not exist"));
    assert!(ask(&["--budget-cost", "1e3"]).ends(2).err.contains("not an amount of money"));
}

#[test]
fn concurrent_runs_share_their_user_account() {
    let sandbox = Sandbox::new();
    let args = ["--budget-user-tokens", "6000", "--store", sandbox.path("s").to_str().unwrap()]
        .map(str::to_owned);
    let args: Vec<_> = ASK.iter().copied().chain(args.iter().map(String::as_str)).collect();
    let mut runs: Vec<_> = (0..6).map(|_| sandbox.start(&args)).collect();
    for run in &mut runs {
        run.wait().unwrap();
    }
    let exported = sandbox.silcrow(&[
        "log",
        "--json",
        "export",
        "--store",
        sandbox.path("s").to_str().unwrap(),
    ]);
    let lines = exported.ends(0).events();
    let line = lines.iter().find(|line| line["space"] == "spent").unwrap();
    let tokens: u64 = line["text"].as_str().unwrap().split_once(' ').unwrap().0.parse().unwrap();
    // A request reserves less than 4,000 tokens.
    assert!(tokens > 1_000 && tokens < 6_000 + 4_000, "{tokens}");
}
