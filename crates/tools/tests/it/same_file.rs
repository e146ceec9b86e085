//! The written file is the approved one, or none is written.

use std::fs;

use serde_json::json;
use silcrow_tool::{CallContext, Tool as _, ToolArgs};

use crate::protected::{all, place, preview};
use crate::{why, writer_that_read};

#[tokio::test]
async fn preview_names_the_file_and_its_change() {
    let place = place();
    for (file, text, target, effect) in [
        ("new/a.txt", "one\ntwo", "new/a.txt", "creates a file of 7 bytes, 2 lines"),
        ("docs/./../docs/a.md", "", "docs/a.md", "empties the file of 1 line"),
        ("link-sub/x", "1", "sub/x", "creates a file of 1 byte, 1 line"),
        ("docs/up/docs/a.md", "2", "docs/a.md", "replaces 1 of 1 line with 1 line"),
        ("a\nb", "1", "a\\nb", "creates a file of 1 byte, 1 line"),
    ] {
        let preview = preview(&place, file, text).await.unwrap();
        assert_eq!(preview.target.as_deref(), Some(target));
        assert_eq!(preview.effect.as_deref(), Some(effect));
        assert_eq!(preview.scope, format!("file {target}"));
    }
    assert!(!place.path().join("new").exists(), "looking makes nothing");
}

/// A person was asked about one file, and a link on the way leads elsewhere by then.
#[tokio::test]
async fn only_the_approved_file_is_written() {
    let place = place();
    place.put("a/x.txt", "of a").put("b/x.txt", "of b").link("a", "way");
    let approved = preview(&place, "way/x.txt", "new").await.unwrap();
    assert_eq!(approved.scope, "file a/x.txt");
    fs::remove_file(place.path().join("way")).unwrap();
    place.link("b", "way");
    let args = json!({"file": "way/x.txt", "content": "new"}).to_string();
    let context = CallContext::new("c", "a1").with_approved(Some(approved));
    let tool = writer_that_read(&place.root, "a/x.txt").await;
    let before = all(&place);
    assert_eq!(
        why(tool.call(ToolArgs::new(&args), &context).await),
        "`way/x.txt` leads to another file than before; nothing was written; look at it and call \
         again"
    );
    assert!(all(&place) == before);
    fs::remove_file(place.path().join("way")).unwrap();
    place.link("a", "way");
    tool.call(ToolArgs::new(&args), &context).await.unwrap();
    assert_eq!(place.get("a/x.txt"), "new");
}

/// The folder is moved to a place where nothing may be written, while the new text is on its way
/// there.
#[test]
fn moving_folder_gets_nothing() {
    let place = place();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (here, there) = (place.path().join("moving"), place.path().join(".git/moving"));
    let text = "x".repeat(4 << 20);
    let mut refused = false;
    for _ in 0..1000 {
        fs::create_dir(&here).unwrap();
        let written = std::thread::scope(|scope| {
            scope.spawn(|| {
                while fs::read_dir(&here).unwrap().next().is_none() {}
                fs::rename(&here, &there).unwrap();
            });
            runtime.block_on(place.write("moving/hook", &text))
        });
        let names = fs::read_dir(&there).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<_> = names.collect();
        if let Err(why) = written {
            assert!(why.to_string().contains("leads to another file than before"), "{why}");
            assert!(names.is_empty(), "{names:?}");
            refused = true;
            break;
        }
        // The move came too late.
        assert_eq!(names, ["hook"]);
        fs::remove_dir_all(&there).unwrap();
    }
    assert!(refused, "it was never moved in time");
}
