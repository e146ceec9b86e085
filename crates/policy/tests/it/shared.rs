//! A policy whose mode and rules change while it is used.

use silcrow_policy::{
    Confinement, ErrorKind, LeaveQuestion, PermissionMode, Policy, PolicyFile, PolicyOwner,
    SharedPolicy,
};
use silcrow_tool::{CallAccess, Permission, PermissionRequest, Permissions, Preview, ToolPolicy};

use crate::doors::{doors, shell};

const WRITE: &str = r#"{"file":"a.txt"}"#;

fn shared(mode: PermissionMode) -> SharedPolicy {
    let root = std::env::temp_dir();
    let policy = Policy::new(mode).with_confinement(Confinement::FilesAndNetwork);
    SharedPolicy::new(policy.with_root(root.canonicalize().unwrap()))
}

fn decide(policy: &SharedPolicy) -> Permission {
    let preview = Preview::new("file a.txt").with_target("a.txt");
    policy.decide(&PermissionRequest::new("file_write", WRITE, ToolPolicy::default(), &preview))
}

#[test]
fn mode_change_applies_from_next_decision() {
    let policy = shared(PermissionMode::Ask);
    assert!(decide(&policy).is_ask());
    policy.set_mode(PermissionMode::Workspace).unwrap();
    assert_eq!(decide(&policy), Permission::Allow);
    policy.set_mode(PermissionMode::ReadOnly).unwrap();
    assert!(matches!(decide(&policy), Permission::Deny(_)));
    let preview = Preview::new("ls").enforceably_read_only();
    let args = r#"{"command":"ls"}"#;
    let request = PermissionRequest::new("shell", args, ToolPolicy::default(), &preview);
    assert_eq!(policy.access(&request), CallAccess::ReadOnly);
    policy.set_mode(PermissionMode::Full).unwrap();
    assert_eq!(policy.access(&request), CallAccess::WithSecrets);
}

#[test]
fn no_mode_exceeds_the_maximum() {
    for widest in PermissionMode::ALL {
        let policy = shared(PermissionMode::ReadOnly).with_widest(widest);
        for mode in PermissionMode::ALL {
            let before = policy.mode();
            let set = policy.set_mode(mode);
            assert_eq!(set.is_ok(), mode <= widest, "{mode} {widest}");
            assert_eq!(policy.mode(), if mode <= widest { mode } else { before });
            if let Err(error) = set {
                assert_eq!(error.kind(), ErrorKind::Widens);
                assert!(error.to_string().contains(widest.as_str()), "{error}");
            }
        }
    }
}

#[test]
fn rules_change_while_mode_stays() {
    let policy = shared(PermissionMode::Ask);
    let preview = Preview::new("file a.txt").with_target("a.txt");
    let request = PermissionRequest::new("file_write", WRITE, ToolPolicy::default(), &preview);
    let rule = policy.propose(&request).unwrap();
    policy.add(&rule).unwrap();
    assert_eq!(decide(&policy), Permission::Allow);
    policy.replace(Policy::new(PermissionMode::Full));
    assert_eq!(policy.mode(), PermissionMode::Ask);
    assert!(decide(&policy).is_ask());
    // A decision sees a single policy, whatever other threads set.
    let policy = &policy;
    std::thread::scope(|scope| {
        for mode in [PermissionMode::ReadOnly, PermissionMode::Ask] {
            scope.spawn(move || (0..500).for_each(|_| policy.set_mode(mode).unwrap()));
        }
        for _ in 0..500 {
            assert_ne!(decide(policy), Permission::Allow);
        }
    });
}

/// Returns the decision about a command that wants to leave the sandbox, or one that does not.
fn command(policy: &SharedPolicy, needs: &str) -> Permission {
    let call = shell("make").needing(needs);
    policy.decide(&call.request())
}

fn question(policy: &SharedPolicy) -> Option<LeaveQuestion> {
    policy.asks_to_leave(&shell("make").needing("outside").request())
}

#[test]
fn sandbox_exit_approval_holds_until_mode_change() {
    let policy = shared(PermissionMode::Full);
    assert!(command(&policy, "outside").is_ask());
    policy.let_out(question(&policy).unwrap());
    assert_eq!(command(&policy, "outside"), Permission::Allow);
    let call = shell("make").needing("outside");
    assert_eq!(policy.grants(&call.request()).to_string(), "outside");
    let wanted = doors("outside");
    assert_eq!(policy.decide_at_wall(&shell("make").request(), &wanted), Permission::Allow);
    // No question remains, and calls that never run do not run.
    assert_eq!(question(&policy), None);
    let never = shell("rm -rf /").needing("outside");
    assert!(matches!(policy.decide(&never.request()), Permission::Deny(_)));
    // It makes no rule and no wider scope.
    assert!(policy.wider_scopes(&call.request()).is_empty());
    assert!(policy.propose_wider(&call.request()).is_empty());
    // The same mode once more, and the rules of another agent, change nothing.
    policy.set_mode(PermissionMode::Full).unwrap();
    policy.replace(shared(PermissionMode::Ask).to_policy());
    assert_eq!(command(&policy, "outside"), Permission::Allow);
    for mode in [PermissionMode::Ask, PermissionMode::Workspace] {
        policy.set_mode(mode).unwrap();
        assert!(command(&policy, "outside").is_ask(), "{mode}");
        assert_eq!(question(&policy), None, "{mode}");
    }
    policy.set_mode(PermissionMode::Full).unwrap();
    assert!(command(&policy, "outside").is_ask(), "it was forgotten");
}

#[test]
fn approval_after_mode_change_is_not_remembered() {
    let policy = shared(PermissionMode::Full);
    let asked = question(&policy).unwrap();
    policy.set_mode(PermissionMode::Ask).unwrap();
    policy.let_out(asked);
    assert!(command(&policy, "outside").is_ask());
    policy.set_mode(PermissionMode::Full).unwrap();
    policy.let_out(asked);
    assert!(command(&policy, "outside").is_ask());
}

#[test]
fn sandbox_exit_rules_apply_before_and_after_approval() {
    let rule = |effect: &str| {
        let text =
            format!("[[rules]]\neffect = \"{effect}\"\ntool = \"shell\"\ngrants = \"outside\"\n");
        PolicyFile::parse("policy.toml", &text, PolicyOwner::Person).unwrap()
    };
    for (effect, before) in [("ask", 'a'), ("deny", 'd'), ("allow", 'r')] {
        let policy =
            SharedPolicy::new(shared(PermissionMode::Full).to_policy().with_file(rule(effect)));
        let decided = |policy: &SharedPolicy| match command(policy, "outside") {
            Permission::Allow => 'r',
            Permission::Ask(_) => 'a',
            Permission::Deny(_) => 'd',
        };
        assert_eq!(decided(&policy), before);
        assert_eq!(question(&policy), None, "{effect}: the rule decides, and not the mode");
        // The yes was to another policy, before the rule came.
        let own = shared(PermissionMode::Full);
        own.let_out(question(&own).unwrap());
        own.replace(policy.to_policy());
        assert_eq!(decided(&own), before);
    }
}

#[test]
fn sandbox_exit_needs_no_approval_without_sandbox() {
    let policy = shared(PermissionMode::Full).to_policy().with_confinement(Confinement::None);
    let policy = SharedPolicy::new(policy);
    assert_eq!(command(&policy, "outside"), Permission::Allow);
    assert_eq!(question(&policy), None);
}
