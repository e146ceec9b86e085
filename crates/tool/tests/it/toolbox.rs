use futures_util::future::BoxFuture;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, Toolbox, closest_names};

/// A tool that has a name and nothing else.
struct Named(&'static str);

impl Tool for Named {
    fn name(&self) -> &str {
        self.0
    }
    fn description(&self) -> &str {
        "Made for a test."
    }
    fn schema(&self) -> &str {
        "{}"
    }
    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async { Ok(ToolOutput::new("said", self.0)) })
    }
}

#[test]
fn tools_are_found_and_sorted_by_name() {
    let mut tools = Toolbox::new();
    for name in ["write", "list", "read"] {
        tools.add(Named(name)).unwrap();
    }
    let names: Vec<_> = tools.iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["list", "read", "write"]);
    assert_eq!(tools.names().collect::<Vec<_>>(), names);
    assert_eq!(tools.get("list").unwrap().name(), "list");
    assert!(tools.get("List").is_none());
}

#[test]
fn second_tool_of_a_name_is_refused() {
    let mut tools = Toolbox::new();
    tools.add(Named("read")).unwrap();
    let twice = tools.add(Named("read")).unwrap_err();
    assert_eq!(twice.name(), "read");
    assert_eq!(
        twice.to_string(),
        "there are two of kind `tool` named `read`; leave one out or rename it"
    );
    assert_eq!(tools.iter().count(), 1);
}

#[test]
fn near_names_come_nearest_first() {
    let names = ["file_list", "file_read", "file_search", "file_write"];
    let table: [(&str, &[&str]); 9] = [
        ("file_raed", &["file_read"]),
        ("FILE_LIST", &["file_list"]),
        ("file-search", &["file_search"]),
        ("filewrite", &["file_write"]),
        ("fileserch", &["file_search"]),
        ("file_rite", &["file_write", "file_list", "file_read"]),
        ("weather", &[]),
        ("", &[]),
        ("ls", &[]),
    ];
    for (wanted, expected) in table {
        assert_eq!(closest_names(wanted, names), expected, "{wanted}");
    }
    assert!(closest_names("x", []).is_empty());
    assert!(closest_names("abcd", ["abxy"]).is_empty(), "half of it is too far");
    assert!(closest_names(&"x".repeat(1 << 20), names).is_empty());
    assert!(closest_names("x", ["x".repeat(1 << 20).as_str()]).is_empty());
    assert!(closest_names(&"x".repeat(1 << 20), ["x".repeat(1 << 20).as_str()]).is_empty());
    assert_eq!(
        closest_names("acb", ["abc", "xyz"]),
        ["abc"],
        "two swapped letters are one mistake"
    );
    assert_eq!(closest_names("größe", ["grösse", "GRÖßE"]), ["GRÖßE", "grösse"]);
    assert_eq!(closest_names("abcd", ["abcz", "abcy", "abcx", "abcw"]), ["abcw", "abcx", "abcy"]);
}
