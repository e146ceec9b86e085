//! The names under which a table may have a model.

/// Returns the spellings under which a table may list a model: the part after a server's address,
/// the name of an API or a vendor's name, in lower case, and then the whole name.
pub(crate) fn spellings(name: &str) -> impl Iterator<Item = String> {
    let at_server = name.split_once('#').map(|(_, model)| model);
    let of_api = name.split_once(':').map(|(_, model)| model);
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let names = [at_server, of_api.filter(|_| at_server.is_none()), Some(name)];
    names.into_iter().flatten().map(last).collect::<Vec<_>>().into_iter()
}

/// Returns the entry of a table that the name begins with.
pub(crate) fn find<'t, T>(table: &'t [(&str, T)], name: &str) -> Option<&'t T> {
    spellings(name).find_map(|name| {
        table.iter().find(|(start, _)| name.starts_with(start)).map(|(_, known)| known)
    })
}
