//! Whatever two conversations write, and wherever that is interrupted: after an undo the exact
//! bytes are back, or a refusal names the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use proptest::prelude::*;
use silcrow_tools::{FileOutcome, UndoReport, UndoRequest};
use tokio::runtime::Builder;

use crate::undo::Journaled;

/// The files of the root and their contents.
type Files = BTreeMap<String, String>;

/// Something that happens to the files.
#[derive(Clone, Debug)]
enum Step {
    /// A call writes a file. It may be cut short before or after the file is renamed.
    Write { by: usize, file: usize, content: usize, cut: Option<Cut> },
    /// A new turn begins in a conversation.
    Turn { by: usize },
    /// A person writes a file.
    Edit { file: usize, content: usize },
    /// A person undoes changes. It may be cut short: the bits say which files are restored by then,
    /// and the text is the person's change before the next try.
    Undo { by: usize, which: Which, cut: Option<(u8, Option<(usize, usize)>)> },
}

#[derive(Clone, Copy, Debug)]
enum Cut {
    Before,
    After,
}

#[derive(Clone, Copy, Debug)]
enum Which {
    All,
    LastTurn,
    Redo,
}

const CONVERSATIONS: [&str; 2] = ["c", "d"];
const FILES: [&str; 3] = ["a", "b", "dir/c"];
const CONTENTS: [&str; 4] = ["1", "22", "", "4\n"];

fn step() -> impl Strategy<Value = Step> {
    let (by, file, content) = (0..2_usize, 0..FILES.len(), 0..CONTENTS.len());
    let cut =
        prop_oneof![4 => Just(None), 1 => Just(Some(Cut::Before)), 1 => Just(Some(Cut::After))];
    let which = prop_oneof![Just(Which::All), Just(Which::LastTurn), Just(Which::Redo)];
    let edit = proptest::option::of((file.clone(), content.clone()));
    let undo_cut = proptest::option::of((any::<u8>(), edit));
    prop_oneof![
        8 => (by.clone(), file.clone(), content.clone(), cut)
            .prop_map(|(by, file, content, cut)| Step::Write { by, file, content, cut }),
        2 => by.clone().prop_map(|by| Step::Turn { by }),
        1 => (file, content).prop_map(|(file, content)| Step::Edit { file, content }),
        4 => (by, which, undo_cut).prop_map(|(by, which, cut)| Step::Undo { by, which, cut }),
    ]
}

/// A change as the test records it: each file before it.
struct Change {
    by: usize,
    turn: u32,
    before: BTreeMap<String, Option<String>>,
    /// The changes that it undoes.
    undoes: Vec<usize>,
    is_redo: bool,
    stands: bool,
}

struct World {
    it: Journaled,
    turns: [u32; 2],
    changes: Vec<Change>,
    /// For each file, the time of each change, and which it was, if it was one of the journal.
    touched: Vec<(String, Option<usize>)>,
}

impl World {
    fn files(&self) -> Files {
        let content = |file: &str| fs::read_to_string(self.it.place.path().join(file)).ok();
        FILES.iter().filter_map(|file| Some(((*file).to_owned(), content(file)?))).collect()
    }

    fn put(&self, file: &str, content: Option<&String>) {
        match content {
            Some(content) => drop(self.it.place.put(file, content)),
            None => {
                let _ = fs::remove_file(self.it.place.path().join(file));
            }
        }
    }

    async fn write(&mut self, by: usize, file: &str, content: &str, cut: Option<Cut>) {
        let before = self.files().get(file).cloned();
        self.it.write(CONVERSATIONS[by], self.turns[by], file, content).await;
        if cut.is_some() {
            self.it.cut_newest_record();
        }
        match cut {
            Some(Cut::Before) => self.put(file, before.as_ref()),
            _ => self.touched.push((file.to_owned(), Some(self.changes.len()))),
        }
        // A call that wrote the existing text has changed nothing that could be undone.
        let is_change = before.as_deref() != Some(content);
        let before = is_change.then(|| (file.to_owned(), before)).into_iter().collect();
        let (turn, undoes) = (self.turns[by], Vec::new());
        self.changes.push(Change { by, turn, before, undoes, is_redo: false, stands: true });
    }

    /// Returns the changes that a request means, and the request.
    fn select(&self, by: usize, which: Which) -> (Vec<usize>, UndoRequest) {
        let standing = |at: &usize| self.changes[*at].stands && self.changes[*at].by == by;
        let mut all = (0..self.changes.len()).filter(standing);
        let turn = self.turns[by];
        match which {
            Which::Redo => {
                let is_undo = |change: &Change| !change.undoes.is_empty() && !change.is_redo;
                let last = all.rfind(|at| is_undo(&self.changes[*at]));
                (last.into_iter().collect(), UndoRequest::redo(CONVERSATIONS[by]))
            }
            Which::All | Which::LastTurn => {
                let from = if matches!(which, Which::All) { 0 } else { turn };
                let meant = |at: &usize| {
                    self.changes[*at].undoes.is_empty() && self.changes[*at].turn >= from
                };
                let request = UndoRequest::new(CONVERSATIONS[by]).with_turns(from..=u32::MAX);
                (all.filter(meant).collect(), request)
            }
        }
    }

