//! The profile of the person: the notes about them, and the command that shows and changes it.

mod runs;

use std::path::Path;

use crate::support::{CommandOutput, Sandbox, command_output, file};

fn profile(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.silcrow(&[&["profile"], args].concat())
}

/// Returns the texts of the facts.
fn facts(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let exported = profile(sandbox, &[&["export"], args].concat());
    let json: serde_json::Value = serde_json::from_str(&exported.ends(0).out).unwrap();
    let facts = json["facts"].as_array().unwrap().iter();
    facts.map(|fact| fact["text"].as_str().unwrap().to_owned()).collect()
}

/// Runs `silcrow profile edit` with a shell script as the editor, whose `$1` is the file.
fn edit(sandbox: &Sandbox, script: &str) -> CommandOutput {
    let script = sandbox.write("editor.sh", script);
    let mut command = sandbox.command(&["profile", "edit"]);
    command.env_remove("VISUAL").env("EDITOR", format!("sh {script}"));
    command_output(command.output().unwrap())
}

#[test]
fn facts_are_added_shown_and_forgotten() {
    let sandbox = Sandbox::new();
    assert!(profile(&sandbox, &[]).ends(0).out.starts_with("nothing is known of you"));
    assert!(!sandbox.path("data/silcrow").exists(), "reading makes no store");
    assert_eq!(
        profile(&sandbox, &["add", "Answer in French."]).ends(0).out,
        "this is fact 1 now\n"
    );
    profile(&sandbox, &["add", "Likes \u{202e}tea\x1b[2J."]).ends(0);
    let shown = profile(&sandbox, &[]).ends(0).out.clone();
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], " 1  Answer in French.");
    assert!(lines[1].starts_with("    by you, 20") && lines[1].ends_with(" UTC"), "{shown}");
    assert_eq!(lines[2], r" 2  Likes \u{202e}tea\x1b[2J.");
    let json = profile(&sandbox, &["--json"]).ends(0).out.clone();
    assert!(json.contains(r#""by": "person""#), "{json}");

    let forgotten = profile(&sandbox, &["forget", "1"]);
    assert_eq!(forgotten.ends(0).out, "forgotten: Answer in French.\n");
    assert!(profile(&sandbox, &["forget", "2"]).ends(2).err.contains("unknown fact 2"));
    assert_eq!(facts(&sandbox, &[]).len(), 1);

    let long = "x".repeat(301);
    let wrong =
        [(&*long, "longer than 300 bytes"), (" ", "is empty"), (SECRET, "looks like a key")];
    for (text, why) in wrong {
        assert!(profile(&sandbox, &["add", text]).ends(2).err.contains(why), "{why}");
    }
    let mut command = sandbox.command(&["profile", "add", "It is canary-0123456789-x."]);
    let said = command_output(command.env("MY_TOKEN", "canary-0123456789-x").output().unwrap());
    assert!(said.ends(2).err.contains("a part of the fact is a secret"), "{}", said.err);
}

#[test]
fn profiles_are_separate_per_user() {
    let sandbox = Sandbox::new();
    profile(&sandbox, &["add", "Is Ann.", "--user", "ann"]).ends(0);
    assert_eq!(facts(&sandbox, &["--user", "ann"]), ["Is Ann."]);
    assert!(facts(&sandbox, &["--user", "bob"]).is_empty());
    assert!(facts(&sandbox, &[]).is_empty());
    let mut command = sandbox.command(&["profile", "export"]);
    let said = command_output(command.env("SILCROW_USER", "ann").output().unwrap());
    assert!(said.ends(0).out.contains("Is Ann."));
}

#[test]
fn profile_can_be_exported_and_undone() {
    let sandbox = Sandbox::new();
    profile(&sandbox, &["add", "Is Ann."]).ends(0);
    let name = sandbox.path("profile.json").to_str().unwrap().to_owned();
    assert!(profile(&sandbox, &["export", &name]).ends(0).out.starts_with("1 fact in "));
    assert!(profile(&sandbox, &["delete"]).ends(2).err.contains("add --yes"));
    assert_eq!(profile(&sandbox, &["delete", "--yes"]).ends(0).out, "the profile is deleted\n");
    assert!(facts(&sandbox, &[]).is_empty());
    let taken = profile(&sandbox, &["edit", "--from", &name]);
    assert_eq!(taken.ends(0).out, "the profile has 1 fact now\n");
    assert_eq!(facts(&sandbox, &[]), ["Is Ann."]);
}

#[test]
fn a_profile_is_edited() {
    let sandbox = Sandbox::new();
    profile(&sandbox, &["add", "Is Ann."]).ends(0);
    edit(&sandbox, "sed -i 's/Ann/Anna/' \"$1\"").ends(0);
    assert_eq!(facts(&sandbox, &[]), ["Is Anna."]);

    let failed = edit(&sandbox, "echo broken > \"$1\"; exit 3");
    assert!(failed.ends(1).err.contains("so nothing changed"), "{}", failed.err);
    assert!(names(&sandbox.path("data/silcrow/edit")).is_empty(), "nothing is left behind");

    // The person's text is kept, and nothing changes until it is a valid profile.
    let wrong = edit(&sandbox, "sed -i 's/Anna/Annabel/; s/\"by\"/\"from\"/' \"$1\"");
    assert!(wrong.ends(2).err.contains("unknown field `from`"), "{}", wrong.err);
    assert_eq!(facts(&sandbox, &[]), ["Is Anna."]);
    let [kept] = &names(&sandbox.path("data/silcrow/edit"))[..] else { panic!("one file is kept") };
    let kept = sandbox.path("data/silcrow/edit").join(kept);
    std::fs::write(&kept, file(&kept).replace("\"from\"", "\"by\"")).unwrap();
    profile(&sandbox, &["edit", "--from", kept.to_str().unwrap()]).ends(0);
    assert_eq!(facts(&sandbox, &[]), ["Is Annabel."]);

    // Another process has changed the profile while the editor was open.
    let program = env!("CARGO_BIN_EXE_silcrow");
    let both = format!("sed -i 's/Annabel/Bea/' \"$1\"; '{program}' profile add 'Likes tea.'");
    assert!(edit(&sandbox, &both).ends(1).err.contains("has changed since the editor was opened"));
    assert_eq!(facts(&sandbox, &[]), ["Is Annabel.", "Likes tea."]);
}

#[test]
fn editor_is_not_looked_up_in_working_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    profile(&sandbox, &["add", "Is Ann."]).ends(0);
    let (planted, mark) = (sandbox.root().join("planted"), sandbox.path("ran"));
    std::fs::write(&planted, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&planted, std::fs::Permissions::from_mode(0o755)).unwrap();
    for path in [".:/usr/bin:/bin", ":/usr/bin", "/usr/bin:./"] {
        let mut command = sandbox.command(&["profile", "edit"]);
        let said = command.env_remove("VISUAL").env("EDITOR", "planted").env("PATH", path);
        let said = command_output(said.output().unwrap());
        assert!(said.ends(1).err.contains("the editor `planted` failed"), "{}", said.err);
        assert!(!mark.exists(), "{path}");
    }
}

fn names(folder: &Path) -> Vec<String> {
    let names = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

const SECRET: &str = "My key is sk-abcdefghijklmnop1234.";
