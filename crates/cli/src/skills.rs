//! `silcrow skills`, which lists the skills and the prompt commands of a folder.

use std::io::{self, Write as _};
use std::path::PathBuf;

use serde_json::json;
use silcrow_sanitize::sanitize_line;
use silcrow_session::SessionSkills;
use silcrow_settings::project_folders;
use silcrow_term::fit::shortened;

use crate::args::SkillsArgs;
use crate::failure::{Failure, written};

/// Prints a line for each skill and command, and names the omitted ones.
pub(crate) fn skills(args: &SkillsArgs) -> Result<(), Failure> {
    let found = SessionSkills::of_project(&project_folders(&args.root));
    let skills = found
        .skills
        .all()
        .iter()
        .map(|one| ("skill", one.name(), one.description(), one.folder().to_owned()));
    let commands = found
        .commands
        .all()
        .iter()
        .map(|one| ("command", one.name(), one.about(), one.path().to_owned()));
    let mut out = io::stdout().lock();
    for (kind, name, about, place) in skills.chain(commands) {
        let line = match args.json {
            true => to_json(kind, name, about, &place),
            false => {
                let about = shortened(&sanitize_line(about), ABOUT);
                format!("{kind:<8} {:<20} {about}  {}", sanitize_line(name), place.display())
            }
        };
        written(writeln!(out, "{line}"))?;
    }
    for notice in found.notices() {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "{}", sanitize_line(&notice));
    }
    Ok(())
}

fn to_json(kind: &str, name: &str, about: &str, place: &PathBuf) -> String {
    json!({"kind": kind, "name": name, "about": about, "path": place}).to_string()
}

/// The number of characters of a description.
const ABOUT: usize = 60;
