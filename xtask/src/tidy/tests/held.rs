use crate::tidy::held::{NOT_YET, Prose};

#[test]
fn what_is_not_held_is_counted_and_shown_on_request() {
    let Some(part) = NOT_YET.first() else { return };
    for shown in [None, Some(*part)] {
        let (mut prose, mut findings) = (Prose::new(shown), Vec::new());
        prose.check_page(&format!("{part}a.md"), "It goes on.\n", &mut findings);
        assert_eq!(findings.len(), usize::from(shown.is_some()));
        prose.check_page("held.md", "It goes on.\n", &mut findings);
        assert_eq!(findings.pop().unwrap().file, "held.md");
        assert_eq!(prose.finish(&mut findings)[part], 1);
    }
}

#[test]
fn a_part_without_findings_is_taken_off_the_list() {
    let mut findings = Vec::new();
    Prose::new(None).finish(&mut findings);
    assert_eq!(findings.len(), NOT_YET.len());
}
