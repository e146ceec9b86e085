//! Rules that count in one folder, and the rules that are proposed to a person.

use silcrow_event::CallKind;
use silcrow_policy::{Confinement, PermissionMode, Policy, PolicyFile, PolicyOwner};
use silcrow_tool::Permission;

use crate::decisions::Call;

#[test]
fn rule_with_root_applies_within_that_folder() {
    let policy = |effect: &str, root: Option<&str>| {
        let text = format!(
            "[[rules]]\neffect = \"{effect}\"\ntool = \"file_write\"\nroot = \"/home/ada/work\"\n\
             [[rules]]\neffect = \"{effect}\"\ntool = \"shell\"\nroot = \"/home/ada/work/\"\n"
        );
        let file = PolicyFile::parse("policy.toml", &text, PolicyOwner::Person).unwrap();
        let policy = ask().with_file(file);
        root.into_iter().fold(policy, Policy::with_root)
    };
    let calls = || [Call::new("file_write").target("a"), Call::new("shell").command("make")];
    for call in calls() {
        let allow = |root| call.decided(&policy("allow", root));
        assert_eq!(allow(Some("/home/ada/work")), Permission::Allow);
        for other in ["/home/ada", "/home/ada/work/src", "/home/ada/works", "/"] {
            assert!(allow(Some(other)).is_ask(), "{other}");
        }
        assert!(allow(None).is_ask());
        let deny = |root| call.decided(&policy("deny", root));
        assert!(matches!(deny(Some("/home/ada/work")), Permission::Deny(_)));
        assert!(deny(Some("/home/ada")).is_ask(), "by its mode");
        let Permission::Ask(why) = deny(None) else { panic!() };
        assert!(why.contains("may be about this call"), "{why}");
    }
}

#[test]
fn a_root_is_an_absolute_path() {
    for root in ["work", "", "./work", "~/work", "/home/../etc"] {
        let text = format!("[[rules]]\neffect = \"deny\"\ntool = \"*\"\nroot = \"{root}\"\n");
        let error = PolicyFile::parse("policy.toml", &text, PolicyOwner::Person).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("policy.toml, line 4, `root`: write the absolute"), "{error}");
    }
}

#[test]
fn proposed_rule_allows_only_that_call() {
    let shell = |command| Call::new("shell").command(command);
    for (call, words, others) in [
        (
            shell("cargo test -p x"),
            "shell runs exactly `cargo test -p x`",
            vec![shell("cargo test"), shell("cargo test -p x y"), shell("cargo test -p 'x*'")],
        ),
        (
            shell("cd src && make 'a b' '*' 'it'\\''s' '\\' '[a]' ''"),
            r"shell runs exactly `make 'a b' '*' 'it'\''s' '\' '[a]' ''`",
            vec![shell("make 'a b' x 'it'\\''s' '\\' a ''"), shell("make 'a b' '*'")],
        ),
        (
            shell("make x; npm run build | tail -5"),
            "shell runs exactly `make x` and `npm run build`",
            vec![shell("make y"), shell("npm run"), shell("make x; rm y")],
        ),
        (
            Call::new("file_write").target("docs/[a]*.md"),
            "file_write changes `docs/[a]*.md` to any text",
            vec![
                Call::new("file_write").target("docs/a.md"),
                Call::new("file_write").target("docs"),
                Call::new("file_edit").target("docs/[a]*.md"),
                Call::new("file_write"),
            ],
        ),
        (
            Call::new("web_scrape").sends().target("https://docs.rs/x?y"),
            "web_scrape fetches any page of docs.rs",
            vec![Call::new("web_scrape").sends().target("https://evil.docs.rs/")],
        ),
    ] {
        let policy = ask().with_root("/home/ada/work");
        assert!(call.decided(&policy).is_ask());
        let rule = call.proposed(&policy).unwrap_or_else(|| panic!("{words}"));
        assert_eq!(rule.to_string(), words);
        let with_rule = policy.with_proposed(&rule).unwrap();
        assert_eq!(call.decided(&with_rule), Permission::Allow, "{words}");
        for other in others {
            assert!(other.decided(&with_rule).is_ask(), "{words}");
        }
        let elsewhere = with_rule.with_root("/home/ada/other");
        assert!(call.decided(&elsewhere).is_ask(), "{words}");
    }
}

