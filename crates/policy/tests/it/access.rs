//! The access of allowed calls, and the reasons.

use silcrow_policy::{
    Confinement, PermissionMode, PermissionRule, Policy, PolicyFile, PolicyOwner, RuleEffect,
};
use silcrow_tool::{CallAccess, Permission, Permissions as _};

use super::decisions::Call;

fn policy(mode: PermissionMode) -> Policy {
    Policy::new(mode).with_confinement(Confinement::FilesAndNetwork)
}

fn shell(command: &'static str) -> Call {
    Call::new("shell").command(command)
}

fn letter(policy: &Policy, call: &Call) -> char {
    match policy.access(&call.request()) {
        CallAccess::ReadOnly => 'r',
        CallAccess::Usual => 'u',
        CallAccess::WithSecrets => 's',
    }
}

#[test]
fn harmless_commands_run_read_only() {
    for (call, expected) in [
        (shell("ls -la"), "rrrrs"),
        (shell("git status"), "rrrrs"),
        (shell("cargo test"), "rruus"),
        (shell("cat .env"), "rruus"),
        (shell("ls").unenforced(), "rruus"),
        (Call::new("file_write"), "uuuuu"),
        (Call::new("file_read").reads(), "uuuuu"),
    ] {
        let letters: String =
            PermissionMode::ALL.map(|mode| letter(&policy(mode), &call)).iter().collect();
        assert_eq!(letters, expected, "{:?}", call.request());
    }
}

#[test]
fn command_rule_gives_usual_access() {
    let rules = |command: &str| {
        let text =
            format!("[[rules]]\neffect = \"allow\"\ntool = \"shell\"\ncommand = {command:?}\n");
        let file = PolicyFile::parse("policy.toml", &text, PolicyOwner::Person).unwrap();
        policy(PermissionMode::Ask).with_file(file)
    };
    assert_eq!(letter(&rules("git status"), &shell("git status")), 'u');
    assert_eq!(letter(&rules("git status"), &shell("git status && ls")), 'u');
    // A rule about another command says nothing about this one.
    assert_eq!(letter(&rules("make"), &shell("git status")), 'r');
    assert_eq!(
        shell("git status").unenforced().decided(&rules("make")),
        shell("git status").unenforced().decided(&policy(PermissionMode::Ask))
    );
    let all = PermissionRule::new(RuleEffect::Allow, "shell").unwrap();
    assert_eq!(letter(&policy(PermissionMode::Ask).with_rule(all.clone()), &shell("ls")), 'u');
    // No rule widens the mode read-only.
    assert_eq!(letter(&policy(PermissionMode::ReadOnly).with_rule(all), &shell("ls")), 'r');
}

#[test]
fn harmlessness_requires_read_only_enforcement() {
    let decided = |mode, call: Call| {
        call.decided(&Policy::new(mode).with_confinement(Confinement::FilesOnly))
    };
    let Permission::Deny(why) = decided(PermissionMode::ReadOnly, shell("ls").unenforced()) else {
        panic!("it is denied");
    };
    assert!(why.contains("no sandbox of this machine keeps a command"), "{why}");
    for mode in [PermissionMode::Ask, PermissionMode::Workspace] {
        let Permission::Ask(why) = decided(mode, shell("ls").unenforced()) else {
            panic!("{mode}")
        };
        assert!(why.contains("network"), "{why}");
    }
}

#[test]
fn folder_argument_counts_like_cd() {
    for (folder, expected) in [
        (r#""sub""#, false),
        (r#""./sub/..""#, false),
        (r#""..""#, false),
        (r#""/tmp""#, false),
        ("5", false),
        (r#"".""#, true),
        (r#""./""#, true),
        (r#""""#, true),
        ("null", true),
    ] {
        let git = format!(r#"{{"command":"git status","folder":{folder}}}"#);
        let call = Call::new("shell").args(&git);
        let is_allowed = call.decided(&policy(PermissionMode::Ask)) == Permission::Allow;
        assert_eq!(is_allowed, expected, "{folder}");
        assert_eq!(letter(&policy(PermissionMode::Ask), &call) == 'r', expected, "{folder}");
        let list = format!(r#"{{"command":"ls -l","folder":{folder}}}"#);
        let call = Call::new("shell").args(&list);
        assert_eq!(call.decided(&policy(PermissionMode::Ask)), Permission::Allow, "{folder}");
    }
}
