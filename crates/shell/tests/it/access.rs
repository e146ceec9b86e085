//! Commands that may only read, and files that usually hold secrets.

use std::path::Path;

use serde_json::json;
use silcrow_sandbox::{SandboxLayers, SandboxOptions};
use silcrow_tool::{CallAccess, CallContext, Preview, Tool as _, ToolArgs};

use super::{Place, call, context, text};

const WITHOUT_NAMESPACES: SandboxLayers = SandboxLayers { namespaces: false, ..SandboxLayers::ALL };

fn is_secret(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.starts_with(".env") || name.ends_with(".pem") || name == "id_rsa" || name == ".npmrc"
}

/// Places with secrets and a repository, with namespaces and without.
fn places() -> [Place; 2] {
    [SandboxLayers::ALL, WITHOUT_NAMESPACES].map(|layers| {
        let with = |options: SandboxOptions| {
            options
                .with_layers(layers)
                .with_protected(".git")
                .with_secret_names(is_secret)
                .with_secret_attributes(".env* -diff\n*.pem -diff\nid_rsa -diff\n.npmrc -diff\n")
        };
        let place = Place::with(with);
        let script = "git init -q .; git config user.email a@b; git config user.name a; \
            echo open > a.txt; mkdir sub certs; ln -s sub by; echo '{}' > a.json; git add .; git commit -qm one; \
            for f in .env .env.local id_rsa .npmrc certs/server.pem sub/.env; do echo CANARY > $f; done; \
            ln -s .env link; printf '.env\\0certs/server.pem\\0' > list";
        let done = std::process::Command::new("bash")
            .args(["-c", script])
            .current_dir(place.folder.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        place
    })
}

/// Commands that the list of harmless commands has, or had, and that could show a secret.
const READS: &[&str] = &[
    "cat *",
    "cat .e* */*.p*",
    "cat -- * .[a-z]*",
    "cat link",
    "cat < list",
    "head -n 5 *",
    "head .??*",
    "tail *",
    "tail -n +1 .[a-z]*",
    "tac *",
    "nl *",
    "rev *",
    "fold *",
    "fmt *",
    "expand .??*",
    "unexpand .??*",
    "cut -c1-9 *",
    "paste *",
    "paste .??*",
    "sort *",
    "sort .??*",
    "uniq link",
    "comm link a.txt",
    "join link a.txt",
    "column *",
    "strings *",
    "strings -a .??*",
    "od -c *",
    "xxd link",
    "hexdump -C *",
    "diff -r . sub",
    "diff link a.txt",
    "cmp -l link a.txt",
    "grep -r CAN",
    "grep -rh . .",
    "grep -R '' .",
    "grep -e '' -- *",
    "grep -ao C.* *",
    "egrep -r CAN .",
    "fgrep -r CAN .",
    "grep -f link link",
    "sed -n 1,9p *",
    "sed -n p .??*",
    "shuf -e *",
    "shuf link",
    "wc --files0-from=list",
    "wc --files0-from=link",
    "sort -m *",
    "sha1sum *",
    "find . -type f",
    "find . -name '*' -printf '%p\n'",
    "ls -laR",
    "stat *",
    "file *",
    "file -f link",
    "jq . *",
    "jq -R . link",
    "date -f link",
    "du -a --files0-from=list",
    "tr a b < link",
    "expr length x",
    "git diff",
    "git diff HEAD",
    "git diff --no-index a.txt link",
    "git diff --no-index sub certs",
    "git status -v",
    "git status -vv",
    "git grep CAN",
    "git grep --no-index CAN",
    "git grep --untracked CAN",
    "git ls-files",
    "git blame a.txt",
    "git blame --contents link a.txt",
    "printf '%s\n' *",
    "test -s link && echo *",
    "readlink link",
    "realpath link",
    "cat /proc/self/cwd/lin*",
    "cat $PWD/l*k",
    "cd sub; cat .*",
    "cd certs && cat *",
];

#[tokio::test]
async fn no_reading_command_shows_a_secret() {
    for place in places() {
        for command in READS {
            let reads = context().with_access(CallAccess::ReadOnly);
            for context in [reads, context()] {
                let output =
                    call(&place.shell, &context, json!({ "command": command })).await.unwrap();
                let shown = text(&output);
                assert!(!shown.contains("CANARY"), "{command}: {shown}");
            }
        }
    }
}

/// Commands with which git shows stored contents.
const STORED: &[&str] = &[
    "git log -p",
    "git log -p --all --full-history",
    "git show",
    "git diff HEAD~",
    "git log -S CAN -p",
    "git show --stat -p HEAD",
    "git diff --cached HEAD~",
    "git grep CAN HEAD",
    "git grep --cached CAN",
    "git log -L1,1:a.txt",
    "git stash list -p",
    "git diff --word-diff HEAD~",
    "git log -G CAN -p -m",
];

#[tokio::test]
async fn read_only_git_shows_no_stored_secrets() {
    for place in places() {
        let script = "git add -A -f; git commit -qm secrets";
        let root = place.folder.path();
        assert!(
            std::process::Command::new("sh")
                .args(["-c", script])
                .current_dir(root)
                .status()
                .unwrap()
                .success()
        );
        let context = context().with_access(CallAccess::ReadOnly);
        for command in STORED {
            let output = call(&place.shell, &context, json!({ "command": command })).await.unwrap();
            let shown = text(&output);
            assert!(!shown.contains("CANARY"), "{command}: {shown}");
        }
        let output =
            call(&place.shell, &context, json!({"command": "git show HEAD~"})).await.unwrap();
        assert!(text(&output).contains("+open"), "{}", text(&output));
    }
}

#[tokio::test]
async fn read_only_call_changes_nothing() {
    for place in places() {
        let context = context().with_access(CallAccess::ReadOnly);
        for command in ["echo x > new", "rm a.txt", "chmod 600 a.txt", "git commit -am two"] {
            call(&place.shell, &context, json!({ "command": command })).await.unwrap();
        }
        let output = call(&place.shell, &context, json!({"command": "cat a.txt; ls new"})).await;
        assert!(text(&output.unwrap()).contains("open\n"));
        let state = std::fs::metadata(place.folder.path().join("a.txt")).unwrap();
        assert!(!place.folder.path().join("new").exists());
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&state) & 0o777, 0o644);
    }
}

