//! The file that a name in a prompt means.
//!
//! Some systems and editors write `é` as one character and others as two, so a name is found in either
//! form.

use std::env;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization as _;

/// Returns the file of a name in the root or the home folder, or at an absolute path, if it exists.
pub(super) fn found_file(name: &str, root: &Path) -> Option<PathBuf> {
    let path = match (name.strip_prefix("~/"), env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => root.join(name),
    };
    if path.exists() {
        return Some(path);
    }
    // Only such a name has another form.
    (!name.is_ascii()).then(|| in_another_form(&path)).flatten()
}

/// Returns the path with each name in its existing form.
fn in_another_form(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        let Component::Normal(name) = part else {
            found.push(part);
            continue;
        };
        let forms = name.to_str().map(|name| {
            [name.to_owned(), name.nfc().collect::<String>(), name.nfd().collect::<String>()]
        });
        let Some(forms) = forms else {
            found.push(name);
            continue;
        };
        let form = forms.into_iter().map(|form| found.join(form)).find(|path| path.exists())?;
        found = form;
    }
    found.exists().then_some(found)
}

#[test]
fn names_are_found_in_either_form() {
    let folder = tempfile::tempdir().unwrap();
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    std::fs::create_dir(folder.path().join(decomposed)).unwrap();
    let file = folder.path().join(decomposed).join(composed);
    std::fs::write(&file, "").unwrap();
    for name in [format!("{composed}/{composed}"), format!("{decomposed}/{decomposed}")] {
        assert_eq!(found_file(&name, folder.path()), Some(file.clone()), "{name}");
    }
    assert_eq!(found_file("caf\u{e8}", folder.path()), None);
    assert_eq!(found_file("nobody", folder.path()), None);
}