    /// Returns the state of the files if the changes are undone.
    fn expected(&self, selected: &[usize]) -> Files {
        let mut files = self.files();
        for at in selected.iter().rev() {
            for (file, before) in &self.changes[*at].before {
                match before {
                    Some(before) => drop(files.insert(file.clone(), before.clone())),
                    None => drop(files.remove(file)),
                }
            }
        }
        files
    }

    /// Takes changes back, checks the law, and returns whether the test continues.
    fn undo(&mut self, by: usize, which: Which, cut: Option<(u8, Option<(usize, usize)>)>) -> bool {
        let (selected, request) = self.select(by, which);
        let (before, expected) = (self.files(), self.expected(&selected));
        let dry = self.it.undo(&request.clone().with_dry_run());
        assert_eq!(self.files(), before, "a dry run changes nothing");
        let report = self.it.undo(&request);
        assert_eq!(dry, report, "a dry run says what happens");
        if !report.refusals.is_empty() {
            assert_eq!(self.files(), before, "a refusal changes nothing: {report:?}");
            self.check_refusals(&selected, &report);
            return true;
        }
        assert_eq!(self.files(), expected, "the exact bytes are back: {report:?}");
        if selected.is_empty() {
            assert!(report.files.is_empty(), "{report:?}");
            return true;
        }
        let changed = |file: &&silcrow_tools::UndoneFile| file.outcome != FileOutcome::Unchanged;
        let changed: Vec<_> = report.files.iter().filter(changed).map(|file| &*file.path).collect();
        if let Some((restored, edit)) = cut {
            self.it.cut_newest_record();
            for (at, file) in changed.iter().enumerate() {
                if restored & (1 << at) == 0 {
                    self.put(file, before.get(*file));
                }
            }
            if let Some((file, content)) = edit {
                self.put(FILES[file], Some(&CONTENTS[content].to_owned()));
            }
            let report = self.it.undo(&request);
            let refused: BTreeSet<_> = report.refusals.iter().map(|it| &*it.path).collect();
            let files = self.files();
            for file in changed.iter().filter(|file| !refused.contains(**file)) {
                assert_eq!(files.get(*file), expected.get(*file), "{file}: {report:?}");
            }
            if edit.is_some() {
                return false;
            }
            assert!(refused.is_empty(), "{report:?}");
            assert_eq!(files, expected);
        }
        let own = changed.iter().map(|file| ((*file).to_owned(), before.get(*file).cloned()));
        let own = own.collect();
        let touched = changed.iter().map(|file| ((*file).to_owned(), Some(self.changes.len())));
        self.touched.extend(touched);
        let is_redo = matches!(which, Which::Redo);
        for at in &selected {
            self.changes[*at].stands = false;
            for undone in self.changes[*at].undoes.clone() {
                self.changes[undone].stands = true;
            }
        }
        self.changes.push(Change {
            by,
            turn: 0,
            before: own,
            undoes: selected,
            is_redo,
            stands: true,
        });
        true
    }

    /// Checks that others have changed a file that is named in a refusal.
    fn check_refusals(&self, selected: &[usize], report: &UndoReport) {
        for refusal in &report.refusals {
            let is_of = |at: &&usize| self.changes[**at].before.contains_key(&refusal.path);
            let first = selected.iter().find(is_of).expect("the file is one of those");
            let since = self.touched.iter().rposition(|(_, by)| by.is_some_and(|by| by < *first));
            let since = since.map_or(0, |at| at + 1);
            let foreign = self.touched[since..].iter().any(|(file, by)| {
                *file == refusal.path && by.is_none_or(|by| !selected.contains(&by))
            });
            assert!(foreign, "{refusal:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn undo_restores_exact_bytes_or_names_file(
        steps in proptest::collection::vec(step(), 1..16)
    ) {
        let it = Journaled::new();
        let mut world = World { it, turns: [1, 1], changes: Vec::new(), touched: Vec::new() };
        let runtime = Builder::new_current_thread().build().unwrap();
        for step in steps {
            match step {
                Step::Write { by, file, content, cut } => {
                    runtime.block_on(world.write(by, FILES[file], CONTENTS[content], cut));
                }
                Step::Turn { by } => world.turns[by] += 1,
                Step::Edit { file, content } => {
                    world.put(FILES[file], Some(&CONTENTS[content].to_owned()));
                    world.touched.push((FILES[file].to_owned(), None));
                }
                Step::Undo { by, which, cut } => {
                    if !world.undo(by, which, cut) {
                        break;
                    }
                }
            }
        }
    }
}

/// The number of cases: few, because each of their steps syncs files.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").map_or(64, |cases| cases.parse().unwrap())
}
