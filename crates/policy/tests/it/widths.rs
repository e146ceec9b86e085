//! The widths of an answer: which later calls it covers, and where none is offered.

use silcrow_policy::{Confinement, PermissionMode, Policy};
use silcrow_tool::{ApprovedScope, Permission, Permissions};

use crate::decisions::Call;
use crate::doors::{policy, shell, with_rules};

fn widths(policy: &Policy, call: &Call) -> Vec<String> {
    policy.wider_scopes(&call.request())
}

/// Answers questions with the widest scope that is offered, as a runner keeps it, and counts them.
fn questions(policy: &Policy, calls: &[Call]) -> usize {
    let mut approved: Vec<(String, String)> = Vec::new();
    let mut asked = 0;
    for call in calls {
        let request = call.request();
        if policy.decide(&request) == Permission::Allow {
            continue;
        }
        let row = match policy.grants(&request) {
            doors if doors.is_empty() => String::new(),
            doors => format!("\nwith {doors}"),
        };
        let scoped = |scope: &String| match scope.starts_with("each call") {
            true => scope.clone(),
            false => format!("{scope}{row}"),
        };
        let own: Vec<_> = policy.wider_scopes(&request).iter().map(scoped).collect();
        let is_same =
            approved.iter().any(|(tool, scope)| tool == request.tool && own.contains(scope));
        let known: Vec<_> =
            approved.iter().map(|(tool, scope)| ApprovedScope { tool, scope }).collect();
        if is_same || policy.covers(&request, &known) {
            continue;
        }
        asked += 1;
        if let Some(widest) = own.last() {
            approved.push((request.tool.to_owned(), widest.clone()));
        }
    }
    asked
}

#[test]
fn typical_task_asks_twice_in_five_calls() {
    let ask = policy(PermissionMode::Ask);
    let calls = [
        shell("python3 -m unittest").limited(120),
        Call::new("file_edit").target("app.py"),
        shell("python3 -m unittest -v").limited(120),
        Call::new("file_write").target("test_app.py"),
        shell("cd sub && python3 -m unittest test_x").limited(60),
    ];
    assert_eq!(questions(&ask, &calls), 2);
    assert_eq!(questions(&policy(PermissionMode::Workspace), &calls), 0);
}

#[test]
fn scope_of_command_is_prefix_timeout_and_access() {
    for (calls, expected) in [
        (vec![shell("git commit -m a"), shell("git commit -m b --amend")], 1),
        (
            vec![
                shell("git add b && git commit -m a"),
                shell("git commit -m b"),
                shell("git add c"),
            ],
            1,
        ),
        (vec![shell("git commit -m a"), shell("git add b && git commit -m b")], 2),
        (vec![shell("git commit -m a"), shell("git tag b")], 2),
        (vec![shell("npm run build"), shell("npm run build -- -x"), shell("npm run deploy")], 2),
        (vec![shell("cargo test").limited(60), shell("cargo test x").limited(30)], 1),
        (vec![shell("cargo test").limited(30), shell("cargo test x").limited(60)], 2),
        (vec![shell("npm run dev").in_background(), shell("npm run dev").limited(60)], 2),
        (vec![shell("npm run dev").limited(60), shell("npm run dev").in_background()], 2),
        (vec![shell("cargo test"), shell("cargo test").needing("git")], 2),
        (vec![shell("cargo test").needing("git"), shell("cargo test x")], 1),
        (vec![shell("cargo test"), shell("cargo test .env")], 2),
        (vec![shell("cargo test"), shell("cargo test > x")], 2),
        (vec![shell("cargo test"), shell("cargo test; rm x")], 2),
        (vec![shell("cargo test"), shell("env X=1 cargo test")], 2),
        (vec![shell("rm a"), shell("rm b")], 2),
    ] {
        let ask = policy(PermissionMode::Ask);
        assert_eq!(questions(&ask, &calls), expected, "{:?}", calls[0].request());
    }
}

#[test]
fn host_is_approved_once_across_commands() {
    let workspace = policy(PermissionMode::Workspace);
    let calls = [
        shell("curl https://a.example/x"),
        shell("curl -s https://a.example/y"),
        shell("wget https://a.example/z"),
        shell("curl https://b.example/"),
        shell("npm install"),
        shell("npm install x"),
    ];
    assert_eq!(questions(&workspace, &calls), 3);
    assert_eq!(
        widths(&workspace, &shell("npm install")),
        ["npm install *", "each call that asks for\nnetwork:registry.npmjs.org"]
    );
    // A call that cannot be undone is asked about each time.
    assert_eq!(widths(&workspace, &shell("npm publish")), [""; 0]);
    // If each command is asked about, permission for a host is not permission for a command.
    assert_eq!(widths(&policy(PermissionMode::Ask), &shell("curl https://a.example/x")), [""; 0]);
}