#[tokio::test]
async fn open_network_prevents_read_only_calls() {
    let landlock_alone = SandboxLayers { landlock: true, ..SandboxLayers::NONE };
    for layers in [landlock_alone, SandboxLayers::NONE] {
        let place = Place::with(|options| options.with_layers(layers));
        assert!(!preview(&place, "ls").await.can_be_read_only);
        let context = context().with_access(CallAccess::ReadOnly);
        let mut shown = preview(&place, "ls").await;
        shown.can_be_read_only = true;
        let context = context.with_approved(Some(shown));
        let error = call(&place.shell, &context, json!({"command": "ls"})).await.unwrap_err();
        assert!(error.to_string().contains("network"), "{error}");
    }
    assert!(preview(&Place::new(), "ls").await.can_be_read_only);
}

#[tokio::test]
async fn approval_of_secret_reveals_only_that_secret() {
    for place in places() {
        for (command, risk) in [
            ("cat .env", "it may read .env, which usually holds secrets"),
            ("cat ./sub/../.env", "it may read .env, which usually holds secrets"),
            ("cd sub && cat .env", "it may read .env, sub/.env, which usually hold secrets"),
            ("cd by && cat .env", "it may read .env, sub/.env, which usually hold secrets"),
            ("cat certs/*.pem", "it may read certs/server.pem, which usually holds secrets"),
            ("cat * # sub/.env", "it may read sub/.env, which usually holds secrets"),
        ] {
            let shown = preview(&place, command).await;
            assert_eq!(shown.risk.as_deref(), Some(risk), "{command}");
            let args = json!({ "command": format!("{command}\ncat id_rsa") });
            let other = context().with_approved(Some(shown.clone()));
            let output = call(&place.shell, &other, args).await.unwrap();
            assert!(!text(&output).contains("CANARY"), "a yes is for its own files");
            for access in [CallAccess::Usual, CallAccess::ReadOnly] {
                let context = context().with_access(access).with_approved(Some(shown.clone()));
                let command = format!("{command}; cat id_rs[a] .env.loca[l]");
                let named =
                    call(&place.shell, &context, json!({ "command": command })).await.unwrap();
                let seen = text(&named).matches("CANARY").count();
                assert_eq!(
                    seen,
                    usize::from(!command.contains('#')),
                    "{command}: {}",
                    text(&named)
                );
            }
        }
        for command in ["cat .env.example", "cat *", "ls", "echo .environment", "cat x.env"] {
            assert_eq!(preview(&place, command).await.risk, None, "{command}");
        }
        let all = context().with_access(CallAccess::WithSecrets);
        let output = call(&place.shell, &all, json!({"command": "cat id_rs[a] .env.loca[l]"}))
            .await
            .unwrap();
        assert_eq!(text(&output), "CANARY\nCANARY\n");
    }
}

#[tokio::test]
async fn failed_command_reports_hidden_files() {
    for place in places() {
        let output = place.run("cat .e*l; false").await;
        let notices = output.notices.join("\n");
        assert!(notices.contains("hidden from the command: .env, .env.local"), "{notices}");
    }
}

async fn preview(place: &Place, command: &str) -> Preview {
    let args = json!({ "command": command }).to_string();
    place.shell.preview(ToolArgs::new(&args), &CallContext::new("c1", "1")).await.unwrap()
}
