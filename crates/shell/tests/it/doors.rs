//! Calls with grants: each opens its door, until the call ends.

use std::fs;
use std::process::Command;

use serde_json::json;
use silcrow_sandbox::{SandboxLayers, SandboxOptions};
use silcrow_tool::CallContext;

use super::{Place, call, context, text};

const WITHOUT_NAMESPACES: SandboxLayers = SandboxLayers { namespaces: false, ..SandboxLayers::ALL };

fn places() -> [Place; 2] {
    [SandboxLayers::ALL, WITHOUT_NAMESPACES].map(|layers| {
        Place::with(|options: SandboxOptions| {
            let options = options.with_layers(layers).with_repository();
            options.with_protected(".git").with_protected_name(".git")
        })
    })
}

fn with(grants: &[String]) -> CallContext {
    context().with_grants(grants.iter().map(|grant| grant.parse().unwrap()).collect())
}

async fn run(place: &Place, grants: &[String], command: &str) -> (String, String) {
    let output = call(&place.shell, &with(grants), json!({ "command": command })).await;
    match output {
        Ok(output) => (text(&output), output.notices.join("\n")),
        Err(error) => (String::new(), error.to_string()),
    }
}

const COMMIT: &str = "echo b > b && git add b && git -c user.name=a -c user.email=a@b commit -qm two \
                      && git log --format=%s";

#[tokio::test]
async fn git_commits_only_with_its_grant() {
    for place in places() {
        let folder = place.folder.path();
        let first =
            "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one";
        let first = Command::new("sh").args(["-c", first]).current_dir(folder).status().unwrap();
        assert!(first.success());
        let (_, notices) = run(&place, &[], COMMIT).await;
        assert!(notices.contains("{\"git\": true}"), "{notices}");
        let (shown, notices) = run(&place, &["git".to_owned()], COMMIT).await;
        assert_eq!((&*shown, &*notices), ("two\none\n", "exit status 0"));
        let script = "git config a.b c; echo x > .git/hooks/pre-commit; cat .git/hooks/pre-commit";
        let (shown, notices) = run(&place, &["git".to_owned()], script).await;
        let is_put_back =
            notices.contains("they are as before again") && notices.contains(".git/config");
        let is_told = is_put_back || notices.contains("and only `\"needs\": {\"outside\"");
        assert!(is_told, "{shown} {notices}");
        assert!(!folder.join(".git/hooks/pre-commit").exists());
        // It ends with the call.
        let (shown, _) = run(&place, &[], "git tag no; git tag").await;
        assert!(!shown.ends_with("no\n"), "{shown}");
        let fsck = Command::new("git").arg("fsck").current_dir(folder).status().unwrap();
        assert!(fsck.success());
    }
}

#[tokio::test]
async fn other_paths_open_for_one_call() {
    for place in places() {
        let other = tempfile::tempdir().unwrap();
        let path = other.path().canonicalize().unwrap();
        fs::write(path.join("a"), "WORDS").unwrap();
        let script = format!("cat {0}/a; echo b > {0}/b; echo c > {0}/.git", path.display());
        let read = format!("read:{}", path.display());
        let write = format!("write:{}", path.display());
        let (shown, _) = run(&place, std::slice::from_ref(&read), &script).await;
        assert!(shown.contains("WORDS") && !path.join("b").exists(), "{shown}");
        let (shown, _) = run(&place, &[write], &script).await;
        assert!(shown.contains("WORDS") && path.join("b").exists(), "{shown}");
        assert!(!path.join(".git").exists());
        let (shown, _) = run(&place, &[], &script).await;
        assert!(!shown.contains("WORDS"), "{shown}");
        let (_, why) = run(&place, &["read:/no/such/path".to_owned()], "true").await;
        assert!(why.contains("/no/such/path cannot be opened"), "{why}");
    }
}

#[tokio::test]
async fn outside_leaves_the_sandbox_for_one_call() {
    for place in places() {
        let other = tempfile::tempdir().unwrap();
        let script = format!("echo b > {}/b && echo done", other.path().display());
        let (shown, notices) = run(&place, &["outside".to_owned()], &script).await;
        assert_eq!((&*shown, &*notices), ("done\n", "exit status 0"));
        let script = format!("rm {}/b && echo done", other.path().display());
        let (shown, _) = run(&place, &[], &script).await;
        assert!(!shown.contains("done"), "{shown}");
    }
}
