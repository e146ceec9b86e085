//! The prompt of a run.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::failure::Failure;
use crate::input::Input;

/// Returns the prompt, which was typed or is read from standard input.
pub(crate) fn prompt(given: Option<&str>) -> Result<String, Failure> {
    let typed = given.filter(|prompt| *prompt != "-");
    let prompt = match typed {
        Some(prompt) => prompt.to_owned(),
        None if given.is_none() && io::stdin().is_terminal() => {
            return Err(Failure::given("there is no prompt; try silcrow run \"What is here?\""));
        }
        None => Input::open(Path::new("-"))?.text()?,
    };
    if prompt.trim().is_empty() {
        return Err(Failure::given("the prompt is empty; say what you want"));
    }
    Ok(prompt)
}
