//! The file of a policy: a mode and rules in TOML, checked with the line of each mistake.
//!
//! This module reads the fields. A person's file may allow calls, and a project's file may not.

use std::ops::Range;
use std::path::{Component, Path};
use std::time::Duration;

use silcrow_event::Grant;
use silcrow_tool::closest_names;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::command_pattern::CommandPattern;
use crate::error::{Error, ErrorKind};
use crate::facts::SHELL;
use crate::mode::PermissionMode;
use crate::pattern::{HostPattern, PathPattern, TextPattern};
use crate::policy_owner::PolicyOwner;
use crate::rule::{PermissionRule, RuleEffect};

/// The checked contents of a policy file.
///
/// ```
/// use silcrow_policy::{PermissionMode, PolicyFile, PolicyOwner};
///
/// let text = r#"
/// mode = "workspace"
///
/// [[rules]]
/// effect = "allow"
/// tool = "shell"
/// command = ["cargo test *", "cargo check *"]
/// "#;
/// let file = PolicyFile::parse("policy.toml", text, PolicyOwner::Person)?;
/// assert_eq!(file.mode(), Some(PermissionMode::Workspace));
///
/// let error = PolicyFile::parse("silcrow-policy.toml", text, PolicyOwner::Project).unwrap_err();
/// assert!(error.to_string().starts_with("silcrow-policy.toml, line 5, `effect`: "));
/// # Ok::<(), silcrow_policy::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolicyFile {
    pub(crate) owner: PolicyOwner,
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) rules: Vec<PermissionRule>,
}

impl PolicyFile {
    /// Parses the text of a file. `name` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns an error that names the line, the field and the correction.
    pub fn parse(name: &str, text: &str, owner: PolicyOwner) -> Result<Self, Error> {
        let source = PolicySource { name, text, owner };
        source.file(source.document()?.get_ref())
    }

    /// Parses one table of a file that has other tables, such as `[policy]` in a file of settings.
    /// `path` has the keys that lead to the table. Returns `None` if the table is missing.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`parse`](Self::parse), with the lines of the whole file.
    pub fn parse_table(
        name: &str,
        text: &str,
        path: &[&str],
        owner: PolicyOwner,
    ) -> Result<Option<Self>, Error> {
        let source = PolicySource { name, text, owner };
        let document = source.document()?;
        let mut table = document.get_ref();
        for key in path {
            match table.get(*key).map(Spanned::get_ref) {
                Some(DeValue::Table(inner)) => table = inner,
                _ => return Ok(None),
            }
        }
        source.file(table).map(Some)
    }

    /// Returns the mode that the file sets.
    pub const fn mode(&self) -> Option<PermissionMode> {
        self.mode
    }

    /// Returns the number of rules.
    pub const fn rules(&self) -> usize {
        self.rules.len()
    }

    /// Checks the names of tools in its rules. An unknown name is fine, because another run may
    /// have the tool, unless it resembles a known one.
    ///
    /// # Errors
    ///
    /// Returns an error that names the line and the name that was probably meant.
    pub fn check_tools(&self, known: &[&str]) -> Result<(), Error> {
        for rule in &self.rules {
            let name = rule.tool.as_str();
            let is_pattern = name.contains(['*', '?', '[', '{']);
            // A name with a dot belongs to a server's tool, which is known only once the server
            // runs.
            if is_pattern || name.contains('.') || known.contains(&name) {
                continue;
            }
            if let Some(near) = closest_names(name, known.iter().copied()).first() {
                let (file, line) = (&rule.source, rule.line);
                let message = format!(
                    "{file}, line {line}, `tool`: unknown tool `{name}`; did you mean `{near}`?"
                );
                return Err(Error::new(ErrorKind::Invalid, message));
            }
        }
        Ok(())
    }
}

type FileKey<'a> = Spanned<std::borrow::Cow<'a, str>>;
type FileValue<'a> = Spanned<DeValue<'a>>;

