//! The owner and the permissions of the file that SILCROW_RECORD names.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use crate::support::{CommandOutput, Sandbox, command_output};

fn recorded(sandbox: &Sandbox, file: &Path) -> CommandOutput {
    let script = sandbox.write("script", "§respond: secret\n§end");
    let model = format!("script:{script}");
    let mut command = sandbox.command(&["run", "go", "--store", "memory", "--model", &model]);
    command_output(command.env("SILCROW_RECORD", file).output().unwrap())
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().mode() & 0o7777
}

#[test]
fn recording_is_private_to_its_owner() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("new");
    assert!(!recorded(&sandbox, &file).ends(0).err.contains("SILCROW_RECORD"));
    assert_eq!(mode(&file), 0o600);

    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let err = recorded(&sandbox, &file).ends(0).err.clone();
    assert!(err.contains("others could read") && err.contains("SILCROW_RECORD"), "{err}");
    assert_eq!(mode(&file), 0o600);
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len(), "{after}");
}

#[test]
fn headers_with_secret_names_are_masked() {
    let sandbox = Sandbox::new();
    let spoken = "§respond: thinking of https://a.example and tok-0123456789";
    let script = sandbox.write("script", spoken);
    let model = format!("script:{script}");
    let file = sandbox.path("new");
    let mut command = sandbox.command(&["run", "go", "--store", "memory", "--model", &model]);
    command
        .env("SILCROW_RECORD", &file)
        .env("ANTHROPIC_HEADERS", "anthropic-beta: interleaved-thinking-2025-05-14")
        .env("OPENAI_HEADERS", "HTTP-Referer: https://b.example\nX-Gateway-Token: tok-0123456789");
    command_output(command.output().unwrap()).ends(0);
    let recorded = fs::read_to_string(&file).unwrap();
    let masked = spoken.replace("tok-0123456789", "[secret]");
    let answer = recorded.split_once("\"answer\"").unwrap().1;
    let answer = answer.replace("\"},{\"text\":\"", "");
    assert!(answer.contains(&masked), "{answer}");
    assert!(!recorded.contains("0123456789"), "{recorded}");
}

#[test]
fn links_and_foreign_files_are_refused() {
    let sandbox = Sandbox::new();
    let target = sandbox.path("target");
    fs::write(&target, "mine").unwrap();
    fs::set_permissions(&target, Permissions::from_mode(0o644)).unwrap();
    let link = sandbox.path("link");
    symlink(&target, &link).unwrap();
    let dangling = sandbox.path("dangling");
    symlink(sandbox.path("nothing"), &dangling).unwrap();
    let pipe = sandbox.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for (file, why) in [
        (&link, "it is a link"),
        (&dangling, "it is a link"),
        (&pipe, "SILCROW_RECORD"),
        (&"/dev/null".into(), "it is not a file"),
    ] {
        let refused = recorded(&sandbox, file);
        assert!(refused.ends(2).err.contains(why), "{}: {}", file.display(), refused.err);
        assert_eq!(refused.out, "");
    }
    assert_eq!((fs::read_to_string(&target).unwrap(), mode(&target)), ("mine".to_owned(), 0o644));
    assert!(!sandbox.path("nothing").exists());

    // Only a superuser can give a file away; nobody else can append to one of theirs.
    let theirs = sandbox.path("theirs");
    fs::write(&theirs, "").unwrap();
    fs::set_permissions(&theirs, Permissions::from_mode(0o644)).unwrap();
    let given = std::os::unix::fs::chown(&theirs, Some(12345), None).is_ok();
    let refused = recorded(&sandbox, if given { &theirs } else { Path::new("/etc/passwd") });
    let why = if given { "belongs to another user" } else { "denied" };
    assert!(refused.ends(2).err.contains(why), "{}", refused.err);
}
