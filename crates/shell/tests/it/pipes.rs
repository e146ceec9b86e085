//! A failure inside a pipe is named, and the command runs as it would without that.

use std::process::Command;

use super::{Place, text};

#[tokio::test]
async fn failure_within_a_pipeline_is_named() {
    for (command, status) in [
        ("sh -c 'echo 2 tests broke; exit 2' 2>&1 | tail -3", "exit status 0; 2 in a pipe"),
        ("false | true; echo done", "exit status 0; 1 in a pipe"),
        ("cd . && (exit 3) | cat | cat; (exit 4) | cat", "exit status 0; 3 and 4 in a pipe"),
        ("f() { false | true; }; f; echo a | cat", "exit status 0"),
        ("false | true; exit 7", "exit status 7; 1 in a pipe"),
        ("set -o pipefail; (exit 3) | true", "exit status 3"),
        ("IFS=,; (exit 3) | true", "exit status 0; 3 in a pipe"),
        ("set -eu; (exit 3) | true; echo on", "exit status 0; 3 in a pipe"),
        ("true | false", "exit status 1"),
        ("yes | head -1", "exit status 0"),
        ("yes | head -1; echo a || false", "exit status 0"),
        ("echo a || false", "exit status 0"),
        ("set -x; false | true", "exit status 0"),
    ] {
        let output = Place::new().run(command).await;
        assert_eq!(output.notices[0], status, "{command}");
    }
}

#[tokio::test]
async fn pipeline_tracking_does_not_change_behavior() {
    let place = Place::new();
    for command in [
        "set -e; false | true; echo on; false; echo never",
        "mkdir -p d; cd $_; pwd | cat; false | true; echo $_",
        "false | true; echo $? ${PIPESTATUS[@]} $_; echo $LINENO\necho $LINENO $0 $# \"$@\"",
        "trap 'echo bye' EXIT; trap 'echo error' ERR; false | true; false",
        "cat <<X | tail -1\na\nb\nX\nexit 7",
        "if false | true; then echo yes; fi; ! true | false; echo $?",
        "env | grep -c SILCROW_PIPES; echo ${BASH_ENV-unset}",
        "shopt -s lastpipe; echo a | read x; echo $x; bash -c 'false | true; trap'",
        "set -u; set -o noclobber; false | true; while read l; do echo $l | cat; done <<< a",
        "echo 'a | b' \"$(echo c | cat)\" # | comment\\",
        "exec 2>/dev/null; ls /nonexistent | cat; nosuch | cat",
        "echo a | (\nfoo",
    ] {
        let output = place.run(command).await;
        let mut plain = Command::new("/bin/bash");
        plain.env_remove("_").args(["-c", command]).current_dir(place.folder.path());
        let plain = plain.output().unwrap();
        let expected = String::from_utf8_lossy(&plain.stdout);
        // Text that goes to both streams may arrive in any order.
        if plain.stderr.is_empty() {
            assert_eq!(text(&output), expected, "{command}");
        }
        let code = plain.status.code().unwrap();
        assert!(
            output.notices[0].starts_with(&format!("exit status {code}")),
            "{command}: {output:?}"
        );
    }
}

/// Otherwise a command could run its words in a later one, which may do more.
#[tokio::test]
async fn command_cannot_change_bash_startup() {
    let script = r#"f=$(tr '\0' '\n' </proc/$$/environ | sed -n 's/^BASH_ENV=//p'); cat "$f" | head -1
        echo evil >>"$f" && echo changed; rm -f "$f" && echo removed; mv "$f" x && echo moved"#;
    let output = Place::new().run(script).await;
    let output = text(&output);
    assert!(output.contains("builtin printf"), "{output}");
    assert!(!["changed", "removed", "moved"].iter().any(|word| output.contains(word)), "{output}");
}
