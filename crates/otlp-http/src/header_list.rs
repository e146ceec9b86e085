//! Lists of names and values as the variables of OpenTelemetry write them: `a=1,b=2%2C3`.

/// Returns the names and values of a list. A member without a name or without `=` is left out.
pub(crate) fn members(list: &str) -> Vec<(String, String)> {
    let members = list.split(',').filter_map(|member| member.split_once('='));
    let members = members.map(|(name, value)| (decoded(name.trim()), decoded(value.trim())));
    members.filter(|(name, _)| !name.is_empty()).collect()
}

/// Replaces `%41` by its byte. Anything else stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| first == b'%');
        let byte = hex.and_then(|hex| u8::from_str_radix(str::from_utf8(hex).ok()?, 16).ok());
        match byte {
            Some(byte) => (bytes.push(byte), rest = &after[2..]),
            None => (bytes.push(first), rest = after),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::members;

    #[test]
    fn lists_are_read() {
        let of = |list| {
            let members = members(list).into_iter();
            members.map(|(name, value)| format!("{name}|{value}")).collect::<Vec<_>>()
        };
        assert_eq!(of("api-key=a%20b%2Cc, other = d=e ,"), ["api-key|a b,c", "other|d=e"]);
        assert_eq!(of("=x,y,z="), ["z|"]);
        assert_eq!(of("a=100%,b=%zz,c=%c3%a4"), ["a|100%", "b|%zz", "c|ä"]);
    }
}
