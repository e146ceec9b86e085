//! The doors that calls want, and who decides about them.

use silcrow_event::{Grant, Grants};
use silcrow_policy::{Confinement, GitRemotes, PermissionMode, Policy, PolicyFile, PolicyOwner};
use silcrow_tool::{CallAccess, Permission, Permissions};

use crate::decisions::Call;

const ORIGIN: &str = "git network:github.com:22";

fn remotes() -> GitRemotes {
    GitRemotes::parse(
        "[remote \"origin\"]\nurl = git@github.com:a/b.git\n\
         [remote \"fork\"]\nurl = ssh://git@fork.example:2222/b\n\
         [submodule \"lib\"]\nurl = https://sub.example/lib\n",
    )
}

pub(crate) fn policy(mode: PermissionMode) -> Policy {
    Policy::new(mode)
        .with_confinement(Confinement::FilesAndNetwork)
        .with_remotes(remotes())
        .with_root("/home/ada/work")
}

pub(crate) fn with_rules(policy: Policy, rules: &str) -> Policy {
    policy.with_file(PolicyFile::parse("policy.toml", rules, PolicyOwner::Person).unwrap())
}

pub(crate) fn shell(command: &str) -> Call {
    Call::new("shell").command(command)
}

pub(crate) fn doors(text: &str) -> Grants {
    text.split_whitespace().map(|door| door.parse::<Grant>().unwrap()).collect()
}

pub(crate) fn opened(policy: &Policy, call: &Call) -> String {
    policy.grants(&call.request()).to_string().replace(',', "")
}

#[test]
fn each_mode_treats_doors_as_it_says() {
    let letters = |call: &Call| -> String {
        let decided = PermissionMode::ALL.map(|mode| call.decided(&policy(mode)));
        decided
            .iter()
            .map(|decided| match decided {
                Permission::Allow => 'r',
                Permission::Ask(_) => 'a',
                Permission::Deny(_) => 'd',
            })
            .collect()
    };
    for (call, expected) in [
        (shell("git commit -m x"), "ddaar"),
        (shell("npm install"), "ddaar"),
        (shell("make"), "ddarr"),
        (shell("curl http://127.0.0.1:8000/"), "ddarr"),
        (shell("make").needing("network:a.example"), "ddaar"),
        (shell("git status").needing("git"), "ddaar"),
        (shell("ls").needing("listen:80"), "ddaar"),
        (shell("make").needing("outside"), "ddaaa"),
        (shell("ls").needing("outside"), "ddaaa"),
        (Call::new("file_read").reads().needing("read:/srv"), "ddaar"),
    ] {
        assert_eq!(letters(&call), expected, "{:?}", call.request());
    }
    let Permission::Ask(why) = shell("npm ci").decided(&policy(PermissionMode::Workspace)) else {
        panic!()
    };
    assert_eq!(why, "the mode `workspace` asks about what opens: network:registry.npmjs.org");
}

#[test]
fn local_port_opens_only_for_allowed_commands() {
    let curl = shell("curl -sS http://127.0.0.1:8000/ http://localhost");
    let both = "local:80 local:8000";
    let workspace = policy(PermissionMode::Workspace);
    assert_eq!(opened(&workspace, &curl), "", "a server of the run listens there");
    assert_eq!(opened(&policy(PermissionMode::Full), &curl), both);
    assert_eq!(opened(&policy(PermissionMode::Ask), &curl), both, "the question names them");
    let rule = "[[rules]]\neffect = \"allow\"\ntool = \"shell\"\ncommand = \"curl *\"\n";
    assert_eq!(opened(&with_rules(workspace.clone(), rule), &curl), both);
    let asking = shell("curl http://127.0.0.1:8000/").needing("local:8000");
    assert!(asking.decided(&workspace).is_ask());
    assert_eq!(opened(&workspace, &asking), "local:8000");
    assert_eq!(opened(&policy(PermissionMode::ReadOnly), &asking), "");
}

