//! The argument of a call that matters, in a few words.

use silcrow_event::Call;

/// Returns the argument by which a person recognizes a call, or all of them if none stands out.
pub(super) fn about(tool: &str, args: &str) -> String {
    // The list is shown by itself.
    if tool == "todo" {
        return String::new();
    }
    let Ok(members) = Call::members(args) else { return String::new() };
    let named = NAMES.iter().find_map(|name| members.iter().find(|member| member.key() == *name));
    let one = match &*members {
        [only] => Some(only),
        _ => named,
    };
    match one {
        Some(member) => {
            let text = serde_json::from_str::<String>(member.value());
            let text = text.unwrap_or_else(|_| member.value().to_owned());
            text.trim().replace("\r\n", "\n").replace('\n', "⏎")
        }
        None if members.is_empty() => String::new(),
        None => args.to_owned(),
    }
}

/// The names of arguments by which calls are recognized, the telling ones first.
const NAMES: [&str; 15] = [
    "command", "url", "title", "query", "pattern", "file", "path", "key", "name", "agent", "task",
    "prompt", "input", "text", "id",
];

#[test]
fn summary_picks_the_main_argument() {
    for (args, expected) in [
        (r#"{"command":"cargo test\n--all","timeout":30}"#, "cargo test⏎--all"),
        (r#"{"content":"long","file":"a.txt"}"#, "a.txt"),
        (r#"{"pattern":"fn \u006dain","path":"src"}"#, "fn main"),
        (r#"{"whatever":12}"#, "12"),
        (r#"{"x":1,"y":2}"#, r#"{"x":1,"y":2}"#),
        ("{}", ""),
    ] {
        assert_eq!(about("t", args), expected);
    }
}
