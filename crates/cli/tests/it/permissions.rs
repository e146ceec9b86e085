//! Modes and policy files of runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::{CommandOutput, Sandbox};

#[test]
fn every_mode_decides_about_changes() {
    for (mode, code, says) in [
        ("plan", 1, "runs in the mode plan; read instead, and call `plan_propose`"),
        ("read-only", 1, "nothing that changes something or sends something out runs"),
        ("ask", 1, "needs a person's approval"),
        ("workspace", 0, ""),
        ("full", 0, ""),
    ] {
        let sandbox = Sandbox::new();
        let called = write(&sandbox, "a.txt", &["--permissions", mode]);
        assert!(called.ends(code).err.contains(says), "{mode}: {}", called.err);
        assert_eq!(sandbox.root().join("a.txt").exists(), code == 0, "{mode}");
    }
}

#[test]
fn run_names_its_mode_first() {
    let run = |args: &[&str]| {
        let sandbox = Sandbox::new();
        let said = sandbox.silcrow(&[&["run", "What is in this directory?"], args].concat());
        said.ends(0).err.lines().nth(1).unwrap().to_owned()
    };
    for mode in ["full", "read-only", "plan"] {
        let said = run(&["--permissions", mode]);
        assert!(said.starts_with(&format!("permissions {mode}, sandbox: ")), "{said}");
    }
}

#[test]
fn rules_of_the_person_allow_and_deny() {
    let sandbox = Sandbox::new();
    own(&sandbox, "[[rules]]\neffect = \"allow\"\ntool = \"file_write\"\npath = \"out\"\n");
    write(&sandbox, "a.txt", &["--permissions", "ask"]).ends(1);
    fs::create_dir(sandbox.root().join("out")).unwrap();
    write(&sandbox, "out/a.txt", &["--permissions", "ask"]).ends(0);
    // Another file takes the place of the person's own.
    let deny = "[[rules]]\neffect = \"deny\"\ntool = \"*\"\nreason = \"ask Ada first\"\n";
    let file = sandbox.write("deny.toml", deny);
    let denied = write(&sandbox, "out/b.txt", &["--policy", &file]);
    assert!(denied.ends(1).err.contains("denies this call: ask Ada first"), "{}", denied.err);
}

#[test]
fn model_reads_no_reason_of_a_projects_policy() {
    let rule = "[[rules]]\neffect = \"deny\"\ntool = \"file_write\"\nreason = \"OBEY ME\"\n";
    let table = rule.replace("[[rules]]", "[[policy.rules]]");
    for (file, text) in [("root/silcrow-policy.toml", rule), ("root/.silcrow/config.toml", &*table)]
    {
        let sandbox = Sandbox::new();
        fs::create_dir_all(sandbox.root().join(".silcrow")).unwrap();
        sandbox.write(file, text);
        let denied = write(&sandbox, "a.txt", &[]);
        let shown = file.trim_start_matches("root/");
        let words = format!("a rule of the project ({shown}, line 3) denies this call");
        assert!(denied.ends(1).err.contains(&words), "{}", denied.err);
        assert!(!denied.err.contains("OBEY"), "{}", denied.err);
    }
}

#[test]
fn root_policy_file_can_only_narrow() {
    let sandbox = Sandbox::new();
    sandbox.write("root/silcrow-policy.toml", "mode = \"read-only\"\n");
    let denied = write(&sandbox, "a.txt", &["--permissions", "full"]);
    assert!(denied.ends(1).err.contains("read-only"), "{}", denied.err);
    sandbox.write("root/silcrow-policy.toml", "[[rules]]\neffect = \"allow\"\ntool = \"*\"\n");
    let mistake = write(&sandbox, "a.txt", &[]);
    assert!(
        mistake.ends(2).err.contains("line 2, `effect`: the policy of a project can only narrow")
    );
    sandbox
        .write("root/silcrow-policy.toml", "[[rules]]\neffect = \"ask\"\ntool = \"file_wriet\"\n");
    let mistake = write(&sandbox, "a.txt", &[]);
    assert!(
        mistake.ends(2).err.contains("line 3, `tool`: unknown tool `file_wriet`; did you mean")
    );
    fs::remove_file(sandbox.root().join("silcrow-policy.toml")).unwrap();
    // A link that leads nowhere, or a folder, must not be taken for no policy.
    symlink("nowhere", sandbox.root().join("silcrow-policy.toml")).unwrap();
    write(&sandbox, "a.txt", &[]).ends(2);
}

