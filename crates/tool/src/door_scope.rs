//! The scope of an approval at the wall: the doors that every later call of the tool may open.
//!
//! This module writes and reads the text. A call's own scope is never such a text, because the first
//! row of this one is fixed, and all others are names of doors.

use silcrow_event::{Grant, Grants};

/// Returns the scope that covers these doors for all calls of a tool.
pub(crate) fn door_scope(grants: &Grants) -> String {
    let mut scope = FIRST.to_owned();
    for grant in grants.iter() {
        scope.push('\n');
        // A name with a line break would be read as another door.
        scope.push_str(&grant.to_string().replace(char::is_control, "\u{fffd}"));
    }
    scope
}

/// Returns the doors of such a scope; `None` for another scope.
pub(crate) fn doors_of(scope: &str) -> Option<Grants> {
    let mut rows = scope.split('\n');
    if rows.next() != Some(FIRST) {
        return None;
    }
    let doors: Option<Vec<Grant>> = rows.map(|row| row.parse().ok()).collect();
    doors.filter(|doors| !doors.is_empty()).map(|doors| doors.into_iter().collect())
}

const FIRST: &str = "each call that asks for";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_round_trips() {
        let doors: Grants = ["network:example.org:22", "local:5432", "read:/srv/a, b", "git"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        assert_eq!(doors_of(&door_scope(&doors)), Some(doors));
        for other in ["", FIRST, "make\nnetwork:example.org", &format!("{FIRST}\nmake")] {
            assert_eq!(doors_of(other), None, "{other:?}");
        }
    }

    #[test]
    fn path_name_cannot_forge_another_grant() {
        let doors: Grants = [Grant::Read("/srv\noutside".to_owned())].into_iter().collect();
        let read = doors_of(&door_scope(&doors)).unwrap();
        assert!(!read.covers(&Grant::Outside), "{read}");
        assert!(!read.cover_all(&doors), "{read}");
    }
}
