//! The tool `skill`, with which a model reads the instructions and the files of a skill.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_sanitize::{sanitize, sanitize_line};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy, closest_names};

use crate::skill::Skill;

/// The tool `skill {name, file?}`. Its description lists the skills.
pub struct SkillTool {
    skills: Arc<[Arc<Skill>]>,
    description: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillArgs {
    name: String,
    file: Option<String>,
}

impl SkillTool {
    pub(crate) fn new(skills: Arc<[Arc<Skill>]>) -> Self {
        let mut description = ABOUT.to_owned();
        let known = skills.iter().filter(|skill| skill.is_for_model());
        for (index, skill) in known.enumerate() {
            let line = format!("\n- {}: {}", skill.name(), shortened(skill.description()));
            if description.len() + line.len() > MOST_BYTES {
                let more = skills.iter().filter(|skill| skill.is_for_model()).count() - index;
                write!(description, "\n- and {more} more, which only the person starts")
                    .expect("a text takes all");
                break;
            }
            description.push_str(&line);
        }
        Self { skills, description }
    }

    fn read(&self, args: &SkillArgs) -> Result<ToolOutput, ToolError> {
        let mut known = self.skills.iter().filter(|skill| skill.is_for_model());
        let Some(skill) = known.clone().find(|skill| skill.name() == args.name) else {
            let near = closest_names(&args.name, known.by_ref().map(|skill| skill.name()));
            let hint =
                near.first().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            return Err(ToolError::new(format!("unknown skill `{}`{hint}", args.name)));
        };
        if let Some(file) = &args.file {
            let text = skill.read_file(file).map_err(ToolError::new)?;
            return Ok(ToolOutput::new(format!("{} {file}", args.name), sanitize(&text)));
        }
        let output = ToolOutput::new(
            format!("{} lines", skill.body().lines().count()),
            sanitize(skill.body()),
        );
        let folder = sanitize_line(&skill.folder().to_string_lossy()).into_owned();
        let output = output.with_notice(format!("the folder of the skill is {folder}"));
        Ok(match skill.files() {
            [] => output,
            files => {
                let shown: Vec<_> = files.iter().take(MOST_FILES).map(String::as_str).collect();
                output.with_notice(format!(
                    "its files, which a call with `file` reads: {}",
                    sanitize_line(&shown.join(", "))
                ))
            }
        })
    }
}

impl Tool for SkillTool {
    fn name(&self) -> &str {
        "skill"
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, idempotent: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { self.read(&args.read()?) }.boxed()
    }
}

impl fmt::Debug for SkillTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillTool").field("skills", &self.skills.len()).finish_non_exhaustive()
    }
}

fn shortened(text: &str) -> String {
    let line = sanitize_line(text);
    match line.char_indices().nth(MOST_OF_DESCRIPTION) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

const ABOUT: &str = "Returns the instructions of a skill, or one of its files. Call it before you begin \
                     what a skill is for. The person trusts these instructions, and outranks them. Skills:";

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"name":{"type":"string"},"#,
    r#""file":{"type":"string","description":"a file of the skill"}},"#,
    r#""required":["name"],"additionalProperties":false}"#,
);

/// The number of bytes of the description.
const MOST_BYTES: usize = 8 << 10;

/// The maximum number of characters of a skill's purpose that are shown.
const MOST_OF_DESCRIPTION: usize = 250;

/// The number of files that are named.
const MOST_FILES: usize = 50;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{SkillFolder, Skills};

    #[tokio::test]
    async fn instructions_and_files_are_read_on_demand() {
        let home = tempfile::tempdir().unwrap();
        for (name, more) in [("release", ""), ("secret", "disable-model-invocation: true\n")] {
            let folder = home.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            let text = format!("---\ndescription: About {name}.\n{more}---\nDo \x1b[2J it.");
            fs::write(folder.join("SKILL.md"), text).unwrap();
            fs::write(folder.join("list.txt"), "one").unwrap();
        }
        let folders = [SkillFolder::of_person(home.path().to_owned())];
        let tool = Skills::read(&folders, &|_, _| false).tool().unwrap();
        assert!(tool.description().ends_with("\n- release: About release."));
        let context = CallContext::new("c", "a");
        let read = tool.call(ToolArgs::new(r#"{"name":"release"}"#), &context).await.unwrap();
        assert_eq!(read.content.text(), "Do \\x1b[2J it.");
        assert!(read.notices[1].ends_with("list.txt"));
        let file = ToolArgs::new(r#"{"name":"release","file":"list.txt"}"#);
        assert_eq!(tool.call(file, &context).await.unwrap().content.text(), "one");
        for (args, why) in [
            (r#"{"name":"relaese"}"#, "did you mean `release`?"),
            (r#"{"name":"secret"}"#, "unknown skill `secret`"),
            (r#"{"name":"release","file":"../x"}"#, "the skill has no file ../x"),
        ] {
            let error = tool.call(ToolArgs::new(args), &context).await.unwrap_err().into_words();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_long_list_is_bounded() {
        let home = tempfile::tempdir().unwrap();
        for number in 0..100 {
            let folder = home.path().join(format!("skill-{number}"));
            fs::create_dir_all(&folder).unwrap();
            let about = "x".repeat(1000);
            fs::write(folder.join("SKILL.md"), format!("---\ndescription: {about}\n---\n"))
                .unwrap();
        }
        let folders = [SkillFolder::of_person(home.path().to_owned())];
        let tool = Skills::read(&folders, &|_, _| false).tool().unwrap();
        assert!(tool.description().len() < MOST_BYTES + 100);
        assert!(tool.description().ends_with("more, which only the person starts"));
    }
}
