//! Tools that a person lists and calls by hand.

use std::fs;

use crate::support::Sandbox;

#[test]
fn tools_are_listed_as_a_model_sees_them() {
    let listed = Sandbox::new().silcrow(&["tools", "--json"]);
    let tools = listed.ends(0).events();
    let read = tools.iter().find(|tool| tool["name"] == "file_read").unwrap();
    assert_eq!((&read["read_only"], &read["sends_out"]), (&true.into(), &false.into()));
    assert!(read["schema"]["properties"]["file"].is_object(), "{read}");
    assert!(read["description"].as_str().unwrap().starts_with("Reads "), "{read}");
    let write = tools.iter().find(|tool| tool["name"] == "file_write").unwrap();
    assert_eq!(write["approval"], "always");
}

#[test]
fn standard_output_has_only_the_content() {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", "one\ntwo");
    let called = sandbox.silcrow(&["tool", "file_search", r#"{"query":"two"}"#]);
    assert_eq!(called.ends(0).out, "a.txt:2: two\n");
    assert!(called.err.contains("✓ file_search"), "{}", called.err);
    // The arguments may be too long for a command line.
    let called = sandbox.silcrow_with(&["tool", "file_search", "-"], br#"{"query":"two"}"#);
    assert_eq!(called.ends(0).out, "a.txt:2: two\n");
}

#[test]
fn failed_and_invalid_calls_explain_themselves() {
    let sandbox = Sandbox::new();
    sandbox.write("root/notes.txt", "");
    let called = |args: &[&str]| sandbox.silcrow(&[&["tool"], args].concat());
    let failed = called(&["file_read", r#"{"file":"note.txt"}"#]);
    assert!(failed.ends(1).err.contains("did you mean `notes.txt`?"), "{}", failed.err);
    assert_eq!(failed.out, "");
    let wrong = called(&["file_raed"]);
    let err = "silcrow: unknown tool `file_raed`; did you mean file_read?\n";
    assert_eq!(wrong.ends(2).err, err);
    let wrong = called(&["file_read", "notes.txt"]);
    assert!(wrong.ends(2).err.contains("the arguments are not JSON"), "{}", wrong.err);
    let wrong = called(&["file_read", "[1]"]);
    assert!(wrong.ends(2).err.contains("the arguments are not an object"), "{}", wrong.err);
    let wrong = called(&["file_read", r#"{"path":"notes.txt"}"#]);
    assert!(wrong.ends(1).err.contains("path"), "{}", wrong.err);
}

#[test]
fn manual_call_is_approved_stored_and_undone() {
    let sandbox = Sandbox::new();
    let args = r#"{"file":"a.txt","content":"new"}"#;
    let hand = |more: &[&str]| sandbox.silcrow(&[&["tool", "file_write", args], more].concat());
    // Nobody is at a terminal to be asked.
    let denied = hand(&["--new", "c"]);
    assert!(denied.ends(1).err.contains("--allow file_write would"), "{}", denied.err);
    assert!(!sandbox.root().join("a.txt").exists());
    hand(&["--conversation", "c", "--allow", "file_write"]).ends(0);
    assert_eq!(fs::read_to_string(sandbox.root().join("a.txt")).unwrap(), "new");
    let log = sandbox.silcrow(&["log", "--json", "show", "c"]);
    let types = log.ends(0).types();
    assert_eq!(types.iter().filter(|name| *name == "result").count(), 2, "{types:?}");
    sandbox.silcrow(&["undo", "c"]).ends(0);
    assert!(!sandbox.root().join("a.txt").exists());
}

#[test]
fn mistyped_id_begins_no_conversation() {
    let sandbox = Sandbox::new();
    let call = |flag: &str, id: &str| sandbox.silcrow(&["tool", "file_list", flag, id]);
    call("--new", "list").ends(0);
    call("--conversation", "list").ends(0);
    let mistyped = call("--conversation", "lits");
    let said = "unknown conversation `lits`; did you mean `list` (silcrow tool file_list {})?";
    assert!(mistyped.ends(2).err.contains(said), "{}", mistyped.err);
    assert!(mistyped.err.contains("--new lits begins one"), "{}", mistyped.err);
    assert!(call("--new", "list").ends(2).err.contains("already"));
    let list = sandbox.silcrow(&["log", "list", "--json"]);
    assert_eq!(list.ends(0).out.lines().count(), 1, "{}", list.out);
}