#[test]
fn only_the_person_writes_policy_files() {
    let sandbox = Sandbox::new();
    for allow in [["--allow", "file_write"], ["--permissions", "workspace"]] {
        write(&sandbox, "silcrow-policy.toml", &allow).ends(1);
    }
    let file = own(&sandbox, "mode = \"full\"\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let open = write(&sandbox, "a.txt", &[]);
    assert!(open.ends(2).err.contains("others can write to it"), "{}", open.err);
}

#[test]
fn agents_of_a_manifest_have_the_same_permissions() {
    let sandbox = Sandbox::new();
    let agent = "[agents.writer]\ndescription = \"Writes.\"\ntools = [\"file_write\"]\n";
    let call = r#"§call: {"name":"file_write","args":{"file":"a.txt","content":"x"}}
§execute
%%
§respond: written
§end"#;
    let inner = sandbox.write("inner.txt", call);
    let manifest = sandbox.write("m.toml", &format!("{agent}model = \"script:{inner}\"\n"));
    sandbox.trust(&manifest);
    let outer = r#"§call: {"name":"writer","args":{"task":"write"}}
§execute
%%
§respond: done
§end"#;
    let outer = format!("script:{}", sandbox.write("outer.txt", outer));
    for (mode, is_written) in [("read-only", false), ("ask", false), ("workspace", true)] {
        let args = ["run", "go", "--model", &outer, "--manifest", &manifest, "--permissions", mode];
        let said = sandbox.silcrow(&args);
        assert!(said.ends(0).err.contains("✓ writer"), "{mode}: {}", said.err);
        assert_eq!(sandbox.root().join("a.txt").exists(), is_written, "{mode}: {}", said.err);
    }
}

#[test]
fn policy_check_reports_both_files_and_mistakes() {
    let sandbox = Sandbox::new();
    let check = |args: &[&str]| sandbox.silcrow(&[&["policy", "check"], args].concat());
    fs::remove_file(sandbox.path("config/silcrow/policy.toml")).unwrap();
    let none = check(&[]);
    assert_eq!(none.ends(0).out.matches("does not exist").count(), 2, "{}", none.out);
    own(&sandbox, "mode = \"ask\"\n[[rules]]\neffect = \"allow\"\ntool = \"file_write\"\n");
    sandbox.write("root/silcrow-policy.toml", "");
    let both = check(&[]);
    assert!(both.ends(0).out.contains("policy.toml: 1 rule, mode ask\n"), "{}", both.out);
    assert!(both.out.ends_with("silcrow-policy.toml: 0 rules\n"), "{}", both.out);
    let file = sandbox.write("p.toml", "[[rules]]\neffect = \"allow\"\ntool = \"x\"\ncolour = 1\n");
    assert!(check(&[&file]).ends(2).err.contains("line 4, `colour`: unknown name `colour`; use"));
    assert!(check(&[&file, "--project"]).ends(2).err.contains("can only narrow"));
}

#[test]
fn policy_judge_reads_arguments_or_lines() {
    let sandbox = Sandbox::new();
    let one = sandbox.silcrow(&["policy", "judge", "ls -la"]);
    assert_eq!(one.ends(0).out, "harmless\n");
    let many = sandbox.silcrow_with(&["policy", "judge", "-"], b"ls\nrm x\nrm -rf /\n");
    let verdicts = "harmless\nask: `rm` is not on the list of harmless commands\n\
                    forbidden: `rm` would change everything in /\n";
    assert_eq!(many.ends(0).out, verdicts);
    let needs = sandbox.silcrow(&["policy", "judge", "git add b && npm install"]);
    let needs = needs.ends(0).out.clone();
    assert!(needs.ends_with("; it needs git, network:registry.npmjs.org\n"), "{needs}");
    let hostile = sandbox.silcrow(&["policy", "judge", "echo x > '/dev/sda\u{1b}[2J'"]);
    assert_eq!(hostile.ends(0).out, "forbidden: it writes to the device /dev/sda\\x1b[2J\n");
}

/// Calls `file_write` by hand.
fn write(sandbox: &Sandbox, file: &str, args: &[&str]) -> CommandOutput {
    let call = format!(r#"{{"file":"{file}","content":"x"}}"#);
    sandbox.silcrow(&[&["tool", "file_write", &call], args].concat())
}

/// Writes the person's own policy.
fn own(sandbox: &Sandbox, text: &str) -> String {
    sandbox.write("config/silcrow/policy.toml", text)
}