#[test]
fn rules_are_written_in_file_syntax() {
    let call = Call::new("shell").command("make 'a\"b' '*'");
    let rule = call.proposed(&ask().with_root("/home/a \"b\"")).unwrap();
    assert_eq!(
        rule.to_toml(),
        r#"[[rules]]
effect = "allow"
tool = "shell"
command = "make 'a\"b' '\\*'"
root = "/home/a \"b\""
background = false
"#
    );
    // A network that the person has seen is in the rule.
    let policy = Policy::new(PermissionMode::Workspace).with_confinement(Confinement::FilesOnly);
    let call = Call::new("shell").command("make").sends();
    let rule = call.proposed(&policy.with_root("/r")).unwrap();
    assert!(rule.to_toml().ends_with("without_sandbox = true\n"), "{}", rule.to_toml());
    assert!(rule.to_string().ends_with(", also with the network"), "{rule}");
}

#[test]
fn proposed_rule_excludes_longer_timeouts_and_background() {
    let make = || Call::new("shell").command("make x");
    let policy = ask().with_root("/r");
    let limited = make().limited(30).proposed(&policy).unwrap();
    assert_eq!(limited.to_string(), "shell runs exactly `make x`, for at most 30 s");
    assert!(limited.to_toml().ends_with("background = false\ntimeout = 30\n"), "{limited}");
    let background = make().in_background().proposed(&policy).unwrap();
    assert_eq!(background.to_string(), "shell runs exactly `make x`, in the background");
    for (rule, call, is_allowed) in [
        (&limited, make().limited(30), true),
        (&limited, make().limited(5), true),
        (&limited, make().limited(31), false),
        (&limited, make().in_background(), false),
        (&limited, make(), false),
        (&background, make().in_background(), true),
        (&background, make().limited(5), false),
    ] {
        let policy = policy.clone().with_proposed(rule).unwrap();
        assert_eq!(call.decided(&policy) == Permission::Allow, is_allowed, "{rule}");
    }
}

#[test]
fn rule_of_a_person_may_name_the_time() {
    let decide = |fields: &str, call: Call| {
        let text = format!("[[rules]]\neffect = \"allow\"\ntool = \"shell\"\n{fields}");
        call.decided(&ask().with_file(PolicyFile::parse("p", &text, PolicyOwner::Person).unwrap()))
    };
    let make = || Call::new("shell").command("make");
    // Without these fields a rule covers every time.
    for call in [make().limited(600), make().in_background()] {
        assert_eq!(decide("", call), Permission::Allow);
    }
    assert!(decide("timeout = 60", make().limited(61)).is_ask());
    assert_eq!(decide("timeout = 60", make().limited(60)), Permission::Allow);
    assert!(decide("background = false", make().in_background()).is_ask());
    let deny = "[[rules]]\neffect = \"deny\"\ntool = \"shell\"\nbackground = true\n";
    let deny = ask().with_file(PolicyFile::parse("p", deny, PolicyOwner::Person).unwrap());
    assert!(matches!(make().in_background().decided(&deny), Permission::Deny(_)));
    assert!(make().limited(5).decided(&deny).is_ask(), "by its mode");
}

#[test]
fn unnameable_or_disallowed_calls_get_no_proposal() {
    let shell = |command| Call::new("shell").command(command);
    let calls = [
        shell("make $X"),
        shell("make > x"),
        shell("rm *.o"),
        shell("make && (x)"),
        shell("cat .env"),
        shell("rm -rf /"),
        shell("X=y make"),
        shell("make").risky(),
        Call::new("file_write").target("a").risky(),
        Call::new("file_write"),
        Call::new("file_replace").target("a"),
        Call::new("web_search").sends().target("duckduckgo.com: x"),
        Call::new("web_scrape").sends().target("no URL"),
        Call::new("tidy_up").target("a"),
        Call::new("helper").with_kind(CallKind::Agent).target("a"),
        Call::new("shell_processes").target("a"),
    ];
    for (number, call) in calls.iter().enumerate() {
        assert_eq!(call.proposed(&ask().with_root("/r")), None, "{number}");
    }
    let write = Call::new("file_write").target("a");
    assert!(write.proposed(&ask().with_root("/r")).is_some());
    assert_eq!(write.proposed(&ask()), None, "no folder is known");
    let read_only = Policy::new(PermissionMode::ReadOnly).with_root("/r");
    assert_eq!(write.proposed(&read_only), None);
    // A rule of the project that asks counts before leave.
    let text = "[[rules]]\neffect = \"ask\"\ntool = \"file_write\"\n";
    let theirs = PolicyFile::parse("p.toml", text, PolicyOwner::Project).unwrap();
    assert_eq!(write.proposed(&ask().with_root("/r").with_file(theirs)), None);
}

fn ask() -> Policy {
    Policy::new(PermissionMode::Ask).with_confinement(Confinement::FilesAndNetwork)
}
