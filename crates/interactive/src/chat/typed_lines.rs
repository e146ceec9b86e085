//! The file that remembers the lines typed in a folder.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use silcrow_settings::{Environment, owned, state_folder};

use silcrow_session::StorePlace;

/// Returns the file of the lines that were typed in a folder, in `$XDG_STATE_HOME/silcrow-typed`. A
/// session whose store is in memory has none, and neither has one for which the folder of such files
/// cannot be made.
pub(super) fn file(place: &StorePlace, root: &Path) -> Option<PathBuf> {
    if matches!(place, StorePlace::Memory) {
        return None;
    }
    let root = root.canonicalize().ok()?;
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = state_folder(&Environment::process())?.join("silcrow-typed");
    owned::make_folder(&folder).ok()?;
    Some(folder.join(name))
}
