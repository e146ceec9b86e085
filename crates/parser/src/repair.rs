/// JSON with the raw control characters in its strings escaped (P-8); `None` where there are none.
pub(crate) fn repair(json: &str) -> Option<String> {
    let mut mended = String::with_capacity(json.len() + 16);
    let (mut in_string, mut escaped, mut found) = (false, false, false);
    for char in json.chars() {
        if in_string && char < ' ' {
            found = true;
            if escaped {
                // The backslash of an escaped line break stands for itself.
                mended.push('\\');
            }
            escaped = false;
            match char {
                '\n' => mended.push_str("\\n"),
                '\r' => mended.push_str("\\r"),
                '\t' => mended.push_str("\\t"),
                _ => mended.push_str(&format!("\\u{:04x}", u32::from(char))),
            }
            continue;
        }
        match char {
            _ if escaped => escaped = false,
            '"' => in_string = !in_string,
            '\\' if in_string => escaped = true,
            _ => {}
        }
        mended.push(char);
    }
    found.then_some(mended)
}
