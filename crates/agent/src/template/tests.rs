use super::TemplateFilter;

/// Filters a text that arrives in pieces of so many bytes, at the ends of characters.
fn filtered(text: &str, size: usize) -> String {
    let mut filter = TemplateFilter::default();
    let mut out = String::new();
    let mut piece = String::new();
    for char in text.chars() {
        piece.push(char);
        if piece.len() >= size {
            filter.push(&std::mem::take(&mut piece), &mut |text| out.push_str(text));
        }
    }
    filter.push(&piece, &mut |text| out.push_str(text));
    filter.finish(&mut |text| out.push_str(text));
    out
}

#[test]
fn template_tokens_are_dropped_at_any_cut() {
    let cases = [
        ("It is 5.</s>", "It is 5."),
        ("It is 5.<|im_end|>\n", "It is 5."),
        ("It is 5.<|return|>", "It is 5."),
        ("It is 5.\n<|eot_id|><|end|> </s>\n", "It is 5.\n"),
        ("§end<｜end▁of▁sentence｜>", "§end"),
        ("<|im_start|>assistant\nIt is 5.", "\nIt is 5."),
        ("<|start_header_id|>assistant<|end_header_id|>\n\n§respond: 5", "\n\n§respond: 5"),
        ("<|begin_of_text|><|assistant|>5", "5"),
        ("assistant\n§end", "§end"),
        ("Assistant: It is 5.", " It is 5."),
        ("\n assistant: 5", "\n  5"),
        ("assistant", ""),
        ("<|im_start|>assistant", ""),
        ("<|im_end|>", ""),
    ];
    for (text, expected) in cases {
        for size in [1, 2, 3, 7, 100] {
            assert_eq!(filtered(text, size), expected, "{text} in {size}");
        }
    }
}

#[test]
fn other_text_stays_unchanged() {
    let texts = [
        "",
        " \n",
        "assistants help",
        "Assistant professor",
        "<think>hm</think> a < b </s> and <|im_end|> inside",
        "a <",
        "a </",
        "a <|im_en",
        "</s>x",
        "<|im_start|>user",
        "<",
        "§think: <",
    ];
    for text in texts {
        for size in [1, 2, 3, 7, 100] {
            assert_eq!(filtered(text, size), text, "{text} in {size}");
        }
    }
}
