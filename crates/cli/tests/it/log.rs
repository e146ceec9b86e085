//! `log`, which shows and changes stored conversations.

use std::fs;

use crate::support::{CommandOutput, Sandbox};

#[test]
fn log_lists_and_shows_stored_conversations() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: one\n§end");
    let model = format!("script:{script}");
    sandbox.silcrow(&["run", "first words", "--model", &model, "--new", "c1"]).ends(0);
    let listed = sandbox.silcrow(&["log", "--json"]);
    let conversation = &listed.ends(0).events()[0];
    assert_eq!(conversation["conversation"], "c1");
    assert_eq!(conversation["title"], "first words");
    assert_eq!(conversation["events"], 2);
    assert!(conversation["first"].as_f64().unwrap() > 1.7e9);
    let shown = sandbox.silcrow(&["log", "--json", "c1"]);
    assert_eq!(shown.ends(0).types(), ["user", "respond"]);
    assert_eq!(shown.events()[1]["seq"], 2);
    sandbox.silcrow(&["log", "--json", "nobody"]).ends(2);
}

/// Two conversations: `c1` about whales, `c2` about squids.
fn two_conversations() -> Sandbox {
    let sandbox = Sandbox::new();
    for (id, said, answer) in [("c1", "Where are whales?", "At sea."), ("c2", "squids", "Deep.")] {
        let script = sandbox.write("script", &format!("§respond: {answer}\n§end"));
        let model = format!("script:{script}");
        sandbox.silcrow(&["run", said, "--model", &model, "--new", id]).ends(0);
    }
    sandbox
}

fn one(said: &CommandOutput) -> serde_json::Value {
    let mut events = said.ends(0).events();
    assert_eq!(events.len(), 1, "{}", said.out);
    events.remove(0)
}

#[test]
fn log_subcommands_match_their_short_forms() {
    let sandbox = two_conversations();
    let plain = sandbox.silcrow(&["log", "--json"]);
    assert_eq!(sandbox.silcrow(&["log", "--json", "list"]).ends(0).out, plain.ends(0).out);
    let shown = sandbox.silcrow(&["log", "--json", "c1"]);
    assert_eq!(sandbox.silcrow(&["log", "--json", "show", "c1"]).ends(0).out, shown.ends(0).out);
    let folder = sandbox.path("data/silcrow");
    let folder = folder.to_str().unwrap();
    for args in
        [["log", "--json", "--store", folder, "list"], ["log", "--json", "list", "--store", folder]]
    {
        assert_eq!(sandbox.silcrow(&args).ends(0).out, plain.out);
    }
    let said = sandbox.silcrow(&["log", "--json", "c1", "list"]);
    assert!(said.ends(2).err.contains("put it after"), "{}", said.err);
    assert!(sandbox.silcrow(&["log", "--json", "show"]).ends(2).err.contains("CONVERSATION"));
}

#[test]
fn log_searches() {
    let sandbox = two_conversations();
    let hit = one(&sandbox.silcrow(&["log", "--json", "search", "WHALE"]));
    assert_eq!((&hit["conversation"], &hit["event"]["seq"]), (&"c1".into(), &1.into()));
    assert_eq!(hit["event"]["content"], "Where are whales?");
    let hits = sandbox.silcrow(&["log", "--json", "search", "squids", "sea", "deep"]);
    assert_eq!(hits.ends(0).events().len(), 3);
    assert_eq!(
        sandbox.silcrow(&["log", "--json", "search", "e", "--limit", "2"]).events().len(),
        2
    );
    let others = sandbox.silcrow(&["log", "--json", "search", "squids", "sea", "--except", "c2"]);
    assert_eq!(one(&others)["event"]["content"], "At sea.");
    assert_eq!(sandbox.silcrow(&["log", "--json", "search", "orca"]).ends(0).out, "");
    assert!(sandbox.silcrow(&["log", "--json", "search", " "]).ends(2).err.contains("no words"));
}

#[test]
fn log_exports_and_imports() {
    let sandbox = two_conversations();
    let all = sandbox.silcrow(&["log", "--json", "export"]);
    // A header, the entries, and the accounts of two conversations and a user.
    assert_eq!(all.ends(0).events().len(), 1 + 4 + 3);
    let file = sandbox.write("export.jsonl", &all.out);
    let other = sandbox.path("other");
    let other = other.to_str().unwrap();
    let moved =
        one(&sandbox.silcrow(&["log", "--json", "import", "--own", &file, "--store", other]));
    assert_eq!((&moved["conversations"], &moved["events"]), (&2.into(), &4.into()));
    assert_eq!(
        sandbox.silcrow(&["log", "--json", "export", "--store", other]).ends(0).out,
        all.out
    );
    assert_eq!(
        sandbox.silcrow(&["log", "--json", "--store", other]).out,
        sandbox.silcrow(&["log", "--json"]).out
    );

    let alone = sandbox.silcrow(&["log", "--json", "export", "c2"]);
    assert_eq!(alone.ends(0).events().len(), 1 + 2 + 1);
    let third = sandbox.path("third");
    let third = third.to_str().unwrap();
    let args = ["log", "--json", "import", "--own", "--store", third];
    sandbox.silcrow_with(&args, alone.out.as_bytes()).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--json", "export", "--store", third]).out, alone.out);

    sandbox.silcrow(&["log", "--json", "export", "nobody"]).ends(2);
    let broken = alone.out.replace("\"event\"", "\"evnt\"");
    let said = sandbox.silcrow_with(&args, broken.as_bytes());
    assert!(said.ends(2).err.contains("line 2 does not belong to an export"), "{}", said.err);
    let fourth = sandbox.path("fourth");
    let no_file = ["log", "--json", "import", "/no/such", "--store", fourth.to_str().unwrap()];
    sandbox.silcrow(&no_file).ends(2);
    assert!(!fourth.exists());
    let changed = alone.out.replace("Deep.", "Flat.");
    let said = sandbox.silcrow_with(&args, changed.as_bytes());
    assert!(said.ends(1).err.contains("\"c2\" is another one here"), "{}", said.err);
}

