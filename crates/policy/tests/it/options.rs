//! Rules find their commands behind options, in other spellings and after variables.

use proptest::prelude::*;
use proptest::sample::select;
use silcrow_policy::{Confinement, PermissionMode, Policy, PolicyFile, PolicyOwner};
use silcrow_tool::Permission;

use crate::decisions::Call;

const TABLE: &str = include_str!("../../src/command/program_options.toml");

/// Returns the decision of a policy in the mode `full`, with one rule about a command.
fn decided(effect: &str, pattern: &str, command: &str) -> Permission {
    let rule =
        format!("[[rules]]\neffect = \"{effect}\"\ntool = \"shell\"\ncommand = \"{pattern}\"\n");
    let file = PolicyFile::parse("policy.toml", &rule, PolicyOwner::Person).unwrap();
    let mode = if effect == "allow" { PermissionMode::Ask } else { PermissionMode::Full };
    let policy = Policy::new(mode).with_confinement(Confinement::FilesAndNetwork).with_file(file);
    Call::new("shell").command(command).decided(&policy)
}

#[track_caller]
fn denies(pattern: &str, commands: &[&str]) {
    for command in commands {
        let decided = decided("deny", pattern, command);
        assert!(matches!(decided, Permission::Deny(_)), "{pattern}: {command}: {decided:?}");
    }
}

#[track_caller]
fn asks(pattern: &str, commands: &[&str]) {
    for command in commands {
        let decided = decided("deny", pattern, command);
        assert!(decided.is_ask(), "{pattern}: {command}: {decided:?}");
    }
}

#[track_caller]
fn leaves(pattern: &str, commands: &[&str]) {
    for command in commands {
        assert_eq!(decided("deny", pattern, command), Permission::Allow, "{pattern}: {command}");
    }
}

#[test]
fn denial_holds_behind_options() {
    denies(
        "git push *",
        &[
            "git push",
            "git -C sub push",
            "git -c a.b=c push --force",
            "git --no-pager push",
            "git --git-dir=.git --work-tree . push",
            "cd sub && git -C .. push",
            "/usr/bin/git -C . push",
            "FOO=1 git -C . push",
            "sudo -u x git -C . push",
            "sh -c 'git --bare push'",
        ],
    );
    denies("npm publish *", &["npm --prefix sub publish", "npm --registry=x -s publish"]);
    denies("cargo publish *", &["cargo +nightly publish", "cargo +nightly -Z x --locked publish"]);
    denies(
        "kubectl delete *",
        &["kubectl -n prod delete pod x", "kubectl -nprod --context=a delete"],
    );
    denies("docker push *", &["docker --context x push y", "docker -Dc x push y"]);
    denies(
        "docker compose down *",
        &["docker compose -f a.yml down", "docker -D compose -fa down"],
    );
    denies(
        "make deploy *",
        &["make -C sub deploy", "make -kCsub all X=1 deploy", "make -j 4 deploy"],
    );
    denies("terraform destroy *", &["terraform -chdir=x destroy"]);
    denies(
        "git push --force *",
        &["git push origin --force", "git -C x push -f", "git push -uf a b"],
    );
}

#[test]
fn unknown_option_before_subcommand_needs_approval() {
    asks("git push *", &["git --new x push", "git --new push", "git -c alias.x=push x"]);
    asks("deploy-tool apply *", &["deploy-tool --env prod apply", "deploy-tool -v apply"]);
    asks("rm -rf *", &["rm --recurs --forc x"]);
    leaves(
        "git push *",
        &["git --new=x log", "git log --grep push", "git -C push log", "git stash"],
    );
    leaves("git push *", &["git commit -m push", "git --new x log", "gitpush", "echo git push"]);
    leaves("make deploy *", &["make -C deploy all", "make -f deploy"]);
    leaves("deploy-tool apply *", &["deploy-tool --env prod plan", "deploy-tool plan apply"]);
    leaves("rm -rf *", &["rm -r x", "rm -f x", "rm x rf", "rm -- -rf"]);
}

#[test]
fn denial_of_options_holds_in_each_spelling() {
    for command in [
        "rm -rf x",
        "rm -r -f x",
        "rm -fr x",
        "rm -Rf x",
        "rm x -rf",
        "rm -v -f -i -R x",
        "rm --recursive --force x",
        "rm --force x --recursive",
        "rm --force -vr x",
        "sudo rm -f -r x",
        "find . -exec rm -f -r {} +",
    ] {
        for pattern in ["rm -rf *", "rm -fr *", "rm -r -f *", "rm --force -R *"] {
            denies(pattern, &[command]);
        }
    }
    denies("rm -rf /srv/*", &["rm -f -r /srv/x", "rm --force /srv/x -R"]);
    denies("terraform apply -auto-approve *", &["terraform -chdir=x apply -x --auto-approve"]);
}