#[test]
fn rule_opens_command_needs_and_its_grants() {
    let rule = |more: &str| format!("[[rules]]\neffect = \"allow\"\ntool = \"shell\"\n{more}\n");
    for (rules, call, expected) in [
        (
            rule("command = [\"git add *\", \"git commit *\"]"),
            shell("git add b && git commit -m x"),
            Some("git"),
        ),
        (rule("command = \"git push\""), shell("git push"), Some(ORIGIN)),
        (rule("command = \"git push\""), shell("git push evil"), None),
        (rule("command = \"curl *\""), shell("curl https://a.example/"), Some("network:a.example")),
        (
            rule("command = \"cargo test *\""),
            shell("cargo test").needing("network:a.example"),
            None,
        ),
        (
            rule("command = \"cargo test *\"\ngrants = [\"network:*.example\", \"local:5432\"]"),
            shell("cargo test").needing("network:a.example"),
            Some("local:5432 network:*.example network:a.example"),
        ),
        (rule("command = \"cargo test *\"\ngrants = \"git\""), shell("cargo test"), Some("git")),
        (rule("command = \"make *\""), shell("make x").needing("outside"), None),
        (
            rule("command = \"make *\"\nwithout_sandbox = true"),
            shell("make x").needing("outside"),
            None,
        ),
        (
            rule("command = \"make *\"\ngrants = \"outside\""),
            shell("make x").needing("outside"),
            Some("outside"),
        ),
        (rule("command = \"make *\"\ngrants = \"git\""), shell("cargo test").needing("git"), None),
        (rule("command = \"git add *\""), shell("git add b > c"), None),
        // Leave for all commands.
        (rule(""), shell("git commit -m x"), Some("git")),
        (rule(""), shell("npm install"), None),
        (rule(""), shell("curl https://a.example/"), None),
        (
            rule("grants = \"network:*.example\""),
            shell("curl https://a.example/"),
            Some("network:*.example network:a.example"),
        ),
    ] {
        for mode in [PermissionMode::Ask, PermissionMode::Workspace] {
            let policy = with_rules(policy(mode), &rules);
            let decided = call.decided(&policy);
            match expected {
                Some(expected) => {
                    assert_eq!(decided, Permission::Allow, "{rules}");
                    let mut given: Vec<_> = expected.split(' ').collect();
                    given.sort_unstable();
                    let found = opened(&policy, &call);
                    let mut found: Vec<_> = found.split(' ').collect();
                    found.sort_unstable();
                    assert_eq!(found, given, "{rules}");
                }
                None => {
                    assert!(decided.is_ask(), "{rules}: {decided:?}");
                }
            }
        }
    }
    // In the mode `full`, too, a rule may let a command out.
    let out =
        with_rules(policy(PermissionMode::Full), &rule("command = \"make\"\ngrants = \"outside\""));
    assert_eq!(shell("make").needing("outside").decided(&out), Permission::Allow);
}

#[test]
fn rule_may_deny_or_ask_about_doors() {
    let rules = "[[rules]]\neffect = \"deny\"\ntool = \"shell\"\ngrants = \"network:*.evil.example\"\n\
                 [[rules]]\neffect = \"ask\"\ntool = \"shell\"\ngrants = [\"git\", \"local:22\"]\n";
    let full = with_rules(policy(PermissionMode::Full), rules);
    let is_denied = |call: Call| matches!(call.decided(&full), Permission::Deny(_));
    assert!(is_denied(shell("curl https://a.evil.example/")));
    assert!(is_denied(shell("make").needing("network:*")), "it would open this host, too");
    assert!(!is_denied(shell("curl https://evil.example/")));
    assert!(shell("git commit -m x").decided(&full).is_ask());
    assert!(shell("curl http://localhost:22").decided(&full).is_ask());
    assert_eq!(shell("make").decided(&full), Permission::Allow);
    let wall = |wanted: &str| full.decide_at_wall(&shell("make").request(), &doors(wanted));
    assert!(matches!(wall("network:a.evil.example:22"), Permission::Ask(_) | Permission::Allow));
    assert!(matches!(wall("network:a.evil.example"), Permission::Deny(_)));
    assert!(wall("local:22").is_ask());
    assert_eq!(wall("local:23"), Permission::Allow);
}

