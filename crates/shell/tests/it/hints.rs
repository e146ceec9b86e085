//! What a model reads about a command that the sandbox has denied something.

use super::{Place, text};

async fn notices(place: &Place, command: &str) -> String {
    place.run(command).await.notices.join("\n")
}

#[tokio::test]
async fn denials_are_explained() {
    let place = Place::with(|options| options.with_protected(".git"));
    std::fs::create_dir(place.folder.path().join(".git")).unwrap();
    for command in
        ["touch /etc/x", "cat ~/.ssh/id_rsa || cat /root/.bashrc || ls /", "echo x > .git/config"]
    {
        let words = notices(&place, command).await;
        assert!(words.contains("commands write only in"), "{command}: {words}");
        assert!(words.contains("the network is off"), "{command}: {words}");
    }
    for command in [
        "python3 -c 'import urllib.request as u; u.urlopen(\"http://127.0.0.1:1\")'",
        "echo x > /dev/tcp/127.0.0.1/1",
    ] {
        let words = notices(&place, command).await;
        assert!(words.contains("the network is"), "{command}: {words}");
    }
    let words = notices(&place, "silcrow-no-such-program --help").await;
    assert!(words.contains("exit status 127") && words.contains("was not found"), "{words}");
}

#[tokio::test]
async fn a_command_that_succeeds_gets_no_hints() {
    let output = Place::new().run("echo 'Permission denied, Connection refused'").await;
    assert_eq!(output.notices, ["exit status 0"]);
    assert_eq!(text(&output), "Permission denied, Connection refused\n");
}

#[tokio::test]
async fn what_is_set_aside_is_named() {
    let place = Place::with(|options| options.with_protected(".git"));
    let words = notices(&place, "mkdir .git").await;
    let named = words.contains(".git.set-aside-1") || words.contains("commands write only in");
    assert!(named, "{words}");
    assert!(!place.folder.path().join(".git").exists());
}