#[test]
fn reading_commands_create_no_store() {
    let sandbox = Sandbox::new();
    let empty = sandbox.root();
    for args in [&["list"][..], &["verify"], &["compact"], &["show", "c1", "--follow"]] {
        let args = [&["log", "--json"], args, &["--store", empty.to_str().unwrap()]].concat();
        assert!(sandbox.silcrow(&args).ends(2).err.contains("no store found"), "{args:?}");
        assert_eq!(fs::read_dir(&empty).unwrap().count(), 0, "{args:?}");
    }
}

#[test]
fn log_deletes_compacts_and_verifies() {
    let sandbox = two_conversations();
    let whole = one(&sandbox.silcrow(&["log", "--json", "verify"]));
    assert_eq!((&whole["events"], &whole["damage"]), (&4.into(), &0.into()));
    let gone = one(&sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]));
    assert_eq!((&gone["conversation"], &gone["events"]), (&"c1".into(), &2.into()));
    let said = sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]);
    assert!(said.ends(2).err.contains("unknown conversation `c1`"), "{}", said.err);
    assert_eq!(one(&sandbox.silcrow(&["log", "--json"]))["conversation"], "c2");
    let done = one(&sandbox.silcrow(&["log", "--json", "compact"]));
    assert!(done["before"].is_u64() && done["after"].is_u64());
    assert_eq!(one(&sandbox.silcrow(&["log", "--json", "verify"]))["events"], 2);
}

#[test]
fn log_needs_a_store() {
    let sandbox = Sandbox::new();
    for words in [
        &["log", "--json"][..],
        &["log", "--json", "verify"],
        &["log", "--json", "compact"],
        &["log", "--json", "export"],
    ] {
        let said = sandbox.silcrow(words);
        assert!(said.ends(2).err.contains("no store found"), "{}", said.err);
    }
    let folder = sandbox.root();
    fs::write(folder.join("letter"), "dear").unwrap();
    let args = ["log", "--json", "compact", "--store", folder.to_str().unwrap()];
    assert!(sandbox.silcrow(&args).ends(2).err.contains("is not a store"));
}

#[test]
fn conversations_are_private_to_their_user() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: whales\n§end");
    let model = format!("script:{script}");
    let run = |id: &str, user: &[&str]| {
        let args = ["run", "where", "--model", &model, sandbox.flag_of(id), id];
        sandbox.silcrow(&[&args, user].concat())
    };
    let (ann, bob) = (["--user", "ann"], ["--user", "bob"]);
    run("c1", &ann).ends(0);
    run("c1", &ann).ends(0);
    run("c2", &bob).ends(0);
    run("c3", &[]).ends(0);
    let args = ["run", "where", "--model", &model, "--new", "c4"];
    let set = sandbox.command(&args).env("SILCROW_USER", "ann").output().unwrap();
    assert!(set.status.success(), "{set:?}");

    for (id, user) in [("c1", &bob[..]), ("c1", &[]), ("c3", &ann)] {
        let said = run(id, user);
        assert!(said.ends(2).err.contains(&format!("conversation \"{id}\" belongs to")));
        assert_eq!(said.out, "");
    }
    for user in ["", " ", &"n".repeat(257), "a\tb"] {
        run("c9", &["--user", user]).ends(2);
    }
    let args = ["run", "where", "--model", &model];
    let set = sandbox.command(&args).env("SILCROW_USER", "").output().unwrap();
    assert_eq!(set.status.code(), Some(2), "{set:?}");

    let ids = |args: &[&str]| {
        let said = sandbox.silcrow(args);
        let ids = said.ends(0).events().into_iter().map(|one| one["conversation"].clone());
        ids.map(|id| id.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["log", "--json", "list", "--user", "ann"]), ["c4", "c1"]);
    assert_eq!(ids(&["log", "--json"]), ["c4", "c3", "c2", "c1"]);
    assert_eq!(ids(&["log", "--json", "search", "whales", "--user", "bob"]), ["c2"]);
    let others = ["log", "--json", "search", "whales", "--user", "ann", "--except", "c1"];
    assert_eq!(ids(&others), ["c4"]);
    sandbox.silcrow(&["log", "--json", "list", "--user", ""]).ends(2);
    let listed = sandbox.silcrow(&["log", "--json", "list", "--user", "bob"]);
    assert_eq!(one(&listed)["user"], "bob");
    assert_eq!(sandbox.silcrow(&["log", "--json", "c1"]).events()[0]["user"], "ann");
    let exported = sandbox.silcrow(&["log", "--json", "export"]);
    let other = sandbox.path("other");
    let args = ["log", "--json", "import", "--store", other.to_str().unwrap()];
    sandbox.silcrow_with(&args, exported.out.as_bytes()).ends(0);
    let args = ["log", "--json", "list", "--user", "ann", "--store", other.to_str().unwrap()];
    assert_eq!(ids(&args), ["c4", "c1"]);
}
