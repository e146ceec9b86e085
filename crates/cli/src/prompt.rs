//! The prompt of `silcrow run`, which was typed, is piped, or both.
//!
//! Only words that the person typed name files; words of a prompt from standard input do not.

mod piped;

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use silcrow_session::SessionSkills;
use silcrow_session::prompt::{ExpandedPrompt, PromptDraft, named_files};
use silcrow_settings::DeclaredServer;

use crate::failure::Failure;
use crate::input::Input;
use piped::PipedInput;

/// Returns the prompt of `silcrow run`, which was typed or is read from standard input.
pub(crate) fn prompt(
    given: Option<&str>,
    files: &[PathBuf],
    named: Option<(&SessionSkills, &str)>,
    root: &Path,
    servers: &[DeclaredServer],
) -> Result<ExpandedPrompt, Failure> {
    let typed = given.filter(|prompt| *prompt != "-");
    // A command needs no words.
    let typed = typed.or_else(|| named.map(|_| "").filter(|_| given.is_none()));
    let Some(typed) = typed else {
        if given.is_none() && io::stdin().is_terminal() {
            return Err(Failure::given("no prompt given; try silcrow run \"What is here?\""));
        }
        let mut draft = PromptDraft::of_words(Input::open(Path::new("-"))?.text()?);
        draft.add(named_files(files)?);
        return Ok(draft.build()?);
    };
    let mut draft = match named {
        Some((skills, name)) => skills.draft(name, typed, root, servers)?,
        None => PromptDraft::typed(typed, root, servers)?,
    };
    draft.add(named_files(files)?);
    let waits = files.iter().any(|file| file == Path::new("-"));
    let mut silence = None;
    match piped::read(waits)? {
        PipedInput::Nothing => {}
        PipedInput::Silent(why) => silence = Some(why),
        PipedInput::Text(text) => draft.add([text]),
    }
    let mut prompt = draft.build()?;
    prompt.notices.splice(0..0, silence);
    Ok(prompt)
}
