//! The rules that a person keeps for a folder when they answer a question.
//!
//! A rule is kept in the person's own policy file, because a project's file can only narrow, and
//! the running agent applies it at once. This module has the policy of a run and the file. It does
//! not ask.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use silcrow_policy::{PolicyFile, PolicyOwner, ProposedRule, SharedPolicy};
use silcrow_system::lock_folder;
use silcrow_tool::ApprovalRequest;

use crate::error::Error;
use crate::owned;
use crate::tool_policies::ToolPolicies;

/// Proposes rules for calls that a person is asked about, and keeps them.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_policy::{Confinement, PermissionMode, Policy, SharedPolicy};
/// use silcrow_settings::{KeptRules, ToolPolicies};
/// use silcrow_tool::{ApprovalRequest, Toolbox};
///
/// # let home = tempfile::tempdir().unwrap();
/// let policy = Policy::new(PermissionMode::Ask).with_confinement(Confinement::FilesAndNetwork);
/// let policy = Arc::new(SharedPolicy::new(policy.with_root("/home/ada/app")));
/// let tools = ToolPolicies::from_tools(&Toolbox::new());
/// let rules = KeptRules::new(&policy, &tools, home.path().join("policy.toml"));
/// // Only a call of a known tool can get a rule.
/// let question = ApprovalRequest::new("a1", "file_write", r#"{"file":"a.txt"}"#);
/// assert!(rules.propose(question).is_none());
/// ```
#[derive(Clone, Debug)]
pub struct KeptRules {
    policy: Arc<SharedPolicy>,
    tools: ToolPolicies,
    /// The person's policy file.
    file: PathBuf,
}

impl KeptRules {
    /// Keeps rules for a run with this policy and these tools, in a policy file that may not exist yet.
    pub fn new(policy: &Arc<SharedPolicy>, tools: &ToolPolicies, file: PathBuf) -> Self {
        Self { policy: Arc::clone(policy), tools: tools.clone(), file }
    }

    /// Uses another policy, which has the same rules.
    pub fn with_policy(self, policy: &Arc<SharedPolicy>) -> Self {
        Self { policy: Arc::clone(policy), ..self }
    }

    /// Returns the file that keeps the rules.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the rule that would allow such calls in the folder of this run, or `None` for a call
    /// that rules must not allow.
    pub fn propose(&self, question: ApprovalRequest<'_>) -> Option<ProposedRule> {
        self.tools.request(question, |request| self.policy.propose(request)).flatten()
    }

    /// Keeps a rule, for this run and in the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, or would no longer be a policy file.
    pub fn keep(&self, rule: &ProposedRule) -> Result<(), Error> {
        append(&self.file, &rule.to_toml()).map_err(|error| {
            let file = self.file.display();
            Error::failed(format!("the rule is not kept, because {file} {error}"))
        })?;
        // It was read from the file, so it can be read.
        let _ = self.policy.add(rule);
        Ok(())
    }
}

/// Adds a rule to the end of a policy file, which is replaced as a whole. Everything in it stays.
fn append(file: &Path, rule: &str) -> io::Result<()> {
    // The file may be a link, which stays one.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().unwrap_or_else(|| Path::new("/"));
    fs::create_dir_all(folder)?;
    // Another process may keep a rule at the same time.
    let _lock = lock_folder(folder)?;
    let before = match owned::read(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io::Error::other(format!("cannot be read: {error}"))),
    };
    let after = appended(&before, rule);
    if after != before {
        let wrong = |error| io::Error::other(format!("would not be right any more: {error}"));
        PolicyFile::parse("it", &after, PolicyOwner::Person).map_err(wrong)?;
        let unwritten = |error| io::Error::other(format!("cannot be written: {error}"));
        owned::write(&file, &after).map_err(unwritten)?;
    }
    Ok(())
}

/// Returns the text of a policy file with another rule, with the line ends that it has.
fn appended(before: &str, rule: &str) -> String {
    let is_windows = before.contains("\r\n");
    let plain = before.replace("\r\n", "\n");
    if plain.contains(rule) {
        return before.to_owned();
    }
    let gap = match &*plain {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let after = format!("{plain}{gap}# Kept by an answer to a question.\n{rule}");
    if is_windows { after.replace('\n', "\r\n") } else { after }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    const RULE: &str = "[[rules]]\neffect = \"allow\"\ntool = \"x\"\nroot = \"/r\"\n";

    #[test]
    fn rule_is_added_once_without_other_changes() {
        let kept = format!("# Kept by an answer to a question.\n{RULE}");
        assert_eq!(appended("", RULE), kept);
        let mine = "# mine\nmode = \"ask\" # yes";
        let after = appended(mine, RULE);
        assert_eq!(after, format!("{mine}\n\n{kept}"));
        assert_eq!(appended(&after, RULE), after);
        let windows = appended("mode = \"ask\"\r\n", RULE);
        assert_eq!(windows.matches('\n').count(), windows.matches("\r\n").count());
        assert_eq!(appended(&windows, RULE), windows);
        // The rule of a longer path differs.
        let longer = RULE.replace("/r", "/r2");
        assert!(appended(&after, &longer).ends_with(&longer));
    }

    #[test]
    fn rules_file_is_private_and_links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("new/policy.toml"), folder.path().join("link.toml"));
        append(&file, RULE).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        symlink(&file, &link).unwrap();
        append(&link, &RULE.replace("/r", "/other")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap().matches("[[rules]]").count(), 2);
    }

    #[test]
    fn invalid_or_shared_rules_file_stays_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.toml");
        let inline = "rules = [{ effect = \"deny\", tool = \"x\" }]\n";
        fs::write(&file, inline).unwrap();
        let error = append(&file, RULE).unwrap_err().to_string();
        assert!(error.starts_with("would not be right any more: it, line "), "{error}");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        let error = append(&file, RULE).unwrap_err().to_string();
        assert!(error.starts_with("cannot be read: others can write"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "");
    }
}
