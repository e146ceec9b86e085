//! One question about the items of a loop, answered by `silcrow runs answer`.

use crate::support::Sandbox;

const ASKS: &str = r#"<foreach id="each" in="['a.txt', 'b.txt', 'c.txt']" as="file" on_error="skip">
<action id="w">{"name": "file_write", "parameters": {"file": "$file", "content": "one"}}</action>
</foreach>"#;

/// A conversation that waits for an answer about three files, and the model of the next run.
fn parked() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let asks = format!("script:{}", sandbox.write("asks", ASKS));
    let answers =
        format!("script:{}", sandbox.write("answers", "<response>It is done.</response>"));
    let args = ["run", "go", "--new", "c", "--on-question", "park", "--dialect", "action"];
    let run = sandbox.silcrow(&[&args[..], &["--model", &asks]].concat());
    assert_eq!(run.code, Some(3), "{}", run.err);
    let about = "waits for answers about 1/each[].w (file_write, 3 items):";
    assert!(run.err.contains(about), "{}", run.err);
    (sandbox, answers)
}

fn written(sandbox: &Sandbox) -> Vec<&'static str> {
    let files = ["a.txt", "b.txt", "c.txt"];
    files.into_iter().filter(|file| sandbox.root().join(file).exists()).collect()
}

#[test]
fn one_answer_can_split_loop_items() {
    let (sandbox, model) = parked();
    let shown = sandbox.silcrow(&["answer", "c"]);
    insta::assert_snapshot!(shown.out.replace(&*sandbox.root().to_string_lossy(), "ROOT"));
    let shown = sandbox.silcrow(&["answer", "c", "--json"]).out;
    let lines = shown.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let ids: Vec<_> = lines.map(|line| (line["question"].clone(), line["group"].clone())).collect();
    let group = serde_json::Value::from("1/each[].w");
    assert_eq!(ids.len(), 3);
    assert_eq!(ids[2], ("1/each[2].w".into(), group), "{shown}");

    let yes = sandbox.silcrow(&["answer", "c", "1/each[].w", "yes", "--items", "1,3"]);
    assert_eq!((yes.code, &*yes.out), (Some(0), ""), "{}", yes.err);
    assert!(yes.err.contains("--resume"), "{}", yes.err);
    let run = sandbox.silcrow(&[
        "run",
        "--conversation",
        "c",
        "--resume",
        "--dialect",
        "action",
        "--model",
        &model,
    ]);
    assert_eq!((run.code, &*run.out), (Some(0), "It is done.\n"), "{}", run.err);
    assert_eq!(written(&sandbox), ["a.txt", "c.txt"]);
}

#[test]
fn invalid_item_numbers_change_nothing() {
    let (sandbox, model) = parked();
    let fails = |args: &[&str], why: &str| {
        let failed = sandbox.silcrow(&[&["answer", "c"], args].concat());
        assert_eq!(failed.code, Some(2), "{args:?}: {}", failed.err);
        assert!(failed.err.contains(why), "{args:?}: {}", failed.err);
    };
    fails(&["1/each[].w", "yes", "--items", "4"], "`4` names no items from 1 to 3");
    fails(&["1/each[].w", "no", "--items", "1"], "a no is about all items");
    fails(&["1/each[0].w", "yes", "--items", "1"], "is about one call");
    fails(&["1/other", "yes"], "open: 1/each[].w");

    let no = sandbox.silcrow(&["answer", "c", "1/each[1].w", "no"]);
    assert!(no.err.contains("2 questions are still open"), "{}", no.err);
    let yes = sandbox.silcrow(&["answer", "c", "1/each[].w", "yes"]);
    assert_eq!(yes.code, Some(0), "{}", yes.err);
    let run = sandbox.silcrow(&[
        "run",
        "--conversation",
        "c",
        "--resume",
        "--dialect",
        "action",
        "--model",
        &model,
    ]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(written(&sandbox), ["a.txt", "c.txt"]);
}
