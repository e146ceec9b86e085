//! An edit as a person sees it, at three widths.

use std::fmt::Write as _;

use silcrow_term::{DiffLook, DiffRows, Theme};

const HUNKS: &str = "@@ -8,4 +8,5 @@\n     let first = read(file)?;\n\
    -    let total = first.len() + second.len() + third.len() + fourth.len() + fifth.len();\n\
    +    let total: usize = [first, second, third, fourth, fifth].iter().map(|it| it.len()).sum();\n\
    +\tcheck(total)?;\n     Ok(total)\n@@ -98,2 +99,1 @@\n }\n-// \u{1b}[2Jold\n\\ No newline at end of file\n";

#[test]
fn an_edit_at_three_widths() {
    let mut shown = String::new();
    for columns in [60, 80, 120] {
        let _ = writeln!(shown, "{columns} columns");
        for row in DiffRows::new(HUNKS, &DiffLook::new(columns)).rows {
            assert!(row.width() <= columns);
            let _ = writeln!(shown, "{}", row.to_ansi(&Theme::DARK).replace('\u{1b}', "^"));
        }
    }
    insta::assert_snapshot!(shown);
}
