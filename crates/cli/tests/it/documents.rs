//! Attaching documents and pictures to a prompt, and reading PDFs in the confined helper.

use silcrow_testkit::pdf;

use crate::pictures::{SHOT, pictures, says, talk};
use crate::support::{CommandOutput, Sandbox, command_output};

fn read(sandbox: &Sandbox, args: &str) -> CommandOutput {
    sandbox.silcrow(&["tool", "file_read", args])
}

#[test]
fn pdf_is_read_by_page() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.pdf"), pdf(&["First.", "Second."])).unwrap();
    let shown = read(&sandbox, r#"{"file": "a.pdf"}"#).ends(0).out.clone();
    assert!(shown.contains("--- page 1 of 2 ---\nFirst.\n"), "{shown}");
    let shown = read(&sandbox, r#"{"file": "a.pdf", "pages": "2"}"#).ends(0).out.clone();
    assert!(shown.contains("--- page 2 of 2 ---\nSecond.\n"), "{shown}");
    assert!(!shown.contains("First."), "{shown}");
}

/// A page of 3 GB in 258 bytes, a locked one, and one with a tree that has itself as a branch.
#[test]
fn hostile_pdf_fails_with_one_line() {
    let sandbox = Sandbox::new();
    let encrypted = include_bytes!("../../../media/tests/it/encrypted.pdf").to_vec();
    let circle =
        String::from_utf8(pdf(&["text"])).unwrap().replace("/Kids [4 0 R ]", "/Kids [2 0 R ]");
    for (name, bytes, expected) in [
        (
            "bomb.pdf",
            include_bytes!("bomb.pdf").to_vec(),
            // Either of its bounds may be reached first.
            "it cannot be read: its reader ended early|it takes more than 20 seconds to read",
        ),
        ("locked.pdf", encrypted, "it is encrypted with a password"),
        ("circle.pdf", circle.into_bytes(), "it has no pages"),
        ("scan.pdf", pdf(&[""]), "there is no text in the page that was read of 1"),
    ] {
        std::fs::write(sandbox.root().join(name), bytes).unwrap();
        let output = read(&sandbox, &format!(r#"{{"file": "{name}"}}"#));
        let said = output.err.lines().filter(|line| line.starts_with("silcrow: "));
        let said: Vec<_> = said.collect();
        let is_expected = |line: &str| expected.split('|').any(|why| line.contains(why));
        assert!(matches!(said[..], [line] if line.contains(name) && is_expected(line)), "{said:?}");
    }
    for (name, expected) in [
        (
            "bomb.pdf",
            "it cannot be read: its reader ended early|it takes more than 20 seconds to read",
        ),
        ("locked.pdf", "it cannot be drawn: it is damaged, or encrypted with a password"),
        ("circle.pdf", "it has no pages"),
    ] {
        let output = read(&sandbox, &format!(r#"{{"file": "{name}", "pictures": true}}"#));
        let said = output.err.lines().find(|line| line.starts_with("silcrow: ")).unwrap();
        let is_expected = expected.split('|').any(|why| said.contains(why));
        assert!(said.contains(name) && is_expected, "{said}");
    }
}

/// A person attaches a scan, and a model that sees pictures looks at a page, and closer at a part of it.
#[test]
fn model_sees_the_pages_of_a_scan() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("scan.pdf"), pdf(&["", ""])).unwrap();
    let call = |more: &str| {
        says(&format!(
            "§call: {{\"name\": \"file_read\", \"args\": {{\"file\": \"media:1\", {more}}}}}\n§execute\n"
        ))
    };
    let answers = vec![
        call(r#""pictures": true"#),
        call(r#""pages": "2", "region": [0, 0, 300, 150]"#),
        says("§respond: Both pages are empty.\n§end"),
    ];
    let prompt = ["What is in @scan.pdf?"];
    let (bodies, outputs) = talk(&sandbox, "qwen2.5-vl", &[&prompt], answers);
    assert!(outputs[0].out.contains("Both pages are empty."), "{}", outputs[0].err);
    assert!(
        bodies[0].contains(r#"\"pictures\": true of file_read shows its pages"#),
        "{}",
        bodies[0]
    );
    assert_eq!(pictures(&bodies[0]).len(), 0);
    assert_eq!(pictures(&bodies[1]).len(), 2, "{}", bodies[1]);
    assert!(bodies[1].contains("1357 × 1920: page 1 of 2]"), "{}", bodies[1]);
    assert_eq!(pictures(&bodies[2]).len(), 3);
    assert!(bodies[2].contains("1920 × 960: page 2 of 2, 300 × 150 at 0, 0]"), "{}", bodies[2]);
}

#[test]
fn model_without_document_support_gets_text() {
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
fn long_documents_become_text_and_scans_warn() {
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
fn piped_picture_accompanies_the_prompt() {
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
