//! A policy whose mode and rules change while it is used.

use silcrow_exec::{CallAccess, Permission, PermissionRequest, Permissions, Preview, ToolPolicy};
use silcrow_policy::{Confinement, ErrorKind, PermissionMode, Policy, SharedPolicy};

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
fn mode_counts_from_the_next_decision_on() {
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
fn no_mode_is_wider_than_the_widest() {
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
fn rules_are_added_and_replaced_and_the_mode_stays() {
    let policy = shared(PermissionMode::Ask);
    let preview = Preview::new("file a.txt").with_target("a.txt");
    let request = PermissionRequest::new("file_write", WRITE, ToolPolicy::default(), &preview);
    let rule = policy.propose(&request).unwrap();
    policy.add(&rule).unwrap();
    assert_eq!(decide(&policy), Permission::Allow);
    policy.replace(Policy::new(PermissionMode::Full));
    assert_eq!(policy.mode(), PermissionMode::Ask);
    assert!(decide(&policy).is_ask());
    // A decision sees one policy, whatever other threads set.
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
