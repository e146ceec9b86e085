//! `silcrow log backup`.

use std::fs;

use crate::support::Sandbox;

#[test]
fn backup_has_conversations_outputs_and_changes() {
    let sandbox = Sandbox::new();
    let call = r#"§call: {"name":"file_write","args":{"file":"a.txt","content":"a"}}"#;
    let text = format!("{call}\n§execute\n%%\n§respond: done\n§end");
    let model = format!("script:{}", sandbox.write("script", &text));
    sandbox
        .silcrow(&["run", "whales", "--model", &model, "--allow", "file_write", "--new", "c1"])
        .ends(0);
    let (copy, other) = (sandbox.path("backups/monday"), sandbox.path("backups"));
    let copy = copy.to_str().unwrap();
    let said = sandbox.silcrow(&["log", "backup", copy]);
    let words = format!("{copy} is a copy of the store: ");
    assert!(said.ends(0).out.starts_with(&words) && said.err.is_empty(), "{}", said.out);

    // Nothing is copied over something else.
    let again = sandbox.silcrow(&["log", "backup", copy]);
    assert!(again.ends(2).err.contains("is not empty"), "{}", again.err);
    let there = sandbox.path("data/silcrow").join("inside");
    let again = sandbox.silcrow(&["log", "backup", there.to_str().unwrap()]);
    assert!(again.ends(2).err.contains("is in the store"), "{}", again.err);
    assert_eq!(fs::read_dir(other).unwrap().count(), 1);

    let original = sandbox.silcrow(&["log", "export"]).ends(0).out.clone();
    fs::remove_dir_all(sandbox.path("data/silcrow")).unwrap();
    let copied = sandbox.silcrow(&["log", "export", "--store", copy]);
    assert_eq!(copied.ends(0).out, original);
    sandbox.silcrow(&["log", "verify", "--store", copy]).ends(0);
    let undone = sandbox.silcrow(&["undo", "c1", "--store", copy]);
    assert!(undone.ends(0).out.contains("a.txt"), "{}", undone.out);
    assert!(!sandbox.root().join("a.txt").exists());

    let json = sandbox.path("json");
    let said =
        sandbox.silcrow(&["log", "--json", "backup", json.to_str().unwrap(), "--store", copy]);
    let line = &said.ends(0).events()[0];
    assert!(line["files"].as_u64() > Some(1) && line["bytes"].as_u64() > Some(100), "{line}");
}
