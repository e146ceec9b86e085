//! A disk that keeps synced data, and a random part of the rest.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::chance::Chance;
use crate::recorder::Record;

/// The contents of a folder, and the part that a power cut leaves.
pub(crate) struct Disk {
    /// The first is the folder itself.
    nodes: Vec<Node>,
    inodes: HashMap<u64, usize>,
    /// By inode and number of a sync: the number of the node's changes that it makes last.
    syncs: HashMap<(u64, u64), usize>,
    /// The number of things that were moved to another folder, and of moves that last.
    moves: usize,
    lasting_moves: usize,
}

/// The effect of a power cut on changes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// None of them exists.
    Lost,
    /// Of the writes, some sectors of 512 bytes are there and some are not, in no order; names are
    /// there up to some moment.
    Torn,
}

/// A file or folder.
#[derive(Default)]
struct Node {
    now: Content,
    /// The minimum state after a power cut, and the changes since.
    kept: Content,
    changes: Vec<Change>,
    /// The number of changes in `kept`.
    lasting: usize,
}

#[derive(Clone, Default)]
struct Content {
    is_file: bool,
    bytes: Vec<u8>,
    names: BTreeMap<String, usize>,
}

#[derive(Clone)]
enum Change {
    Write {
        at: usize,
        bytes: Vec<u8>,
    },
    Length(usize),
    Name {
        name: String,
        node: usize,
    },
    Rename {
        from: String,
        to: String,
    },
    Unname(String),
    /// One half of a move to another folder. A cut leaves both halves or none, and of several moves
    /// the first ones, as in the journal of a file system.
    Moved {
        number: usize,
        half: Box<Self>,
    },
}

impl Disk {
    /// The contents of `folder`, all of them synced.
    pub(crate) fn read(folder: &Path) -> Self {
        let (inodes, syncs) = (HashMap::new(), HashMap::new());
        let mut disk = Self { nodes: vec![], inodes, syncs, moves: 0, lasting_moves: 0 };
        disk.add(folder);
        disk
    }

    fn add(&mut self, path: &Path) -> usize {
        let node = self.node(fs::metadata(path).unwrap().ino(), path.is_file());
        let mut content = Content { is_file: path.is_file(), ..Content::default() };
        if path.is_file() {
            content.bytes = fs::read(path).unwrap();
        } else {
            for entry in fs::read_dir(path).unwrap().map(Result::unwrap) {
                let name = entry.file_name().into_string().unwrap();
                content.names.insert(name, self.add(&entry.path()));
            }
        }
        self.nodes[node].now = content.clone();
        self.nodes[node].kept = content;
        node
    }

