//! The doors that a whole question names, and the calls that a yes covers.

use super::*;

#[test]
fn whole_question_names_doors_and_widths() {
    let grants = grants(&["network:example.org"]);
    let wider = ["make *".to_owned(), "make* *".to_owned()];
    let mut question = asked("{}");
    (question.grants, question.wider_scopes, question.scope) = (&grants, &wider, "make check");
    let output = shown(question, PLAINLY);
    let rows = "always   │ make check\nalways 2 │ make *\nalways 3 │ make* *\n\
                opens    │ network example.org\n";
    assert!(output.contains(rows), "{output}");
    assert!(output.contains("a, a2 or a3: yes, always, as above."), "{output}");
    let outside = self::grants(&["outside"]);
    question.grants = &outside;
    let output = shown(question, PLAINLY);
    assert!(
        output.contains("always   no rule and no wider answer, because it leaves the sandbox"),
        "{output}"
    );
    assert!(!output.contains("always 2") && !output.contains("a: yes"), "{output}");
}
