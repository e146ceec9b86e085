//! The size of a first agent with this crate.

/// The example is compiled as it is; here its lines are counted, as a reader would write them.
#[test]
fn agent_with_tool_takes_at_most_16_lines() {
    let example = include_str!("../../examples/hello.rs");
    let manifest = example
        .lines()
        .skip_while(|line| *line != "//! ```toml")
        .skip(1)
        .take_while(|line| *line != "//! ```");
    let is_program = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//") && !line.starts_with("#![expect")
    };
    let (manifest, program) = (manifest.count(), example.lines().filter(is_program).count());
    assert!(manifest >= 3, "the example says what its manifest holds");
    assert!(program >= 10, "the example is a whole program");
    assert!(manifest + program <= 16, "{manifest} lines of manifest, {program} of program");
}

#[test]
fn an_agent_has_one_tool_of_each_name() {
    use silcrow::prelude::*;

    let add = || tool_fn("add", "Adds two numbers.", ["a", "b"], async |_: i64, _: i64| Ok("5"));
    let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new());
    let agent = agent.with_tool(add()).unwrap();
    assert_eq!(agent.with_tool(add()).map(drop).unwrap_err().name(), "add");
}
