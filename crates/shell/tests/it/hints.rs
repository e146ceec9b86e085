//! The model's messages about a command that the sandbox has denied something.

use super::{Place, text};

async fn notices(place: &Place, command: &str) -> String {
    place.run(command).await.notices.join("\n")
}

#[tokio::test]
async fn denials_are_explained() {
    let place = Place::with(|options| options.with_protected(".git"));
    std::fs::create_dir(place.folder.path().join(".git")).unwrap();
    for command in ["touch /etc/x", "cat ~/.ssh/id_rsa || cat /root/.bashrc || ls /"] {
        let words = notices(&place, command).await;
        assert!(words.contains("commands write only in"), "{command}: {words}");
        assert!(words.contains("\"needs\": {\"read\": [\"/PATH\"]}"), "{command}: {words}");
        assert!(words.contains("no server outside"), "{command}: {words}");
    }
    let words = notices(&place, "echo x > .git/config").await;
    assert!(words.contains("\"needs\": {\"git\": true}"), "{words}");
    for command in [
        "python3 -c 'import urllib.request as u; u.urlopen(\"http://127.0.0.1:1\")'",
        "echo x > /dev/tcp/127.0.0.1/1",
    ] {
        let words = notices(&place, command).await;
        assert!(words.contains("no server outside"), "{command}: {words}");
    }
    let words = notices(&place, "silcrow-no-such-program --help").await;
    assert!(words.contains("exit status 127") && words.contains("was not found"), "{words}");
}

#[tokio::test]
async fn successful_command_gets_no_hints() {
    let output = Place::new().run("echo 'Permission denied, Connection refused'").await;
    assert_eq!(output.notices, ["exit status 0"]);
    assert_eq!(text(&output), "Permission denied, Connection refused\n");
}

#[tokio::test]
async fn set_aside_files_are_named_by_path() {
    let place = Place::with(|options| options.with_protected_name(".envrc"));
    std::fs::create_dir_all(place.folder.path().join("a")).unwrap();
    let words = notices(&place, "echo x > a/.envrc").await;
    assert!(words.contains("a/.envrc.set-aside-1; `file_write`"), "{words}");
    let make = "for i in 1 2 3 4 5 6 7; do mkdir a/$i; echo x > a/$i/.envrc; done";
    let words = notices(&place, make).await;
    assert!(words.contains(" and 2 more;"), "{words}");
    assert_eq!(notices(&place, "cat a/1/.envrc.set-aside-1").await, "exit status 0");
}

#[tokio::test]
async fn unprevented_change_is_reported() {
    use silcrow_sandbox::SandboxLayers;
    let without = SandboxLayers { namespaces: false, ..SandboxLayers::ALL };
    let place = Place::with(|options| options.with_protected_name(".envrc").with_layers(without));
    std::fs::create_dir_all(place.folder.path().join("a/b")).unwrap();
    std::fs::write(place.folder.path().join("a/b/.envrc"), "").unwrap();
    let words = notices(&place, "echo x > a/b/.envrc").await;
    assert!(words.contains("could not prevent it here"), "{words}");
    assert!(words.contains("a/b/.envrc"), "{words}");
}

#[tokio::test]
async fn set_aside_files_are_named() {
    let place = Place::with(|options| options.with_protected(".git"));
    let words = notices(&place, "mkdir .git").await;
    let named = words.contains(".git.set-aside-1") || words.contains("commands write only in");
    assert!(named, "{words}");
    assert!(!place.folder.path().join(".git").exists());
}

#[tokio::test]
async fn person_sees_set_aside_files() {
    let place = Place::with(|options| options.with_protected_name(".envrc"));
    let output = place.run("mkdir a; echo x > a/.envrc").await;
    assert!(output.summary.starts_with("exit status 0; set aside"), "{}", output.summary);
    assert!(output.summary.ends_with("a/.envrc.set-aside-1"), "{}", output.summary);
    assert_eq!(place.run("true").await.summary, "exit status 0");
}
