//! The built-in prompt commands: `init` writes instructions for a project, and `review` looks at
//! changes.
//!
//! A command of the person of the same name counts in their place.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use silcrow_settings::DeclaredServer;

use crate::error::Error;
use crate::prompt::{AttachedSource, Attachment, PromptDraft};

/// The names of the commands, each with a few words about it.
pub(crate) const BUILT_IN: [(&str, &str); 2] = [
    ("init", "write AGENTS.md, the instructions for agents in this folder"),
    ("review", "review changes: those that are not committed, or since a branch or commit"),
];

/// Begins the prompt of a command with these words, or returns `None` for another name.
pub(crate) fn draft(
    name: &str,
    words: &str,
    root: &Path,
    servers: &[DeclaredServer],
) -> Option<Result<PromptDraft, Error>> {
    match name {
        "init" => Some(PromptDraft::typed(&with_words(INIT, words), root, servers)),
        "review" => Some(review(words, root)),
        _ => None,
    }
}

/// Begins the review of uncommitted changes, or of changes since a branch or a commit, if the first
/// word names one. Other words say what matters.
fn review(words: &str, root: &Path) -> Result<PromptDraft, Error> {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let base =
        (!first.is_empty() && !first.starts_with('-')).then(|| merge_base(first, root)).flatten();
    let (since, words) = match &base {
        Some(base) => (&**base, rest),
        None => ("HEAD", words),
    };
    let changed = git(&["diff", "--no-ext-diff", "--no-textconv", since], root)?;
    let new = git(&["ls-files", "--others", "--exclude-standard"], root).unwrap_or_default();
    if changed.trim().is_empty() && new.trim().is_empty() {
        return Err(Error::given(match &base {
            Some(_) => format!("nothing has changed since {first}"),
            None => {
                "nothing has changed since the last commit; name a branch or a commit".to_owned()
            }
        }));
    }
    let mut draft = PromptDraft::of_words(with_words(REVIEW, words));
    let attached = |name: String, text| Attachment {
        name,
        what: AttachedSource::OwnCommand,
        text,
        medium: None,
    };
    draft.add([attached(format!("git diff {since}"), changed)]);
    if !new.trim().is_empty() {
        draft.add([attached("git ls-files --others".to_owned(), new)]);
    }
    Ok(draft)
}

fn with_words(prompt: &str, words: &str) -> String {
    match words.trim() {
        "" => prompt.to_owned(),
        words => format!("{prompt}\n\nThe person adds: {words}"),
    }
}

/// Returns the commit at which the work branched off from a branch or a commit, if the word names
/// one.
fn merge_base(name: &str, root: &Path) -> Option<String> {
    let commit =
        git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")], root).ok()?;
    let base = git(&["merge-base", "HEAD", commit.trim()], root).ok()?;
    let base = base.trim();
    base.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| base.to_owned())
}

/// Returns the beginning of git's output. It runs no program of the repository.
fn git(args: &[&str], root: &Path) -> Result<String, Error> {
    let failed = |error: io::Error| Error::failed(format!("git cannot be asked: {error}"));
    let mut command = Command::new("git");
    command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager"]);
    command.args(args).current_dir(root).stdin(Stdio::null()).stdout(Stdio::piped());
    command.env("GIT_OPTIONAL_LOCKS", "0").stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let (mut bytes, mut more) = (Vec::new(), false);
    if let Some(output) = child.stdout.take() {
        output.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        more = bytes.len() as u64 > MOST_BYTES;
        bytes.truncate(usize::try_from(MOST_BYTES).unwrap_or(usize::MAX));
    }
    let status = child.wait().map_err(failed)?;
    if !status.success() && !more {
        return Err(Error::given(
            "this folder is in no repository of git, or it has no commit yet",
        ));
    }
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if more {
        text += "\n[the rest is left out: look at single files with git diff]\n";
    }
    Ok(text)
}

const INIT: &str = "\
Write `AGENTS.md` in the root: what an agent has to know to work here. First explore: how to build, test and lint \
as the manifests and the CI say it, the layout, and conventions that a newcomer would break. Take over what \
`CLAUDE.md`, `GEMINI.md`, `.cursor/rules` and `.github/copilot-instructions.md` say, if they exist. Write nothing \
that is true of any project, nothing that you have not seen, and at most 60 lines. If there is an `AGENTS.md`, \
edit it and keep what is right. End with that one file, and change nothing else.";

const REVIEW: &str = "\
Review the changes below, and change nothing. Read the code around them before you judge. Look for what breaks: \
wrong results, lost data, races, missing cases, insecure use, tests that cannot fail. Leave style out unless it \
misleads. Answer with a numbered list, the worst first; each finding has a priority from P0 (breaks in normal use) \
to P3 (worth knowing), a title in bold, the place as `file:line` within the changes, and why it is wrong in a \
sentence or two. Say so if there is nothing.";

/// The number of bytes of changes that are read.
const MOST_BYTES: u64 = 200 << 10;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn run(args: &[&str], root: &Path) {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
        ]);
        assert!(
            command.args(args).current_dir(root).output().unwrap().status.success(),
            "{args:?}"
        );
    }

    fn review_of(words: &str, root: &Path) -> Result<String, Error> {
        let built = draft("review", words, root, &[]).unwrap()?.build()?;
        Ok(built.content.text().into_owned())
    }

    #[test]
    fn review_has_uncommitted_or_branch_changes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(review_of("", root).is_err(), "it is not a repository");
        run(&["init", "-q"], root);
        fs::write(root.join("a.txt"), "one\n").unwrap();
        run(&["add", "."], root);
        run(&["commit", "-qm", "first"], root);
        let error = review_of("", root).unwrap_err();
        assert!(error.message().starts_with("nothing has changed"), "{error}");
        run(&["checkout", "-qb", "topic"], root);
        fs::write(root.join("a.txt"), "two\n").unwrap();
        run(&["commit", "-qam", "second"], root);
        fs::write(root.join("new.txt"), "").unwrap();
        let text = review_of("main and its tests", root).unwrap();
        assert!(text.contains("+two") && text.contains("new.txt"), "{text}");
        assert!(text.contains("The person adds: and its tests"), "{text}");
        let text = review_of("only names", root).unwrap();
        assert!(!text.contains("+two") && text.contains("The person adds: only names"), "{text}");
        assert!(draft("other", "", root, &[]).is_none());
    }
}
