//! A call as a client shows it: a kind, and the files that it is about.

use std::path::Path;

use serde_json::{Value, json};
use silcrow_tool::FileDiff;

/// Returns the kind of a tool, by which clients choose a picture.
pub(crate) fn kind(tool: &str) -> &'static str {
    match tool {
        "file_read" => "read",
        "file_write" | "file_edit" | "file_replace" => "edit",
        "file_list" | "file_search" | "recall" => "search",
        "shell" | "shell_processes" => "execute",
        "web_search" | "web_scrape" => "fetch",
        _ => "other",
    }
}

/// Returns the files that a call is about.
pub(crate) fn locations(args: &Value, folder: &Path) -> Value {
    let file = ["file", "path"].iter().find_map(|key| args[key].as_str());
    match file {
        Some(file) => {
            let path = folder.join(file).display().to_string();
            match args["offset"].as_u64() {
                Some(line) => json!([{"path": path, "line": line}]),
                None => json!([{"path": path}]),
            }
        }
        None => json!([]),
    }
}

/// Returns content that shows the lines which a call would change, one for each hunk. A file without
/// lines has no old text, by which clients know a new file.
pub(crate) fn diffs(file: &FileDiff, folder: &Path) -> Vec<Value> {
    let path = folder.join(&file.path).display().to_string();
    let mut hunks: Vec<(String, String)> = Vec::new();
    for line in file.hunks.lines() {
        let (sign, text) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        if sign == "@" {
            hunks.push(Default::default());
        }
        let Some((old, new)) = hunks.last_mut() else { continue };
        if matches!(sign, " " | "-") {
            old.push_str(text);
            old.push('\n');
        }
        if matches!(sign, " " | "+") {
            new.push_str(text);
            new.push('\n');
        }
    }
    let is_new = file.hunks.starts_with("@@ -0,0 ");
    let diff = |(old, new): (String, String)| {
        let old = (!is_new).then_some(old);
        json!({"type": "diff", "path": path, "oldText": old, "newText": new})
    };
    hunks.into_iter().map(diff).collect()
}

/// Returns content that shows the texts which a call replaces, if its arguments say so. Whole files
/// are left out, because the arguments do not have the earlier contents.
pub(crate) fn edits(tool: &str, args: &Value, folder: &Path) -> Vec<Value> {
    let Some(file) = args["file"].as_str().filter(|_| kind(tool) == "edit") else {
        return Vec::new();
    };
    let path = folder.join(file).display().to_string();
    let edits = match args["edits"].as_array() {
        Some(edits) => &edits[..],
        None => std::slice::from_ref(args),
    };
    let diff = |edit: &Value| {
        let (old, new) = (edit["old"].as_str()?, edit["new"].as_str()?);
        Some(json!({"type": "diff", "path": path, "oldText": old, "newText": new}))
    };
    edits.iter().filter_map(diff).collect()
}

/// Returns content that shows a text.
pub(crate) fn text(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;
    use silcrow_tool::FileDiff;

    use silcrow_front::call_title;

    use super::{diffs, edits, locations};

    #[test]
    fn call_has_title_and_location() {
        let args = json!({"file": "src/a.rs", "offset": 7});
        assert_eq!(call_title("file_read", &args), "file_read src/a.rs");
        let place = json!([{"path": "/work/src/a.rs", "line": 7}]);
        assert_eq!(locations(&args, Path::new("/work")), place);
        let long = call_title("shell", &json!({"command": "é".repeat(100)}));
        assert_eq!(long, format!("shell {}…", "é".repeat(80)));
        assert_eq!(locations(&json!({}), Path::new("/work")), json!([]));
    }

    #[test]
    fn edit_shows_old_and_new_text() {
        let folder = Path::new("/work");
        let one = json!({"file": "a.txt", "old": "1", "new": "one"});
        let diff = json!({"type": "diff", "path": "/work/a.txt", "oldText": "1", "newText": "one"});
        assert_eq!(edits("file_edit", &one, folder), std::slice::from_ref(&diff));
        let several = json!({"file": "a.txt", "edits": [one, {"old": "2"}]});
        assert_eq!(edits("file_edit", &several, folder), [diff]);
        assert!(edits("file_write", &json!({"file": "a.txt", "content": "x"}), folder).is_empty());
        assert!(edits("shell", &one, folder).is_empty());
    }

    #[test]
    fn each_hunk_is_a_separate_diff() {
        let hunks = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -9 +9 @@\n-é\n+e\n".to_owned();
        let shown = diffs(&FileDiff { path: "a.txt".to_owned(), hunks }, Path::new("/work"));
        let expected = [
            json!({"type": "diff", "path": "/work/a.txt", "oldText": "one\ntwo\n", "newText": "one\n2\n"}),
            json!({"type": "diff", "path": "/work/a.txt", "oldText": "é\n", "newText": "e\n"}),
        ];
        assert_eq!(shown, expected);
        let hunks = "@@ -0,0 +1 @@\n+one\n".to_owned();
        let shown = diffs(&FileDiff { path: "b.txt".to_owned(), hunks }, Path::new("/work"));
        assert_eq!((&shown[0]["oldText"], &shown[0]["newText"]), (&json!(null), &json!("one\n")));
    }
}