#[test]
fn sandbox_asks_if_mode_leaves_it_open() {
    let wall =
        |mode, wanted: &str| policy(mode).decide_at_wall(&shell("make").request(), &doors(wanted));
    for wanted in ["network:a.example", "local:5432", "git"] {
        assert!(matches!(wall(PermissionMode::ReadOnly, wanted), Permission::Deny(_)));
        assert!(wall(PermissionMode::Ask, wanted).is_ask());
        assert!(wall(PermissionMode::Workspace, wanted).is_ask());
        assert_eq!(wall(PermissionMode::Full, wanted), Permission::Allow);
    }
    assert!(wall(PermissionMode::Full, "git outside").is_ask());
    let rule = "[[rules]]\neffect = \"allow\"\ntool = \"shell\"\ncommand = \"make\"\n\
                grants = \"network:*.example\"\n";
    let ruled = with_rules(policy(PermissionMode::Ask), rule);
    let at = |call: Call, wanted| ruled.decide_at_wall(&call.request(), &doors(wanted));
    assert_eq!(at(shell("make"), "network:a.example"), Permission::Allow);
    assert!(at(shell("make"), "network:a.other").is_ask());
    assert!(at(shell("make x"), "network:a.example").is_ask());
}

#[test]
fn access_is_limited_to_machine_support() {
    let here = |confinement, call: &Call| {
        let policy = policy(PermissionMode::Ask).with_confinement(confinement);
        opened(&policy, call)
    };
    let push = shell("git push");
    let local = shell("curl http://localhost:80").needing("listen:3000");
    for (confinement, of_push, of_local) in [
        (Confinement::FilesAndNetwork, ORIGIN, "local:80 listen:3000"),
        (Confinement::FilesAndWholeNetwork, "git network:*", "network:*"),
        (Confinement::FilesOnly, "git", ""),
        (Confinement::None, "", "listen:3000"),
    ] {
        assert_eq!(here(confinement, &push), of_push, "{confinement:?}");
        assert_eq!(here(confinement, &local), of_local, "{confinement:?}");
    }
    // Without a sandbox the tool itself asks to run outside of one.
    let outside = shell("git push").needing("outside");
    assert_eq!(here(Confinement::None, &outside), "outside");
    let none = |mode| policy(mode).with_confinement(Confinement::None);
    assert_eq!(outside.decided(&none(PermissionMode::Full)), Permission::Allow);
    assert!(outside.decided(&none(PermissionMode::Workspace)).is_ask());
    assert!(outside.decided(&none(PermissionMode::Ask)).is_ask());
    let rule = "[[rules]]\neffect = \"allow\"\ntool = \"shell\"\ncommand = \"git push\"\n";
    assert!(outside.decided(&with_rules(none(PermissionMode::Ask), rule)).is_ask());
    let rule = format!("{rule}without_sandbox = true\n");
    let ruled = with_rules(none(PermissionMode::Ask), &rule);
    assert_eq!(outside.decided(&ruled), Permission::Allow);
    assert_eq!(opened(&ruled, &outside), "outside");
}

#[test]
fn read_only_call_gets_no_access() {
    let policy = policy(PermissionMode::Workspace);
    let ls = shell("ls");
    assert_eq!(policy.access(&ls.request()), CallAccess::ReadOnly);
    assert_eq!(opened(&policy, &ls), "");
    // The doors that it asks for need a question, and then it gets them.
    let asking = shell("ls").needing("git");
    assert_eq!(policy.access(&asking.request()), CallAccess::Usual);
    assert_eq!(opened(&policy, &asking), "git");
}

#[test]
fn errors_in_rule_grants_name_their_line() {
    for (text, expected) in [
        ("grants = \"network\"", "unknown grant \"network\"; write `git`, "),
        ("grants = [\"git\", \"local:0\"]", "unknown grant \"local:0\""),
        ("grants = []", "this list is empty"),
        ("grants = 5", "write a text in quotes"),
    ] {
        let rule = format!("[[rules]]\neffect = \"allow\"\ntool = \"shell\"\n{text}\n");
        let error = PolicyFile::parse("policy.toml", &rule, PolicyOwner::Person).unwrap_err();
        let expected = format!("policy.toml, line 4, `grants`: {expected}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
