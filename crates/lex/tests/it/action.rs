//! P-3, P-8, P-19, P-21: tags with attributes, and what counts where.

use silcrow_lex::{Dialect, Lexer, MAX_TAG};

use crate::shown::shown;

#[track_caller]
fn check(wire: &str, tokens: &str) {
    assert_eq!(shown(wire, Dialect::Action), tokens);
}

#[test]
fn attributes_are_followed() {
    check("<action>x", "(<action [>] {x} UNCLOSED.");
    check("<action a=\"b>c\">", "(<action ~ ~ n:a ~=\"~ v:b>c ~\"~ [>] TORN.");
    check(
        "<action\n a = 'b\"c' d=e.f-1>",
        "(<action ~\n ~ n:a ~ = '~ v:b\"c ~' ~ n:d ~=~ v:e.f-1 [>] TORN.",
    );
    check(
        "<action a=[\"]>\\\"\",[1]]b=c >",
        "(<action ~ ~ n:a ~=~ v:[\"]>\\\"\",[1]] n:b ~=~ v:c ~ ~ [>] TORN.",
    );
    check("<action\r\n\ta=b>", "(<action ~\r\n\t~ n:a ~=~ v:b [>] TORN.");
    check("<response final=\"\">x", "(<response ~ ~ n:final ~=\"\"~ [>] x");
}

#[test]
fn what_is_not_a_tag_is_text_up_to_what_disproves_it() {
    for name in ["<actions>", "<action/>", "<Action>", "< action>", "<action", "<act", "<thought >"]
    {
        check(name, name);
    }
    check("<action a>", "(<action ~ ~ n:a BROKEN. >");
    check("<action a=>", "(<action ~ ~ n:a ~=~ BROKEN. >");
    check("<action /> ", "(<action ~ ~ BROKEN. /> ");
    check("<action a=b/c>", "(<action ~ ~ n:a ~=~ v:b BROKEN. /c>");
    check("<action =b>", "(<action ~ ~ BROKEN. =b>");
    check("<action a=\"x<action>", "(<action ~ ~ n:a ~=\"~ v:x BROKEN. (<action [>] TORN.");
    check("<action \n<thought>", "(<action ~ \n~ BROKEN. [<thought>]");
    check("<action a=[", "(<action ~ ~ n:a ~=~ v:[ BROKEN.");
    check("<action ", "(<action ~ ~ BROKEN.");
}

#[test]
fn a_tag_has_at_most_a_kibibyte() {
    let ends = |len: usize, last: &str| {
        let value = "x".repeat(len - "<action a=\"\">".len() - last.len());
        let tokens = shown(&format!("<action a=\"{value}{last}\">"), Dialect::Action);
        tokens.trim_start_matches(|char| char != 'x').trim_start_matches('x').to_owned()
    };
    assert_eq!(ends(MAX_TAG, ""), " ~\"~ [>] TORN.");
    assert_eq!(ends(MAX_TAG, "é"), "é ~\"~ [>] TORN.");
    assert_eq!(ends(MAX_TAG + 1, ""), " ~\"~ BROKEN. >");
    assert_eq!(ends(MAX_TAG + 2, ""), " BROKEN. \">");
    assert_eq!(ends(MAX_TAG + 2, "é"), "é BROKEN. \">");
    assert_eq!(ends(MAX_TAG + 3, "é"), " BROKEN. é\">");
}

#[test]
fn a_doubled_tag_is_an_escape_only_if_it_is_whole() {
    check("<<action a=b>", "< (<action ~ ~ n:a ~=~ v:b ESCAPED. >");
    check("<<<action>", "<< (<action ESCAPED. >");
    check("<<action a>", "< (<action ~ ~ n:a BROKEN. >");
    check("<<actions>", "<<actions>");
    check("<<thought>", "< ESCAPE < thought>");
}

#[test]
fn each_section_has_delimiters_of_its_own() {
    check("</thought></action></response>-->", "</thought></action></response>-->");
    check(
        "<thought><thought></action><response><!--</thought>",
        "[<thought>] <thought></action><response><!-- [</thought>]",
    );
    check(
        "<response><action></thought>\n<response><!--</response>x",
        "(<response [>] <action></thought>\n<response><!-- [</response>] x",
    );
    check("<action><thought></action>", "(<action [>] {<thought>} UNCLOSED. [</action>]");
}

#[test]
fn a_thought_continues_after_an_action_and_ends_at_a_response_that_begins_a_line() {
    check(
        "<thought>a<action>{}</action>b</thought>c",
        "[<thought>] a (<action [>] {{}} COMPLETE. [</action>] b [</thought>] c",
    );
    check("<thought>a\n<response>b", "[<thought>] a\n (<response [>] b");
    check("<thought>a\n<<response>b", "[<thought>] a\n< (<response ESCAPED. >b");
    check("<thought>a <<response>\n<response", "[<thought>] a <<response>\n<response");
    check("<thought>\n <response>", "[<thought>] \n <response>");
    check("<thought><response>", "[<thought>] <response>");
    check("<thought><action \n<response>", "[<thought>] (<action ~ \n~ BROKEN. (<response [>]");
}

#[test]
fn a_body_ends_at_its_bracket_and_the_action_at_its_tag() {
    check(
        "<action> {\"a\":\"</action>\"} so </action>",
        "(<action [>] ~ ~ {{\"a\":\"</action>\"}} COMPLETE. ~ so ~ [</action>]",
    );
    check(
        "<action>```json\n[1]\n```</action>",
        "(<action [>] ~```json\n~ {[1]} COMPLETE. ~\n```~ [</action>]",
    );
    check("<action>{\"a\":\"\n</action>", "(<action [>] {{\"a\":\"\n} TORN. [</action>]");
    check("<action>{\"a\":\"\n </action>", "(<action [>] {{\"a\":\"\n </action>} TORN.");
    check("<action></action>", "(<action [>] UNCLOSED. [</action>]");
    check("<action>{}", "(<action [>] {{}} COMPLETE.");
}

#[test]
fn nothing_counts_in_a_comment() {
    check("<!-- <action> -- > --->x", "[<!--]  <action> -- > - [-->] x");
    check("<!-->--->", "[<!--] >- [-->]");
    check("<!---->", "[<!--] [-->]");
    check("<!-- a --", "[<!--]  a --");
    check("<<!-- a", "< ESCAPE < !-- a");
    check("<thought><!-- a --></thought>", "[<thought>] <!-- a --> [</thought>]");
}

/// At most a proper prefix of what counts is pending, and of a tag only its name.
#[test]
fn nothing_more_is_pending() {
    let withheld = |wire: &str| {
        let mut lexer = Lexer::new(Dialect::Action);
        let mut rest = wire;
        let mut given = 0;
        while let Some(token) = lexer.next(&mut rest) {
            given += token.text().len();
        }
        wire.len() - given
    };
    for (wire, expected) in [
        ("a <", 1),
        ("a <action", 7),
        ("a <response", 9),
        ("a <action ", 0),
        ("a <action id=\"x", 0),
        ("a </action", 0),
        ("<thought>x <res", 0),
        ("<thought>x\n<res", 4),
        ("<thought>x\n<<res", 4),
        ("<thought></though", 8),
        ("<response></response", 10),
        ("<response><act", 0),
        ("<action>{\"a\":\"</act", 0),
        ("<action>{\"a\":1</act", 5),
        ("<!-- ---", 2),
    ] {
        assert_eq!(withheld(wire), expected, "{wire:?}");
    }
}
