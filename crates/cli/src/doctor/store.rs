//! The check of the store: its place, its size, and whether it is whole and can be written.

use std::fs::{self, OpenOptions};
use std::path::Path;

use silcrow_event::error_chain;

use super::{CheckStatus, Finding};
use crate::config::ConfigOverview;
use crate::host::host;
use crate::places::{OTHER_STORE, StorePlace};

/// Looks at the store of the settings, and changes nothing in it.
pub(super) async fn check(settings: Option<&ConfigOverview>) -> Finding {
    let asked = settings.and_then(|settings| settings.store.as_deref());
    let wrong = |text: String| Finding::new("store", CheckStatus::Wrong, text);
    let folder = match StorePlace::choose(asked) {
        Ok(StorePlace::Memory) => {
            return Finding::new("store", CheckStatus::Notice, "in memory; nothing is kept");
        }
        Ok(StorePlace::Folder(folder)) => folder,
        Ok(StorePlace::Database(database)) => {
            let name = database.shown();
            return match database.open().await {
                Ok(_) => Finding::new("store", CheckStatus::Good, format!("{name}: it answers")),
                Err(error) => wrong(error_chain(&error)),
            };
        }
        Err(failure) => return wrong(failure.message().to_owned()),
    };
    let name = folder.display();
    let format = folder.join("FORMAT");
    if !folder.exists() {
        return Finding::new("store", CheckStatus::Good, format!("{name}: the first run makes it"));
    }
    let damage = match StorePlace::Folder(folder.clone()).open_stored(&host()).await {
        Ok(store) => store.known_damage().await,
        Err(failure) => Err(failure),
    };
    let damage = match damage {
        Ok(damage) => damage,
        Err(failure) => return wrong(format!("{name}: {}", failure.message())),
    };
    if !damage.is_empty() {
        return wrong(format!(
            "{name} is damaged; silcrow log verify says where, and silcrow log mend saves the rest"
        ));
    }
    if format.exists() && OpenOptions::new().append(true).open(&format).is_err() {
        return wrong(format!("{name} cannot be written{OTHER_STORE}"));
    }
    let version = fs::read_to_string(&format).unwrap_or_default();
    let version = version.lines().next().unwrap_or("empty").to_owned();
    let mib = size(&folder).div_ceil(1 << 20);
    Finding::new("store", CheckStatus::Good, format!("{name}: {version}, {mib} MiB"))
}

/// Returns the bytes of all files in a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
