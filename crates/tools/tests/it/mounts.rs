//! Mounts of protected files. They need a separate namespace.

use std::process::Command;

use serde_json::json;
use silcrow_tools::{FileRead, FileWrite, Root};

use crate::{Place, call, given, run_ignored, why};

#[test]
fn mounts_of_protected_paths_are_protected() {
    let place = Place::new();
    place.put(".git/HEAD", "x").put(".git/hooks/x.sample", "").put("mounted/git/x", "");
    place.put("mounted/hooks/x", "").put("mounted/store/x", "").put("store/db", "");
    let script = "cd \"$SILCROW_ROOT\" && mount --bind .git mounted/git \
                  && mount --bind .git/hooks mounted/hooks && mount --bind store mounted/store \
                  && exec \"$0\" \"$@\"";
    if std::env::var_os("SILCROW_WITHOUT_TMPFS").is_some() {
        return;
    }
    // If a namespace cannot be made, this fails; the variable above leaves it out.
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "bash", "-c", script]);
    command.arg(std::env::current_exe().unwrap());
    assert!(run_ignored(command, "mounts::with_mounts", &place).success());
}

#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn with_mounts() {
    let root = Root::open(given()).unwrap();
    let root = root.with_private(given().join("store"), "the store of conversations");
    let tool = FileWrite::new(&root);
    for (file, expected) in [
        ("mounted/git/config", "belongs to git"),
        ("mounted/hooks/pre-commit", "belongs to git"),
        ("mounted/store/db", "the store of conversations"),
    ] {
        let args = json!({"file": file, "content": "x"}).to_string();
        assert!(why(call(&tool, &args).await).contains(expected), "{file}");
    }
    let read = call(&FileRead::new(&root), r#"{"file":"mounted/store/db"}"#).await;
    assert!(why(read).contains("the store of conversations"));
}
