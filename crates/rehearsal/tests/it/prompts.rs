use silcrow_event::{Call, Message, Role};

use crate::play::{SIGIL, ask, run};

/// The calls that a prompt leads to at first.
fn first(prompt: &str) -> Vec<(String, serde_json::Value)> {
    let turn = ask(&[Message::new(Role::User, prompt)], SIGIL);
    let args = |call: &Call| serde_json::from_str(call.args()).unwrap();
    turn.calls.iter().map(|call| (call.name().to_owned(), args(call))).collect()
}

#[track_caller]
fn check(prompt: &str, name: &str, args: serde_json::Value) {
    assert_eq!(first(prompt), [(name.to_owned(), args)], "{prompt:?}");
}

#[test]
fn folders_are_listed() {
    for (prompt, path) in [
        ("What is in this directory?", "."),
        ("what's here", "."),
        ("ls", "."),
        ("list", "."),
        ("list src", "src"),
        ("list the files in crates/lex.", "crates/lex"),
        ("List my files", "."),
        ("which files are there", "."),
        ("What files are in src?", "src"),
        ("what is in the src folder?", "src"),
        ("What's in `src/`?", "src/"),
        ("show me the files", "."),
        ("show src/", "src/"),
        ("find all files", "."),
        ("ls ..", ".."),
        ("Please list the folder docs!", "docs"),
        ("Explain the directory structure", "."),
        ("show me the directory structure of docs", "docs"),
        ("list directory src", "src"),
        ("compare the files a/b", "a/b"),
        ("WHAT IS HERE", "."),
        ("show", "."),
    ] {
        check(prompt, "file_list", serde_json::json!({"path": path}));
    }
}

#[test]
fn files_are_read() {
    for (prompt, file) in [
        ("read README.md", "README.md"),
        ("Show me src/main.rs, please.", "src/main.rs"),
        ("cat Makefile", "Makefile"),
        ("what is in the Makefile", "Makefile"),
        ("open the file notes", "notes"),
        ("What is in Cargo.toml?", "Cargo.toml"),
        ("can you read \"a.b\"?", "a.b"),
        ("show the file .gitignore", ".gitignore"),
    ] {
        check(prompt, "file_read", serde_json::json!({"file": file}));
    }
}

#[test]
fn texts_are_searched_for() {
    for (prompt, query, path) in [
        ("search main", "main", "."),
        ("search for the word silcrow in crates/lex", "silcrow", "crates/lex"),
        ("grep TODO", "TODO", "."),
        ("find fn main in src", "fn main", "src"),
        ("Where is Parser defined?", "Parser", "."),
        ("where are tokens used in this directory", "tokens", "."),
        ("find \"a thing in it\" in docs/", "a thing in it", "docs/"),
        ("look for love", "love", "."),
        ("search docs for the word TODO", "TODO", "docs"),
        ("search in the folder src for love", "love", "src"),
        ("search in src for \"for love\"", "for love", "src"),
        ("find `x in y.txt`", "x in y.txt", "."),
        ("find peace in our own time", "peace in our own time", "."),
        ("Where's the lexer?", "lexer", "."),
    ] {
        check(prompt, "file_search", serde_json::json!({"query": query, "path": path}));
    }
}

#[test]
fn texts_are_written() {
    for (prompt, file, content) in [
        ("note: buy milk", "note.txt", "buy milk"),
        ("Note: go to a.txt", "note.txt", "go to a.txt"),
        ("note buy milk", "note.txt", "buy milk"),
        ("write hello to a.txt", "a.txt", "hello"),
        ("write \"hello, you\" to b/a.txt.", "b/a.txt", "hello, you"),
        ("save one\n  two into c.md", "c.md", "one\n  two"),
        ("note: one\n\ntwo", "note.txt", "one\n\ntwo"),
    ] {
        check(prompt, "file_write", serde_json::json!({"file": file, "content": content}));
    }
}

#[test]
fn text_too_long_causes_no_call() {
    let turn = ask(&[Message::new(Role::User, format!("note: {}", "x".repeat(1 << 20)))], SIGIL);
    assert!(turn.calls.is_empty() && turn.said.contains("too long"));
}

#[test]
fn other_prompts_get_a_self_description() {
    for prompt in [
        "",
        "hello",
        "write a poem",
        "list three reasons to sing",
        "Who wrote Hamlet?",
        "show me how to dance",
        "note:",
        "what is love",
        "what is in it for us all now",
        "find",
        "search for",
        "write to a.txt",
        "note: \n ",
        "writes x to a.txt",
    ] {
        let [turn] = &run(prompt, SIGIL, |call| panic!("{call:?}"))[..] else { panic!("one turn") };
        for part in ["rehearsal model", "list FOLDER", "OPENAI_API_KEY", "compatible:URL#MODEL"] {
            assert!(turn.said.contains(part), "{prompt:?}: {}", turn.said);
        }
    }
}
