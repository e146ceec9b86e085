//! The names under which a table may have a model.

/// Returns the spellings of a model's name that a table may begin with: what follows a server's address,
/// the name of an API or a vendor's name, in small letters, and then the whole.
pub(crate) fn spellings(name: &str) -> impl Iterator<Item = String> {
    let at_server = name.split_once('#').map(|(_, model)| model);
    let of_api = name.split_once(':').map(|(_, model)| model);
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let names = [at_server, of_api.filter(|_| at_server.is_none()), Some(name)];
    names.into_iter().flatten().map(last).collect::<Vec<_>>().into_iter()
}

/// Returns the entry of a table whose beginning is that of the name.
pub(crate) fn find<'t, T>(table: &'t [(&str, T)], name: &str) -> Option<&'t T> {
    spellings(name).find_map(|name| {
        table.iter().find(|(start, _)| name.starts_with(start)).map(|(_, known)| known)
    })
}