#[test]
fn no_scope_covers_unconfined_commands() {
    let ask = policy(PermissionMode::Ask);
    assert_eq!(widths(&ask, &shell("cargo test")), ["cargo test *"]);
    assert_eq!(
        widths(&ask, &Call::new("file_write").target("a")),
        ["all changes of files beneath ./"]
    );
    for call in [
        shell("cargo test").needing("outside"),
        shell("cargo test").risky(),
        shell("cargo test").sends(),
        shell("cargo test .env"),
        shell("cargo test $X"),
        shell("cargo -q test"),
        shell("cargo +nightly test"),
        shell("sub/cargo test"),
        shell("cargo publish"),
        shell("git push"),
        shell("git reset --hard"),
        shell("npm publish"),
        shell("gh pr create"),
        shell("rm -r x"),
        shell("sudo make install"),
        shell("sh -c 'cargo test'"),
        shell("python3 -c 'x'"),
        shell("unknown x"),
        Call::new("file_write").risky(),
        Call::new("tidy_up"),
        Call::new("web_scrape").sends().target("https://docs.rs/"),
    ] {
        assert_eq!(widths(&ask, &call), [""; 0], "{:?}", call.request());
    }
    for confinement in [Confinement::None, Confinement::FilesOnly] {
        let ask = policy(PermissionMode::Ask).with_confinement(confinement);
        assert_eq!(widths(&ask, &shell("cargo test")), [""; 0], "{confinement:?}");
    }
    let whole = policy(PermissionMode::Ask).with_confinement(Confinement::FilesAndWholeNetwork);
    assert_eq!(widths(&whole, &shell("cargo test")), ["cargo test *"]);
    // A rule that asks is asked each time.
    let rule = "[[rules]]\neffect = \"ask\"\ntool = \"*\"\n";
    let ruled = with_rules(policy(PermissionMode::Ask), rule);
    assert_eq!(questions(&ruled, &[shell("cargo test"), shell("cargo test")]), 2);
    assert_eq!(widths(&ruled, &Call::new("file_write").target("a")), [""; 0]);
}

#[test]
fn single_call_scope_is_never_a_wider_one() {
    // A person allows exactly these calls, whose texts the model chose.
    let ask = policy(PermissionMode::Ask);
    for (tool, scope) in [
        ("shell", "cargo test *\nin ., sandbox: files and network"),
        ("shell", "cargo test *\nwith outside\nin ., sandbox: files and network"),
        ("shell", "each call that asks for\nnetwork:*\nin ., sandbox: files and network"),
        ("tidy_up", "cargo test *"),
        ("tidy_up", "all changes of files beneath ./"),
        ("file_write", "file all changes of files beneath ./"),
    ] {
        let approved = [ApprovedScope { tool, scope }];
        for call in [
            shell("cargo test x").limited(5),
            shell("cargo test x"),
            Call::new("file_write").target("a"),
            shell("curl https://a.example/"),
        ] {
            for policy in [&ask, &policy(PermissionMode::Workspace)] {
                assert!(!policy.covers(&call.request(), &approved), "{scope:?}");
            }
        }
    }
}

#[test]
fn kept_rules_have_the_same_widths() {
    let ask = policy(PermissionMode::Ask);
    let wider = |call: &Call| ask.propose_wider(&call.request());
    for (call, words, toml, other) in [
        (
            shell("git add b && git commit -m a").limited(30),
            "shell runs `git add *` and `git commit *`, for at most 30 s, with git",
            "[[rules]]\neffect = \"allow\"\ntool = \"shell\"\ncommand = [\"git add *\", \"git commit *\"]\n\
             root = \"/home/ada/work\"\nbackground = false\ntimeout = 30\n",
            Some(shell("git commit -m b").limited(20)),
        ),
        (
            shell("cargo test").limited(30).needing("local:5432"),
            "shell runs `cargo test *`, for at most 30 s, with local:5432",
            "[[rules]]\neffect = \"allow\"\ntool = \"shell\"\ncommand = \"cargo test *\"\n\
             root = \"/home/ada/work\"\nbackground = false\ntimeout = 30\ngrants = \"local:5432\"\n",
            Some(shell("cargo test x").limited(30)),
        ),
        (
            Call::new("file_edit").target("a.txt"),
            "all changes of files here",
            "[[rules]]\neffect = \"allow\"\ntool = \"{file_write,file_edit,file_replace}\"\npath = \"**\"\n\
             root = \"/home/ada/work\"\n",
            Some(Call::new("file_replace").target("sub/b.txt")),
        ),
        (shell("git push").limited(30), "", "", None),
    ] {
        let rules = wider(&call);
        let Some(other) = other else {
            assert!(rules.is_empty(), "{rules:?}");
            continue;
        };
        assert_eq!(rules[0].to_string(), words);
        assert_eq!(rules[0].to_toml(), toml);
        let policy = policy(PermissionMode::Ask).with_proposed(&rules[0]).unwrap();
        assert_eq!(call.decided(&policy), Permission::Allow);
        assert_eq!(other.decided(&policy), Permission::Allow);
    }
    // The exact rule also opens the doors that the call needs, and a call that leaves the sandbox
    // has no rule.
    let rule = shell("make x").limited(5).needing("git").proposed(&ask).unwrap();
    assert!(rule.to_toml().ends_with("grants = \"git\"\n"), "{}", rule.to_toml());
    assert_eq!(shell("make x").limited(5).needing("outside").proposed(&ask), None);
}
