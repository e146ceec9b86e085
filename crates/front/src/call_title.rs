//! The title of a call, by which a person tells it from others.

use serde_json::Value;

/// Returns the title of a call: the tool, and the first line of its subject.
///
/// ```
/// use serde_json::json;
///
/// let args = json!({"file": "src/a.rs", "offset": 7});
/// assert_eq!(silcrow_front::call_title("file_read", &args), "file_read src/a.rs");
/// ```
pub fn call_title(tool: &str, args: &Value) -> String {
    let about = SUBJECTS.iter().find_map(|key| args[key].as_str());
    match about.and_then(|about| about.lines().next()) {
        Some(about) if about.chars().count() > MAX_SUBJECT => {
            let short: String = about.chars().take(MAX_SUBJECT).collect();
            format!("{tool} {short}…")
        }
        Some(about) => format!("{tool} {about}"),
        None => tool.to_owned(),
    }
}

/// The arguments that name the subject of a call.
const SUBJECTS: [&str; 8] =
    ["command", "file", "path", "url", "query", "find", "task", "conversation"];

/// The most characters of a title after the name of the tool.
const MAX_SUBJECT: usize = 80;
