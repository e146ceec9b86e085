//! Files of settings: the value that counts, the limits of a project, and changes of a file.

mod edits;
mod files;
mod first_model;
mod layers;
mod project;
mod sampling;

use crate::support::{CommandOutput, Sandbox};

/// Writes the person's own file of settings.
fn own(sandbox: &Sandbox, text: &str) -> String {
    sandbox.write("config/silcrow/config.toml", text)
}

/// Writes the file of settings of the root.
fn project(sandbox: &Sandbox, text: &str) -> String {
    std::fs::create_dir_all(sandbox.path("root/.silcrow")).unwrap();
    sandbox.write("root/.silcrow/config.toml", text)
}

fn config(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.silcrow(&[&["config"], args].concat())
}

/// Writes a script whose answer is one word, and returns it as the name of a model.
fn says(sandbox: &Sandbox, word: &str) -> String {
    format!("script:{}", sandbox.write(word, &format!("§respond: {word}\n§end")))
}
