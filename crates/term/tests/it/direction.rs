//! Text from right to left, with its marks of direction.

use silcrow_term::{Line, Style};

use crate::surface::render;

/// A paragraph of Hebrew and one of Arabic, with names in Latin letters between marks.
const TEXT: &str = "\
\u{200f}הספרייה **silcrow**\u{200e} קוראת את הטקסט, וכותבת אותו (שורה אחר שורה).\u{200f} \
\u{200f}הגרסה היא 1.95\u{200e}!

\u{200f}تقرأ المكتبة *silcrow*\u{200e} النص، وتكتبه سطرًا بعد سطر.\u{200f} \u{61c}12% من الملفات.

- \u{200f}אחת\u{200f}, `rm\u{200f}`
- [\u{200f}שתיים](https://b.c/\u{200f}x)

~~~
cat a\u{200f}b
~~~
";

/// Returns the rows with their marks as names.
fn shown(text: &str, width: usize) -> String {
    let rows: Vec<_> = render(text, width, &[]).iter().map(Line::to_string).collect();
    let marks = [('\u{200e}', "⟨LRM⟩"), ('\u{200f}', "⟨RLM⟩"), ('\u{61c}', "⟨ALM⟩")];
    marks.iter().fold(rows.join("\n"), |rows, (mark, name)| rows.replace(*mark, name))
}

#[test]
fn directional_marks_show_in_code_and_links() {
    insta::assert_snapshot!("right_to_left", shown(TEXT, 40));
}

#[test]
fn rows_are_independent_of_chunking() {
    let every: Vec<_> = (1..TEXT.len()).collect();
    for width in [10, 24, 40] {
        assert_eq!(render(TEXT, width, &every), render(TEXT, width, &[]));
    }
}

#[test]
fn a_row_may_be_broken_before_a_mark() {
    assert_eq!(shown("aaaa \u{200f}bbbb", 6), "aaaa\n⟨RLM⟩bbbb");
    assert_eq!(shown("aaaa \u{200f}bbbb", 9), "aaaa ⟨RLM⟩bbbb");
    assert_eq!(shown("\u{200f}אבגדה", 3), "⟨RLM⟩אבג\nדה");
}

#[test]
fn link_target_with_mark_is_shown() {
    assert_eq!(shown("<https://b.c/\u{200f}x>", 60), "https://b.c/⟨RLM⟩x (https://b.c/\\u{200f}x)");
}

#[test]
fn only_prose_lines_keep_directional_marks() {
    let text = "\u{200f}א\n\u{202e}b\tc";
    let lines = Line::prose_lines(text, Style::PLAIN);
    let lines: Vec<_> = lines.iter().map(Line::text).collect();
    assert_eq!(lines, ["\u{200f}א", "\\u{202e}b   c"]);
    assert_eq!(Line::styled("\u{200f}א", Style::PLAIN).text(), "\\u{200f}א");
}