/// The text of a file, for messages.
struct PolicySource<'a> {
    name: &'a str,
    text: &'a str,
    owner: PolicyOwner,
}

impl<'a> PolicySource<'a> {
    fn document(&self) -> Result<Spanned<DeTable<'a>>, Error> {
        DeTable::parse(self.text)
            .map_err(|error| self.error(error.span().unwrap_or_default(), None, error.message()))
    }

    fn file(&self, table: &DeTable<'_>) -> Result<PolicyFile, Error> {
        let mut file = PolicyFile { owner: self.owner, mode: None, rules: Vec::new() };
        for (key, value) in table {
            match &**key.get_ref() {
                "mode" => {
                    let mode = self.text(key, value)?.parse();
                    let mode = mode.map_err(|error: Error| self.wrong(key, error))?;
                    file.mode = Some(mode);
                }
                "rules" => {
                    let DeValue::Array(rules) = value.get_ref() else {
                        return Err(self.wrong(key, "write each rule below a line `[[rules]]`"));
                    };
                    for rule in rules {
                        file.rules.push(self.rule(rule)?);
                    }
                }
                other => return Err(self.unknown(key, other, &["mode", "rules"])),
            }
        }
        Ok(file)
    }

    fn rule(&self, value: &FileValue<'_>) -> Result<PermissionRule, Error> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.error(value.span(), None, "write each rule below a line `[[rules]]`"));
        };
        let missing = |field: &str, why: &str| {
            self.error(value.span(), None, &format!("this rule has no `{field}`: {why}"))
        };
        let (effect_key, effect) = table
            .get_key_value("effect")
            .ok_or_else(|| missing("effect", "write allow, ask or deny"))?;
        let effect = self.effect(effect_key, effect)?;
        let (key, tool) = table
            .get_key_value("tool")
            .ok_or_else(|| missing("tool", "write the name of a tool, or `*` for all"))?;
        let tool = self.text(key, tool)?;
        let mut rule = PermissionRule::new(effect, tool).map_err(|error| self.wrong(key, error))?;
        rule.source = self.name.to_owned();
        rule.line = self.line(key.span());
        rule.owner = self.owner;
        for (key, value) in table {
            match &**key.get_ref() {
                "effect" | "tool" => {}
                "agent" => {
                    rule.agent =
                        Some(self.parsed(key, self.text(key, value)?, TextPattern::parse)?)
                }
                "path" => rule.paths = self.all(key, value, PathPattern::parse)?,
                "host" => rule.hosts = self.all(key, value, HostPattern::parse)?,
                "command" if rule.tool.matches(SHELL) => {
                    rule.commands = self.all(key, value, CommandPattern::parse)?;
                }
                "command" => {
                    let why = format!("only `{SHELL}` runs commands, and not `{tool}`");
                    return Err(self.wrong(key, why));
                }
                "args" => {
                    let DeValue::Table(args) = value.get_ref() else {
                        return Err(self.wrong(key, "write `args = { name = \"pattern\" }`"));
                    };
                    for (name, value) in args {
                        let pattern =
                            self.parsed(name, self.text(name, value)?, TextPattern::parse)?;
                        rule.args.push((name.get_ref().to_string(), pattern));
                    }
                }
                "root" => {
                    let root = Path::new(self.text(key, value)?);
                    if !root.is_absolute()
                        || root.components().any(|part| part == Component::ParentDir)
                    {
                        let why = "write the absolute path of a folder, without links and `..`";
                        return Err(self.wrong(key, why));
                    }
                    rule.root = Some(root.to_owned());
                }
                "background" => rule.background = Some(self.switch(key, value)?),
                "timeout" if effect == RuleEffect::Allow => {
                    rule.timeout = Some(self.seconds(key, value)?);
                }
                "timeout" => {
                    let why =
                        "only a rule that allows has it: the longest time limit that it covers";
                    return Err(self.wrong(key, why));
                }
                "grants" => {
                    let grants = self.all(key, value, |text| {
                        text.parse::<Grant>().map_err(|error| error.to_string())
                    })?;
                    rule.grants = grants.into_iter().collect();
                }
                "without_sandbox" => rule.without_sandbox = self.switch(key, value)?,
                "reason" => rule.reason = Some(self.text(key, value)?.to_owned()),
                other => return Err(self.unknown(key, other, &FIELDS)),
            }
        }
        Ok(rule)
    }

    fn switch(&self, key: &FileKey<'_>, value: &FileValue<'_>) -> Result<bool, Error> {
        match value.get_ref() {
            DeValue::Boolean(is_on) => Ok(*is_on),
            _ => Err(self.wrong(key, "write true or false")),
        }
    }

    fn seconds(&self, key: &FileKey<'_>, value: &FileValue<'_>) -> Result<Duration, Error> {
        let seconds = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            _ => None,
        };
        seconds.map(Duration::from_secs).ok_or_else(|| self.wrong(key, "write a number of seconds"))
    }

    fn effect(&self, key: &FileKey<'_>, value: &FileValue<'_>) -> Result<RuleEffect, Error> {
        let name = self.text(key, value)?;
        let effect = RuleEffect::ALL.into_iter().find(|effect| effect.as_str() == name);
        match (effect, self.owner) {
            (None, _) => Err(self.unknown(key, name, &RuleEffect::ALL.map(RuleEffect::as_str))),
            (Some(RuleEffect::Allow), PolicyOwner::Project) => {
                let why = "the policy of a project can only narrow, so it allows nothing; move this \
                           rule to your own policy, or remove it";
                Err(Error::new(ErrorKind::Widens, self.placed(key.span(), Some(key), why)))
            }
            (Some(effect), _) => Ok(effect),
        }
    }

    fn text<'v>(&self, key: &FileKey<'_>, value: &'v FileValue<'_>) -> Result<&'v str, Error> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong(key, "write a text in quotes")),
        }
    }

    /// Reads one pattern, or a list of them.
    fn all<T>(
        &self,
        key: &FileKey<'_>,
        value: &FileValue<'_>,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, Error> {
        let DeValue::Array(values) = value.get_ref() else {
            return Ok(vec![self.parsed(key, self.text(key, value)?, parse)?]);
        };
        if values.is_empty() {
            return Err(self.wrong(key, "this list is empty, so the rule would match nothing"));
        }
        values.iter().map(|value| self.parsed(key, self.text(key, value)?, parse)).collect()
    }

    fn parsed<T>(
        &self,
        key: &FileKey<'_>,
        text: &str,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<T, Error> {
        parse(text).map_err(|why| self.wrong(key, why))
    }

    fn unknown(&self, key: &FileKey<'_>, name: &str, known: &[&str]) -> Error {
        let why = match closest_names(name, known.iter().copied()).first() {
            Some(near) => format!("unknown name `{name}`; did you mean `{near}`?"),
            None => format!("unknown name `{name}`; use {}", known.join(", ")),
        };
        self.wrong(key, why)
    }

    fn wrong(&self, key: &FileKey<'_>, why: impl std::fmt::Display) -> Error {
        self.error(key.span(), Some(key), &why.to_string())
    }

    fn error(&self, at: Range<usize>, key: Option<&FileKey<'_>>, why: &str) -> Error {
        Error::new(ErrorKind::Invalid, self.placed(at, key, why))
    }

    fn placed(&self, at: Range<usize>, key: Option<&FileKey<'_>>, why: &str) -> String {
        let line = self.line(at);
        let field = key.map_or_else(String::new, |key| format!(", `{}`", key.get_ref()));
        format!("{}, line {line}{field}: {why}", self.name)
    }

    fn line(&self, at: Range<usize>) -> usize {
        1 + self.text[..at.start.min(self.text.len())].matches('\n').count()
    }
}

/// The fields of a rule.
const FIELDS: [&str; 13] = [
    "effect",
    "tool",
    "agent",
    "path",
    "host",
    "command",
    "args",
    "root",
    "background",
    "timeout",
    "without_sandbox",
    "grants",
    "reason",
];
