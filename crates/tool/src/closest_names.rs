//! Names that are close to an unknown one.
//!
//! This module compares letters, whatever the names mean.

/// Returns the names that were most likely meant by `wanted`, at most three, the closest first. A
/// name is close if it differs only in case, or in at most a third of its letters.
///
/// ```
/// use silcrow_tool::closest_names;
///
/// assert_eq!(closest_names("file_raed", ["file_list", "file_read"]), ["file_read"]);
/// assert!(closest_names("weather", ["file_list", "file_read"]).is_empty());
/// ```
pub fn closest_names<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let Some(wanted) = letters(wanted) else { return Vec::new() };
    let near = names.into_iter().filter_map(|name| {
        let letters = letters(name)?;
        let away = distance(&wanted, &letters);
        (away * 3 <= letters.len().max(wanted.len())).then_some((away, name))
    });
    let mut near: Vec<_> = near.collect();
    near.sort_unstable();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Returns the letters of a name in lower case, or `None` if there are too many to compare.
fn letters(name: &str) -> Option<Vec<char>> {
    const MAX: usize = 128;
    let letters: Vec<_> = name.chars().flat_map(char::to_lowercase).take(MAX + 1).collect();
    (letters.len() <= MAX).then_some(letters)
}

/// Returns the number of letters that must be changed, inserted, left out or swapped with their
/// neighbour.
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
