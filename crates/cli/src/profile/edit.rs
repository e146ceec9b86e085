//! `silcrow profile edit`, which changes the whole profile in an editor.
//!
//! This module runs the editor on a file. The profile checks the JSON.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use silcrow_console::person_program;
use silcrow_profile::{Profile, StoredProfile};
use silcrow_sanitize::sanitize_line;
use silcrow_settings::owned;

use super::{exported, failure};
use crate::failure::Failure;
use crate::input::Input;

/// Changes the profile, and returns the number of its facts. Nothing changes unless the JSON is a
/// profile, and nobody else has changed the profile meanwhile.
pub(super) async fn edit(
    stored: &StoredProfile<'_>,
    folder: &Path,
    from: Option<&Path>,
) -> Result<usize, Failure> {
    let before = stored.load().await.map_err(|error| failure(&error))?;
    if let Some(from) = from {
        let profile = Profile::from_json(&Input::open(from)?.text()?);
        return replace(stored, None, profile.map_err(|error| failure(&error))?).await;
    }
    let file = EditedFile::write(folder, &exported(&before))?;
    file.open_editor()?;
    let text = file.read()?;
    let profile = Profile::from_json(&text).map_err(|error| file.kept(failure(&error)))?;
    let facts = match profile == before {
        true => before.facts().len(),
        false => {
            let replaced = replace(stored, Some(&before), profile).await;
            replaced.map_err(|failure| file.kept(failure))?
        }
    };
    file.remove();
    Ok(facts)
}

/// Replaces the profile, if it did not change meanwhile.
async fn replace(
    stored: &StoredProfile<'_>,
    before: Option<&Profile>,
    after: Profile,
) -> Result<usize, Failure> {
    let replaced = stored.change(|profile| {
        let is_same = before.is_none_or(|before| before == profile);
        if is_same {
            profile.clone_from(&after);
        }
        is_same
    });
    match replaced.await.map_err(|error| failure(&error))? {
        true => Ok(after.facts().len()),
        false => Err(Failure::running("the profile has changed since the editor was opened")),
    }
}

/// The file that the person edits, which nobody else can read.
struct EditedFile {
    path: PathBuf,
}

impl EditedFile {
    fn write(folder: &Path, text: &str) -> Result<Self, Failure> {
        let folder = folder.join("edit");
        let path = folder.join(format!("profile-{}.json", std::process::id()));
        let file = Self { path };
        let made = owned::make_folder(&folder).and_then(|()| owned::write(&file.path, text));
        made.map_err(|error| Failure::running(format!("cannot write {}: {error}", file.shown())))?;
        Ok(file)
    }

    /// Opens the file in the person's editor, and waits for its end.
    fn open_editor(&self) -> Result<(), Failure> {
        let set = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
        let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
        let mut words = editor.split_whitespace();
        let program = words.next().unwrap_or("vi");
        let ended = person_program(program).args(words).arg(&self.path).status();
        let why = match ended {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        self.remove();
        let editor = sanitize_line(&editor);
        Err(Failure::running(format!(
            "the editor `{editor}` failed ({why}), so nothing changed; VISUAL or EDITOR names another"
        )))
    }

    fn read(&self) -> Result<String, Failure> {
        // An editor may have put a new file in the place of this one.
        fs::read_to_string(&self.path)
            .map_err(|error| Failure::running(format!("cannot read {}: {error}", self.shown())))
    }

    /// Adds the place of the person's text to a failure.
    fn kept(&self, failure: Failure) -> Failure {
        let name = self.shown();
        failure.with_way_on(&format!(
            "; your text is in {name}: correct it there, and take it with silcrow profile edit \
             --from {name}"
        ))
    }

    fn remove(&self) {
        // If removing fails, the file stays in the person's own folder.
        let _ = fs::remove_file(&self.path);
    }

    fn shown(&self) -> String {
        sanitize_line(&self.path.display().to_string()).into_owned()
    }
}
