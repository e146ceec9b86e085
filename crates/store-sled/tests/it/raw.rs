//! sled's own view of an old store that is not open.

use std::path::Path;

/// Opens the data of the store in `dir`. A reader that was dropped, or a child that another test
/// starts, may have sled's lock for a moment.
pub(crate) fn open(dir: &Path) -> sled::Db {
    try_open(dir).unwrap()
}

pub(crate) fn try_open(dir: &Path) -> sled::Result<sled::Db> {
    loop {
        match sled::open(dir.join("data")) {
            Err(sled::Error::Io(error)) if error.to_string().contains("acquire lock") => {
                std::thread::yield_now();
            }
            opened => return opened,
        }
    }
}

/// Changes the value under the key of `tree` that ends in `end`.
pub(crate) fn change(dir: &Path, tree: &str, end: &[u8], change: impl FnOnce(&mut Vec<u8>)) {
    let db = open(dir);
    let tree = db.open_tree(tree).unwrap();
    let key = key(&tree, end);
    let mut value = tree.get(&key).unwrap().unwrap().to_vec();
    change(&mut value);
    tree.insert(key, value).unwrap();
    db.flush().unwrap();
}

/// Removes the key of `tree` that ends in `end`.
pub(crate) fn remove(dir: &Path, tree: &str, end: &[u8]) {
    let db = open(dir);
    let tree = db.open_tree(tree).unwrap();
    tree.remove(key(&tree, end)).unwrap();
    db.flush().unwrap();
}

fn key(tree: &sled::Tree, end: &[u8]) -> sled::IVec {
    let mut keys = tree.iter().keys().map(Result::unwrap);
    keys.find(|key| key.ends_with(end)).expect("there is such a key")
}
