//! Documents and pictures that go with a prompt.

use silcrow_testkit::pdf;

use crate::pictures::{SHOT, says, talk};
use crate::support::{Sandbox, command_output};

#[test]
fn a_model_that_reads_no_documents_gets_the_text() {
    let (native, text) = ("application/pdf;base64", "--- page 1 of 1 ---\\nThe total is 42.");
    for (model, has_native) in [("gpt-4o", true), ("deepseek-chat", false)] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.root().join("a.pdf"), pdf(&["The total is 42."])).unwrap();
        for prompt in [&["What is in @a.pdf?"][..], &["What is it?", "--file", "a.pdf"]] {
            let (bodies, outputs) =
                talk(&sandbox, model, &[prompt], vec![says("§respond: ?\n§end")]);
            let body = &bodies[0];
            assert_eq!(
                (body.contains(native), body.contains(text)),
                (has_native, !has_native),
                "{body}"
            );
            assert!(
                outputs[0].err.contains("with document: a.pdf, PDF, 1 kB"),
                "{}",
                outputs[0].err
            );
            sandbox.silcrow(&["log", "delete", "talk", "--yes"]).ends(0);
        }
    }
}

#[test]
fn a_long_document_is_text_and_one_without_text_says_so() {
    let sandbox = Sandbox::new();
    let pages: Vec<_> = (1..=40).map(|page| format!("This is {page}.")).collect();
    let pages: Vec<_> = pages.iter().map(|page| &**page).collect();
    std::fs::write(sandbox.root().join("long.pdf"), pdf(&pages)).unwrap();
    std::fs::write(sandbox.root().join("scan.pdf"), pdf(&[""])).unwrap();
    let prompt = ["Read @long.pdf and @scan.pdf."];
    let (bodies, outputs) = talk(&sandbox, "gpt-4o", &[&prompt], vec![says("§respond: ?\n§end")]);
    assert!(bodies[0].contains("--- page 20 of 40 ---\\nThis is 20."), "{}", bodies[0]);
    assert!(bodies[0].contains("[pages 1-20 of 40]"), "{}", bodies[0]);
    assert_eq!(bodies[0].matches("application/pdf;base64").count(), 1, "{}", bodies[0]);
    let said = &outputs[0].err;
    assert!(
        said.contains("gets no text of it: there is no text in the page that was read"),
        "{said}"
    );
}

#[test]
fn a_picture_as_standard_input_goes_with_the_prompt() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("shot");
    std::fs::write(&file, SHOT).unwrap();
    let model = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    let mut command = sandbox.command(&["run", "What is this?", "--model", &model]);
    command.stdin(std::fs::File::open(file).unwrap());
    let said = command_output(command.output().unwrap());
    let said = said.ends(0);
    assert!(said.err.contains("with image: standard input, PNG, 40 × 30"), "{}", said.err);
}
