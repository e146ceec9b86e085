use silcrow_exec::{Toolbox, nearest};

use crate::plain;

#[test]
fn tools_are_found_by_name_and_sorted_by_it() {
    let mut tools = Toolbox::new();
    for name in ["write", "list", "read"] {
        tools.add(plain(name)).unwrap();
    }
    let names: Vec<_> = tools.iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["list", "read", "write"]);
    assert_eq!(tools.names().collect::<Vec<_>>(), names);
    assert_eq!(tools.get("list").unwrap().name(), "list");
    assert!(tools.get("List").is_none());
}

#[test]
fn a_second_tool_of_one_name_is_refused_by_name() {
    let mut tools = Toolbox::new();
    tools.add(plain("read")).unwrap();
    let twice = tools.add(plain("read")).unwrap_err();
    assert_eq!(twice.name(), "read");
    assert_eq!(twice.to_string(), "there are two tools named `read`; leave one out or rename it");
    assert_eq!(tools.iter().count(), 1);
}

#[test]
fn the_nearest_name_is_near() {
    let names = ["file_list", "file_read", "file_search", "file_write"];
    let table = [
        ("file_raed", Some("file_read")),
        ("FILE_LIST", Some("file_list")),
        ("file-search", Some("file_search")),
        ("filewrite", Some("file_write")),
        ("fileserch", Some("file_search")),
        ("weather", None),
        ("", None),
        ("ls", None),
    ];
    for (wanted, near) in table {
        assert_eq!(nearest(wanted, names), near, "{wanted}");
    }
    assert_eq!(nearest("x", []), None);
    assert_eq!(nearest(&"x".repeat(1 << 20), names), None);
    assert_eq!(nearest("x", ["x".repeat(1 << 20).as_str()]), None);
    assert_eq!(nearest("größe", ["grösse", "GRÖßE"]), Some("GRÖßE"));
}
