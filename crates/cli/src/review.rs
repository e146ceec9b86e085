//! `silcrow review`, which has a model that only reads look at changes.
//!
//! A program gets the findings as JSON. For a check of changes the exit code says whether one of them matters.

use silcrow_interactive::AskOptions;
use silcrow_policy::PermissionMode;
use silcrow_session::{AnswerSchema, RunTarget, RunTask};

use crate::args::ReviewArgs;
use crate::failure::Failure;
use crate::prompt::prompt;
use crate::run::{WantedAnswer, perform};

/// Reviews the changes of a folder.
pub(crate) fn review(args: &ReviewArgs, mut options: AskOptions) -> Result<(), Failure> {
    options.session.policy.permissions = Some(PermissionMode::ReadOnly);
    let is_checked = std::mem::take(&mut options.json) || args.fail_on.is_some();
    let schema = is_checked.then(|| AnswerSchema::new(SCHEMA)).transpose()?;
    let form = WantedAnswer::new(args.output.as_deref(), schema.as_ref());
    let form = form.failing_on(args.fail_on.map(|priority| priority as u64));
    let (root, servers) = (options.session.root.clone(), options.session.servers.clone());
    perform(&options, RunTarget::Fresh, form, |setup| {
        let (words, named) = (args.words.join(" "), Some((setup.skills(), "review")));
        let mut expanded = prompt(Some(&words), &[], named, &root, &servers)?;
        schema.iter().for_each(|schema| schema.tell(&mut expanded.content));
        Ok(RunTask::answer(expanded, None))
    })
}

/// The form of the findings.
const SCHEMA: &str = r#"{"type":"object","required":["findings"],"additionalProperties":false,"properties":{
"findings":{"type":"array","maxItems":32,"items":{"type":"object","additionalProperties":false,
"required":["priority","title","body","file","lines"],"properties":{
"priority":{"type":"integer","minimum":0,"maximum":3},
"title":{"type":"string","maxLength":80},"body":{"type":"string"},"file":{"type":"string"},
"lines":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1,"maxItems":2},
"confidence":{"type":"number","minimum":0,"maximum":1}}}},
"summary":{"type":"string"}}}"#;
