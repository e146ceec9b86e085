//! The names that other tools have for the same tools, by which hooks name them.

/// Returns the names of a tool: our own first, then the names in hooks for other programs.
pub(crate) fn names(tool: &str) -> Vec<String> {
    let shared: &[&str] = match tool {
        "shell" => &["Bash"],
        "file_read" => &["Read"],
        "file_edit" | "file_replace" => &["Edit", "MultiEdit"],
        "file_write" => &["Write"],
        "file_search" => &["Grep"],
        "file_list" => &["Glob", "LS"],
        "web_scrape" => &["WebFetch"],
        "web_search" => &["WebSearch"],
        "todo" => &["TodoWrite"],
        "skill" => &["Skill"],
        _ => &[],
    };
    let of_server = tool.split_once('.').map(|(server, name)| format!("mcp__{server}__{name}"));
    let shared = shared.iter().map(|name| (*name).to_owned());
    [tool.to_owned()].into_iter().chain(shared).chain(of_server).collect()
}