#[test]
fn denial_holds_after_options_of_wrappers() {
    denies(
        "git push *",
        &[
            "sudo --user x git push",
            "sudo --preserve-env git push",
            "chroot / git push",
            "flock lock git push",
            "timeout --signal TERM 5 git push",
            "stdbuf --output L git push",
            "env -u X FOO=1 git -C . push",
            "nohup nice -n 5 git push",
        ],
    );
}

#[test]
fn leave_is_not_widened_by_options() {
    let allow = |pattern: &str, command: &str| decided("allow", pattern, command);
    for (pattern, command) in [
        ("git status *", "git -c core.pager=x status"),
        ("git status *", "git -C sub -c core.fsmonitor=x status"),
        ("cargo test *", "cargo +nightly test"),
        ("npm test *", "npm --prefix sub test"),
        ("rm -rf *", "rm -f -r x"),
        ("make test *", "make all test"),
    ] {
        assert!(allow(pattern, command).is_ask(), "{command}");
    }
}

#[test]
fn leave_covers_harmless_variables_in_front() {
    let allow = |command: &str| decided("allow", "cargo test *", command);
    for command in [
        "RUST_BACKTRACE=1 cargo test",
        "RUST_LOG=debug,a::b=info RUST_BACKTRACE=full cargo test -q",
        "CI=1 LC_ALL=C.UTF-8 cargo test | head -5",
    ] {
        assert_eq!(allow(command), Permission::Allow, "{command}");
    }
    for command in [
        "LD_PRELOAD=x cargo test",
        "RUSTC=x cargo test",
        "PATH=. cargo test",
        "CI=$X cargo test",
        "CI=$(x) cargo test",
        "LANG=../x cargo test",
        "RUST_BACKTRACE=1 cargo build",
        "CI=1; cargo test",
        "CI=1 RUSTC_WRAPPER=x cargo test",
    ] {
        assert!(allow(command).is_ask(), "{command}");
    }
    // A pattern has the words of a command and no variables.
    let rule = "[[rules]]\neffect = \"allow\"\ntool = \"shell\"\ncommand = \"CI=1 npm test\"\n";
    assert!(PolicyFile::parse("policy.toml", rule, PolicyOwner::Person).is_err());
}

/// Returns the programs of the table, each with the texts of all its options.
fn programs() -> Vec<(String, Vec<String>)> {
    let table: toml::Table = TABLE.parse().unwrap();
    let programs = table.iter().filter(|(name, _)| !name.contains(' '));
    programs.map(|(name, options)| (name.clone(), spellings(options))).collect()
}

/// Returns each option of a program in all allowed spellings.
fn spellings(options: &toml::Value) -> Vec<String> {
    let list = |key: &str| -> Vec<String> {
        let list = options.get(key).and_then(toml::Value::as_array);
        list.into_iter().flatten().map(|option| option.as_str().unwrap().to_owned()).collect()
    };
    let mut texts = list("flags");
    for option in list("values") {
        texts.extend(VALUES.map(|value| format!("{option} {value}")));
        match option.len() {
            2 => texts.push(format!("{option}x")),
            _ => texts.push(format!("{option}=x")),
        }
    }
    texts.extend(list("joined").iter().map(|option| format!("{option}=x")));
    texts.extend(
        list("optional")
            .iter()
            .filter(|option| option.len() == 2)
            .map(|option| format!("{option}4")),
    );
    texts
}

/// Values that look like other words of a command.
const VALUES: [&str; 5] = ["x", "a.b=c", "zap", "-x", "+x"];

proptest! {
    #[test]
    fn no_legal_option_evades_a_denial(
        (name, options) in select(programs()).prop_flat_map(|(name, all)| {
            let all = if all.is_empty() { vec![String::new()] } else { all };
            (Just(name), prop::collection::vec(select(all), 0..5))
        }),
        before in select(vec!["", "sudo ", "FOO=1 ", "/usr/bin/", "cd x && ", "time ", "(", "CI=1 "]),
    ) {
        let end = if before == "(" { ")" } else { "" };
        let command = format!("{before}{name} {} zap y{end}", options.join(" "));
        let decided = decided("deny", &format!("{name} zap *"), &command);
        prop_assert!(matches!(decided, Permission::Deny(_)), "{}: {:?}", command, decided);
    }

    #[test]
    fn no_unknown_option_evades_a_denial(
        (name, options) in select(programs()).prop_flat_map(|(name, all)| {
            let all: Vec<_> = all.into_iter().chain(["--new-option x", "--new-option", "-Y", "--y=x"].map(str::to_owned)).collect();
            (Just(name), prop::collection::vec(select(all), 0..5))
        }),
    ) {
        let command = format!("{name} {} zap y", options.join(" "));
        let decided = decided("deny", &format!("{name} zap *"), &command);
        prop_assert!(decided != Permission::Allow, "{}", command);
    }
}
