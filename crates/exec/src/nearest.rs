/// The name that was most likely meant by `wanted`, if one is near: the same but for case, or at
/// most a third of its letters away.
///
/// ```
/// use silcrow_exec::nearest;
///
/// assert_eq!(nearest("file_raed", ["file_list", "file_read"]), Some("file_read"));
/// assert_eq!(nearest("weather", ["file_list", "file_read"]), None);
/// ```
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    if wanted.len() > MAX_LENGTH {
        return None;
    }
    let near = names.into_iter().filter_map(|name| {
        let letters: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
        let length = letters.len().max(wanted.len());
        if length > MAX_LENGTH {
            return None;
        }
        let away = distance(&wanted, &letters);
        (away * 3 <= length).then_some((away, name))
    });
    near.min_by_key(|(away, _)| *away).map(|(_, name)| name)
}

/// Letters; the work is quadratic in it.
const MAX_LENGTH: usize = 128;

/// How many letters must be changed, put in, left out, or swapped with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let swapped: usize = before[j - 2];
                least = least.min(swapped + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
