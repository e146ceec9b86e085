//! Commands that are below another one now, by their former spelling.
//!
//! `silcrow parse` means `silcrow dev parse`, and `silcrow resume` is `silcrow chat --resume`. Help, completions and manual pages have the present
//! spelling only.

use std::ffi::OsString;

/// Returns the arguments, of which the first is the name of the program, in their present spelling.
pub(crate) fn respelled(mut typed: Vec<OsString>) -> Vec<OsString> {
    if let Some(at) = command_at(&typed)
        && typed[at] == "resume"
    {
        // A session that continues is a session.
        let is_named = typed.get(at + 1).is_some_and(|id| !id.as_encoded_bytes().starts_with(b"-"));
        let flag = if is_named { "--conversation" } else { "--resume" };
        typed.splice(at..=at, ["chat".into(), flag.into()]);
        return typed;
    }
    if let Some(at) = command_at(&typed)
        && let Some(group) = typed[at].to_str().and_then(group_of)
    {
        typed.insert(at, group.into());
    }
    typed
}

/// Returns the command that has this one now.
pub(crate) fn group_of(command: &str) -> Option<&'static str> {
    let has = |(_, commands): &&(&str, &[&str])| commands.contains(&command);
    GROUPS.iter().find(has).map(|(group, _)| *group)
}

/// Returns the place of the command, which options for all commands may precede.
fn command_at(typed: &[OsString]) -> Option<usize> {
    let mut at = 1;
    loop {
        match typed.get(at)?.to_str()? {
            "--profile" => at += 2,
            word if word.starts_with("--profile=") => at += 1,
            _ => return Some(at),
        }
    }
}

/// The commands with others below them that once were commands themselves.
pub(crate) const GROUPS: [(&str, &[&str]); 2] = [
    ("dev", &["parse", "assemble", "rehearse", "grammar", "replay"]),
    ("runs", &["answer", "stop", "budget", "worker"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_command_is_respelled() {
        for (typed, means) in [
            ("silcrow parse -", "silcrow dev parse -"),
            ("silcrow --profile work stop c", "silcrow --profile work runs stop c"),
            ("silcrow --profile=work worker", "silcrow --profile=work runs worker"),
            ("silcrow --profile parse run", "silcrow --profile parse run"),
            ("silcrow dev parse", "silcrow dev parse"),
            ("silcrow runs stop", "silcrow runs stop"),
            ("silcrow run stop", "silcrow run stop"),
            ("silcrow --inline parse", "silcrow --inline parse"),
            ("silcrow --profile", "silcrow --profile"),
            ("silcrow", "silcrow"),
            ("silcrow resume", "silcrow chat --resume"),
            ("silcrow resume ab --root .", "silcrow chat --conversation ab --root ."),
            ("silcrow resume --quiet", "silcrow chat --resume --quiet"),
        ] {
            let words = typed.split(' ').map(OsString::from).collect();
            let expected: Vec<_> = means.split(' ').map(OsString::from).collect();
            assert_eq!(respelled(words), expected, "{typed}");
        }
        assert_eq!(respelled(Vec::new()), Vec::<OsString>::new());
    }
}
