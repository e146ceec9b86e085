//! Wrong arguments, and the model's error messages about them.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::Place;

#[tokio::test]
async fn wrong_arguments_are_explained() {
    let place = Place::new();
    std::fs::write(place.folder.path().join("file"), "").unwrap();
    symlink("/etc", place.folder.path().join("out")).unwrap();
    for (args, words) in [
        (json!({"command": "  "}), "`command` is empty"),
        (json!({"command": "a\u{0}b"}), "NUL"),
        (json!({"command": "x".repeat(200_000)}), "write the script to a file"),
        (json!({"command": "ls", "timeout": 100_000}), "600"),
        (json!({"command": "ls", "folder": ".."}), "is outside the root"),
        (json!({"command": "ls", "folder": "/etc"}), "is outside the root"),
        (json!({"command": "ls", "folder": "out"}), "is outside the root"),
        (json!({"command": "ls", "folder": "missing"}), "does not exist"),
        (json!({"command": "ls", "folder": "file"}), "is not a folder"),
        (json!({"command": "ls", "cwd": "file"}), "cwd"),
    ] {
        let error = place.call(args.clone()).await.unwrap_err().to_string();
        assert!(error.contains(words), "{args}: {error}");
    }
}
