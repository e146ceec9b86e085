//! P-3, P-8, P-16, P-17: where a tag counts, and what a list of calls is.

use silcrow_lex::Dialect;

use crate::shown::shown;

#[track_caller]
fn check(wire: &str, tokens: &str) {
    assert_eq!(shown(wire, Dialect::Phase), tokens);
}

#[test]
fn each_section_has_delimiters_of_its_own() {
    check("a<think>b</think>c<end>d", "a [<think>] b [</think>] c [<end>] d");
    check("</think></execute></results>", "</think></execute></results>");
    check(
        "<think><think><execute><results><end></execute></think>",
        "[<think>] <think><execute><results><end></execute> [</think>]",
    );
    check(
        "<results><think></think><end></results>x",
        "[<results>] <think></think><end> [</results>] x",
    );
    check("<end><think>", "[<end>] <think>");
}

#[test]
fn what_only_begins_like_a_tag_is_text() {
    for text in
        ["<", "<<", "<t", "<think", "<Think>", "< think>", "<think >", "<thinks>", "</think", "<é>"]
    {
        check(text, text);
    }
    check("<t<think>", "<t [<think>]");
    check("<think></think</think>", "[<think>] </think [</think>]");
    check("<e<ex<execute>", "<e<ex [<execute>]");
}

#[test]
fn a_doubled_tag_is_an_escape_where_it_would_count() {
    check("<<think>", "< ESCAPE < think>");
    check("a<<<end>b", "a<< ESCAPE < end>b");
    check("<<</think>", "<<</think>");
    check("<think><<</think>", "[<think>] << ESCAPE < /think>");
    check("<<endx", "<<endx");
}

#[test]
fn items_of_a_list_are_complete_one_by_one() {
    check(
        "<execute> [ {\"a\":1} ,\n[2]\t, \"x]\" ] </execute>y",
        "[<execute>] ~ [ ~ {{\"a\":1}} COMPLETE. ~ ,\n~ {[2]} COMPLETE. ~\t, ~ {\"x]\"} COMPLETE. ~ ] ~ [</execute>] y",
    );
    check("<execute>[]</execute>", "[<execute>] ~[]~ [</execute>]");
    check("<execute></execute>", "[<execute>] [</execute>]");
    check("<execute>{}</execute>", "[<execute>] {{}} COMPLETE. [</execute>]");
    check(
        "<execute>{}{} , {}]",
        "[<execute>] {{}} COMPLETE. {{}} COMPLETE. ~ , ~ {{}} COMPLETE. ~]~",
    );
    check("<execute>[{}] so </execute>", "[<execute>] ~[~ {{}} COMPLETE. ~] so ~ [</execute>]");
    check("<execute>[,,]", "[<execute>] ~[,,]~");
}

#[test]
fn a_scalar_ends_at_a_character_that_cannot_continue_it() {
    for end in [" ", "\t", "\r", "\n", ",", "]"] {
        check(
            &format!("<execute>[tru{end}"),
            &format!("[<execute>] ~[~ {{tru}} COMPLETE. ~{end}~"),
        );
    }
    check("<execute>[1{}", "[<execute>] ~[~ {1} COMPLETE. {{}} COMPLETE.");
    check("<execute>[1[]", "[<execute>] ~[~ {1} COMPLETE. {[]} COMPLETE.");
    check("<execute>[1\"a\"", "[<execute>] ~[~ {1} COMPLETE. {\"a\"} COMPLETE.");
    check("<execute>[1</execute>", "[<execute>] ~[~ {1} UNCLOSED. [</execute>]");
    check("<execute>[1</x", "[<execute>] ~[~ {1</x} TORN.");
    check("<execute>[}", "[<execute>] ~[~ {}} TORN.");
    check("<execute>[1", "[<execute>] ~[~ {1} TORN.");
}

#[test]
fn the_closing_tag_counts_outside_of_strings() {
    check(
        "<execute>[{\"</execute>\":\"\\\"</execute>",
        "[<execute>] ~[~ {{\"</execute>\":\"\\\"</execute>} TORN.",
    );
    check("<execute>[{\"a\":</execute>", "[<execute>] ~[~ {{\"a\":} UNCLOSED. [</execute>]");
    check("<execute>[{\"\n</execute>", "[<execute>] ~[~ {{\"\n} TORN. [</execute>]");
    check("<execute>[{\"\nx</execute>\"}", "[<execute>] ~[~ {{\"\nx</execute>\"}} COMPLETE.");
    check("<execute>[<<</execute>", "[<execute>] ~[~ {<<</execute>} TORN.");
    check("<execute>[<think>]</execute>", "[<execute>] ~[~ {<think>} COMPLETE. ~]~ [</execute>]");
    check("<execute>ls</execute>", "[<execute>] {ls} UNCLOSED. [</execute>]");
}

#[test]
fn a_list_may_be_in_a_code_fence() {
    check(
        "<execute>\n```json\n[{}]\n```\n</execute>",
        "[<execute>] ~\n```json\n[~ {{}} COMPLETE. ~]\n```\n~ [</execute>]",
    );
    check("<execute>```\n{}\n```x", "[<execute>] ~```\n~ {{}} COMPLETE. ~\n```x~");
    check("<execute>[```\n{}", "[<execute>] ~[~ {```} COMPLETE. ~\n~ {{}} COMPLETE.");
    check("<execute>``x", "[<execute>] {``x} UNCLOSED.");
}
