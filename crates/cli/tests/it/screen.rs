//! What a person sees at a terminal that the answer shares with everything else.

use crate::approve::at_terminal;
use crate::support::Sandbox;

#[test]
fn the_end_of_a_call_does_not_break_a_line_of_the_answer() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.txt"), "alpha").unwrap();
    let script = sandbox.write(
        "script",
        "<action id=\"a\" mode=\"async\">{\"name\":\"file_read\",\"parameters\":{\"file\":\"a.txt\"}}</action>\n\
         <response>The file has $a and more.\nThat is all of it.\n\nReally.</response>",
    );
    let model = format!("script:{script}");
    let run = sandbox.command(&["run", "go", "--dialect", "action", "--model", &model]);
    let (shown, code) = at_terminal(&run, &[]);
    assert_eq!(code, Some(0), "{shown}");
    // A line of status is erased again.
    let lines: Vec<_> = shown.lines().map(|line| line.rsplit("\x1b[K").next().unwrap()).collect();
    for line in ["The file has alpha and more.", "That is all of it.", "Really."] {
        assert!(lines.contains(&line), "{line}: {shown:?}");
    }
    assert_eq!(lines.iter().filter(|line| line.contains("✓ file_read")).count(), 1, "{shown:?}");
}