    fn node(&mut self, inode: u64, is_file: bool) -> usize {
        let content = Content { is_file, ..Content::default() };
        self.nodes.push(Node { now: content.clone(), kept: content, ..Node::default() });
        // The number of a file that was removed may be given to another.
        self.inodes.insert(inode, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    pub(crate) fn apply(&mut self, record: &Record) {
        match record {
            Record::MadeFile { inode, path } => self.made(*inode, path, true),
            Record::MadeFolder { inode, path } => self.made(*inode, path, false),
            Record::Wrote { inode, at, bytes } => {
                self.change(*inode, Change::Write { at: *at as usize, bytes: bytes.clone() });
            }
            Record::SetLength { inode, length } => {
                self.change(*inode, Change::Length(*length as usize));
            }
            Record::Renamed { from, to } => {
                let (folder, other) = (self.folder_of(from), self.folder_of(to));
                if folder == other {
                    self.nodes[folder].push(Change::Rename { from: name(from), to: name(to) });
                } else {
                    let node = self.nodes[folder].now.names[&name(from)];
                    let number = self.moves;
                    let moved = |half| Change::Moved { number, half: Box::new(half) };
                    self.nodes[other].push(moved(Change::Name { name: name(to), node }));
                    self.nodes[folder].push(moved(Change::Unname(name(from))));
                    self.moves += 1;
                }
            }
            Record::Removed { path } => {
                let folder = self.folder_of(path);
                self.nodes[folder].push(Change::Unname(name(path)));
            }
            Record::SyncBegan { inode, number } => {
                let node = &self.nodes[self.inodes[inode]];
                self.syncs.insert((*inode, *number), node.lasting + node.changes.len());
            }
            Record::SyncEnded { inode, number } => {
                let until = self.syncs[&(*inode, *number)];
                let moves = self.nodes[self.inodes[inode]].keep(until);
                self.lasting_moves = self.lasting_moves.max(moves);
            }
            Record::SyncFailed { inode, number } => {
                let until = self.syncs[&(*inode, *number)];
                let node = &mut self.nodes[self.inodes[inode]];
                // A file system that cannot write names stops.
                if node.now.is_file {
                    node.forget(until);
                }
            }
            Record::Said(_) | Record::Reached(_) => {}
        }
    }

    fn made(&mut self, inode: u64, path: &Path, is_file: bool) {
        let node = self.node(inode, is_file);
        let folder = self.folder_of(path);
        self.nodes[folder].push(Change::Name { name: name(path), node });
    }

    fn change(&mut self, inode: u64, change: Change) {
        let node = self.inodes[&inode];
        self.nodes[node].push(change);
    }

    fn folder_of(&self, path: &Path) -> usize {
        let mut node = 0;
        for part in path.parent().unwrap() {
            node = self.nodes[node].now.names[part.to_str().unwrap()];
        }
        node
    }

    /// Whether `folder` has the required contents if every change was seen.
    pub(crate) fn is(&self, folder: &Path) -> bool {
        self.is_node(0, folder)
    }

    fn is_node(&self, node: usize, path: &Path) -> bool {
        let Content { is_file, bytes, names } = &self.nodes[node].now;
        if *is_file {
            return fs::read(path).is_ok_and(|read| read == *bytes);
        }
        let there = fs::read_dir(path).map_or(0, Iterator::count);
        let is = |(name, node): (&String, &usize)| self.is_node(*node, &path.join(name));
        there == names.len() && names.iter().all(is)
    }

    /// Fills the empty folder `to` with the contents after a power cut. The same chance, the same
    /// leavings.
    pub(crate) fn cut(&self, to: &Path, cut: Cut, chance: &Chance) {
        let mut chance = chance.clone();
        let unsure = (self.moves - self.lasting_moves) as u64;
        let moves = match cut {
            Cut::Torn if unsure > 0 => self.lasting_moves + chance.below(unsure + 1) as usize,
            _ => self.lasting_moves,
        };
        let chance = std::cell::RefCell::new(chance);
        self.write_node(0, to, &|node| match cut {
            Cut::Lost => node.lost(moves),
            Cut::Torn => node.torn(moves, &mut chance.borrow_mut()),
        });
    }

    fn write_node(&self, node: usize, to: &Path, content: &dyn Fn(&Node) -> Content) {
        let Content { is_file, bytes, names } = content(&self.nodes[node]);
        if is_file {
            return fs::write(to, bytes).unwrap();
        }
        if node > 0 {
            fs::create_dir(to).unwrap();
        }
        for (name, node) in names {
            self.write_node(node, &to.join(name), content);
        }
    }
}

impl Node {
    fn push(&mut self, change: Change) {
        self.now.apply(&change);
        self.changes.push(change);
    }

    /// Makes the first changes last, counted from the beginning of all. Returns the number of moves
    /// that last because of that.
    fn keep(&mut self, until: usize) -> usize {
        let count = until.saturating_sub(self.lasting);
        let mut moves = 0;
        for change in self.changes.drain(..count) {
            self.kept.apply(&change);
            if let Change::Moved { number, .. } = change {
                moves = number + 1;
            }
        }
        self.lasting += count;
        moves
    }

    /// Takes into account that no later sync makes these changes last, as Linux does when it could
    /// not write them once.
    fn forget(&mut self, until: usize) {
        let count = until.saturating_sub(self.lasting);
        self.changes.drain(..count);
        self.lasting += count;
    }

    fn lost(&self, moves: usize) -> Content {
        let mut content = self.kept.clone();
        for change in &self.changes {
            if matches!(change, Change::Moved { number, .. } if *number < moves) {
                content.apply(change);
            }
        }
        content
    }

    fn torn(&self, moves: usize, chance: &mut Chance) -> Content {
        let mut content = self.kept.clone();
        let names = chance.below(self.changes.len() as u64 + 1) as usize;
        // From nearly nothing to nearly all.
        let percent = [3, 30, 70, 97][chance.below(4) as usize];
        for (index, change) in self.changes.iter().enumerate() {
            match change {
                Change::Write { at, bytes } => {
                    for (at, sector) in sectors(*at, bytes) {
                        if chance.below(100) < percent {
                            content.apply(&Change::Write { at, bytes: sector.to_vec() });
                        }
                    }
                }
                Change::Length(_) if chance.below(100) < percent => content.apply(change),
                Change::Length(_) => {}
                Change::Moved { number, .. } if *number < moves => content.apply(change),
                Change::Moved { .. } => {}
                _ if index < names => content.apply(change),
                _ => {}
            }
        }
        content
    }
}

impl Content {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Write { at, bytes } => {
                let end = at + bytes.len();
                if self.bytes.len() < end {
                    self.bytes.resize(end, 0);
                }
                self.bytes[*at..end].copy_from_slice(bytes);
            }
            Change::Length(length) => self.bytes.resize(*length, 0),
            Change::Name { name, node } => _ = self.names.insert(name.clone(), *node),
            Change::Rename { from, to } => {
                if let Some(node) = self.names.remove(from) {
                    self.names.insert(to.clone(), node);
                }
            }
            Change::Unname(name) => _ = self.names.remove(name),
            Change::Moved { half, .. } => self.apply(half),
        }
    }
}

/// The parts of a write that a disk writes whole or not at all.
fn sectors(at: usize, bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let here = at + done;
        let length = (SECTOR - here % SECTOR).min(bytes.len() - done);
        let sector = &bytes[done..done + length];
        done += length;
        (length > 0).then_some((here, sector))
    })
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// In bytes.
const SECTOR: usize = 512;
